import { describe, expect, it } from 'vitest';
import { askSeries, days, refused, row, startWith } from '../support/aggregates.ts';

const columns = 'columns(metrics: $names, points: $points) { rowCount valueDates metrics { name values } }';

/*
 * Clause 3.45 of docs/contract.md in detail: reduced columns. reduction-random.test.ts has which rows are chosen.
 * - They are rows of the series, in the order of their dates: exactly `points`; all, if there are no more.
 * - The first row and the last come first, then the lowest and the highest value of each metric, then its first and its last
 *   value, and then a row of its longest gap. Then come the rows of the groups.
 */
describe('3.45 Reduced columns', () => {
  const wave = Array.from({ length: 100 }, (_, index) => (index === 41 ? 9 : index === 57 ? -9 : index % 3));
  const reduced = async (rows: readonly unknown[], points: number | null, names: readonly string[] | null = ['m']) => {
    const bed = await startWith([rows]);
    const { nodes, errors } = await askSeries(bed, columns, { points, names });
    expect(errors).toBeUndefined();
    return (nodes as { columns: { rowCount: number; valueDates: string[]; metrics: { values: unknown[] }[] } }[])[0]
      ?.columns;
  };
  /** The indices of the rows, by their dates. */
  const indices = async (points: number, rows = days('2024-01-01', wave)) => {
    const found = await reduced(rows, points);
    const all = rows.map((each) => each.value_date);
    const at = found?.valueDates.map((date) => all.indexOf(date)) ?? [];
    expect(found?.rowCount).toBe(at.length);
    expect(found?.metrics[0]?.values).toEqual(at.map((index) => rows[index]?.metrics[0]?.value ?? null));
    return at;
  };

  it.each([
    [0, []],
    [1, [0]],
    [2, [0, 99]],
    [3, [0, 57, 99]],
    [4, [0, 41, 57, 99]],
    // And the middle rows of two halves of the others.
    [6, [0, 25, 41, 57, 75, 99]],
    // And the first and the last rows of three groups, and the lowest and the highest values of the first and the third.
    [12, [0, 2, 24, 32, 33, 41, 57, 65, 66, 68, 76, 99]],
  ])('of %d points are the rows %j', async (points, rows) => expect(await indices(points)).toEqual(rows));

  it.each([99, 100, 101, 2_147_483_647, null])('of as many points as rows are all rows: %j of 100', async (points) => {
    const found = await reduced(days('2024-01-01', wave), points);
    if (points === 99) expect(found?.rowCount).toBe(99);
    else expect(found?.metrics[0]?.values).toEqual(wave);
  });

  it('are in the order of their dates, and without points in the order received', async () => {
    const rows = days('2024-01-01', [1, 2, 3, 4, 5]);
    const mixed = [3, 0, 4, 1, 2].map((index) => rows[index] as (typeof rows)[number]);
    for (const points of [5, 9]) expect((await reduced(mixed, points))?.metrics[0]?.values).toEqual([1, 2, 3, 4, 5]);
    expect((await reduced(mixed, 3))?.metrics[0]?.values).toEqual([1, 3, 5]);
    expect((await reduced(mixed, null))?.metrics[0]?.values).toEqual([4, 1, 5, 2, 3]);
    // One row has no date that can be read.
    const odd = [...mixed, row('d', { m: 6 })];
    for (const points of [6, 9]) expect((await reduced(odd, points))?.metrics[0]?.values).toEqual([4, 1, 5, 2, 3, 6]);
    expect((await reduced(odd, 3))?.metrics[0]?.values).toEqual([4, 1, 6]);
  });

  it('keep gaps', async () => {
    const gaps = [null, null, 3, 1, null, 2, 5, 2, null, null, 4, null, null];
    expect(await indices(7, days('2024-01-01', gaps))).toEqual([0, 2, 3, 6, 8, 10, 12]);
    const middle = [1, 2, 3, null, null, 3, 1, 2, 2, 2, 2, 2];
    expect(await indices(4, days('2024-01-01', middle))).toEqual([0, 2, 3, 11]);
    expect(await indices(5, days('2024-01-01', Array(12).fill(null)))).toEqual([0, 2, 6, 9, 11]);
  });

  it('choose by the metrics that are named', async () => {
    const rows = wave.map((m, index) => row(`d${index}`, { m, n: index === 30 ? 1 : 0 }));
    expect((await reduced(rows, 3, ['n']))?.valueDates).toEqual(['d0', 'd30', 'd99']);
    expect(await reduced(rows, 4, [])).toEqual({ rowCount: 4, valueDates: ['d0', 'd49', 'd50', 'd99'], metrics: [] });
    expect((await reduced(rows, 3, ['nothing']))?.metrics).toEqual([{ name: 'nothing', values: [null, null, null] }]);
  });

  it('skip values of wrong types, with their errors where they are chosen', async () => {
    const bed = await startWith([days('2024-01-01', ['odd', 1, 'odd', 7, 2, 'odd'])]);
    const { nodes, errors } = await askSeries(bed, columns, { points: 4, names: null });
    expect(nodes).toMatchObject([{ columns: { rowCount: 4, metrics: [{ values: [null, 1, 7, null] }] } }]);
    const path = ['dataset', 'results', 'series', 'nodes', 0, 'columns', 'metrics', 0, 'values'];
    expect(errors).toMatchObject([{ path: [...path, 0] }, { path: [...path, 3] }]);
  });

  it('refuse a negative number', async () => {
    const bed = await startWith([days('2024-01-01', wave), null]);
    expect(await askSeries(bed, columns, { points: -1, names: null })).toEqual({
      nodes: [{ columns: null }, { columns: null }],
      errors: [0, 1].map((index) =>
        refused(`series.nodes.${index}.columns`, '"points" must not be negative.', 'BAD_USER_INPUT'),
      ),
    });
  });
});
