import { type Aggregate, finite, roundingError } from './aggregate.ts';
import type { ColumnBatch } from './column-batches.ts';
import { BYTES_PER_CHARACTER, NamedMetrics } from './named-metrics.ts';

/** The statistics of one metric. Nulls where no row has a value. */
export interface MetricStatistics {
  readonly name: string;
  /** The number of rows with a value, and without one. */
  readonly count: number;
  readonly nullCount: number;
  readonly min: number | null;
  readonly max: number | null;
  readonly mean: number | null;
  /** That of the population. */
  readonly standardDeviation: number | null;
  /** The values of the earliest and the latest row with one. */
  readonly first: number | null;
  readonly last: number | null;
  readonly minDate: string | null;
  readonly maxDate: string | null;
  readonly firstDate: string | null;
  readonly lastDate: string | null;
}

/** A value of a metric, with the date of its row. */
interface Found {
  value: number;
  time: number;
  date: string | null;
}

/** A text of so many characters counts as none. */
const SHORT_TEXT = 64;

/** The statistics of some metrics, over one series or many. */
export class Statistics implements Aggregate<MetricStatistics[]> {
  readonly #metrics: NamedMetrics<MetricAccumulator>;
  #rows = 0;
  /** Whether all dates are known as points in time. Otherwise the order of the rows counts. */
  #hasTimes = true;

  /** @param tooMany the error for more metrics than are allowed */
  constructor(tooMany: () => Error) {
    this.#metrics = new NamedMetrics((name) => new MetricAccumulator(name), tooMany);
  }

  begin(names: readonly string[]): Error | undefined {
    return this.#metrics.begin(names);
  }

  missingBytes(): number {
    return this.#metrics.takeMissingBytes();
  }

  add(batch: ColumnBatch): undefined {
    const order = orderOf(batch);
    if (order === undefined) this.#hasTimes = false;
    for (const [index, metric] of this.#metrics.current.entries()) {
      const characters = metric.add(batch, batch.columns[index] as Float64Array, order === 'ascending');
      this.#metrics.keep(characters * BYTES_PER_CHARACTER);
    }
    this.#rows += batch.length;
  }

