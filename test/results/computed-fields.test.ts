import { describe, expect, it } from 'vitest';
import { ask, askSeries, days, LISTS, row, STATISTICS, startWith } from '../support/aggregates.ts';
import { ofDataset } from '../support/harness.ts';

const POINT = '{ value valueDate assetId }';
const point = (value: number, valueDate: string | null, assetId = 'a0') => ({ value, valueDate, assetId });

/*
 * Clause 3.45 of docs/contract.md in detail.
 * `statistics`, `latest`, `periods`, `byDate` and `columns(points:)` have the values of `columns`: of a repeated metric the
 * first, and no value where a row lacks the metric. Dates have the forms that `Result.valueDate` lists; without an offset they
 * are UTC. The tests of engine/ have each form, order and limit, and those of test/oracle compare random results.
 * - `statistics`: a metric without a name has none. `nullCount` counts all rows without a value, also those of other assets. A point
 *   has the value, the date of its row as received, and the `assetId` of its asset. Of equal values and of equal dates the first row
 *   received decides, and for `last` the last one. `first` and `last` are by time; a row without a date is passed over, unless none
 *   has one: then the order of the rows decides.
 * - `byDate`: a date is one point in time, with the text that was received first. Rows without a date are left out. If one date
 *   cannot be read, all are in the order of their texts.
 * - `periods`: a period is one of the Gregorian calendar in UTC. Every period from that of the first date to that of the last is there;
 *   one without a value has the count 0, and nulls. The start of a period before the year 0 or after 9999 is as in ECMAScript, such as
 *   "-000001-12-27".
 * - `latest`: the latest date; a row without a date is passed over, and if none has a date, it is the last row. Several rows of that
 *   instant are joined: the date and the metrics of the first one, and the metrics of the others whose name no earlier row has. A
 *   metric without a value takes the first one of a later row, at its place. Metrics without a name stay. A value of a wrong type is a
 *   value, with its error.
 * - `quantiles` are exact: linear between ranks, type 7. Those of the argument are in its order, also repeated ones. By date and by
 *   period there is a list for each quantile, with an entry for each date.
 * - `columns(points:)`: rows of the series, in the order of their dates: exactly `points`; all, if there are no more. The first row and
 *   the last come first, then the lowest and the highest value of each metric, then its first and its last value, and then a row of its
 *   longest gap. Then come the rows of the groups.
 * - A sum may leave the range of doubles and come back, in any order of the values, and is null if it is beyond the range itself. A mean
 *   and a standard deviation never leave it: they are null only without values.
 * - Jackson, for one, writes a double that is NaN as the text "NaN". The texts NaN, Infinity and -Infinity in any case, and no others,
 *   are missing values in whatever is computed. `rows`, `columns` and `latest` have null with an error there, as for any value of a
 *   wrong type.
 * - `statistics` or `byDate` of results, with nothing else but ids, is computed while the response arrives (33).
 */
