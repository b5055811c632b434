import { type Aggregate, allParts, type FinishCosts, type SelectedParts, type SeriesOrigin } from './aggregate.ts';
import type { ColumnBatch } from './column-batches.ts';
import { Deviation } from './deviation.ts';
import { InvalidRow } from './invalid-row.ts';
import { BYTES_PER_CHARACTER, NamedMetrics } from './named-metrics.ts';
import { KeptValues, type Quantiles } from './quantiles.ts';
import { roundingError, Sum } from './sum.ts';

/** The statistics of one metric. Nulls where no row has a value. */
export interface MetricStatistics {
  readonly name: string;
  /** The number of rows with a value, and without one. */
  readonly count: number;
  readonly nullCount: number;
  /** Null also beyond the range of doubles. */
  readonly sum: number | null;
  readonly mean: number | null;
  /** That of the population. */
  readonly standardDeviation: number | null;
  /** The earliest and the latest row with a value. An error if a date of these rows cannot be read. */
  readonly first: MetricPoint | null | InvalidRow;
  readonly last: MetricPoint | null | InvalidRow;
  readonly minimum: MetricPoint | null;
  readonly maximum: MetricPoint | null;
  /** Those of one group. An error if there are too many values. Undefined if nobody selects them. */
  readonly quantiles: Quantiles | Error | undefined;
}

/** A value of a metric, with the date of its row as received, and its asset. */
export interface MetricPoint {
  readonly value: number;
  readonly valueDate: string | null;
  readonly assetId: string;
}

/** A point, with its time. */
interface Found extends MetricPoint {
  readonly time: number;
  readonly nanoseconds: number;
}

/** The costs of the statistics of a metric. */
const UNITS_PER_METRIC = 30;
const BYTES_PER_METRIC = 300;

/** A text of so many characters counts as none. */
const SHORT_TEXT = 64;

/** The statistics of some metrics, over one series or many. */
export class Statistics implements Aggregate<MetricStatistics[]> {
  readonly #metrics: NamedMetrics<MetricAccumulator>;
  readonly #kept: KeptValues<MetricAccumulator> | undefined;
  /** The groups of rows: all are of one. */
  #oneGroup = new Int32Array();
  #rows = 0;
  #series: SeriesOrigin = { assetId: '' };

  /**
   * @param tooMany the error for more metrics than are allowed
   * @param tooManyValues that for more values than quantiles are computed of
   */
  constructor(tooMany: () => Error, tooManyValues: () => Error, selected: SelectedParts = allParts) {
    this.#metrics = new NamedMetrics((name) => new MetricAccumulator(name), tooMany);
    if (selected.has('quantiles')) this.#kept = new KeptValues(tooManyValues);
  }

  begin(names: readonly string[], series?: SeriesOrigin): Error | undefined {
    if (series !== undefined) this.#series = series;
    return this.#metrics.begin(names);
  }

  missingBytes(rows: number): number {
    return this.#metrics.unreserved.take() + (this.#kept?.missingBytes(this.#metrics.current, rows) ?? 0);
  }

  add(batch: ColumnBatch): undefined {
    const { columns, length } = batch;
    const order = orderOf(batch);
    if (this.#oneGroup.length < length) this.#oneGroup = new Int32Array(length);
    for (const [index, metric] of this.#metrics.current.entries()) {
      const values = columns[index] as Float64Array;
      const characters = metric.add(batch, values, order, this.#series);
      this.#metrics.unreserved.add(characters * BYTES_PER_CHARACTER);
      this.#kept?.add(metric, values, this.#oneGroup, length);
    }
    this.#rows += length;
  }

  finishCosts(): FinishCosts {
    const { size } = this.#metrics;
    return { units: size * UNITS_PER_METRIC + (this.#kept?.units ?? 0), bytes: size * BYTES_PER_METRIC };
  }

  *finish(): Generator<void, MetricStatistics[]> {
    const statistics: MetricStatistics[] = [];
    for (const metric of this.#metrics.values()) {
      const quantiles = yield* this.#quantilesOf(metric);
      statistics.push(metric.finish(this.#rows, quantiles));
    }
    return statistics;
  }

  *#quantilesOf(metric: MetricAccumulator): Generator<void, Quantiles | Error | undefined> {
    return this.#kept && (yield* this.#kept.sort(metric, Int32Array.of(0), Int32Array.of(metric.count)));
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
  minimum: number;
  maximum: number;
}

class MetricAccumulator {
  readonly #name: string;
  readonly #sum = new Sum();
  readonly #deviation = new Deviation();
  #minimum: Found | undefined;
  #maximum: Found | undefined;
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
   * Returns how many characters of long dates and ids it keeps in addition.
   *
   * @param order that of the dates
   */
  add(batch: ColumnBatch, values: Float64Array, order: Order, { assetId, index }: SeriesOrigin): number {
    const rows = this.#addNumbers(values, batch.length);
    const { first, last, minimum, maximum } = rows;
    if (last < 0) return 0;
    let characters = 0;
    const found = (row: number): Found => {
      const valueDate = batch.dateAt(row);
      for (const text of [valueDate ?? '', assetId]) if (text.length > SHORT_TEXT) characters += text.length;
      const nanoseconds = batch.nanoseconds?.[row] ?? 0;
      return { value: values[row] as number, time: batch.times[row] as number, nanoseconds, valueDate, assetId };
    };
    if (this.#minimum === undefined || (values[minimum] as number) < this.#minimum.value)
      this.#minimum = found(minimum);
    if (this.#maximum === undefined || (values[maximum] as number) > this.#maximum.value)
      this.#maximum = found(maximum);
    const dated = order === 'incomplete' ? this.#datedRows(batch, values, rows, index) : rows;
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
    const rows: SpecialRows = { first: -1, last: -1, minimum: -1, maximum: -1 };
    const first = firstWith(values, length);
    if (first < 0) return rows;
    const origin = this.#deviation.originOf(values[first] as number);
    let { sum, lost } = this.#sum;
    let count = 0;
    let shiftedSum = 0;
    let [last, minimum, maximum] = [first, first, first];
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
        minimum = row;
      } else if (value > highest) {
        highest = value;
        maximum = row;
      }
    }
    if (!this.#sum.replace(sum, lost)) this.#sum.add(values, first, length);
    this.#deviation.add(values, first, last, count, shiftedSum / count);
    return { first, last, minimum, maximum };
  }

  get count(): number {
    return this.#deviation.count;
  }

  /** @param rows the number of all rows */
  finish(rows: number, quantiles: Quantiles | Error | undefined): MetricStatistics {
    const { count } = this;
    return {
      name: this.#name,
      count,
      nullCount: rows - count,
      sum: count === 0 ? null : this.#sum.finiteTotal,
      mean: count === 0 ? null : this.#sum.mean(count),
      standardDeviation: count === 0 ? null : this.#deviation.value,
      first: this.#invalid ?? this.#earliest ?? this.#first ?? null,
      last: this.#invalid ?? this.#latest ?? this.#last ?? null,
      minimum: this.#minimum ?? null,
      maximum: this.#maximum ?? null,
      quantiles,
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
