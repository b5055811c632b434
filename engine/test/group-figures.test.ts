import { expect, it } from 'vitest';
import { GroupFigures } from '../group-figures.ts';
import { Memory } from '../memory.ts';

/** Figures of metrics and groups that come in any order. */

const LISTS = ['counts', 'sums', 'means', 'minimums', 'maximums', 'standardDeviations'];

it('keeps the figures of each metric and group while both grow', () => {
  const memory = new Memory();
  const figures = new GroupFigures(memory, true);
  const add = (metric: number, group: number, ...values: number[]) =>
    figures.add(
      metric,
      Float64Array.from(values),
      Int32Array.from(values, () => group),
      values.length,
    );
  const all = (metrics: number, groups: number) =>
    Array.from({ length: metrics }, (_, metric) =>
      Array.from({ length: groups }, (__, group) => LISTS.map((list) => figures.figureOf(list, metric, group))),
    );
  const none = [0, ...Array(5).fill(Number.NaN)];
  const sizes = [
    ...[
      [1, 1],
      [1, 2],
      [2, 2],
      [3, 2],
      [3, 9],
      [8, 9],
      [9, 9],
      [9, 10],
    ],
    ...[
      [9, 100],
      [40, 100],
    ],
  ] as const;
  for (let series = 0; series < 2; series += 1) {
    figures.clear();
    for (const [metrics = 0, groups = 0] of sizes) {
      figures.fit(metrics, groups);
      // As much as all before, each time as the last metric in the last group.
      add(metrics - 1, groups - 1, metrics, groups, Number.NaN);
    }
    const found = all(40, 100);
    for (const [metrics, groups] of sizes) {
      const [low, high] = [Math.min(metrics, groups), Math.max(metrics, groups)];
      const sum = metrics + groups;
      expect(found[metrics - 1]?.[groups - 1]).toEqual([2, sum, sum / 2, low, high, (high - low) / 2]);
      (found[metrics - 1] as unknown[])[groups - 1] = none;
    }
    expect(found).toEqual(Array.from({ length: 40 }, () => Array(100).fill(none)));
    // Fewer groups need no more memory, however many the metrics are.
    figures.clear();
    figures.fit(4000, 1);
    add(3999, 0, 5);
    expect(all(4000, 1)).toEqual([...Array(3999).fill([none]), [[1, 5, 5, 5, 5, 0]]]);
    expect(memory.bytes).toBeLessThanOrEqual(4 * 9 * 8 * 4000);
  }
});
