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

  it.each([
    { title: 'null for each part', filter: { assetIds: null, timeRange: null }, sent: '{}' },
    { title: 'asset ids alone, in their order', filter: { assetIds: ['b', 'a'] }, sent: '{"mo_ids":["b","a"]}' },
    { title: 'repeated ids once', filter: { assetIds: ['b', 'a', 'b', 'a'] }, sent: '{"mo_ids":["b","a"]}' },
    {
      title: 'ids of one and of 200 characters',
      filter: { assetIds: ['a', longest] },
      sent: `{"mo_ids":["a","${longest}"]}`,
    },
    {
      title: 'an id of any characters',
      filter: { assetIds: ['"\\\n\u2028é'] },
      sent: `{"mo_ids":${JSON.stringify(['"\\\n\u2028é'])}}`,
    },
    {
      title: 'a start alone',
      filter: { timeRange: { start: 0, stop: null } },
      sent: '{"time_range":{"start_date":0}}',
    },
    { title: 'a stop alone', filter: { timeRange: { stop: -1 } }, sent: '{"time_range":{"stop_date":-1}}' },
    {
      title: 'a start that is the stop',
      filter: { timeRange: { start: 5, stop: 5 } },
      sent: '{"time_range":{"start_date":5,"stop_date":5}}',
    },
    {
      title: 'the widest range, exactly',
      filter: { timeRange: { start: '-9223372036854775808', stop: '9223372036854775807' } },
      sent: '{"time_range":{"start_date":-9223372036854775808,"stop_date":9223372036854775807}}',
    },
    {
      title: 'everything',
      filter: { timeRange: { stop: '2024-01-02T00:00:00Z', start: '2024-01-01T00:00:00Z' }, assetIds: ['a'] },
      sent: '{"mo_ids":["a"],"time_range":{"start_date":1704067200000,"stop_date":1704153600000}}',
    },
  ])('sends $title', async ({ filter, sent }) => {
    const { query, simulator } = await start();
    const { body } = await query(
      `query ($filter: ResultsFilterInput) { dataset(id: "${DATASET_ID}") { results(filter: $filter) { processingId } } }`,
      { variables: { filter } },
    );
    expect(body).toEqual({ data: { dataset: { results: { processingId: 'p-1' } } } });
    expect(simulator.requests.map((request) => request.body)).toEqual([sent]);
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

  it.each([
    { title: 'an empty asset id', field: 'results(filter: { assetIds: [""] }) { processingId }' },
    {
      title: 'one bad asset id among good ones',
      field: `results(filter: { assetIds: ["a", "${tooLong}"] }) { processingId }`,
    },
    { title: 'a range without bounds', field: `results(filter: { ${EMPTY_RANGE} }) { processingId }` },
    { title: 'a start after the stop', field: `results(filter: { ${BACKWARDS} }) { processingId }` },
    {
      title: 'a bad range beside an empty list',
      field: `results(filter: { assetIds: [], ${BACKWARDS} }) { processingId }`,
    },
    { title: 'a single asset of an empty id, its key alone', field: 'asset(assetId: "") { assetId }' },
    { title: 'a single asset of a too long id', field: `asset(assetId: "${tooLong}") { name series { version } }` },
    {
      title: 'series of a range without bounds',
      field: `asset(assetId: "a") { series(filter: { ${EMPTY_RANGE} }) { version } }`,
      within: 'series',
    },
    {
      title: 'series of a start after the stop',
      field: `asset(assetId: "a") { series(filter: { ${BACKWARDS} }) { version } }`,
      within: 'series',
    },
  ])('refuses $title, before the token is looked at and without a call', async ({ field, within }) => {
    const { query, calls } = await start();
    const path = ['dataset', 'field', ...(within ? [within] : [])];
    const expected = {
      data: { dataset: { id: DATASET_ID, field: within ? { [within]: null } : null } },
      errors: [errorAt(path, 'BAD_USER_INPUT')],
    };
    expect((await query(ofDataset(`id field: ${field}`))).body).toEqual(expected);
    expect((await query(ofDataset(`id field: ${field}`), { token: null })).body).toEqual(expected);
    expect(calls()).toEqual([]);
  });
});
