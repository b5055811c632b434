import { countOf, FieldError } from './errors.ts';
import type { Selected } from './field.ts';
import type { Memory } from './memory.ts';
import { Merge } from './merge.ts';
import { NumberSorter } from './number-sort.ts';
import { type Cell, doubleCell } from './table.ts';

/** The most values of all metrics of a field of which quantiles are computed. */
const MAX_QUANTILE_VALUES = 5_000_000;
const tooManyValues = FieldError.ofLimit(
  `Quantiles are computed of at most ${countOf(MAX_QUANTILE_VALUES)} values, with those of all metrics. Select fewer assets, a shorter time range or fewer metrics.`,
);

/** The most quantiles of one field. */
const MAX_QUANTILES = 20;

/** What is wrong with the argument `of` of quantiles. */
export function checkQuantiles(args: Selected['args']): FieldError | undefined {
  const of = args.of as readonly number[];
  if (of.length > MAX_QUANTILES)
    return FieldError.ofLimit(`A list of quantiles must have at most ${MAX_QUANTILES} entries.`);
  return of.every((quantile) => quantile >= 0 && quantile <= 1)
    ? undefined
    : new FieldError('invalidArgument', undefined, 'A quantile must be a number from 0 to 1.');
}

/** The work of a value that is sorted. */
const UNITS_PER_SORTED_VALUE = 20;
const BYTES_PER_NUMBER = 8;
/** With its group, which 16 bits hold. */
const BYTES_PER_GROUPED_VALUE = 10;

/** The most values of a chunk, and the most that are sorted without a merge. */
const MAX_CHUNK = 16_384;
const MAX_RUN = 4096;
/** So many values are sorted at once, about. */
const VALUES_AT_ONCE = 4096;

/** Some values of one metric, each with its group. */
interface Chunk {
  length: number;
  readonly values: Float64Array;
  /** Undefined if all are of group 0. */
  readonly groups: Uint16Array | undefined;
}

/** The values of one metric. */
class MetricValues {
  length = 0;
  chunks: Chunk[] = [];
  quantiles: Quantiles | undefined;
}

/** The values of all metrics of a field: quantiles need all of them. Once they are too many, none are kept. */
export class CollectedValues<Metric extends object> {
  readonly #memory: Memory;
  readonly #byMetric = new Map<Metric, MetricValues>();
  readonly #sorter: NumberSorter;
  #length = 0;
  #held = 0;
  #areTooMany = false;
  /** The metric whose values are sorted. */
  #begun: MetricValues | undefined;
  #sort: GroupSort | undefined;
  /** The values of memory that it needs beside what is sorted. */
  #scratch = 0;
  /** How many values were sorted since the last pause. */
  #sorted = 0;

  constructor(memory: Memory) {
    this.#memory = memory;
    this.#sorter = new NumberSorter(memory);
  }

  /** Forgets all values. */
  clear(): void {
    this.#hold(-this.#held);
    this.#byMetric.clear();
    this.#length = 0;
    this.#areTooMany = false;
    this.#begun = undefined;
    this.#sort = undefined;
  }

  /**
   * Adds the values of rows from `from` to `to` (exclusive) that are not NaN.
   *
   * @param groups the group of each row; -1 for a row in none. Undefined: all are of group 0
   * @throws FieldError if memory is exceeded
   */
  add(metric: Metric, values: Float64Array, groups: Int32Array | undefined, from: number, to: number): void {
    if (this.#areTooMany) return;
    const collected = this.#of(metric);
    const chunk = this.#chunkFor(collected, to - from, groups !== undefined);
    let { length } = chunk;
    for (let row = from; row < to; row += 1) {
      const value = values[row] as number;
      const group = groups === undefined ? 0 : (groups[row] as number);
      if (Number.isNaN(value) || group < 0) continue;
      chunk.values[length] = value;
      if (chunk.groups !== undefined) chunk.groups[length] = group;
      length += 1;
    }
    const added = length - chunk.length;
    chunk.length = length;
    collected.length += added;
    this.#length += added;
    if (this.#length <= MAX_QUANTILE_VALUES) return;
    this.clear();
    this.#areTooMany = true;
  }

  /** The last chunk, or a new one if that has no room for so many values. */
  #chunkFor(collected: MetricValues, needed: number, hasGroups: boolean): Chunk {
    const last = collected.chunks.at(-1);
    if (last !== undefined && last.values.length - last.length >= needed) return last;
    const capacity = Math.max(needed, Math.min(collected.length, MAX_CHUNK));
    this.#hold(capacity * (hasGroups ? BYTES_PER_GROUPED_VALUE : BYTES_PER_NUMBER));
    const groups = hasGroups ? new Uint16Array(capacity) : undefined;
    const chunk = { length: 0, values: new Float64Array(capacity), groups };
    collected.chunks.push(chunk);
    return chunk;
  }

  #of(metric: Metric): MetricValues {
    const known = this.#byMetric.get(metric);
    if (known !== undefined) return known;
    const values = new MetricValues();
    this.#byMetric.set(metric, values);
    return values;
  }