  *finish(): Generator<void, MetricStatistics[]> {
    return Array.from(this.#metrics.values(), (metric) => metric.finish(this.#rows, this.#hasTimes));
  }
}

/** The order of the dates. Undefined if one of them is not known as a point in time. */
function orderOf({ times, length }: ColumnBatch): 'ascending' | 'any' | undefined {
  let isAscending = true;
  for (let row = 0; row < length; row += 1) {
    const time = times[row] as number;
    if (Number.isNaN(time)) return undefined;
    if (row > 0 && time < (times[row - 1] as number)) isAscending = false;
  }
  return isAscending ? 'ascending' : 'any';
}

/** The rows of a batch with special values. -1 if none has a value. */
interface SpecialRows {
  first: number;
  last: number;
  min: number;
  max: number;
}

class MetricAccumulator {
  readonly #name: string;
  #count = 0;
  /** The sum, and what it lost by rounding. */
  #sum = 0;
  #lost = 0;
  /**
   * The mean so far, and the sum of the squares of the differences from it, of what remains if the first value is subtracted: so
   * that nothing is lost where the values are large and differ little. Those of each batch are joined (Chan et al. 1979).
   */
  #origin = 0;
  #mean = 0;
  #squares = 0;
  #min: Found | undefined;
  #max: Found | undefined;
  /** The first and the last value in the order of the rows, and by time. */
  #first: Found | undefined;
  #last: Found | undefined;
  #earliest: Found | undefined;
  #latest: Found | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  /**
   * Returns how many characters of long dates it keeps in addition.
   *
   * @param isAscending whether the dates are
   */
  add(batch: ColumnBatch, values: Float64Array, isAscending: boolean): number {
    const rows = this.#addNumbers(values, batch.length);
    const { first, last, min, max } = rows;
    if (last < 0) return 0;
    const { times } = batch;
    let characters = 0;
    const found = (row: number): Found => {
      const date = batch.dateAt(row);
      if (date !== null && date.length > SHORT_TEXT) characters += date.length;
      return { value: values[row] as number, time: times[row] as number, date };
    };
    if (this.#min === undefined || (values[min] as number) < this.#min.value) this.#min = found(min);
    if (this.#max === undefined || (values[max] as number) > this.#max.value) this.#max = found(max);
    this.#first ??= found(first);
    this.#last = found(last);
    const [earliest, latest] = isAscending ? [first, last] : byTime(times, values, rows);
    if (this.#earliest === undefined || (times[earliest] as number) < this.#earliest.time)
      this.#earliest = found(earliest);
    if (this.#latest === undefined || (times[latest] as number) >= this.#latest.time)
      this.#latest = latest === last ? this.#last : found(latest);
    return characters;
  }

  /** Adds the values of so many rows, in local variables: these loops take most of the time. */
  #addNumbers(values: Float64Array, length: number): SpecialRows {
    const rows: SpecialRows = { first: -1, last: -1, min: -1, max: -1 };
    const first = firstWith(values, length);
    if (first < 0) return rows;
    if (this.#count === 0) this.#origin = values[first] as number;
    const origin = this.#origin;
    let sum = this.#sum;
    let lost = this.#lost;
    let count = 0;
    let shiftedSum = 0;
    let [last, min, max] = [first, first, first];
    let lowest = values[first] as number;
    let highest = lowest;
    for (let row = first; row < length; row += 1) {
      const value = values[row] as number;
      if (Number.isNaN(value)) continue;
      count += 1;
      last = row;
      const next = sum + value;
      lost += roundingError(sum, value, next);
      sum = next;
      shiftedSum += value - origin;
      if (value < lowest) {
        lowest = value;
        min = row;
      } else if (value > highest) {
        highest = value;
        max = row;
      }
    }
    this.#sum = sum;
    this.#lost = lost;
    this.#addSquares(values, first, last, count, shiftedSum / count);
    return { first, last, min, max };
  }

  /** @param mean that of the values of these rows, less the origin */
  #addSquares(values: Float64Array, first: number, last: number, count: number, mean: number): void {
    const origin = this.#origin;
    let squares = 0;
    let rest = 0;
    for (let row = first; row <= last; row += 1) {
      const difference = (values[row] as number) - origin - mean;
      if (Number.isNaN(difference)) continue;
      squares += difference * difference;
      rest += difference;
    }
    const all = this.#count + count;
    const between = mean - this.#mean;
    // The rest would be 0 if the mean were exact.
    this.#squares += squares - (rest * rest) / count + between * between * ((this.#count * count) / all);
    this.#mean += (between * count) / all;
    this.#count = all;
  }

  /** @param rows the number of all rows */
  finish(rows: number, hasTimes: boolean): MetricStatistics {
    const count = this.#count;
    const first = hasTimes ? this.#earliest : this.#first;
    const last = hasTimes ? this.#latest : this.#last;
    return {
      name: this.#name,
      count,
      nullCount: rows - count,
      min: this.#min?.value ?? null,
      max: this.#max?.value ?? null,
      mean: count === 0 ? null : finite((this.#sum + this.#lost) / count),
      standardDeviation: count === 0 ? null : finite(Math.sqrt(Math.max(0, this.#squares) / count)),
      first: first?.value ?? null,
      last: last?.value ?? null,
      minDate: this.#min?.date ?? null,
      maxDate: this.#max?.date ?? null,
      firstDate: first?.date ?? null,
      lastDate: last?.date ?? null,
    };
  }
}

/** The first row with a value; -1 if none has one. */
function firstWith(values: Float64Array, length: number): number {
  for (let row = 0; row < length; row += 1) if (!Number.isNaN(values[row])) return row;
  return -1;
}

/** The earliest and the latest of the rows with a value; of the same time, the first and the last one. */
function byTime(
  times: Float64Array,
  values: Float64Array,
  { first, last }: SpecialRows,
): [earliest: number, latest: number] {
  let earliest = first;
  let latest = first;
  for (let row = first; row <= last; row += 1) {
    if (Number.isNaN(values[row])) continue;
    const time = times[row] as number;
    if (time < (times[earliest] as number)) earliest = row;
    if (time >= (times[latest] as number)) latest = row;
  }
  return [earliest, latest];
}
