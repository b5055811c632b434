import { describe, expect, it } from 'vitest';
import { errorAt } from '../support/expected-errors.ts';
import { DATASET_ID, ofDataset, postResults, start, TOKEN } from '../support/harness.ts';

/*
 * Clause 3.5 of docs/contract.md in detail.
 * A filter is sent as given. Absent parts are omitted; no filter is `{}`. `assetIds: []` returns no assets, without a
 * call and without a token. Repeated ids are sent once. The filter of a series without a range is none. A range that starts after its stop or has no bound is
 * `BAD_USER_INPUT`, and so is an asset id that is empty or longer than 200 characters. This check comes first.
 */
describe('3.5 A filter is sent as given', () => {
  const longest = 'x'.repeat(200);

  const [widest, odd] = ['9223372036854775807', '"\\\n\u2028é'];
  const days = { stop: '2024-01-02T00:00:00Z', start: '2024-01-01T00:00:00Z' };
  const sentFilters: [filter: object, sent: string][] = [
    [{ assetIds: null, timeRange: null }, '{}'],
    [{ assetIds: ['b', 'a'] }, '{"mo_ids":["b","a"]}'],
    [{ assetIds: ['b', 'a', 'b', 'a'] }, '{"mo_ids":["b","a"]}'],
    [{ assetIds: ['a', longest] }, `{"mo_ids":["a","${longest}"]}`],
    [{ assetIds: [odd] }, `{"mo_ids":${JSON.stringify([odd])}}`],
    [{ timeRange: { start: 0, stop: null } }, '{"time_range":{"start_date":0}}'],
    [{ timeRange: { stop: -1 } }, '{"time_range":{"stop_date":-1}}'],
    [{ timeRange: { start: 5, stop: 5 } }, '{"time_range":{"start_date":5,"stop_date":5}}'],
    [
      { timeRange: { start: '-9223372036854775808', stop: widest } },
      `{"time_range":{"start_date":-9223372036854775808,"stop_date":${widest}}}`,
    ],
    [
      { timeRange: days, assetIds: ['a'] },
      '{"mo_ids":["a"],"time_range":{"start_date":1704067200000,"stop_date":1704153600000}}',
    ],
  ];

  it('sends ids once and in their order, and times exactly', async () => {
    const { query, simulator } = await start();
    const document = `query ($filter: ResultsFilterInput) { dataset(id: "${DATASET_ID}") { results(filter: $filter) { processingId } } }`;
    for (const [filter, sent] of sentFilters) {
      simulator.clear();
      const { body } = await query(document, { variables: { filter } });
      expect(body).toEqual({ data: { dataset: { results: { processingId: 'p-1' } } } });
      expect(simulator.requests.map((request) => request.body)).toEqual([sent]);
    }
  });

  it.each([{ token: TOKEN }, { token: null }])(
    'answers an empty list without a call, with the token $token',
    async ({ token }) => {
      const { query, calls } = await start();
      const { body } = await query(
        ofDataset(`
        empty: results(filter: { assetIds: [] }) { processingId sourceId series { totalCount nodes { version } } }
        ranged: results(filter: { assetIds: [], timeRange: { start: 1 } }) { series { edges { cursor } } }`),
        { token },
      );
      expect(body).toEqual({
        data: {
          dataset: {
            empty: { processingId: null, sourceId: null, series: { totalCount: 0, nodes: [] } },
            ranged: { series: { edges: [] } },
          },
        },
      });
      expect(calls()).toEqual([]);
    },
  );

  it('takes a filter of a series without a range as none, in one call', async () => {
    const { query, calls } = await start();
    const { body } = await query(
      `query ($filter: SeriesFilterInput, $range: TimeRangeInput) {
        dataset(id: "${DATASET_ID}") {
          asset(assetId: "a") {
            absent: series { rowCount }
            null: series(filter: null) { rowCount }
            empty: series(filter: {}) { rowCount }
            nullRange: series(filter: { timeRange: null }) { rowCount }
            absentVariable: series(filter: $filter) { rowCount }
            absentRange: series(filter: { timeRange: $range }) { rowCount }
            metricNames
          }
        }
      }`,
    );
    const all = { rowCount: 3 };
    const asset = { absent: all, null: all, empty: all, nullRange: all, absentVariable: all, absentRange: all };
    expect(body).toEqual({ data: { dataset: { asset: { ...asset, metricNames: ['moisture', 'temperature'] } } } });
    expect(calls()).toEqual([postResults({ mo_ids: ['a'] })]);
  });

  const tooLong = 'x'.repeat(201);
  const EMPTY_RANGE = 'timeRange: {}';
  const BACKWARDS = 'timeRange: { start: 2, stop: 1 }';

  const invalid: [field: string, within?: string][] = [
    ['results(filter: { assetIds: [""] }) { processingId }'],
    [`results(filter: { assetIds: ["a", "${tooLong}"] }) { processingId }`],
    [`results(filter: { ${EMPTY_RANGE} }) { processingId }`],
    [`results(filter: { ${BACKWARDS} }) { processingId }`],
    [`results(filter: { assetIds: [], ${BACKWARDS} }) { processingId }`],
    ['asset(assetId: "") { assetId }'],
    [`asset(assetId: "${tooLong}") { name series { version } }`],
    [`asset(assetId: "a") { series(filter: { ${EMPTY_RANGE} }) { version } }`, 'series'],
    [`asset(assetId: "a") { series(filter: { ${BACKWARDS} }) { version } }`, 'series'],
  ];

  it('refuses what is invalid, before the token is looked at and without a call', async () => {
    const { query, calls } = await start();
    for (const [field, within] of invalid) {
      const path = ['dataset', 'field', ...(within ? [within] : [])];
      const expected = {
        data: { dataset: { id: DATASET_ID, field: within ? { [within]: null } : null } },
        errors: [errorAt(path, 'BAD_USER_INPUT')],
      };
      for (const token of [TOKEN, null]) {
        const { body } = await query(ofDataset(`id field: ${field}`), { token });
        expect([field, body]).toEqual([field, expected]);
      }
    }
    expect(calls()).toEqual([]);
  });
});
