import { NumberSorter } from './number-sort.ts';
import { sortValues } from './sorting.ts';

/** The most values of all metrics of a field of which quantiles are computed. */
export const MAX_QUANTILE_VALUES = 5_000_000;

/** The memory of a value: the value and its group, and the value twice more while it is sorted. */
const BYTES_PER_KEPT_VALUE = 26;
/** The costs of a value that is sorted. */
const UNITS_PER_SORTED_VALUE = 20;

/** The values of a chunk, which is read without a pause, unless a batch has more. */
const MAX_CHUNK = 16_384;
/** How many values are sorted between two pauses, about. */
const VALUES_PER_TIME_SLICE = 4096;

/** Values of one metric, each with the number of its group, which 16 bits hold. */
class ValueChunk {
  length = 0;
  readonly values: Float64Array;
  readonly groups: Uint16Array;

  constructor(capacity: number) {
    this.values = new Float64Array(capacity);
    this.groups = new Uint16Array(capacity);
  }

  get free(): number {
    return this.values.length - this.length;
  }

  add(values: Float64Array, groups: Int32Array, rows: number): void {
    const { values: intoValues, groups: intoGroups } = this;
    let { length } = this;
    for (let row = 0; row < rows; row += 1) {
      const value = values[row] as number;
      const group = groups[row] as number;
      if (Number.isNaN(value) || group < 0) continue;
      intoValues[length] = value;
      intoGroups[length] = group;
      length += 1;
    }
    this.length = length;
  }
}

/** The values of one metric, in the order received. */
class MetricValues {
  chunks: ValueChunk[] = [];
  length = 0;

  /** The capacity of a new chunk for so many further values; 0 if the last one has room for them. */
  newCapacity(more: number): number {
    const free = this.chunks.at(-1)?.free ?? 0;
    return more <= free ? 0 : Math.max(more, Math.min(this.length, MAX_CHUNK));
  }

  add(values: Float64Array, groups: Int32Array, rows: number): void {
    const capacity = this.newCapacity(rows);
    if (capacity > 0) this.chunks.push(new ValueChunk(capacity));
    const chunk = this.chunks.at(-1) as ValueChunk;
    const before = chunk.length;
    chunk.add(values, groups, rows);
    this.length += chunk.length - before;
  }
}

/** The values of all metrics of a field: quantiles need all of them. Once they are too many, none are kept. */
export class KeptValues<Metric extends object> {
  readonly #byMetric = new Map<Metric, MetricValues>();
  readonly #tooMany: () => Error;
  #length = 0;
  #areTooMany = false;

  /** @param tooMany the error for more values than quantiles are computed of */
  constructor(tooMany: () => Error) {
    this.#tooMany = tooMany;
  }

  /** The bytes of memory for so many further values of each of these metrics. */
  missingBytes(metrics: readonly Metric[], more: number): number {
    if (this.#areTooMany) return 0;
    return metrics.reduce((sum, metric) => sum + this.#of(metric).newCapacity(more) * BYTES_PER_KEPT_VALUE, 0);
  }

  /** Adds the values of rows that are not NaN. @param groups the group of each row; -1 for a row in none */
  add(metric: Metric, values: Float64Array, groups: Int32Array, rows: number): void {
    if (this.#areTooMany) return;
    const kept = this.#of(metric);
    const before = kept.length;
    kept.add(values, groups, rows);
    this.#length += kept.length - before;
    if (this.#length <= MAX_QUANTILE_VALUES) return;
    this.#areTooMany = true;
    this.#length = 0;
    this.#byMetric.clear();
  }

  /** The units of work of sorting. */
  get units(): number {
    return this.#length * UNITS_PER_SORTED_VALUE;
  }

  #of(metric: Metric): MetricValues {
    const known = this.#byMetric.get(metric);
    if (known !== undefined) return known;
    const values = new MetricValues();
    this.#byMetric.set(metric, values);
    return values;
  }

  /**
   * Sorts the values of each group of a metric, with pauses. They are not kept in the order received.
   *
   * @param positions the position of each group
   * @param counts the number of values at each position
   */
  *sort(metric: Metric, positions: Int32Array, counts: Int32Array): Generator<void, Quantiles | Error> {
    if (this.#areTooMany) return this.#tooMany();
    const { chunks, length: all } = this.#of(metric);
    this.#byMetric.delete(metric);
    const starts = new Int32Array(counts.length + 1);
    for (const [position, count] of counts.entries()) starts[position + 1] = (starts[position] as number) + count;
    const ends = starts.slice(0, counts.length);
    const sorted = new Float64Array(all);
    for (const { values, groups, length } of chunks) {
      for (let at = 0; at < length; at += 1) {
        const position = positions[groups[at] as number] as number;
        sorted[ends[position] as number] = values[at] as number;
        ends[position] = (ends[position] as number) + 1;
      }
      yield;
    }
    // What is sorted takes their memory.
    chunks.length = 0;
    const scratch = new Float64Array(counts.reduce((most, count) => Math.max(most, count), 0));
    const sorter = new NumberSorter(scratch.length);
    let values = 0;
    for (let position = 0; position < counts.length; position += 1) {
      yield* sortValues(sorted.subarray(starts[position], starts[position + 1]), scratch, sorter);
      values += (counts[position] as number) + 1;
      if (values > VALUES_PER_TIME_SLICE) {
        values = 0;
        yield;
      }
    }
    return new Quantiles(sorted, starts);
  }
}

/** The quantiles of groups of values. */
export class Quantiles {
  readonly #sorted: Float64Array;
  readonly #starts: Int32Array;

  /** @param sorted the values of each group. @param starts the index of the first value of each group, and behind them their number */
  constructor(sorted: Float64Array, starts: Int32Array) {
    this.#sorted = sorted;
    this.#starts = starts;
  }

  /** The number of groups. */
  get length(): number {
    return this.#starts.length - 1;
  }

  /**
   * A quantile of a group, linear between ranks (type 7 of Hyndman and Fan 1996). Null without values.
   *
   * @param quantile from 0 to 1
   */
  of(group: number, quantile: number): number | null {
    const start = this.#starts[group] as number;
    const last = (this.#starts[group + 1] as number) - 1;
    if (last < start) return null;
    const position = (last - start) * quantile;
    const rank = Math.floor(position);
    const low = this.#sorted[start + rank] as number;
    const high = this.#sorted[Math.min(start + rank + 1, last)] as number;
    const part = position - rank;
    const between = low + part * (high - low);
    // The difference can be beyond the range of doubles, and rounding must not lead above the higher value.
    return Number.isFinite(between) ? Math.min(between, high) : low * (1 - part) + high * part;
  }

  /** A quantile of each group. */
  list(quantile: number): (number | null)[] {
    const list: (number | null)[] = [];
    for (let group = 0; group < this.length; group += 1) list.push(this.of(group, quantile));
    return list;
  }
}
