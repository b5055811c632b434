import {
  type Aggregate,
  allParts,
  BYTES_PER_ENTRY,
  type FinishCosts,
  type SelectedParts,
  UNITS_PER_ENTRY,
} from './aggregate.ts';
import type { ColumnBatch } from './column-batches.ts';
import { Deviation } from './deviation.ts';
import { NamedMetrics } from './named-metrics.ts';
import { KeptValues, type Quantiles } from './quantiles.ts';
import { roundingError, Sum } from './sum.ts';
import type { UnreservedBytes } from './unreserved-bytes.ts';

/** Rows by date, or by period. Each list has one entry for each of them; one that nobody selects is empty. */
export interface AggregatesByDate {
  /** Each date once, ascending: as it was received, or the first day of a period. */
  readonly dates: readonly string[];
  readonly metrics: readonly MetricAggregates[];
}

/** One metric by date. Counts are of rows with a value; the others are null where there are none. */
export interface MetricAggregates {
  readonly name: string;
  readonly counts: readonly number[];
  /** Null also beyond the range of doubles. */
  readonly sums: readonly (number | null)[];
  readonly means: readonly (number | null)[];
  readonly minimums: readonly (number | null)[];
  readonly maximums: readonly (number | null)[];
  /** Those of the population. */
  readonly standardDeviations: readonly (number | null)[];
  /** An error if there are too many values. Undefined if nobody selects them. */
  readonly quantiles: Quantiles | Error | undefined;
}

/** The most entries of the lists of all metrics together. */
export const MAX_ENTRIES = 100_000;

/** The memory of what is kept of a metric for each date, and of its deviation. */
const BYTES_PER_GROUP = 120;
const BYTES_PER_DEVIATION = 150;
/** The costs of a value of a standard deviation. */
const UNITS_PER_DEVIATION = 5;

/** The lists that are made of what is kept. */
const LISTS = ['counts', 'sums', 'means', 'minimums', 'maximums', 'standardDeviations'] as const;
type List = (typeof LISTS)[number];

/** Puts rows into groups, which are counted from 0 in the order of their first row. */
export interface Groups {
  /** The number of groups so far, and how many entries the lists have: also for periods without rows. */
  readonly size: number;
  readonly count: number;
  /** The most entries of a list, and the most metrics. */
  readonly maxCount: number;
  readonly maxMetrics: number;
  /**
   * Finds the groups of the rows of a batch.
   *
   * @param into is given the group of each row; -1 for a row that belongs to none
   */
  assign(batch: ColumnBatch, into: Int32Array): Error | undefined;
  readonly unreserved: UnreservedBytes;
  /** What it takes to list the dates, and to find the group of each entry of other lists. */
  finishCosts(hasDates: boolean, hasLists: boolean): FinishCosts;
  /** The group of each entry of the lists: -1 for one without rows. With pauses. */
  order(): Generator<void, Int32Array>;
  /** The date of an entry. */
  dateAt(index: number, group: number): string;
}

/** The values of one metric, group by group. */
class MetricGroups {
  readonly name: string;
  readonly counts: number[] = [];
  readonly minimums: number[] = [];
  readonly maximums: number[] = [];
  /** The number of values. */
  length = 0;
  /** The sums, without what they lost by rounding, and that. */
  readonly #sums: number[] = [];
  readonly #lost: number[] = [];
  /** How often half the range of doubles has to be added to a sum: few have left it. */
  #halves: Map<number, number> | undefined;
  readonly #deviations: Deviation[] | undefined;

  constructor(name: string, selected: SelectedParts) {
    this.name = name;
    if (selected.has('standardDeviations')) this.#deviations = [];
  }

  /** @param groups the group of each row, of which there are `size`; -1 for a row that belongs to none */
  add(values: Float64Array, groups: Int32Array, rows: number, size: number): void {
    const { counts, minimums, maximums } = this;
    while (counts.length < size) this.#addGroup();
    for (let row = 0; row < rows; ) {
      const group = groups[row] as number;
      const start = row;
      if (group < 0) {
        row += 1;
        continue;
      }
      // What is kept of a group is in local variables for its rows that follow one another: this loop takes most of the time.
      let count = counts[group] as number;
      let minimum = minimums[group] as number;
      let maximum = maximums[group] as number;
      let sum = this.#sums[group] as number;
      let lost = this.#lost[group] as number;
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
      const added = count - (counts[group] as number);
      if (added === 0) continue;
      this.length += added;
      counts[group] = count;
      minimums[group] = minimum;
      maximums[group] = maximum;
      if (Number.isFinite(sum)) {
        this.#sums[group] = sum;
        this.#lost[group] = lost;
      } else this.#addLarge(group, values, start, row);
      this.#deviations?.[group]?.addRows(values, start, row, added);
    }
  }

  sumOf(group: number): Sum {
    return new Sum(this.#sums[group], this.#lost[group], this.#halves?.get(group));
  }

  deviationOf(group: number): number {
    return ((this.#deviations as Deviation[])[group] as Deviation).value;
  }

  #addGroup(): void {
    this.counts.push(0);
    this.minimums.push(Number.POSITIVE_INFINITY);
    this.maximums.push(Number.NEGATIVE_INFINITY);
    this.#sums.push(0);
    this.#lost.push(0);
    this.#deviations?.push(new Deviation());
  }

  /** Adds values whose sum leaves the range of doubles on the way. */
  #addLarge(group: number, values: Float64Array, start: number, end: number): void {
    const sum = this.sumOf(group);
    sum.add(values, start, end);
    this.#sums[group] = sum.sum;
    this.#lost[group] = sum.lost;
    this.#halves ??= new Map();
    this.#halves.set(group, sum.halves);
  }
}

/** Metrics of one series or of many, by date or by period. */
export class ByDate implements Aggregate<AggregatesByDate> {
  readonly #groups: Groups;
  readonly #tooMany: () => Error;
  readonly #selected: SelectedParts;
  readonly #lists: readonly List[];
  readonly #metrics: NamedMetrics<MetricGroups>;
  readonly #kept: KeptValues<MetricGroups> | undefined;
  readonly #bytesPerGroup: number;
  /** Whether anything but names and dates is selected. */
  readonly #needsValues: boolean;
  /** The group of each row of a batch. */
  #rowGroups = new Int32Array();

