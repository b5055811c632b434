import { describe, expect, it } from 'vitest';
import { ask, days, refused, row, startWith } from '../support/aggregates.ts';
import { DATASET_ID } from '../support/harness.ts';

/** Fields that have quantiles, the place of those of the first metric, and whether they are lists by date. */
const FIELDS: [field: string, place: string, areLists: boolean][] = [
  ['byDate { metrics { # } }', 'byDate.metrics.0', true],
  ['statistics { # }', 'statistics.0', false],
  ['series { nodes { periods(every: YEAR) { metrics { # } } } }', 'series.nodes.0.periods.metrics.0', true],
  ['series { nodes { statistics { # } } }', 'series.nodes.0.statistics.0', false],
];

/** What is at a place of a value. */
const valueAt = (value: unknown, place: string) =>
  place.split('.').reduce((each, key) => (each as Record<string, unknown>)[key], value);

/** A row of the same date for each number. */
const rowsOf = (values: readonly number[]) => values.map((m) => row('2024-01-01', { m }));

/*
 * Clause 3.45 of docs/contract.md in detail: quantiles.
 * - They are exact: linear between ranks, type 7. Those of the argument are in its order, also repeated ones.
 * - By date and by period there is a list for each quantile, with an entry for each date.
 * - If the argument is invalid, `quantiles` of each metric is null with an error, and what is beside it stays.
 */
