import { describe, expect, it } from 'vitest';
import { askSeries, days, paths, refused, row, startWith } from '../support/aggregates.ts';

const columns = 'columns(metrics: $names, points: $points) { rowCount valueDates metrics { name values } }';

/*
 * Clause 3.45 of docs/contract.md in detail: reduced columns.
 * - They are rows of the series, in their order: at most `points`; all, if there are no more.
 * - The first row and the last come first, then the lowest and the highest value of each metric, then its first and its last
 *   value, and then a row without a value. Points that are left are shared by groups of rows, which have the same of their rows.
 */
describe.each(paths)('3.45 Reduced columns, with RESULTS_FAST_PATH=%s', (fastPath) => {
  const wave = Array.from({ length: 100 }, (_, index) => (index === 41 ? 9 : index === 57 ? -9 : index % 3));
  const reduced = async (rows: readonly unknown[], points: number | null, names: readonly string[] | null = ['m']) => {
    const bed = await startWith(fastPath, [rows]);
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
    [6, [0, 41, 57, 99]],
    [12, [0, 41, 49, 50, 57, 99]],
  ])('of %d points are the rows %j', async (points, rows) => expect(await indices(points)).toEqual(rows));

  it.each([99, 100, 101, 2_147_483_647, null])('of as many points as rows are all rows: %j of 100', async (points) => {
    const found = await reduced(days('2024-01-01', wave), points);
    if (points === 99) expect(found?.rowCount).toBeLessThan(100);
    else expect(found?.metrics[0]?.values).toEqual(wave);
  });

  it('keep gaps', async () => {
    const gaps = [null, null, 3, 1, null, 2, 5, 2, null, 4, null, null];
    expect(await indices(8, days('2024-01-01', gaps))).toEqual([0, 2, 3, 6, 9, 11]);
    const middle = [1, 2, 3, null, null, 3, 1, 2, 2, 2, 2, 2];
    expect(await indices(7, days('2024-01-01', middle))).toEqual([0, 2, 3, 11]);
    expect(await indices(5, days('2024-01-01', Array(12).fill(null)))).toEqual([0, 11]);
  });

  it('keep the extremes of each metric in each group', async () => {
    const rows = Array.from({ length: 1300 }, (_, index) =>
      row(`d${index}`, { m: Math.sin(index), n: Math.cos(index / 7) }),
    );
    const points = 100;
    const found = await reduced(rows, points, null);
    const groups = Math.floor((points - 4) / 8);
    const kept = new Set(found?.valueDates);
    expect(found?.rowCount).toBeLessThanOrEqual(points);
    for (let group = 0; group < groups; group += 1) {
      const own = rows.filter((_, index) => Math.floor((index * groups) / 1300) === group);
      for (const metric of [0, 1]) {
        const by = own.toSorted(
          (one, other) => Number(one.metrics[metric]?.value) - Number(other.metrics[metric]?.value),
        );
        for (const each of [own[0], own.at(-1), by[0], by.at(-1)]) expect(kept).toContain(each?.value_date);
      }
    }
  });

  it('choose by the metrics that are named', async () => {
    const rows = wave.map((m, index) => row(`d${index}`, { m, n: index === 30 ? 1 : 0 }));
    expect((await reduced(rows, 4, ['n']))?.valueDates).toEqual(['d0', 'd30', 'd99']);
    expect(await reduced(rows, 4, [])).toEqual({ rowCount: 4, valueDates: ['d0', 'd49', 'd50', 'd99'], metrics: [] });
    expect((await reduced(rows, 3, ['nothing']))?.metrics).toEqual([{ name: 'nothing', values: [null, null] }]);
  });

  it('skip values of wrong types, with their errors where they are chosen', async () => {
    const bed = await startWith(fastPath, [days('2024-01-01', ['odd', 1, 'odd', 7, 2, 'odd'])]);
    const { nodes, errors } = await askSeries(bed, columns, { points: 4, names: null });
    expect(nodes).toMatchObject([{ columns: { rowCount: 4, metrics: [{ values: [null, 1, 7, null] }] } }]);
    const path = ['dataset', 'results', 'series', 'nodes', 0, 'columns', 'metrics', 0, 'values'];
    expect(errors).toMatchObject([{ path: [...path, 0] }, { path: [...path, 3] }]);
  });

  it('refuse a negative number', async () => {
    const bed = await startWith(fastPath, [days('2024-01-01', wave), null]);
    expect(await askSeries(bed, columns, { points: -1, names: null })).toEqual({
      nodes: [{ columns: null }, { columns: null }],
      errors: [0, 1].map((index) =>
        refused(`series.nodes.${index}.columns`, '"points" must not be negative.', 'BAD_USER_INPUT'),
      ),
    });
  });
});
