import { Deviation, KEPT_NUMBERS } from './deviation.ts';
import type { Memory } from './memory.ts';
import { roundingError, Sum } from './sum.ts';

/** The figures of a group: the number of its values, their sum, what it lost by rounding, and the lowest and highest value. */
const FIGURES = 5;
const BYTES_PER_FIGURE = 8;
/** More than there are groups. */
const MAX_GROUPS = 1 << 16;

/** The figures of the values of some metrics, group by group. Metrics and groups are counted from 0. */
export class GroupFigures {
  readonly #memory: Memory;
  /** That of a group for a while. Undefined if nobody needs them. */
  readonly #deviation: Deviation | undefined;
  /** How many numbers a group has: with those of its deviation. */
  readonly #width: number;
  /** Those of all groups of a metric follow one another. Of a group without values all are 0. */
  #table = new Float64Array();
  /** How many groups a metric has room for. */
  #capacity = 0;
  #metrics = 0;
  #groups = 0;
  /** How often half the range of doubles has to be added to a sum: few have left it. */
  readonly #halves = new Map<number, number>();

  constructor(memory: Memory, hasDeviations: boolean) {
    this.#memory = memory;
    this.#deviation = hasDeviations ? new Deviation() : undefined;
    this.#width = hasDeviations ? FIGURES + KEPT_NUMBERS : FIGURES;
  }

  /** Forgets all values. */
  clear(): void {
    const width = this.#width;
    for (let metric = 0; metric < this.#metrics; metric += 1) {
      const start = metric * this.#capacity;
      this.#table.fill(0, start * width, (start + this.#groups) * width);
    }
    this.#metrics = 0;
    this.#groups = 0;
    this.#halves.clear();
  }

  /** Makes room for so many metrics and groups. @throws FieldError if memory is exceeded */
  fit(metrics: number, groups: number): void {
    const isLong = metrics * this.#capacity * this.#width > this.#table.length;
    if (groups > this.#capacity || isLong) this.#grow(metrics, groups);
    this.#metrics = metrics;
    this.#groups = groups;
  }

  #grow(metrics: number, groups: number): void {
    const width = this.#width;
    const before = this.#table;
    const capacity = 2 * groups;
    const length = (groups > this.#capacity ? 1 : 2) * metrics * capacity * width;
    this.#memory.holdForField(length * BYTES_PER_FIGURE);
    const table = new Float64Array(length);
    for (let metric = 0; metric < this.#metrics; metric += 1) {
      const from = metric * this.#capacity * width;
      const to = metric * capacity * width;
      // The lists of many metrics are short.
      for (let at = 0; at < this.#groups * width; at += 1) table[to + at] = before[from + at] as number;
    }
    this.#table = table;
    this.#capacity = capacity;
    this.#memory.hold(-before.length * BYTES_PER_FIGURE);
  }

  /**
   * Adds the values of a metric that are not NaN. Returns whether there are any.
   *
   * @param groups the group of each row; -1 for a row that belongs to none
   */
  add(metric: number, values: Float64Array, groups: Int32Array, rows: number): boolean {
    const table = this.#table;
    const width = this.#width;
    const deviation = this.#deviation;
    const first = metric * this.#capacity;
    let hasValues = false;
    for (let row = 0; row < rows; ) {
      const group = groups[row] as number;
      const start = row;
      if (group < 0) {
        row += 1;
        continue;
      }
      // What is kept of a group is in local variables for its rows that follow one another: this loop takes most of the time.
      const at = (first + group) * width;
      const before = table[at] as number;
      let count = before;
      let sum = table[at + 1] as number;
      let lost = table[at + 2] as number;
      let minimum = before === 0 ? Number.POSITIVE_INFINITY : (table[at + 3] as number);
      let maximum = before === 0 ? Number.NEGATIVE_INFINITY : (table[at + 4] as number);
      do {
        const value = values[row] as number;
        row += 1;
        if (Number.isNaN(value)) continue;
        count += 1;
        const next = sum + value;
        lost += roundingError(sum, value, next);
        sum = next;
        if (value < minimum) minimum = value;
        if (value > maximum) maximum = value;
      } while (row < rows && groups[row] === group);
      if (count === before) continue;
      hasValues = true;
      table[at] = count;
      table[at + 3] = minimum;
      table[at + 4] = maximum;
      if (Number.isFinite(sum)) {
        table[at + 1] = sum;
        table[at + 2] = lost;
      } else this.#addLarge(metric, group, values, start, row);
      if (deviation === undefined) continue;
      deviation.load(before, table, at + FIGURES);
      deviation.addRows(values, start, row, count - before);
      deviation.save(table, at + FIGURES);
    }
    return hasValues;
  }

  /** Adds values whose sum leaves the range of doubles on the way. */
  #addLarge(metric: number, group: number, values: Float64Array, start: number, end: number): void {
    const sum = this.#sumOf(metric, group);
    sum.add(values, start, end);
    const at = this.#placeOf(metric, group);
    this.#table[at + 1] = sum.sum;
    this.#table[at + 2] = sum.lost;
    this.#halves.set(metric * MAX_GROUPS + group, sum.halves);
  }

  #placeOf(metric: number, group: number): number {
    return (metric * this.#capacity + group) * this.#width;
  }

  #sumOf(metric: number, group: number): Sum {
    const at = this.#placeOf(metric, group);
    const halves = this.#halves.size === 0 ? 0 : this.#halves.get(metric * MAX_GROUPS + group);
    return new Sum(this.#table[at + 1], this.#table[at + 2], halves);
  }

  /** The number of values of a group, which is -1 if there is none. */
  countOf(metric: number, group: number): number {
    return group < 0 ? 0 : (this.#table[this.#placeOf(metric, group)] as number);
  }

  /** A figure of a group, by the name of its list. NaN without values; infinite or NaN beyond the range of doubles. */
  figureOf(list: string, metric: number, group: number): number {
    const count = this.countOf(metric, group);
    if (list === 'counts') return count;
    if (count === 0) return Number.NaN;
    const at = this.#placeOf(metric, group);
    if (list === 'minimums') return this.#table[at + 3] as number;
    if (list === 'maximums') return this.#table[at + 4] as number;
    if (list === 'sums') return this.#sumOf(metric, group).total;
    if (list === 'means') return this.#sumOf(metric, group).mean(count);
    const deviation = this.#deviation as Deviation;
    deviation.load(count, this.#table, at + FIGURES);
    return deviation.value;
  }
}
