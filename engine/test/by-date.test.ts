import { expect, it } from 'vitest';
import { ask, askSeries } from './ask.ts';
import { bodyOf, daysFrom, row } from './bodies.ts';
import { unlimited } from './read.ts';

/** Lists by date: `byDate` of all entries, and `periods` of a series. figures.test.ts has more of both. */

const LISTS = 'counts sums means minimums maximums standardDeviations quantiles(of: [0.5])';

/** The lists of a metric with the same value in each of its groups of one; 0 stands for a group without values. */
const listsOf = (name: string, ...values: number[]) => {
  const figures = values.map((value) => value || null);
  return {
    ...{ name, counts: values.map((value) => (value === 0 ? 0 : 1)), sums: figures, means: figures },
    ...{ minimums: figures, maximums: figures, standardDeviations: figures.map((value) => value && 0) },
    quantiles: [figures],
  };
};

it.each([[[1 << 20]], [[1]], [[40, 3]]])('byDate joins the rows of one date, in pieces of %j', (pieces) => {
  const body = bodyOf(
    [row('2024-01-01', { m: 1, n: 5 }), row('2024-01-03', { m: 2 })],
    null,
    [row('2024-01-02', { m: 4 }), row('2024-01-01', { m: 3, o: null })],
    [row('2024-01-01', { m: 8 })],
  );
  const deviation = expect.closeTo(Math.sqrt(26 / 3), 12);
  const m = {
    ...{ name: 'm', counts: [3, 1, 1], sums: [12, 4, 2], means: [4, 4, 2], minimums: [1, 4, 2], maximums: [8, 4, 2] },
    ...{ standardDeviations: [deviation, 0, 0], quantiles: [[3, 4, 2]] },
  };
  expect(ask(`byDate { dates metrics { name ${LISTS} } }`, body, unlimited, pieces)).toEqual({
    nodes: [],
    values: {
      byDate: {
        dates: ['2024-01-01', '2024-01-02', '2024-01-03'],
        metrics: [m, listsOf('n', 5, 0, 0), listsOf('o', 0, 0, 0)],
      },
    },
    errors: [],
  });
});

it.each([[[1 << 20]], [[1]], [[7, 50]]])(
  'periods are all from the first row to the last, in pieces of %j',
  (pieces) => {
    const months = [
      row('2024-01-01T00:00:00Z', { m: 1, n: 5 }),
      row('2024-01-31T23:59:59.999999999Z', { m: 3 }),
      row('2024-02-01T00:30:00+01:00', { m: 8 }),
      row('2024-04-01', { m: 2, n: null }),
    ];
    const deviation = expect.closeTo(Math.sqrt(26 / 3), 12);
    const m = {
      ...{ name: 'm', counts: [3, 0, 0, 1], sums: [12, null, null, 2], means: [4, null, null, 2] },
      ...{ minimums: [1, null, null, 2], maximums: [8, null, null, 2], standardDeviations: [deviation, null, null, 0] },
      quantiles: [[3, null, null, 2]],
    };
    const dates = ['2024-01-01', '2024-02-01', '2024-03-01', '2024-04-01'];
    expect(
      askSeries(`periods(every: MONTH) { dates metrics { name ${LISTS} } }`, bodyOf(months), unlimited, pieces),
    ).toEqual({ nodes: [{ periods: { dates, metrics: [m, listsOf('n', 5, 0, 0, 0)] } }], errors: [] });
  },
);

it('periods keep the dates of at most 10,000 of them', () => {
  // Those of all series would take 10 MB.
  const lists = Array.from({ length: 10 }, (_, index) =>
    [0, 9_999].map((day) => row(daysFrom(10_000 * index + day, 1)[0])),
  );
  const within = (memory: number) =>
    askSeries('periods(every: DAY) { dates }', bodyOf(...lists), { ...unlimited, memory });
  const periods = lists.map((_, index) => ({ periods: { dates: daysFrom(10_000 * index, 10_000) } }));
  expect(within(5_000_000)).toEqual({ nodes: periods, errors: [] });
  expect(within(500_000).errors[0]).toEqual({ path: [0, 'periods'], kind: 'memoryExceeded' });
});
