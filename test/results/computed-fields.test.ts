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

  it('is values by date in the order of their texts where one is no point in time, and else to the nanosecond', async () => {
    const field = 'byDate { dates metrics { counts } }';
    const unreadable = ['x', '2024-01-02', 'Ä', '2024-01-01T00:00:00Z', '', '2024-01-02T00:00:00Z', 'x'];
    const times = ['.1234569', '.123456', '.1234560001', '.1', '.123456001'].map(
      (part) => `2024-01-01T00:00:00${part}Z`,
    );
    const found: unknown[] = [];
    for (const dates of [unreadable, times]) {
      const { data } = await ask(await startWith([dates.map((date, m) => row(date, { m }))]), field);
      found.push(data);
    }
    const byDate = (dates: unknown[], counts: number[]) => ({ byDate: { dates, metrics: [{ counts }] } });
    expect(found).toEqual([
      byDate(['', '2024-01-01T00:00:00Z', '2024-01-02', 'x', 'Ä'], [1, 1, 2, 2, 1]),
      byDate([times[3], times[1], times[4], times[0]], [1, 2, 1, 1]),
    ]);
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

  it.each([
    ['DAY', '2024-02-28', '2024-03-01', ['2024-02-28', '2024-02-29', '2024-03-01']],
    ['DAY', '2024-01-01T00:30:00+01:00', '2024-01-01', ['2023-12-31', '2024-01-01']],
    ['DAY', '2016-12-31T23:59:59.999999999Z', '2016-12-31T23:59:60Z', ['2016-12-31', '2017-01-01']],
    ['DAY', '9999-12-31', '9999-12-31T23:00:00-01:00', ['9999-12-31', '+010000-01-01']],
    ['WEEK', '0000-01-01', '0000-01-03', ['-000001-12-27', '0000-01-03']],
    ['WEEK', '2024-12-29', '2025-01-05', ['2024-12-23', '2024-12-30']],
    ['QUARTER', '2023-12-31', '2024-04-01', ['2023-10-01', '2024-01-01', '2024-04-01']],
  ])('is periods by the %s from %s to %s', async (unit, first, last, dates) => {
    const bed = await startWith([[row(last), row(first)]]);
    expect((await askSeries(bed, `periods(every: ${unit}) { dates }`)).nodes).toEqual([{ periods: { dates } }]);
  });

  it('is the latest row, or the last one if none has a date', async () => {
    const bed = await startWith([
      [row('2024-01-02', { m: 1 }), row('2024-01-03', { m: 2 }), row('2024-01-01', { m: 3 })],
      [row(null, { m: 1 }), row('2024-01-01', { m: 2 }), { metrics: [{ name: 'm', value: 3 }] }],
      [row(null, { m: 1 }), { metrics: [{ name: 'm', value: 2 }] }],
      [],
      null,
    ]);
    const latest = (valueDate: string | null, m: number) => ({ latest: { valueDate, m, metrics: [{ name: 'm' }] } });
    expect(await askSeries(bed, 'latest { valueDate m: value(metric: "m") metrics { name } }')).toEqual({
      nodes: [latest('2024-01-03', 2), latest('2024-01-01', 2), latest(null, 2), { latest: null }, { latest: null }],
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

  it.each([
    ['statistics { # }', 'statistics.0', false],
    ['byDate { metrics { # } }', 'byDate.metrics.0', true],
    ['series { nodes { statistics { # } } }', 'series.nodes.0.statistics.0', false],
    ['series { nodes { periods(every: YEAR) { metrics { # } } } }', 'series.nodes.0.periods.metrics.0', true],
  ])('is quantiles of each argument, in its order: of %s', async (field, place, areLists) => {
    const bed = await startWith([[4, 2, 3, 1].map((m) => row('2024-01-01', { m }))]);
    const selection = `low: quantiles(of: [0]) some: quantiles(of: $quantiles) quantiles(of: 0.5) none: quantiles(of: [])`;
    const list = (...values: number[]) => (areLists ? values.map((value) => [value]) : values);
    for (const quantiles of [[1, 0.25, 1], [0.999_999]]) {
      const { data, errors } = await ask(bed, field.replace('#', selection), { quantiles });
      const found = place.split('.').reduce((each, key) => (each as Record<string, unknown>)[key], data);
      const some = list(...quantiles.map((quantile) => expect.closeTo(1 + quantile * 3, 12)));
      expect([found, errors]).toEqual([{ low: list(1), some, quantiles: list(2.5), none: [] }, undefined]);
    }
  });

  /** A wave with one highest and one lowest value, of a hundred days. */
  const wave = days(
    '2024-01-01',
    Array.from({ length: 100 }, (_, index) => (index === 41 ? 9 : index === 57 ? -9 : index % 3)),
  );

  it.each([
    [0, []],
    [1, [0]],
    [3, [0, 57, 99]],
    [4, [0, 41, 57, 99]],
    // And the middle rows of two halves of the others.
    [6, [0, 25, 41, 57, 75, 99]],
    // And the first and the last rows of three groups, and the lowest and the highest values of the first and the third.
    [12, [0, 2, 24, 32, 33, 41, 57, 65, 66, 68, 76, 99]],
    [2_147_483_647, [...wave.keys()]],
  ])('is %d points, which are the rows %j', async (points, rows) => {
    const bed = await startWith([wave.toReversed()]);
    const field = 'columns(points: $points) { rowCount valueDates metrics { name values } }';
    const chosen = rows.map((index) => wave[index] as (typeof wave)[number]);
    const columns = {
      rowCount: rows.length,
      valueDates: chosen.map(({ value_date: date }) => date),
      metrics: [{ name: 'm', values: chosen.map(({ metrics }) => metrics[0]?.value) }],
    };
    expect(await askSeries(bed, field, { points })).toEqual({ nodes: [{ columns }], errors: undefined });
  });

  it('is points of the metrics that are named, in the order received without dates, and with errors of chosen values', async () => {
    const rows = ['odd', 1, 'odd', 7, 2, 'odd'].map((m, index) => row(`d${5 - index}`, { m, n: index === 2 ? 1 : 0 }));
    const bed = await startWith([rows]);
    const fields = `m: columns(points: 4) { valueDates metrics { values } }
      n: columns(points: 3, metrics: ["n", "nothing"]) { valueDates metrics { name values } }`;
    const { nodes, errors } = await askSeries(bed, fields);
    expect(nodes).toEqual([
      {
        m: {
          valueDates: ['d5', 'd4', 'd2', 'd0'],
          metrics: [{ values: [null, 1, 7, null] }, { values: [0, 0, 0, 0] }],
        },
        n: {
          valueDates: ['d5', 'd3', 'd0'],
          metrics: [
            { name: 'n', values: [0, 1, 0] },
            { name: 'nothing', values: [null, null, null] },
          ],
        },
      },
    ]);
    const paths = (errors as { path: unknown[] }[]).map(({ path }) => path.slice(5).join('.'));
    expect(paths).toEqual(['m.metrics.0.values.0', 'm.metrics.0.values.3']);
  });

  const max = Number.MAX_VALUE;
  it.each([
    ['[1e308, 1e308, -1e308]', 1e308, 3.333333333333333e307, -1e308],
    [`[${max}, ${max}]`, null, max, max],
    [`[-${max}, ${max}, -0.0]`, 0, 0, -max],
    ['[1e100, 1, -1e100, 1]', 2, 0.5, -1e100],
    ['[-0, -0.0, -1e-400]', 0, 0, 0],
    ['[1000000000.5, 999999999.5]', 2e9, 1e9, 999999999.5],
  ])('is exact, beyond the range of doubles and without -0: %s', async (values, sum, mean, minimum) => {
    const rows = values
      .slice(1, -1)
      .split(', ')
      .map((m) => `{"value_date":"2024","metrics":[{"name":"m","value":${m}}]}`);
    const lists = '{ metrics { sums means minimums } }';
    const fields = `statistics { sum mean minimum { value } } byDate ${lists} series { nodes { periods(every: DAY) ${lists} } }`;
    const list = { metrics: [{ sums: [sum], means: [mean], minimums: [minimum] }] };
    for (const order of [rows, rows.toReversed()]) {
      const bed = await startWith(`{"assets":[{"asset_id":"a","results":[${order}]}]}`);
      expect((await ask(bed, fields)).data).toEqual({
        statistics: [{ sum, mean, minimum: { value: minimum } }],
        byDate: list,
        series: { nodes: [{ periods: list }] },
      });
    }
  });

  it('is there of named metrics, each once, and nothing of others is looked at', async () => {
    const bed = await startWith([[row('2024-01-01', { m: 1, odd: 'secret text' })], []]);
    const fields = `statistics(metrics: $names) { name count nullCount mean first { value } quantiles(of: 0.5) }
      byDate(metrics: $names) { metrics { name counts means } }`;
    const nothing = { name: 'x', count: 0, nullCount: 1, mean: null, first: null, quantiles: [null] };
    const m = { name: 'm', count: 1, nullCount: 0, mean: 1, first: { value: 1 }, quantiles: [1] };
    const lists = [
      { name: 'x', counts: [0], means: [null] },
      { name: 'm', counts: [1], means: [1] },
    ];
    expect(await ask(bed, fields, { names: ['x', 'm', 'x'] })).toEqual({
      data: { statistics: [nothing, m], byDate: { metrics: lists } },
      errors: undefined,
    });
    expect((await ask(bed, fields, { names: [] })).data).toEqual({ statistics: [], byDate: { metrics: [] } });
  });

  it('is there in the parts that are selected alone', async () => {
    const bed = await startWith([[row('2024-02-01', { x: 3 }), row('2024-01-01', { x: 1.5, y: 7 })]]);
    const parts: [selection: string, value: object][] = [
      ['dates', { dates: ['2024-01-01', '2024-02-01'] }],
      ['metrics { name }', { metrics: [{ name: 'x' }, { name: 'y' }] }],
      ['metrics { __typename }', { metrics: Array(2).fill({ __typename: 'MetricAggregates' }) }],
      ['__typename', { __typename: 'AggregatesByDate' }],
      ['metrics { s: standardDeviations }', { metrics: [{ s: [0, 0] }, { s: [0, null] }] }],
      ['metrics { quantiles(of: 1) }', { metrics: [{ quantiles: [[1.5, 3]] }, { quantiles: [[7, null]] }] }],
    ];
    for (const [selection, value] of parts) {
      const fields = `byDate { ${selection} } series { nodes { periods(every: MONTH) { ${selection} } } }`;
      expect((await ask(bed, fields)).data).toEqual({ byDate: value, series: { nodes: [{ periods: value }] } });
    }
    const aliased =
      'statistics { where: maximum { assetId } maximum { is: value __typename } maximum { valueDate } } q: statistics { quantiles(of: 1) }';
    const maximum = (is: number, valueDate: string) => ({
      ...{ where: { assetId: 'a0' }, maximum: { is, __typename: 'MetricPoint', valueDate } },
    });
    expect((await ask(bed, aliased)).data).toEqual({
      statistics: [maximum(3, '2024-02-01'), maximum(7, '2024-01-01')],
      q: [{ quantiles: [3] }, { quantiles: [7] }],
    });
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
