import { describe, expect, it } from 'vitest';
import { ask, askSeries, invalid, row, startWith } from '../support/aggregates.ts';

/*
 * Clause 3.45 of docs/contract.md in detail: the first and the last value.
 * - They are by time, of the rows with a value; of equal times the order of the rows decides. A row without a date is passed over,
 *   unless none has one: then the order of the rows decides.
 * - If a date of these rows cannot be read, they are null with an error. The other figures stay.
 */
describe('3.45 The first and the last value', () => {
  it.each([
    ['2024-01-02T00:00:00+02:00', '2024-01-01T23:00:00Z', true],
    ['2024-01-02T00:00:00+01:00', '2024-01-01T23:00:00Z', false],
    ['2024-01-01T23:00:00.000001Z', '2024-01-01T23:00:00Z', false],
    ['2024-01-01T23:00:00.000000001Z', '2024-01-01T23:00:00Z', false],
    ['9999-12-31T23:59:59.999999998Z', '9999-12-31T23:59:59.999999999Z', true],
    ['2024-01-01T23:00Z', '20240101T230001', true],
    ['2024-01', '2024-01-01T00:00+00', false],
    ['2023', '2024-01-01T00:00:00+0000', true],
    ['2016-12-31T23:59:60.5Z', '2017-01-01T00:00:00.000000001Z', true],
    ['2016-12-31T23:59:59,999999999Z', '2016-12-31T23:59:60Z', true],
    ['2024-03-02T00:00+01:00[Europe/Paris]', '2024-03-02T00:00Z[UTC]', true],
    ['2024-01-01t23:00:00z', '2024-01-01 23:00:00.5', true],
    ['2024-01-01', '2024-01-01T00:00:00-00:01', true],
    ['9999-12-31T23:59:59.9999999-23:59', '9999-12-31', false],
    ['0000-01-01', '0000-01-01T00:00:00+00:01', false],
    ['2024-02-29', '2024-03-01', true],
    ['1900-02-28', '1900-03-01', true],
  ])('take %s before %s: %s', async (one, other, isBefore) => {
    const bed = await startWith([[row(other, { m: 2 }), row(one, { m: 1 })]]);
    const order = isBefore ? [1, 2] : [2, 1];
    const { nodes } = await askSeries(bed, 'statistics { first { value } last { value } }');
    expect(nodes).toEqual([{ statistics: [{ first: { value: order[0] }, last: { value: order[1] } }] }]);
  });

  it.each(['day 1', '', '2023-02-29', '1900-02-29', '2024-04-31', '2024-01-01T24:00:00Z', '2024-1-01'])(
    'have neither a first nor a last value where a date is %j',
    async (date) => {
      const rows = [row('2024-01-09', { m: 1, n: 1 }), row(date, { m: 2 }), row('2024-01-01', { m: 3, n: 3 })];
      const bed = await startWith([[], rows]);
      const n = { name: 'n', first: { value: 3 }, end: { value: 1 } };
      const m = { name: 'm', first: null, end: null };
      const selection = 'statistics { name first { value } end: last { value } }';
      const problem = 'has a date that cannot be read';
      const ends = ['first', 'end'];
      expect(await askSeries(bed, selection)).toEqual({
        nodes: [{ statistics: [] }, { statistics: [m, n] }],
        errors: ends.map((key) => invalid(`series.nodes.1.statistics.0.${key}`, `row 1 ${problem}`)),
      });
      const ofAll =
        'all: statistics(metrics: "m") { count last { value } minimum { valueDate } maximum { value valueDate } day: first { valueDate } }';
      const maximum = { value: 3, valueDate: '2024-01-01' };
      expect(await ask(bed, ofAll)).toEqual({
        data: {
          all: [{ count: 3, last: null, minimum: { valueDate: '2024-01-09' }, maximum, day: null }],
        },
        errors: ['last', 'day'].map((key) => invalid(`all.0.${key}`, `row 1 of series 1 ${problem}`)),
      });
    },
  );

  it('pass over rows without a date, unless none has one', async () => {
    const none = row(null, { m: 9, n: 2 });
    const bed = await startWith([
      [none, row('2024-01-09', { m: 1 }), { metrics: none.metrics }, row('2024-01-01', { m: 3 }), none],
      [none, row(null, { m: 1 }), row('2024-01-01', {})],
    ]);
    const { nodes, errors } = await askSeries(bed, 'statistics { first { value valueDate } last { value valueDate } }');
    const undated = (value: number) => ({ value, valueDate: null });
    expect([nodes, errors]).toEqual([
      [
        {
          statistics: [
            { first: { value: 3, valueDate: '2024-01-01' }, last: { value: 1, valueDate: '2024-01-09' } },
            { first: undated(2), last: undated(2) },
          ],
        },
        {
          statistics: [
            { first: undated(9), last: undated(1) },
            { first: undated(2), last: undated(2) },
          ],
        },
      ],
      undefined,
    ]);
  });

  it('read a date with escapes', async () => {
    const date = (text: string) => `{"value_date":${text},"metrics":[{"name":"m","value":${text.length}}]}`;
    const bed = await startWith(
      `{"assets":[{"asset_id":"a","results":[${date('"2024-01-02"')},${date('"\\u0032024-01-01"')}]}]}`,
    );
    const { nodes } = await askSeries(bed, 'statistics { first { value valueDate } }');
    expect(nodes).toEqual([{ statistics: [{ first: { value: 17, valueDate: '2024-01-01' } }] }]);
  });
});
