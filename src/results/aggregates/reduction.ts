import type { ColumnBatch, ColumnBatches } from './column-batches.ts';

/** A row for a reason: lower ranks are kept first. */
const END = 0;
const EXTREME = 1;
const ENDS_OF_METRIC = 2;

/**
 * Chooses the rows of a reduced series, so that its picture stays the same (M4: Jugel et al., "M4: A Visualization-Oriented Time
 * Series Data Aggregation", 2014). The rows are cut into groups of about the same number. Of each group these are chosen: its
 * first row and its last, and for each metric the rows with its minimum and its maximum, and the first row without a value,
 * so that gaps stay. Pauses after each batch.
 *
 * @param batches rows of which none is invalid
 * @param metrics the number of metrics
 * @param rows the number of rows, which is more than the points
 * @param points how many rows to choose at most
 * @returns the indices of the rows, ascending
 */
export function* reduce(
  batches: ColumnBatches,
  metrics: number,
  rows: number,
  points: number,
): Generator<void, Int32Array> {
  const reduction = new Reduction(metrics, rows, points);
  for (const batch of batches) {
    if (batch instanceof Error) throw batch;
    if (batch !== undefined) reduction.add(batch);
    yield;
  }
  return reduction.finish();
}

class Reduction {
  readonly #points: number;
  readonly #rows: number;
  readonly #groups: number;
  /** The rows of the groups before, ascending. */
  readonly #chosen: Int32Array;
  #chosenCount = 0;
  /** The rows of the group with their ranks. */
  #found: [rank: number, row: number][] = [];
  readonly #metrics: MetricRows[];
  #group = -1;

  constructor(metrics: number, rows: number, points: number) {
    this.#points = points;
    this.#rows = rows;
    // The first and the last value of a metric are chosen, too.
    const perGroup = 2 + 3 * metrics;
    // All rows are one group where the points are too few.
    this.#groups = Math.max(1, Math.floor((points - 2 * metrics) / perGroup));
    this.#chosen = new Int32Array(points);
    this.#metrics = Array.from({ length: metrics }, () => new MetricRows());
  }

  add({ columns, length, firstRow }: ColumnBatch): void {
    for (let row = 0; row < length; ) {
      const at = firstRow + row;
      const group = Math.floor((at * this.#groups) / this.#rows);
      if (group !== this.#group) {
        if (at > 0) this.#endGroup(at - 1);
        this.#group = group;
        this.#choose(at, END);
      }
      const nextGroup = Math.ceil(((group + 1) * this.#rows) / this.#groups);
      const end = Math.min(length, nextGroup - firstRow);
      for (const [metric, values] of columns.entries())
        (this.#metrics[metric] as MetricRows).add(values, row, end, firstRow);
      row = end;
    }
  }

  finish(): Int32Array {
    for (const { first, last } of this.#metrics) for (const row of [first, last]) this.#choose(row, ENDS_OF_METRIC);
    this.#endGroup(this.#rows - 1);
    const rows = this.#chosen.subarray(0, this.#chosenCount).sort();
    // The first value of a metric and the last can be in an earlier group, which has chosen the row already.
    return rows.filter((row, index) => row !== rows[index - 1]);
  }

  #endGroup(last: number): void {
    this.#choose(last, END);
    for (const metric of this.#metrics) {
      this.#choose(metric.min, EXTREME);
      this.#choose(metric.max, EXTREME);
      this.#choose(metric.gap, ENDS_OF_METRIC);
      metric.nextGroup();
    }
    const rows = new Set(this.#found.sort(([one], [other]) => one - other).map(([, row]) => row));
    for (const row of rows) {
      if (this.#chosenCount === this.#points) break;
      this.#chosen[this.#chosenCount] = row;
      this.#chosenCount += 1;
    }
    this.#found = [];
  }

  #choose(row: number, rank: number): void {
    if (row >= 0) this.#found.push([rank, row]);
  }
}

/** The rows of one metric; -1 where there is none. */
class MetricRows {
  first = -1;
  last = -1;
  /** Those of the group. */
  min = -1;
  max = -1;
  gap = -1;
  #lowest = Number.POSITIVE_INFINITY;
  #highest = Number.NEGATIVE_INFINITY;

  /** Adds the values from `start` to `end` (exclusive) of a batch that begins with `firstRow`. */
  add(values: Float64Array, start: number, end: number, firstRow: number): void {
    let { first, last, min, max, gap } = this;
    let lowest = this.#lowest;
    let highest = this.#highest;
    for (let at = start; at < end; at += 1) {
      const value = values[at] as number;
      const row = firstRow + at;
      if (Number.isNaN(value)) {
        if (gap < 0) gap = row;
        continue;
      }
      if (first < 0) first = row;
      last = row;
      if (min < 0 || value < lowest) {
        lowest = value;
        min = row;
      }
      if (max < 0 || value > highest) {
        highest = value;
        max = row;
      }
    }
    this.first = first;
    this.last = last;
    this.min = min;
    this.max = max;
    this.gap = gap;
    this.#lowest = lowest;
    this.#highest = highest;
  }

  nextGroup(): void {
    this.min = -1;
    this.max = -1;
    this.gap = -1;
    this.#lowest = Number.POSITIVE_INFINITY;
    this.#highest = Number.NEGATIVE_INFINITY;
  }
}