  /** Memory that is given back when all is cleared, or less than 0 that is given back now. */
  #hold(bytes: number): void {
    if (bytes > 0) this.#memory.holdForField(bytes);
    else this.#memory.hold(bytes);
    this.#held += bytes;
  }

  /**
   * Sorts the next values of a metric by group. They stay until all is cleared. Returns whether more are left.
   *
   * @param groupsOf the position of each group, and the number of values at each position
   * @throws FieldError if memory or work is exceeded
   */
  sort(metric: Metric, groupsOf: () => readonly [positions: Int32Array, counts: Int32Array]): boolean {
    if (this.#areTooMany) return false;
    const collected = this.#of(metric);
    if (this.#begun !== collected) this.#begin(collected, groupsOf);
    return this.#sortOn(collected);
  }

  #begin(collected: MetricValues, groupsOf: () => readonly [positions: Int32Array, counts: Int32Array]): void {
    this.#begun = collected;
    if (collected.quantiles !== undefined) return;
    const [positions, counts] = groupsOf();
    this.#memory.count(collected.length * UNITS_PER_SORTED_VALUE);
    const longest = counts.reduce((most, count) => Math.max(most, count), 0);
    this.#scratch = longest > MAX_RUN ? longest : 0;
    this.#hold((collected.length + this.#scratch) * BYTES_PER_NUMBER);
    this.#sort = new GroupSort(collected.length, this.#scratch, positions, counts, this.#sorter);
  }

  #sortOn(collected: MetricValues): boolean {
    const sort = this.#sort;
    if (sort === undefined) return false;
    for (let values = 0; collected.chunks.length > 0; ) {
      if (values >= VALUES_AT_ONCE) return true;
      const chunk = collected.chunks.pop() as Chunk;
      sort.add(chunk);
      values += chunk.length;
      this.#hold(-chunk.values.length * (chunk.groups === undefined ? BYTES_PER_NUMBER : BYTES_PER_GROUPED_VALUE));
    }
    if (sort.work()) return true;
    collected.quantiles = sort.quantiles;
    this.#sort = undefined;
    this.#hold(-this.#scratch * BYTES_PER_NUMBER);
    // Those of many metrics are as much work as many of one.
    this.#sorted += collected.length;
    if (this.#sorted < VALUES_AT_ONCE) return false;
    this.#sorted = 0;
    return true;
  }

  /** Those of the metric that was begun last, when all is sorted. */
  get quantiles(): Quantiles | FieldError {
    return this.#begun?.quantiles ?? tooManyValues;
  }
}

/** The cells of some quantiles of the values at a position; null without sorted values. @throws FieldError if there were too many */
export function quantileCells(collected: CollectedValues<object> | undefined, position: number, of: unknown): Cell[] {
  const quantiles = collected?.quantiles;
  if (quantiles instanceof FieldError) throw quantiles;
  return (of as readonly number[]).map((quantile) => doubleCell(quantiles?.of(position, quantile) ?? null));
}

