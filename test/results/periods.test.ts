import { describe, expect, it } from 'vitest';
import { askSeries, days, invalid, LISTS, refused, row, startWith } from '../support/aggregates.ts';

const ALL = `{ dates metrics { ${LISTS} quantiles(of: [0, 0.5]) } }`;

/*
 * Clause 3.45 of docs/contract.md in detail: periods.
 * - A period is one of the Gregorian calendar in UTC. A date-time without an offset is in UTC.
 * - Every period from that of the first date to that of the last is there. One without a value has the count 0, and nulls.
 * - The start of a period before the year 0 or after 9999 is as in ECMAScript, such as "-000001-12-27".
 */
describe('3.45 Periods', () => {
  it('are all from the first to the last, with the numbers of each', async () => {
    const bed = await startWith([
      [
        row('2024-04-30', { m: 4 }),
        row('2024-01-31', { m: 1, n: 5 }),
        row('2024-01-01', { m: -2 }),
        row('2024-04-01', { n: null }),
      ],
      [],
      null,
    ]);
    expect(await askSeries(bed, `periods(every: MONTH) ${ALL}`)).toEqual({
      nodes: [
        {
          periods: {
            dates: ['2024-01-01', '2024-02-01', '2024-03-01', '2024-04-01'],
            metrics: [
              {
                name: 'm',
                counts: [2, 0, 0, 1],
                sums: [-1, null, null, 4],
                means: [-0.5, null, null, 4],
                minimums: [-2, null, null, 4],
                maximums: [1, null, null, 4],
                standardDeviations: [1.5, null, null, 0],
                quantiles: [
                  [-2, null, null, 4],
                  [-0.5, null, null, 4],
                ],
              },
              {
                name: 'n',
                counts: [1, 0, 0, 0],
                sums: [5, null, null, null],
                means: [5, null, null, null],
                minimums: [5, null, null, null],
                maximums: [5, null, null, null],
                standardDeviations: [0, null, null, null],
                quantiles: Array(2).fill([5, null, null, null]),
              },
            ],
          },
        },
        { periods: { dates: [], metrics: [] } },
        { periods: null },
      ],
      errors: undefined,
    });
    const chosen = 'periods(every: YEAR, metrics: $names) { dates metrics { name counts } }';
    expect(await askSeries(bed, chosen, { names: ['x', 'm', 'x'] })).toMatchObject({
      nodes: [
        {
          periods: {
            dates: ['2024-01-01'],
            metrics: [
              { name: 'x', counts: [0] },
              { name: 'm', counts: [3] },
            ],
          },
        },
        {
          periods: {
            dates: [],
            metrics: [
              { name: 'x', counts: [] },
              { name: 'm', counts: [] },
            ],
          },
        },
        { periods: null },
      ],
    });
    expect((await askSeries(bed, chosen, { names: [] })).nodes[0]).toEqual({
      periods: { dates: ['2024-01-01'], metrics: [] },
    });
  });

  it.each([
    ['DAY', '2024-02-28', '2024-03-01', ['2024-02-28', '2024-02-29', '2024-03-01']],
    ['DAY', '2023-02-28', '2023-03-01', ['2023-02-28', '2023-03-01']],
    ['DAY', '1900-02-28', '1900-03-01', ['1900-02-28', '1900-03-01']],
    ['DAY', '2000-02-28', '2000-03-01', ['2000-02-28', '2000-02-29', '2000-03-01']],
    ['DAY', '1969-12-31', '1970-01-01', ['1969-12-31', '1970-01-01']],
    ['DAY', '2024-01-01T00:30:00+01:00', '2024-01-01', ['2023-12-31', '2024-01-01']],
    ['DAY', '2023-12-31T23:59:59.9999999Z', '2024-01-01T00:00:00Z', ['2023-12-31', '2024-01-01']],
    ['DAY', '9999-12-31T23:59:59.9999999Z', '9999-12-31T23:59:59.9999999Z', ['9999-12-31']],
    ['DAY', '9999-12-31', '9999-12-31T23:00:00-01:00', ['9999-12-31', '+010000-01-01']],
    ['DAY', '0000-01-01T00:00:00+00:01', '0000-01-01', ['-000001-12-31', '0000-01-01']],
    ['WEEK', '2020-12-31', '2021-01-04', ['2020-12-28', '2021-01-04']],
    ['WEEK', '2024-12-29', '2025-01-05', ['2024-12-23', '2024-12-30']],
    ['WEEK', '1970-01-04', '1970-01-05', ['1969-12-29', '1970-01-05']],
    ['WEEK', '0000-01-01', '0000-01-03', ['-000001-12-27', '0000-01-03']],
    ['MONTH', '2023-12-31', '2024-01-01', ['2023-12-01', '2024-01-01']],
    ['MONTH', '0000-12-31', '0001-01-01', ['0000-12-01', '0001-01-01']],
    ['QUARTER', '2023-12-31', '2024-04-01', ['2023-10-01', '2024-01-01', '2024-04-01']],
    ['QUARTER', '2024-03-31', '2024-06-30', ['2024-01-01', '2024-04-01']],
    ['YEAR', '1969-12-31', '1970-01-01', ['1969-01-01', '1970-01-01']],
    ['YEAR', '1999', '2001-01', ['1999-01-01', '2000-01-01', '2001-01-01']],
    ['DAY', '2016-12-31T23:59:59.999999999Z', '2016-12-31T23:59:60Z', ['2016-12-31', '2017-01-01']],
    ['DAY', '20161231T235960+0001', '2017-01-01', ['2016-12-31', '2017-01-01']],
    ['YEAR', '2023-12-31T23:59:59.999Z', '2025-06-30', ['2023-01-01', '2024-01-01', '2025-01-01']],
  ])('by the %s from %s to %s', async (unit, first, last, dates) => {
    const bed = await startWith([[row(last, { m: 1 }), row(first, { m: 2 })]]);
    const { nodes, errors } = await askSeries(bed, `periods(every: ${unit}) { dates metrics { sums } }`);
    const sums = dates.map((_, index) => (index === 0 ? 2 : index === dates.length - 1 ? 1 : null));
    expect([nodes, errors]).toEqual([
      [{ periods: { dates, metrics: [{ sums: dates.length === 1 ? [3] : sums }] } }],
      undefined,
    ]);
  });

  it.each([
    ['is null where it is beyond the range of a double', [Number.MAX_VALUE, Number.MAX_VALUE], null, Number.MAX_VALUE],
    ['loses nothing', [1e100, 1, -1e100], 1, 1 / 3],
    ['is 0, and not -0', [-0, 0], 0, 0],
  ])('have a sum that %s, and a mean', async (_title, values, sum, mean) => {
    const bed = await startWith([days('2024-01-01', values)]);
    const { nodes } = await askSeries(bed, 'periods(every: YEAR) { metrics { sums means } }');
    expect(nodes).toEqual([{ periods: { metrics: [{ sums: [sum], means: [mean] }] } }]);
  });

  const good = days('2024-01-01', [1, 2]);
  it.each([
    ['has a date that cannot be read', row('secret', { m: 1 })],
    ['has a date that cannot be read', row('', { m: 1 })],
    ['has a date that cannot be read', row('2023-02-29', { m: 1 })],
    ['has no date', row(null, { m: 1 })],
    ['has no date', { metrics: [] }],
    ['has a date of a wrong type', row(20_240_101, { m: 1 })],
    ['has a value of a wrong type', row('2024-01-03', { m: 'secret' })],
    ['has a list of metrics of a wrong type', { value_date: '2024-01-03', metrics: 'secret' }],
  ])('are null where a row %s, and others are not', async (problem, odd) => {
    const bed = await startWith([good, [...good, odd, row('also', { m: 1 })], good]);
    const value = { rowCount: 2, periods: { dates: ['2024-01-01'] } };
    expect(await askSeries(bed, 'rowCount periods(every: MONTH) { dates }')).toEqual({
      nodes: [value, { rowCount: 4, periods: null }, value],
      errors: [invalid('series.nodes.1.periods', `row 2 ${problem}`)],
    });
  });

  it('name a row behind many', async () => {
    const bed = await startWith([[...days('2020-01-01', Array(1300).fill(1)), row('x'), row('y')]]);
    const { errors } = await askSeries(bed, 'periods(every: YEAR, metrics: []) { dates }');
    expect(errors).toEqual([invalid('series.nodes.0.periods', 'row 1300 has a date that cannot be read')]);
  });

  const tooMany = 'A series has at most 10,000 periods, and 100,000 with those of all metrics. Select longer periods.';
  it.each([
    ['10,000 periods', '2024-01-01', '2051-05-18', 1, false],
    ['10,001 periods', '2024-01-01', '2051-05-19', 1, true],
    ['100,000 entries', '2024-01-01', '2051-05-18', 10, false],
    ['1000 periods of 100 metrics', '2024-01-01', '2026-09-26', 100, false],
    ['1001 periods of 100 metrics', '2024-01-01', '2026-09-27', 100, true],
  ])('are at most 10,000, and 100,000 with those of all metrics: %s', async (_title, first, last, count, isRefused) => {
    const metrics = Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, index]));
    const bed = await startWith([[row(last, metrics), row(first)], good]);
    const { nodes, errors } = await askSeries(bed, 'periods(every: DAY) { dates metrics { counts } }');
    const [found, other] = nodes as { periods: { dates: string[] } | null }[];
    expect(other?.periods?.dates).toEqual(['2024-01-01', '2024-01-02']);
    expect(found?.periods?.dates.at(-1)).toBe(isRefused ? undefined : last);
    expect(errors).toEqual(isRefused ? [refused('series.nodes.0.periods', tooMany)] : undefined);
  });

  it('are too many before a row that is invalid, and else not', async () => {
    const [first, last, odd] = [row('0001-01-01', { m: 1 }), row('9999-12-31', { m: 1 }), row('odd', { m: 1 })];
    const bed = await startWith([
      [first, last, odd],
      [first, odd, last],
    ]);
    expect(await askSeries(bed, 'periods(every: DAY) { dates }')).toEqual({
      nodes: [{ periods: null }, { periods: null }],
      errors: [
        refused('series.nodes.0.periods', tooMany),
        invalid('series.nodes.1.periods', 'row 1 has a date that cannot be read'),
      ],
    });
  });

  it('take a range of all years by the month only', async () => {
    const bed = await startWith([[row('0001-01-01', { m: 1 }), row('9999-12-31', { m: 1 })]]);
    const { nodes, errors } = await askSeries(
      bed,
      'y: periods(every: YEAR) { dates } q: periods(every: QUARTER) { dates }',
    );
    expect((nodes[0] as { y: { dates: unknown[] } }).y.dates).toHaveLength(9999);
    expect(errors).toEqual([refused('series.nodes.0.q', tooMany)]);
  });
});
