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
    for (let row = 0; row < batch.length && this.#hasTimes; row += 1)
      if (Number.isNaN(batch.times[row])) this.#hasTimes = false;
    for (const [index, metric] of this.#metrics.current.entries()) {
      const characters = metric.add(batch, batch.columns[index] as Float64Array);
      this.#metrics.keep(characters * BYTES_PER_CHARACTER);
    }
    this.#rows += batch.length;
  }

  *finish(): Generator<void, MetricStatistics[]> {
    return Array.from(this.#metrics.values(), (metric) => metric.finish(this.#rows, this.#hasTimes));
  }
}

class MetricAccumulator {
  readonly #name: string;
  #count = 0;
  /** The sum, and what it lost by rounding. */
  #sum = 0;
  #lost = 0;
  /**
   * The mean so far, and the sum of the squares of the differences from it (Welford 1962), of what remains if the first value is
   * subtracted: so that nothing is lost where the values are large and differ little.
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

  /** Returns how many characters of long dates it keeps in addition. */
  add(batch: ColumnBatch, values: Float64Array): number {
    const { times, length } = batch;
    let characters = 0;
    let min = -1;
    let max = -1;
    let first = -1;
    let last = -1;
    let earliest = -1;
    let latest = -1;
    for (let row = 0; row < length; row += 1) {
      const value = values[row] as number;
      if (Number.isNaN(value)) continue;
      if (this.#count === 0) this.#origin = value;
      this.#count += 1;
      const sum = this.#sum + value;
      this.#lost += roundingError(this.#sum, value, sum);
      this.#sum = sum;
      const shifted = value - this.#origin;
      const difference = shifted - this.#mean;
      this.#mean += difference / this.#count;
      this.#squares += difference * (shifted - this.#mean);
      if (min < 0 || value < (values[min] as number)) min = row;
      if (max < 0 || value > (values[max] as number)) max = row;
      if (first < 0) first = row;
      last = row;
      const time = times[row] as number;
      if (earliest < 0 || time < (times[earliest] as number)) earliest = row;
      if (latest < 0 || time >= (times[latest] as number)) latest = row;
    }
    if (last < 0) return 0;
    const found = (row: number): Found => {
      const date = batch.dateAt(row);
      if (date !== null && date.length > SHORT_TEXT) characters += date.length;
      return { value: values[row] as number, time: times[row] as number, date };
    };
    if (this.#min === undefined || (values[min] as number) < this.#min.value) this.#min = found(min);
    if (this.#max === undefined || (values[max] as number) > this.#max.value) this.#max = found(max);
    this.#first ??= found(first);
    this.#last = found(last);
    if (this.#earliest === undefined || (times[earliest] as number) < this.#earliest.time)
      this.#earliest = found(earliest);
    if (this.#latest === undefined || (times[latest] as number) >= this.#latest.time) this.#latest = found(latest);
    return characters;
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
