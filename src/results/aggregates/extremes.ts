import type { ColumnBatch } from './column-batches.ts';
import { MissingValues } from './gaps.ts';

/**
 * The lowest and the highest value of each metric in each group of rows. Rows come in any order; positions are those by date.
 * Where there are several, the first one counts.
 */
export class Extremes {
  /** The first position of each group, and behind them the number of rows. */
  readonly starts: readonly number[];
  readonly metrics: number;
  /** Where a metric has no value; only of metrics that do not have all. */
  readonly missing = new Map<number, MissingValues>();
  readonly #groups: number;
  /** The lowest and the highest value of a group, from index `2 * (metric * groups + group)` on, and the positions of both. */
  readonly #values: number[] = [];
  readonly #valuesAt: number[] = [];
  readonly #positions: Int32Array | undefined;
  /** That of the last row. */
  #group = 0;

  /**
   * @param starts the first position of each group, and behind them the number of rows
   * @param positions the position of each row. Undefined if it is the number of the row
   */
  constructor(metrics: number, starts: readonly number[], positions: Int32Array | undefined) {
    this.metrics = metrics;
    this.starts = starts;
    this.#groups = starts.length - 1;
    this.#positions = positions;
    // Typed arrays would need memory outside of V8's heap, which is expensive for a short series.
    for (let index = metrics * this.#groups; index > 0; index -= 1) {
      this.#values.push(Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY);
      this.#valuesAt.push(-1, -1);
    }
  }

  add({ columns, length, firstRow }: ColumnBatch): void {
    const positions = this.#positions;
    for (let row = 0; row < length; ) {
      const position = positions === undefined ? firstRow + row : (positions[firstRow + row] as number);
      this.#group = this.#groupAt(position);
      // The rows of this group that follow one another by date, too.
      const most = Math.min(length, row + (this.starts[this.#group + 1] as number) - position);
      let end = positions === undefined ? most : row + 1;
      while (end < most && (positions as Int32Array)[firstRow + end] === position + end - row) end += 1;
      for (const [metric, values] of columns.entries()) this.#addValues(metric, values, row, end, position);
      row = end;
    }
  }

  /** The position of the lowest value of a group. -1 without a value. */
  lowestIn(group: number, metric: number): number {
    return this.#valuesAt[2 * (metric * this.#groups + group)] as number;
  }

  /** The position of the highest value of a group. -1 without a value. */
  highestIn(group: number, metric: number): number {
    return this.#valuesAt[2 * (metric * this.#groups + group) + 1] as number;
  }

  /** The position of the lowest value of all groups. -1 without a value. */
  lowest(metric: number): number {
    let best = 2 * metric * this.#groups;
    for (let at = best; at < 2 * (metric + 1) * this.#groups; at += 2) {
      if ((this.#values[at] as number) < (this.#values[best] as number)) best = at;
    }
    return this.#valuesAt[best] as number;
  }

  /** The position of the highest value of all groups. -1 without a value. */
  highest(metric: number): number {
    let best = 2 * metric * this.#groups + 1;
    for (let at = best; at < 2 * (metric + 1) * this.#groups; at += 2) {
      if ((this.#values[at] as number) > (this.#values[best] as number)) best = at;
    }
    return this.#valuesAt[best] as number;
  }

  #groupAt(position: number): number {
    const { starts } = this;
    const isIn = (group: number) => position >= (starts[group] as number) && position < (starts[group + 1] as number);
    // Usually it is that of the row before, or the next one.
    if (isIn(this.#group)) return this.#group;
    if (isIn(this.#group + 1)) return this.#group + 1;
    let from = 0;
    let to = this.#groups;
    while (to - from > 1) {
      const middle = (from + to) >> 1;
      if (position < (starts[middle] as number)) to = middle;
      else from = middle;
    }
    return from;
  }

  /** Adds the values of rows of the group, from `start` to `end` (exclusive) of a batch. @param first the first position */
  #addValues(metric: number, values: Float64Array, start: number, end: number, first: number): void {
    const ends = this.#values;
    const endsAt = this.#valuesAt;
    const at = 2 * (metric * this.#groups + this.#group);
    let low = ends[at] as number;
    let high = ends[at + 1] as number;
    let lowAt = endsAt[at] as number;
    let highAt = endsAt[at + 1] as number;
    for (let row = start, position = first; row < end; row += 1, position += 1) {
      const value = values[row] as number;
      if (Number.isNaN(value)) {
        this.#miss(metric, position);
        continue;
      }
      if (value < low || (value === low && position < lowAt)) {
        low = value;
        lowAt = position;
      }
      if (value > high || (value === high && position < highAt)) {
        high = value;
        highAt = position;
      }
    }
    ends[at] = low;
    ends[at + 1] = high;
    endsAt[at] = lowAt;
    endsAt[at + 1] = highAt;
  }

  #miss(metric: number, position: number): void {
    const missing = this.missing.get(metric) ?? new MissingValues(this.starts.at(-1) as number);
    this.missing.set(metric, missing);
    missing.add(position);
  }
}
