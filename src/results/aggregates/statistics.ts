import type { Aggregate, FinishCosts } from './aggregate.ts';
import type { ColumnBatch } from './column-batches.ts';
import { Deviation } from './deviation.ts';
import { InvalidRow } from './invalid-row.ts';
import { BYTES_PER_CHARACTER, NamedMetrics } from './named-metrics.ts';
import { roundingError, Sum } from './sum.ts';

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
  readonly minDate: string | null;
  readonly maxDate: string | null;
  /** The values of the earliest and the latest row with one, and their dates. An error if a date of these rows cannot be read. */
  readonly first: number | null | InvalidRow;
  readonly last: number | null | InvalidRow;
  readonly firstDate: string | null | InvalidRow;
  readonly lastDate: string | null | InvalidRow;
}

/** A value of a metric, with the date of its row. */
interface Found {
  readonly value: number;
  readonly time: number;
  readonly nanoseconds: number;
  readonly date: string | null;
}

/** The costs of the statistics of a metric. */
const UNITS_PER_METRIC = 30;
const BYTES_PER_METRIC = 300;

/** A text of so many characters counts as none. */
const SHORT_TEXT = 64;

/** The statistics of some metrics, over one series or many. */
export class Statistics implements Aggregate<MetricStatistics[]> {
  readonly #metrics: NamedMetrics<MetricAccumulator>;
  #rows = 0;
  #series: number | undefined;

  /** @param tooMany the error for more metrics than are allowed */
  constructor(tooMany: () => Error) {
    this.#metrics = new NamedMetrics((name) => new MetricAccumulator(name), tooMany);
  }

  begin(names: readonly string[], series?: number): Error | undefined {
    this.#series = series;
    return this.#metrics.begin(names);
  }

  missingBytes(): number {
    return this.#metrics.takeMissingBytes();
  }