/** Sorts values by group, and within each. */
class GroupSort {
  readonly quantiles: Quantiles;
  readonly #sorted: Float64Array;
  readonly #scratch: Float64Array;
  readonly #positions: Int32Array;
  /** The first value of each position, and behind them their number; and what comes next of each. */
  readonly #starts: Int32Array;
  readonly #ends: Int32Array;
  readonly #sorter: NumberSorter;
  /** The position that is sorted, and how many of its values are. */
  #position = 0;
  #done = 0;
  #merge: Merge<Float64Array> | undefined;

  /** @param scratch the most values of a position, if these are more than are sorted at once */
  constructor(length: number, scratch: number, positions: Int32Array, counts: Int32Array, sorter: NumberSorter) {
    this.#sorted = new Float64Array(length);
    this.#scratch = new Float64Array(scratch);
    this.#positions = positions;
    this.#starts = new Int32Array(counts.length + 1);
    for (const [position, count] of counts.entries())
      this.#starts[position + 1] = (this.#starts[position] as number) + count;
    this.#ends = this.#starts.slice(0, -1);
    this.#sorter = sorter;
    this.quantiles = new Quantiles(this.#sorted, this.#starts);
  }

  add({ values, groups, length }: Chunk): void {
    const ends = this.#ends;
    if (groups === undefined) {
      const position = this.#positions[0] as number;
      this.#sorted.set(values.subarray(0, length), ends[position]);
      ends[position] = (ends[position] as number) + length;
      return;
    }
    for (let at = 0; at < length; at += 1) {
      const position = this.#positions[groups[at] as number] as number;
      this.#sorted[ends[position] as number] = values[at] as number;
      ends[position] = (ends[position] as number) + 1;
    }
  }

  /** Sorts the next positions. Returns whether more are left. */
  work(): boolean {
    if (this.#merge?.work() === true) return true;
    if (this.#merge !== undefined) this.#next();
    const positions = this.#ends.length;
    for (let values = 0; values < VALUES_AT_ONCE && this.#position < positions; ) {
      const first = this.#starts[this.#position] as number;
      const end = this.#starts[this.#position + 1] as number;
      const run = runOf(end - first);
      const start = first + this.#done;
      const runEnd = Math.min(start + run, end);
      this.#sorter.sort(this.#sorted, start, runEnd);
      values += runEnd - start + 1;
      this.#done += runEnd - start;
      if (runEnd < end) continue;
      if (run < this.#done) {
        this.#merge = new Merge(this.#sorted.subarray(first, end), this.#scratch, this.#done, run, isInOrder);
        return true;
      }
      this.#next();
    }
    return this.#position < positions;
  }

  #next(): void {
    this.#merge = undefined;
    this.#position += 1;
    this.#done = 0;
  }
}

const isInOrder = (one: number, other: number) => one <= other;

/** How many of so many values are sorted before they are merged: an even number of times, so that they end where they were. */
function runOf(length: number): number {
  let run = length;
  while (run > MAX_RUN) run = Math.ceil(run / 4);
  return run;
}

/** The quantiles of groups of values, by their positions. */
export class Quantiles {
  readonly #sorted: Float64Array;
  readonly #starts: Int32Array;

  /** @param sorted the values of each position. @param starts the index of the first of each, and behind them their number */
  constructor(sorted: Float64Array, starts: Int32Array) {
    this.#sorted = sorted;
    this.#starts = starts;
  }

  /**
   * A quantile of the values at a position, linear between ranks (type 7 of Hyndman and Fan 1996). Null without values.
   *
   * @param quantile from 0 to 1
   */
  of(position: number, quantile: number): number | null {
    const start = this.#starts[position] as number;
    const last = (this.#starts[position + 1] as number) - 1;
    if (last < start) return null;
    const place = (last - start) * quantile;
    const rank = Math.floor(place);
    const low = this.#sorted[start + rank] as number;
    const high = this.#sorted[Math.min(start + rank + 1, last)] as number;
    const part = place - rank;
    const between = low + part * (high - low);
    // The difference can be beyond the range of doubles, and rounding must not lead above the higher value.
    return Number.isFinite(between) ? Math.min(between, high) : low * (1 - part) + high * part;
  }
}