  /**
   * @param tooMany the error for more dates or metrics than are allowed
   * @param tooManyValues that for more values than quantiles are computed of
   */
  constructor(groups: Groups, tooMany: () => Error, tooManyValues: () => Error, selected: SelectedParts = allParts) {
    this.#groups = groups;
    this.#tooMany = tooMany;
    this.#selected = selected;
    this.#lists = LISTS.filter((list) => selected.has(list));
    this.#bytesPerGroup = BYTES_PER_GROUP + (selected.has('standardDeviations') ? BYTES_PER_DEVIATION : 0);
    if (selected.has('quantiles')) this.#kept = new KeptValues(tooManyValues);
    this.#needsValues = this.#kept !== undefined || this.#lists.length > 0;
    this.#metrics = new NamedMetrics((name) => new MetricGroups(name, selected), tooMany, groups.maxMetrics);
  }

  begin(names: readonly string[]): Error | undefined {
    return this.#metrics.begin(names);
  }

  missingBytes(rows: number): number {
    const kept = this.#kept?.missingBytes(this.#metrics.current, rows) ?? 0;
    return this.#metrics.unreserved.take() + this.#groups.unreserved.take() + kept;
  }

  add(batch: ColumnBatch): Error | undefined {
    const { columns, length } = batch;
    if (this.#rowGroups.length < length) this.#rowGroups = new Int32Array(length);
    const groups = this.#groups;
    const error = groups.assign(batch, this.#rowGroups);
    const { size, count } = groups;
    // Rows before an invalid one may be too many already.
    if (count > groups.maxCount || count * this.#metrics.size > MAX_ENTRIES) return this.#tooMany();
    if (error !== undefined || !this.#needsValues) return error;
    for (const [index, metric] of this.#metrics.current.entries()) {
      const values = columns[index] as Float64Array;
      this.#metrics.unreserved.add((size - metric.counts.length) * this.#bytesPerGroup);
      metric.add(values, this.#rowGroups, length, size);
      this.#kept?.add(metric, values, this.#rowGroups, length);
    }
    return undefined;
  }

  finishCosts(): FinishCosts {
    const costs = this.#groups.finishCosts(this.#selected.has('dates'), this.#needsValues);
    const entries = this.#groups.count * this.#metrics.size * this.#lists.length;
    let units = costs.units + entries * UNITS_PER_ENTRY + (this.#kept?.units ?? 0);
    if (this.#lists.includes('standardDeviations'))
      for (const { length } of this.#metrics.values()) units += length * UNITS_PER_DEVIATION;
    return { units, bytes: costs.bytes + entries * BYTES_PER_ENTRY };
  }

  *finish(): Generator<void, AggregatesByDate> {
    const hasDates = this.#selected.has('dates');
    const order = hasDates || this.#needsValues ? yield* this.#groups.order() : new Int32Array();
    const dates = hasDates ? listOf(order, (group, index) => this.#groups.dateAt(index, group)) : [];
    const metrics: MetricAggregates[] = [];
    for (const metric of this.#metrics.values()) metrics.push(yield* this.#aggregatesOf(metric, order));
    return { dates, metrics };
  }

  *#aggregatesOf(metric: MetricGroups, order: Int32Array): Generator<void, MetricAggregates> {
    const { name, counts, minimums, maximums } = metric;
    // Reading an array at -1 is slow.
    const countOf = (group: number) => (group < 0 ? 0 : (counts[group] ?? 0));
    const valuesOf = (list: List, read: (group: number) => number | null) => {
      if (!this.#lists.includes(list)) return [];
      return listOf(order, (group) => (countOf(group) === 0 ? null : read(group)));
    };
    const lists = {
      counts: this.#lists.includes('counts') ? listOf(order, countOf) : [],
      sums: valuesOf('sums', (group) => metric.sumOf(group).finiteTotal),
      means: valuesOf('means', (group) => metric.sumOf(group).mean(countOf(group))),
      minimums: valuesOf('minimums', (group) => minimums[group] as number),
      maximums: valuesOf('maximums', (group) => maximums[group] as number),
      standardDeviations: valuesOf('standardDeviations', (group) => metric.deviationOf(group)),
    };
    yield;
    return { name, ...lists, quantiles: yield* this.#quantilesOf(metric, order) };
  }

  *#quantilesOf(metric: MetricGroups, order: Int32Array): Generator<void, Quantiles | Error | undefined> {
    if (this.#kept === undefined) return undefined;
    const positions = new Int32Array(this.#groups.size);
    for (const [position, group] of order.entries()) if (group >= 0) positions[group] = position;
    const counts = order.map((group) => (group < 0 ? 0 : (metric.counts[group] ?? 0)));
    return yield* this.#kept.sort(metric, positions, counts);
  }
}

/** An entry for each group. Array.from takes several times as long. */
function listOf<T>(order: Int32Array, read: (group: number, index: number) => T): T[] {
  const list: T[] = [];
  for (let index = 0; index < order.length; index += 1) list.push(read(order[index] as number, index));
  return list;
}