  add(batch: ColumnBatch): undefined {
    const order = orderOf(batch);
    for (const [index, metric] of this.#metrics.current.entries()) {
      const characters = metric.add(batch, batch.columns[index] as Float64Array, order, this.#series);
      this.#metrics.keep(characters * BYTES_PER_CHARACTER);
    }
    this.#rows += batch.length;
  }

  finishCosts(): FinishCosts {
    const { size } = this.#metrics;
    return { units: size * UNITS_PER_METRIC, bytes: size * BYTES_PER_METRIC };
  }

  *finish(): Generator<void, MetricStatistics[]> {
    return Array.from(this.#metrics.values(), (metric) => metric.finish(this.#rows));
  }
}

/** The order of the dates of a batch: `incomplete` if a row has none, or one that cannot be read. */
type Order = 'ascending' | 'any' | 'incomplete';

function orderOf({ times, nanoseconds, length }: ColumnBatch): Order {
  let isAscending = true;
  for (let row = 0; row < length; row += 1) {
    const time = times[row] as number;
    if (Number.isNaN(time)) return 'incomplete';
    if (row === 0) continue;
    const before = times[row - 1] as number;
    if (time < before || (time === before && isLower(nanoseconds, row, row - 1))) isAscending = false;
  }
  return isAscending ? 'ascending' : 'any';
}

/** The first and the last row of a batch with a value. -1 if none has one. */
interface RowsWithValue {
  first: number;
  last: number;
}

/** The rows of a batch with special values. */
interface SpecialRows extends RowsWithValue {
  min: number;
  max: number;
}

class MetricAccumulator {
  readonly #name: string;
  readonly #sum = new Sum();
  readonly #deviation = new Deviation();
  #min: Found | undefined;
  #max: Found | undefined;
  /** The earliest and the latest value, and as long as no row with a value has a date, the first and the last one. */
  #earliest: Found | undefined;
  #latest: Found | undefined;
  #first: Found | undefined;
  #last: Found | undefined;
  /** The first row with a value whose date cannot be read. */
  #invalid: InvalidRow | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  /**
   * Returns how many characters of long dates it keeps in addition.
   *
   * @param order that of the dates
   * @param series the number of the series, if it is one of many
   */
  add(batch: ColumnBatch, values: Float64Array, order: Order, series: number | undefined): number {
    const rows = this.#addNumbers(values, batch.length);
    const { first, last, min, max } = rows;
    if (last < 0) return 0;
    let characters = 0;
    const found = (row: number): Found => {
      const date = batch.dateAt(row);
      if (date !== null && date.length > SHORT_TEXT) characters += date.length;
      const nanoseconds = batch.nanoseconds?.[row] ?? 0;
      return { value: values[row] as number, time: batch.times[row] as number, nanoseconds, date };
    };
    if (this.#min === undefined || (values[min] as number) < this.#min.value) this.#min = found(min);
    if (this.#max === undefined || (values[max] as number) > this.#max.value) this.#max = found(max);
    const dated = order === 'incomplete' ? this.#datedRows(batch, values, rows, series) : rows;
    if (dated === undefined) {
      this.#first ??= found(first);
      this.#last = found(last);
      return characters;
    }
    const [earliest, latest] = order === 'ascending' ? [first, last] : byTime(batch, values, dated);
    if (this.#earliest === undefined || isBefore(batch, earliest, this.#earliest)) this.#earliest = found(earliest);
    if (this.#latest === undefined || !isBefore(batch, latest, this.#latest)) this.#latest = found(latest);
    return characters;
  }

  /** The first and the last row that has a value and a date that can be read. Undefined if there is none. */
  #datedRows(
    batch: ColumnBatch,
    values: Float64Array,
    rows: RowsWithValue,
    series: number | undefined,
  ): RowsWithValue | undefined {
    let [first, last] = [-1, -1];
    for (let row = rows.first; row <= rows.last; row += 1) {
      if (Number.isNaN(values[row])) continue;
      if (!Number.isNaN(batch.times[row])) {
        if (first < 0) first = row;
        last = row;
      } else if (this.#invalid === undefined && batch.hasDate(row)) {
        this.#invalid = InvalidRow.withoutTime(batch.firstRow + row, true, series);
      }
    }
    return first < 0 ? undefined : { first, last };
  }

  /** Adds the values of so many rows, in local variables: these loops take most of the time. */
  #addNumbers(values: Float64Array, length: number): SpecialRows {
    const rows: SpecialRows = { first: -1, last: -1, min: -1, max: -1 };
    const first = firstWith(values, length);
    if (first < 0) return rows;
    const origin = this.#deviation.originOf(values[first] as number);
    let { sum, lost } = this.#sum;
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
    if (!this.#sum.replace(sum, lost)) this.#sum.add(values, first, length);
    this.#deviation.add(values, first, last, count, shiftedSum / count);
    return { first, last, min, max };
  }

  /** @param rows the number of all rows */
  finish(rows: number): MetricStatistics {
    const { count } = this.#deviation;
    const invalid = this.#invalid;
    const first = this.#earliest ?? this.#first;
    const last = this.#latest ?? this.#last;
    return {
      name: this.#name,
      count,
      nullCount: rows - count,
      min: this.#min?.value ?? null,
      max: this.#max?.value ?? null,
      mean: count === 0 ? null : this.#sum.mean(count),
      standardDeviation: count === 0 ? null : this.#deviation.value,
      minDate: this.#min?.date ?? null,
      maxDate: this.#max?.date ?? null,
      first: invalid ?? first?.value ?? null,
      last: invalid ?? last?.value ?? null,
      firstDate: invalid ?? first?.date ?? null,
      lastDate: invalid ?? last?.date ?? null,
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
  { times, nanoseconds }: ColumnBatch,
  values: Float64Array,
  { first, last }: RowsWithValue,
): [earliest: number, latest: number] {
  let [earliest, latest] = [first, first];
  let earliestTime = times[first] as number;
  let latestTime = earliestTime;
  for (let row = first; row <= last; row += 1) {
    // A row without a time is neither.
    const time = times[row] as number;
    if (Number.isNaN(values[row])) continue;
    if (time < earliestTime || (time === earliestTime && isLower(nanoseconds, row, earliest))) {
      earliest = row;
      earliestTime = time;
    }
    if (time > latestTime || (time === latestTime && !isLower(nanoseconds, row, latest))) {
      latest = row;
      latestTime = time;
    }
  }
  return [earliest, latest];
}

/** Whether a row has fewer nanoseconds than another one. */
function isLower(nanoseconds: Int32Array | undefined, row: number, other: number): boolean {
  return nanoseconds !== undefined && (nanoseconds[row] as number) < (nanoseconds[other] as number);
}

/** Whether the date of a row is before one that was found. */
function isBefore({ times, nanoseconds }: ColumnBatch, row: number, found: Found): boolean {
  const time = times[row] as number;
  return time < found.time || (time === found.time && (nanoseconds?.[row] ?? 0) < found.nanoseconds);
}