describe('3.45 What is computed from rows', () => {
  it('is statistics of a series, metric by metric', async () => {
    const bed = await startWith([
      [
        row('2024-03-01', { m: 3, n: null }),
        row('2024-01-01', { m: -1, late: 7 }),
        row('2024-02-01', { m: 3, n: 0.5 }),
        {
          value_date: '2024-05-01',
          metrics: [{ name: 'm', value: 1 }, { name: 'm', value: 99 }, { name: null, value: 4 }, { value: 5 }],
        },
        { value_date: '2024-06-01', metrics: null },
      ],
    ]);
    const only = (value: number, valueDate: string) => {
      const at = point(value, valueDate);
      const numbers = { sum: value, mean: value, standardDeviation: 0, quantiles: [value, value, value] };
      return { count: 1, nullCount: 4, ...numbers, first: at, last: at, minimum: at, maximum: at };
    };
    const m = {
      ...{ name: 'm', count: 4, nullCount: 1, sum: 6, mean: 1.5, quantiles: [-1, 2, 3] },
      standardDeviation: expect.closeTo(Math.sqrt(2.75), 14),
      ...{ first: point(-1, '2024-01-01'), last: point(1, '2024-05-01') },
      ...{ minimum: point(-1, '2024-01-01'), maximum: point(3, '2024-03-01') },
    };
    expect(await askSeries(bed, `statistics { ${STATISTICS} quantiles(of: [0, 0.5, 1]) }`)).toEqual({
      nodes: [
        { statistics: [m, { name: 'n', ...only(0.5, '2024-02-01') }, { name: 'late', ...only(7, '2024-01-01') }] },
      ],
      errors: undefined,
    });
  });

  it('is statistics of all assets together, whose points have their asset', async () => {
    const bed = await startWith([
      [row('2024-01-02', { m: 5 }), row('2024-01-01T12:00:00Z', { m: 3 })],
      null,
      [row('2024-01-03', { m: 1 }), row('2024-01-04', { n: 1 })],
      [row(null, { m: 9 }), row('2024-01-02', { m: 5 })],
    ]);
    const fields = `count nullCount first ${POINT} last ${POINT} minimum ${POINT} maximum ${POINT}`;
    const statistics = (counts: number[], ...points: ReturnType<typeof point>[]) => {
      const [[count, nullCount], [first, last, minimum, maximum]] = [counts, points];
      return { count, nullCount, first, last, minimum, maximum };
    };
    const [a0, a2, n] = [point(3, '2024-01-01T12:00:00Z'), point(1, '2024-01-03', 'a2'), point(1, '2024-01-04', 'a2')];
    const [undated, a3] = [point(9, null, 'a3'), point(5, '2024-01-02', 'a3')];
    expect(await ask(bed, `statistics { ${fields} } series { nodes { statistics { ${fields} } } }`)).toEqual({
      data: {
        statistics: [statistics([5, 1], a0, a2, a2, undated), statistics([1, 5], n, n, n, n)],
        series: {
          nodes: [
            { statistics: [statistics([2, 0], a0, point(5, '2024-01-02'), a0, point(5, '2024-01-02'))] },
            { statistics: null },
            { statistics: [statistics([1, 1], a2, a2, a2, a2), statistics([1, 1], n, n, n, n)] },
            { statistics: [statistics([2, 0], a3, a3, a3, undated)] },
          ],
        },
      },
      errors: undefined,
    });
  });

  it('is values by date of all assets, in one call', async () => {
    const bed = await startWith([
      [row('2024-01-02', { m: 4 }), row('2024-01-01T00:00:00Z', { m: 1, n: 7 })],
      null,
      [row('2024-01-01', { m: 3 }), row('2024-01-02', { m: 2 }), row(null, { m: 99 }), row('2024-01-03', { n: null })],
      [row('2024-01-01T01:00:00+01:00', { m: 8 })],
    ]);
    const one = (value: number) => [value, null, null];
    const figures = Object.fromEntries(['sums', 'means', 'minimums', 'maximums'].map((name) => [name, one(7)]));
    const m = {
      ...{ name: 'm', counts: [3, 2, 0], sums: [12, 6, null], means: [4, 3, null] },
      ...{ minimums: [1, 2, null], maximums: [8, 4, null] },
      standardDeviations: [expect.closeTo(Math.sqrt(26 / 3), 14), 1, null],
      quantiles: [
        [1.4, 2.2, null],
        [7, 3.8, null],
      ],
    };
    const n = { name: 'n', counts: [1, 0, 0], ...figures, standardDeviations: one(0), quantiles: [one(7), one(7)] };
    expect(await ask(bed, `byDate { dates metrics { ${LISTS} quantiles(of: [0.1, 0.9]) } }`)).toEqual({
      data: { byDate: { dates: ['2024-01-01T00:00:00Z', '2024-01-02', '2024-01-03'], metrics: [m, n] } },
      errors: undefined,
    });
  });

  it('is periods, all from the first to the last, of the metrics that are named', async () => {
    const bed = await startWith([
      [row('2024-04-30', { m: 4 }), row('2024-01-31', { m: 1, n: 5 }), row('2024-01-01', { m: -2 })],
      [],
      null,
    ]);
    const list = (first: number, last: number) => [first, null, null, last];
    const m = {
      ...{ name: 'm', counts: [2, 0, 0, 1], sums: list(-1, 4), means: list(-0.5, 4), minimums: list(-2, 4) },
      ...{ maximums: list(1, 4), standardDeviations: list(1.5, 0), quantiles: [list(-2, 4), list(-0.5, 4)] },
    };
    const months = `periods(every: MONTH, metrics: "m") { dates metrics { ${LISTS} quantiles(of: [0, 0.5]) } }`;
    const years = 'years: periods(every: YEAR) { dates metrics { name counts } }';
    expect(await askSeries(bed, `${months} ${years}`)).toEqual({
      nodes: [
        {
          periods: { dates: ['2024-01-01', '2024-02-01', '2024-03-01', '2024-04-01'], metrics: [m] },
          years: {
            dates: ['2024-01-01'],
            metrics: [
              { name: 'm', counts: [3] },
              { name: 'n', counts: [1] },
            ],
          },
        },
        {
          periods: {
            dates: [],
            metrics: [
              Object.fromEntries(Object.keys(m).map((key) => [key, { name: 'm', quantiles: [[], []] }[key] ?? []])),
            ],
          },
          years: { dates: [], metrics: [] },
        },
        { periods: null, years: null },
      ],
      errors: undefined,
    });
  });

  it('is the latest row joined of all rows of its date', async () => {
    const metric = (name: unknown, value?: unknown) => ({ name, value });
    const dated = (...metrics: unknown[]) => ({ value_date: '2024-01-01', metrics });
    const bed = await startWith([
      [
        dated(metric('n', null), metric(null, 1), metric('m'), metric('n', 2), metric('odd', 'x')),
        { value_date: '2024-01-01T01:00:00+01:00', metrics: null },
        dated(metric('m', null), metric('y', 4), metric('n', 5), metric(null, 6), metric('odd', 7)),
        dated(metric('m', 8), metric('n', 10)),
        row('2023-12-31', { z: 1 }),
      ],
    ]);
    const { nodes, errors } = await askSeries(
      bed,
      'latest { valueDate n: value(metric: "n") metrics { name value } chosen: metrics(metrics: ["y"]) { value } }',
    );
    const joined = [
      ...[metric('n', 5), metric(null, 1), metric('m', 8), metric('n', 2), metric('odd', null)],
      ...[metric('y', 4), metric(null, 6)],
    ];
    expect(nodes).toEqual([{ latest: { valueDate: '2024-01-01', n: 5, metrics: joined, chosen: [{ value: 4 }] } }]);
    expect(errors).toMatchObject([
      { path: ['dataset', 'results', 'series', 'nodes', 0, 'latest', 'metrics', 4, 'value'] },
    ]);
  });

  it('needs the response only while it arrives, if it is statistics or byDate alone', async () => {
    const bed = await startWith([days('2024-01-01', [1]), days('2024-01-01', [2])], { OPERATION_PLAN: 'on' });
    for (const field of ['statistics { mean }', 'byDate { metrics { means } }']) {
      const { body } = await bed.query(ofDataset(`results { processingId ${field} }`), {
        headers: { 'operation-plan': 'include' },
      });
      expect(JSON.stringify(body.data)).toContain('1.5');
      expect(body.extensions.plan.fields.join()).toContain('all are needed once, in order');
    }
  });
});