describe('3.45 Quantiles', () => {
  describe.each(FIELDS)('of %s', (field, place, areLists) => {
    const select = (selection: string) => field.replace('#', selection);
    const expected = (values: readonly number[]) => (areLists ? values.map((value) => [value]) : values);

    it.each([
      [
        [0, 1],
        [1, 4],
      ],
      [
        [0.5, 0.5],
        [2.5, 2.5],
      ],
      [
        [1, 0.25, 0],
        [4, 1.75, 1],
      ],
      [[1 / 3], [2]],
      [[0.999_999], [3.999_997]],
      [[], []],
    ])('are those of the argument: %j', async (quantiles, values) => {
      const bed = await startWith([rowsOf([4, 2, 3, 1])]);
      const { data } = await ask(bed, select('quantiles(of: $quantiles)'), { quantiles });
      const found = values.map((value) => expect.closeTo(value, 12));
      expect(valueAt(data, place)).toEqual({ quantiles: expected(found) });
      expect((await ask(bed, select(`quantiles(of: [${quantiles}])`))).data).toEqual(data);
    });

    it('are those of each argument, under aliases', async () => {
      const bed = await startWith([rowsOf([4, 2, 3, 1])]);
      const selection =
        'low: quantiles(of: [0]) some: quantiles(of: $quantiles) quantiles(of: 0.5) none: quantiles(of: []) low: quantiles(of: [0])';
      for (const quantiles of [[0.5, 1], [0.25]]) {
        const some = quantiles.map((quantile) => 1 + quantile * 3);
        const { data, errors } = await ask(bed, select(selection), { quantiles });
        expect([valueAt(data, place), errors]).toEqual([
          { low: expected([1]), some: expected(some), quantiles: expected([2.5]), none: [] },
          undefined,
        ]);
      }
    });

    it.each([
      [[-0.001], 'A quantile must be a number from 0 to 1.', 'BAD_USER_INPUT'],
      [[0.5, 1.001], 'A quantile must be a number from 0 to 1.', 'BAD_USER_INPUT'],
      [Array(21).fill(0.5), 'A list of quantiles must have at most 20 entries.', 'REQUEST_LIMIT_EXCEEDED'],
    ])('refuse the argument %j, and nothing else', async (quantiles, message, code) => {
      const bed = await startWith([[row('2024-01-01', { m: 1, n: 2 })]]);
      const metric = (name: string, value: number) => ({ name, odd: null, quantiles: expected([value]) });
      const metrics = [metric('m', 1), metric('n', 2)];
      const metricsPlace = place.replace(/\.0$/, '');
      for (const odd of ['$quantiles', `[${quantiles}]`]) {
        const asked = select(`name odd: quantiles(of: ${odd}) quantiles(of: [1])`);
        const { data, errors } = await ask(bed, asked, { quantiles });
        expect(valueAt(data, metricsPlace)).toEqual(metrics);
        expect(errors).toEqual(metrics.map((_, at) => refused(`${metricsPlace}.${at}.odd`, message, code)));
      }
      const most = await ask(bed, select('quantiles(of: $quantiles)'), { quantiles: Array(20).fill(0.5) });
      expect(most.errors).toBeUndefined();
    });

    it('are those of a variable, of its default, and not of null', async () => {
      const bed = await startWith([rowsOf([4, 2, 3, 1])]);
      const askWith = async (type: string, variables: Record<string, unknown>) => {
        const results = `results { ${select('name quantiles(of: $of)')} }`;
        const { body } = await bed.query(`query ($of: ${type}) { dataset(id: "${DATASET_ID}") { ${results} } }`, {
          variables,
        });
        return { value: valueAt(body.data.dataset.results, place), errors: body.errors };
      };
      const found = (median: number) => ({ value: { name: 'm', quantiles: expected([median]) }, errors: undefined });
      expect(await askWith('[Float!]!', { of: 0.5 })).toEqual(found(2.5));
      expect(await askWith('[Float!] = [0]', {})).toEqual(found(1));
      const message = 'Argument "of" of non-null type "[Float!]!" must not be null.';
      expect(await askWith('[Float!] = [0]', { of: null })).toEqual({
        value: { name: 'm', quantiles: null },
        errors: [refused(`${place}.quantiles`, message, 'BAD_USER_INPUT')],
      });
    });

    it.each([16_384, 16_385, 20_000, 40_001])('are exact of %d values', async (count) => {
      const values = Array.from({ length: count }, (_, index) => (index * 7919) % count);
      const bed = await startWith([rowsOf(values)]);
      const quantiles = Array.from({ length: 20 }, (_, index) => index / 19);
      const { data } = await ask(bed, select('quantiles(of: $quantiles)'), { quantiles });
      const found = quantiles.map((quantile) => expect.closeTo(quantile * (count - 1), 8));
      expect(valueAt(data, place)).toEqual({ quantiles: expected(found) });
    });

    it('are exact where the lowest value comes second', async () => {
      const values = Array.from({ length: 31 }, (_, index) => (index === 1 ? -1 : (index * 7) % 31));
      const bed = await startWith([rowsOf(values)]);
      const quantiles = Array.from({ length: 16 }, (_, index) => index / 15);
      const { data } = await ask(bed, select('quantiles(of: $quantiles)'), { quantiles });
      const ranks = values.toSorted((one, other) => one - other).filter((_, rank) => rank % 2 === 0);
      expect(valueAt(data, place)).toEqual({ quantiles: expected(ranks.map((rank) => expect.closeTo(rank, 9))) });
    });
  });

  it('are null where there is no value', async () => {
    const bed = await startWith([[row('2024-01-01', { m: 1, n: null }), row('2024-03-31', { n: null })]]);
    const lists = 'metrics { quantiles(of: [0, 1]) }';
    const selection = `byDate { ${lists} } statistics { quantiles(of: [0, 1]) } series { nodes { periods(every: MONTH) { ${lists} } } }`;
    const twice = <T>(of: T) => ({ quantiles: [of, of] });
    expect(await ask(bed, selection)).toEqual({
      data: {
        byDate: { metrics: [twice([1, null]), twice([null, null])] },
        statistics: [twice(1), twice(null)],
        series: { nodes: [{ periods: { metrics: [twice([1, null, null]), twice([null, null, null])] } }] },
      },
      errors: undefined,
    });
  });

  it('are of each asset alone, and of all together', async () => {
    const bed = await startWith([
      days('2024-01-01', [4, 5, 6]),
      null,
      days('2024-01-02', [1, 1, 1]),
      days('2023-12-31', [9, 9]),
    ]);
    const lists = 'dates metrics { quantiles(of: 0.5) }';
    const selection = `byDate { ${lists} } statistics { quantiles(of: 0.5) }
      series { nodes { statistics { quantiles(of: 0.5) } periods(every: YEAR) { ${lists} } } }`.replace(/\s+/g, ' ');
    const node = (median: number, dates: string[], medians: number[]) => ({
      statistics: [{ quantiles: [median] }],
      periods: { dates, metrics: [{ quantiles: [medians] }] },
    });
    expect(await ask(bed, selection)).toEqual({
      data: {
        byDate: {
          dates: ['2023-12-31', '2024-01-01', '2024-01-02', '2024-01-03', '2024-01-04'],
          metrics: [{ quantiles: [[9, 6.5, 3, 3.5, 1]] }],
        },
        statistics: [{ quantiles: [4.5] }],
        series: {
          nodes: [
            node(5, ['2024-01-01'], [5]),
            { statistics: null, periods: null },
            node(1, ['2024-01-01'], [1]),
            node(9, ['2023-01-01', '2024-01-01'], [9, 9]),
          ],
        },
      },
      errors: undefined,
    });
  });
});
