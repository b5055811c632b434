import type { DateOrder } from './date-order.ts';
import { Growing, newDoubles, newIntegers } from './growing.ts';
import type { Memory } from './memory.ts';
import type { TimeGroups } from './time-groups.ts';

/** The values of a metric. */
export interface Numbers {
  /** The number of rows up to the last one that has the metric. */
  readonly rows: number;
  /** NaN for none. */
  numberOf(row: number): number;
}

/** Kinds of positions, of which each metric has one, or one in each group. */
const LOWEST = 0;
const HIGHEST = 1;
const FIRST = 2;
const LAST = 3;
const LONGEST_GAP = 4;
const GAP_OF_MOST_ROWS = 5;
const LOWEST_OF_GROUP = 6;
const HIGHEST_OF_GROUP = 7;
const KINDS = 8;

/** The positions that a chart of metrics needs. Of equals the first one counts. */
export class Picture {
  /**
   * The most important first, and -1 for none: the first row and the last; the lowest and the highest value of each metric; its first
   * value and its last; the first row of its longest gap in time, and of that with the most rows; the lowest and the highest value of
   * each metric in each group; the first row and the last of each group.
   */
  readonly positions: Growing<Int32Array>;
  /** The longest gap of each metric that begins in each group: its first row and its time. */
  readonly gapStarts: Growing<Int32Array>;
  readonly gapTimes: Growing<Float64Array>;
  readonly #memory: Memory;
  readonly #order: DateOrder;
  readonly #groups: TimeGroups;
  /** All metrics, and the indices of those with values. */
  #metrics: readonly Numbers[] = [];
  #read: readonly number[] = [];
  /** The metric that is read, and where the group that is read ends, and that in which its last gap begins. */
  #metric: Numbers | undefined;
  #groupEnd = 0;
  #gapGroupEnd = 0;
  /** The last position with a value. -1 for none. */
  #last = 0;
  /** For each kind of position the most that was found of what makes it one, and its index among all positions. */
  readonly #most = new Float64Array(KINDS);
  readonly #indices = new Int32Array(KINDS);

  constructor(order: DateOrder, groups: TimeGroups, memory: Memory) {
    this.#order = order;
    this.#groups = groups;
    this.#memory = memory;
    this.positions = new Growing(memory, newIntegers);
    this.gapStarts = new Growing(memory, newIntegers);
    this.gapTimes = new Growing(memory, newDoubles);
  }

  /** The groups are made. Returns how many values have to be added. */
  begin(metrics: readonly Numbers[]): number {
    const { count } = this.#order;
    const length = 2 + 6 * metrics.length + 2 * this.#groups.count * (metrics.length + 1);
    this.#metrics = metrics;
    this.#read = metrics.flatMap(({ rows }, metric) => (rows > 0 ? [metric] : []));
    this.#memory.count(length + this.#read.length * count);
    this.gapStarts.length = 0;
    this.gapTimes.length = 0;
    const positions = this.positions.resize(length).fill(-1, 0, length);
    positions.set([0, count - 1]);
    let at = length - 2 * this.#groups.count;
    for (let start = 0, end = 0; start < count; start = end) {
      end = this.#groups.ends.list[start] as number;
      positions[at++] = start;
      positions[at++] = end - 1;
    }
    return this.#read.length * count;
  }

  /** Adds a value: those of one metric after another, by position. */
  add(index: number): void {
    const order = this.#order;
    const position = index % order.count;
    if (position === 0) this.#beginMetric(this.#read[index / order.count] as number);
    if (position === this.#groupEnd) this.#beginGroup(position);
    const value = (this.#metric as Numbers).numberOf(order.rowAt(position));
    if (Number.isNaN(value)) return;
    if (this.#last >= 0 && position > this.#last + 1) this.#addGap(position);
    this.#last = position;
    this.#offer(LOWEST, -value, position);
    this.#offer(HIGHEST, value, position);
    this.#offer(FIRST, -position, position);
    this.#offer(LAST, position, position);
    this.#offer(LOWEST_OF_GROUP, -value, position);
    this.#offer(HIGHEST_OF_GROUP, value, position);
  }

  #offer(kind: number, size: number, position: number): void {
    if (size <= (this.#most[kind] as number)) return;
    this.#most[kind] = size;
    this.positions.list[this.#indices[kind] as number] = position;
  }

  #beginMetric(metric: number): void {
    this.#metric = this.#metrics[metric];
    this.#most.fill(Number.NEGATIVE_INFINITY);
    for (let kind = 0; kind < KINDS; kind += 1)
      this.#indices[kind] = 2 + 2 * ((kind >> 1) * this.#metrics.length + metric) + (kind & 1);
    this.#groupEnd = 0;
    this.#gapGroupEnd = 0;
    this.#last = -1;
  }

  #beginGroup(start: number): void {
    this.#groupEnd = this.#groups.ends.list[start] as number;
    for (let kind = LOWEST_OF_GROUP; kind < KINDS; kind += 1) {
      this.#most[kind] = Number.NEGATIVE_INFINITY;
      if (start > 0) this.#indices[kind] = (this.#indices[kind] as number) + 2 * this.#metrics.length;
    }
  }

  /** A value comes behind rows without one, which come behind another value. */
  #addGap(end: number): void {
    const start = this.#last + 1;
    const time = this.#order.since(end) - this.#order.since(this.#last);
    this.#offer(LONGEST_GAP, time, start);
    this.#offer(GAP_OF_MOST_ROWS, end - start, start);
    if (start < this.#gapGroupEnd) {
      // Another one begins in the same group.
      const last = this.gapTimes.length - 1;
      if (time <= (this.gapTimes.list[last] as number)) return;
      this.gapTimes.list[last] = time;
      this.gapStarts.list[last] = start;
      return;
    }
    while (start >= this.#gapGroupEnd) this.#gapGroupEnd = this.#groups.ends.list[this.#gapGroupEnd] as number;
    this.gapTimes.add(time);
    this.gapStarts.add(start);
  }
}
