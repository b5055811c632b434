import { describe, expect, it } from 'vitest';
import { ask, askSeries, days, invalid, refused, row, STATISTICS, startWith } from '../support/aggregates.ts';

const ALL = `{ ${STATISTICS} quantiles(of: [0, 0.5, 1]) }`;
const nothing = {
  count: 0,
  sum: null,
  mean: null,
  standardDeviation: null,
  first: null,
  last: null,
  minimum: null,
  maximum: null,
  quantiles: [null, null, null],
};

/*
 * Clause 3.45 of docs/contract.md in detail: statistics.
 * - A row has a value of a metric if it has a metric of the name with a number; of a repeated name the first counts. A metric
 *   without a name has no statistics. `nullCount` counts all other rows, also those of other assets.
 * - A value that is the text NaN, Infinity or -Infinity, in any case, is none. Any other text is a value of a wrong type.
 * - The mean and the standard deviation are numbers whatever sums and squares they are made of.
 */
describe('3.45 Statistics', () => {
  it('of a series, metric by metric', async () => {
    const bed = await startWith([
      [
        row('2024-03-01', { m: 3, n: null }),
        row('2024-01-01', { m: -1, late: 7 }),
        row('2024-02-01', { m: 3, n: 0.5 }),
        row('2024-04-01'),
        {
          value_date: '2024-05-01',
          metrics: [{ name: 'm', value: 1 }, { name: 'm', value: 99 }, { name: null, value: 4 }, { value: 5 }],
        },
        { value_date: '2024-06-01', metrics: null },
        { value_date: '2024-07-01' },
      ],
    ]);
    const point = (value: number, valueDate: string) => ({ value, valueDate, assetId: 'a0' });
    const only = (value: number, valueDate: string) => {
      const at = point(value, valueDate);
      const numbers = { sum: value, mean: value, standardDeviation: 0, quantiles: [value, value, value] };
      return { count: 1, nullCount: 6, ...numbers, first: at, last: at, minimum: at, maximum: at };
    };
    expect(await askSeries(bed, `statistics ${ALL}`)).toEqual({
      nodes: [
        {
          statistics: [
            {
              name: 'm',
              count: 4,
              nullCount: 3,
              sum: 6,
              mean: 1.5,
              standardDeviation: expect.closeTo(Math.sqrt(2.75), 14),
              first: point(-1, '2024-01-01'),
              last: point(1, '2024-05-01'),
              minimum: point(-1, '2024-01-01'),
              maximum: point(3, '2024-03-01'),
              quantiles: [-1, 2, 3],
            },
            { name: 'n', ...only(0.5, '2024-02-01') },
            { name: 'late', ...only(7, '2024-01-01') },
          ],
        },
      ],
      errors: undefined,
    });
  });

  it('of all assets together, of which some have no results', async () => {
    const bed = await startWith([
      days('2024-01-03', [1, 2]),
      null,
      [],
      days('2024-01-01', [4]),
      [row('2024-02-01', { n: 1 })],
    ]);
    const fields = '{ name count nullCount sum mean first { value } last { value valueDate } quantiles(of: 0.5) }';
    const n = { value: 1, valueDate: '2024-02-01' };
    expect(await ask(bed, `statistics ${fields}`)).toEqual({
      data: {
        statistics: [
          {
            ...{ name: 'm', count: 3, nullCount: 1, sum: 7, mean: 7 / 3, quantiles: [2] },
            ...{ first: { value: 4 }, last: { value: 2, valueDate: '2024-01-04' } },
          },
          { name: 'n', count: 1, nullCount: 3, sum: 1, mean: 1, quantiles: [1], first: { value: 1 }, last: n },
        ],
      },
      errors: undefined,
    });
  });

  it('of the metrics that are named, each once', async () => {
    const bed = await startWith([days('2024-01-01', [1]), null, []]);
    const variables = { names: ['x', 'm', 'x'] };
    const x = { name: 'x', ...nothing };
    const counts = 'statistics(metrics: $names) { name count nullCount }';
    expect(await askSeries(bed, `statistics(metrics: $names) ${ALL}`, { names: ['x', 'x'] })).toEqual({
      nodes: [{ statistics: [{ ...x, nullCount: 1 }] }, { statistics: null }, { statistics: [{ ...x, nullCount: 0 }] }],
      errors: undefined,
    });
    expect((await ask(bed, counts, variables)).data).toEqual({
      statistics: [
        { name: 'x', count: 0, nullCount: 1 },
        { name: 'm', count: 1, nullCount: 0 },
      ],
    });
    expect((await ask(bed, counts, { names: [] })).data).toEqual({ statistics: [] });
  });

  it('lose nothing of sums, and nothing of a deviation beside large values', async () => {
    const large = Array.from({ length: 1000 }, (_, index) => row('2020-01-01', { m: 1e9 + (index % 2) - 0.5 }));
    const bed = await startWith([days('2020-01-01', [1e100, 1, -1e100, 1]), large]);
    const lists = 'periods(every: YEAR) { metrics { sums means standardDeviations } }';
    const { nodes } = await askSeries(bed, `statistics { sum mean standardDeviation } ${lists}`);
    expect(nodes).toMatchObject([
      { statistics: [{ sum: 2, mean: 0.5 }], periods: { metrics: [{ sums: [2], means: [0.5] }] } },
      {
        statistics: [{ sum: 1e12, mean: 1e9, standardDeviation: 0.5 }],
        periods: { metrics: [{ sums: [1e12], means: [1e9], standardDeviations: [0.5] }] },
      },
    ]);
  });

  it('are numbers where their sums are beyond the range of a double, and write no -0', async () => {
    const max = Number.MAX_VALUE;
    const body = (values: string) =>
      `{"asset_id":"a","results":[${values.split(' ').map((value) => `{"metrics":[{"name":"m","value":${value}}]}`)}]}`;
    const bed = await startWith(`{"assets":[${[`${max} ${max}`, `${max} -${max}`, '-0 -0.0 -1e-400'].map(body)}]}`);
    const points = 'minimum { value } maximum { value } first { value }';
    const of = (sum: number | null, mean: number, standardDeviation: number, ...values: number[]) => {
      const [minimum, maximum, first] = values.map((value) => ({ value }));
      return { statistics: [{ sum, mean, standardDeviation, minimum, maximum, first, quantiles: values.slice(0, 2) }] };
    };
    expect(await askSeries(bed, `statistics { sum mean standardDeviation ${points} quantiles(of: [0, 1]) }`)).toEqual({
      nodes: [of(null, max, 0, max, max, max), of(0, 0, max, -max, max, max), of(0, 0, 0, 0, 0, 0)],
      errors: undefined,
    });
  });

  it.each([
    ['has a value of a wrong type', row('2024-01-01', { m: '7' })],
    ['has a value of a wrong type', row('2024-01-01', { m: true })],
    ['has a date of a wrong type', row(5, { m: 1 })],
    ['has a list of metrics of a wrong type', { value_date: '2024-01-01', metrics: {} }],
  ])('are null where a row %s, and others are not', async (problem, odd) => {
    const good = days('2024-01-01', [1, 2]);
    const bed = await startWith([good, [...good, odd], good]);
    const value = { statistics: [{ count: 2 }] };
    expect(await askSeries(bed, 'statistics { count }')).toEqual({
      nodes: [value, { statistics: null }, value],
      errors: [invalid('series.nodes.1.statistics', `row 2 ${problem}`)],
    });
    expect(await ask(bed, 'statistics { count }')).toEqual({
      data: { statistics: null },
      errors: [invalid('statistics', `row 2 of series 1 ${problem}`)],
    });
  });

  it('do not look at values that are not named', async () => {
    const bed = await startWith([[row('2024-01-01', { m: 1, odd: 'secret text' })]]);
    expect(
      await askSeries(bed, 'statistics(metrics: ["m"]) { mean } odd: statistics(metrics: "odd") { mean }'),
    ).toEqual({
      nodes: [{ statistics: [{ mean: 1 }], odd: null }],
      errors: [invalid('series.nodes.0.odd', 'row 0 has a value of a wrong type')],
    });
  });

  it('have at most 10,000 metrics, of which at most 1,000 are named', async () => {
    const metrics = Array.from({ length: 10_000 }, (_, index) => [`m${index}`, index]);
    const wide = row('2024-01-01', Object.fromEntries(metrics));
    const message = 'Statistics have at most 10,000 metrics. Name fewer.';
    const full = await startWith([[wide], [wide]]);
    expect((await askSeries(full, 'statistics { count }')).errors).toBeUndefined();
    const { data } = await ask(full, 'statistics { name count }');
    expect((data as { statistics: unknown[] }).statistics).toEqual(metrics.map(([name]) => ({ name, count: 2 })));
    const names = metrics.slice(0, 1001).map(([name]) => name);
    expect(
      (await ask(full, 'statistics(metrics: $names) { count }', { names: names.slice(1) })).errors,
    ).toBeUndefined();
    expect((await ask(full, 'statistics(metrics: $names) { count }', { names })).errors).toEqual([
      refused('statistics', 'A list of metric names must have at most 1000 entries.'),
    ]);
    const over = await startWith([[wide], [row('2024-01-01', { another: 1 })]]);
    expect((await askSeries(over, 'statistics { count }')).errors).toBeUndefined();
    expect(await ask(over, 'statistics { count }')).toEqual({
      data: { statistics: null },
      errors: [refused('statistics', message)],
    });
    const wider = await startWith([[row('2024-01-01', Object.fromEntries([...metrics, ['another', 1]]))]]);
    expect(await askSeries(wider, 'statistics { count }')).toEqual({
      nodes: [{ statistics: null }],
      errors: [refused('series.nodes.0.statistics', message)],
    });
  });
});
