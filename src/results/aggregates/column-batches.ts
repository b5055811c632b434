import { RestError } from '../../rest/contract/rest-error.ts';
import { numberIn } from '../indexing/number.ts';
import type { RowIndex, Rows } from '../indexing/row-index.ts';
import type { RowTemplate } from '../indexing/row-template.ts';
import type { DecodedRow } from '../writing/row-batches.ts';
import { timeIn, timeOf, USUAL_TIME_LENGTH, usualTimeIn } from './dates.ts';

/** The most rows of a batch, and about the most values. */
const ROWS_PER_BATCH = 512;
const VALUES_PER_BATCH = 4096;

/** Some consecutive rows of a series, column by column. It is overwritten by the next batch. */
export interface ColumnBatch {
  /** The number of rows, and how many rows precede them. */
  readonly length: number;
  readonly firstRow: number;
  /** The date of each row in epoch milliseconds. NaN if it is no RFC 3339 date or date-time. */
  readonly times: Float64Array;
  /** The values of each metric. NaN where a row has none. If a row repeats a metric, the first one wins. */
  readonly columns: readonly Float64Array[];
  /** The date of a row of this batch, as received. */
  dateAt(row: number): string | null;
}

/** Batches, pauses (undefined), and last an error if a row is invalid. */
export type ColumnBatches = Iterable<ColumnBatch | RestError | undefined>;

/** A row of a response is invalid. Rows and series are counted from 0. */
export class InvalidRow extends RestError {
  readonly #row: number;
  readonly #problem: string;

  /** @param problem such as `has no date`. @param series undefined for the series that a field is on */
  constructor(row: number, problem: string, series?: number) {
    const ofSeries = series === undefined ? '' : ` of series ${series}`;
    super('getDatasetResults', 'invalidResponse', { status: 200, problem: `row ${row}${ofSeries} ${problem}` });
    this.#row = row;
    this.#problem = problem;
  }

  /** The same, where a field is computed from many series. */
  ofSeries(series: number): InvalidRow {
    return new InvalidRow(this.#row, this.#problem, series);
  }
}

/** The error of a series among many. */
export function errorOfSeries(error: Error | undefined, series: number): Error | undefined {
  return error instanceof InvalidRow ? error.ofSeries(series) : error;
}

class Batch implements ColumnBatch {
  readonly times: Float64Array;
  readonly columns: readonly Float64Array[];
  length = 0;
  firstRow = 0;
  dateAt: (row: number) => string | null;

  constructor(columnCount: number, dateAt: (row: number) => string | null) {
    const capacity = Math.max(1, Math.min(ROWS_PER_BATCH, Math.floor(VALUES_PER_BATCH / (columnCount + 1))));
    this.times = new Float64Array(capacity);
    this.columns = Array.from({ length: columnCount }, () => new Float64Array(capacity));
    this.dateAt = dateAt;
  }

  get isFull(): boolean {
    return this.length === this.times.length;
  }

  restart(): void {
    this.firstRow = 0;
    this.length = 0;
  }

  next(): void {
    this.firstRow += this.length;
    this.length = 0;
  }
}

/** The bytes of dates of the usual form, which are 20, as numbers: a NaN equals nothing, and both zeros are no text. */
class UsualDates {
  readonly #heads: Float64Array;
  readonly #middles: Float64Array;
  readonly #tails: Int32Array;

  constructor(rows: number) {
    this.#heads = new Float64Array(rows).fill(Number.NaN);
    this.#middles = new Float64Array(rows);
    this.#tails = new Int32Array(rows);
  }

  forget(first: number, end: number): void {
    this.#heads.fill(Number.NaN, first, end);
  }

  /** Notes the bytes of a row's date. Returns whether they are the same as before. */
  replace(row: number, view: DataView, start: number): boolean {
    const head = view.getFloat64(start, true);
    const middle = view.getFloat64(start + 8, true);
    const tail = view.getInt32(start + 16, true);
    if (head === this.#heads[row] && middle === this.#middles[row] && tail === this.#tails[row]) return true;
    this.#heads[row] = head;
    this.#middles[row] = middle;
    this.#tails[row] = tail;
    return false;
  }
}

/** A batch of an index. */
class IndexedBatch extends Batch {
  index: RowIndex | undefined;
  /** The first offset entry of each row. */
  readonly entries: Int32Array;
  /** The dates that `times` has, if they have the usual form: those of the next series are usually the same. */
  readonly #known: UsualDates;

  constructor(columnCount: number) {
    super(columnCount, (row) => this.#dateAt(row));
    this.entries = new Int32Array(this.times.length);
    this.#known = new UsualDates(this.times.length);
  }

  #dateAt(row: number): string | null {
    const index = this.index as RowIndex;
    const entry = this.entries[row] as number;
    const template = index.templateAt(entry);
    const { date } = template;
    return date === undefined
      ? null
      : dateText(index.bytes, index.startOf(entry, template, date), index.endOf(entry, date));
  }

  /** Reads the rows from `first` on, which are of one template. */
  read(first: number, template: RowTemplate, slots: Int32Array): void {
    const { date } = template;
    if (date === undefined) {
      this.times.fill(Number.NaN, first, this.length);
      this.#known.forget(first, this.length);
    } else this.#readTimes(first, template, date);
    for (const [column, into] of this.columns.entries()) {
      const slot = slots[column] as number;
      if (slot < 0) into.fill(Number.NaN, first, this.length);
      else this.#readNumbers(first, template, slot, into);
    }
  }

  #readTimes(first: number, template: RowTemplate, slot: number): void {
    const { entries, times, length } = this;
    const index = this.index as RowIndex;
    const { bytes, view } = index;
    for (let row = first; row < length; row += 1) {
      const entry = entries[row] as number;
      const start = index.startOf(entry, template, slot);
      const end = index.endOf(entry, slot);
      if (end - start !== USUAL_TIME_LENGTH + 2) this.#known.forget(row, row + 1);
      else if (this.#known.replace(row, view, start + 1)) continue;
      times[row] = timeInString(bytes, view, start, end);
    }
  }

  #readNumbers(first: number, template: RowTemplate, slot: number, into: Float64Array): void {
    const { entries, length } = this;
    const index = this.index as RowIndex;
    const { bytes, view } = index;
    for (let row = first; row < length; row += 1) {
      const entry = entries[row] as number;
      into[row] = numberIn(bytes, view, index.startOf(entry, template, slot), index.endOf(entry, slot));
    }
  }
}

/** The batches of indexed rows of one response or file. Their memory is reused: usually the next series has as many metrics. */
export class IndexedBatches {
  /** A batch that is not in use, and one that reads the dates alone: columns of fewer rows need both. */
  #spare: IndexedBatch | undefined;
  #spareOfDates: IndexedBatch | undefined;

  /** The rows of an index, which are all valid. @param names the metrics, each once */
  *of({ index, firstOffsetEntry, count }: Rows, names: readonly string[]): Generator<ColumnBatch, void> {
    const batch = this.#take(names.length);
    batch.restart();
    batch.index = index;
    const slotsByTemplate = new Map<RowTemplate, Int32Array>();
    let entry = firstOffsetEntry;
    try {
      for (let row = 0; row < count; ) {
        const first = batch.length;
        const template = index.templateAt(entry);
        do {
          batch.entries[batch.length] = entry;
          batch.length += 1;
          row += 1;
          entry = index.nextOffsetEntry(entry, template);
        } while (row < count && !batch.isFull && index.templateAt(entry) === template);
        const slots = slotsByTemplate.get(template) ?? slotsOf(template, names);
        slotsByTemplate.set(template, slots);
        batch.read(first, template, slots);
        if (batch.isFull || row === count) {
          yield batch;
          batch.next();
        }
      }
    } finally {
      batch.index = undefined;
      if (names.length === 0) this.#spareOfDates = batch;
      else this.#spare = batch;
    }
  }

  #take(columnCount: number): IndexedBatch {
    const spare = columnCount === 0 ? this.#spareOfDates : this.#spare;
    if (spare?.columns.length !== columnCount) return new IndexedBatch(columnCount);
    if (columnCount === 0) this.#spareOfDates = undefined;
    else this.#spare = undefined;
    return spare;
  }
}

/** The slot of each metric in the rows of a template; -1 if it has none. */
function slotsOf({ metricsByName }: RowTemplate, names: readonly string[]): Int32Array {
  return Int32Array.from(names, (name) => metricsByName.get(name)?.value ?? -1);
}

/** The time of a JSON string or null. */
function timeInString(bytes: Buffer, view: DataView, start: number, end: number): number {
  if (bytes[start] !== 0x22) return Number.NaN;
  const usual = end - start === USUAL_TIME_LENGTH + 2 ? usualTimeIn(view, start + 1) : Number.NaN;
  if (!Number.isNaN(usual)) return usual;
  const time = timeIn(bytes, start + 1, end - 1);
  // Escapes are rare, and then it may be a date nevertheless.
  return Number.isNaN(time) && bytes.subarray(start, end).includes(0x5c)
    ? timeOf(dateText(bytes, start, end) ?? '')
    : time;
}

function dateText(bytes: Buffer, start: number, end: number): string | null {
  return start === end ? null : JSON.parse(bytes.toString('utf8', start, end));
}

/**
 * Decoded rows.
 *
 * @param names the metrics, each once
 * @param invalid whether an invalid date or value ends them with an error, or is skipped as if it were absent
 */
export function* decodedBatches(
  rows: Iterable<readonly DecodedRow[]>,
  names: readonly string[],
  invalid: 'ends' | 'is skipped',
): Generator<ColumnBatch | RestError | undefined, void> {
  const ends = invalid === 'ends';
  const dates: (string | null)[] = [];
  const batch = new Batch(names.length, (row) => dates[row] ?? null);
  const positions = new Map(names.map((name, column) => [name, column]));
  for (const some of rows) {
    for (const { valueDate, metrics } of some) {
      const row = batch.firstRow + batch.length;
      if (ends && valueDate instanceof RestError) return yield new InvalidRow(row, 'has a date of a wrong type');
      if (ends && metrics instanceof RestError && names.length > 0)
        return yield new InvalidRow(row, 'has a list of metrics of a wrong type');
      const { length, times, columns } = batch;
      dates[length] = typeof valueDate === 'string' ? valueDate : null;
      times[length] = typeof valueDate === 'string' ? timeOf(valueDate) : Number.NaN;
      for (const column of columns) column[length] = Number.NaN;
      const seen = new Set<number>();
      // Without names only the dates are needed.
      for (const metricsBatch of names.length === 0 ? [] : listIn(metrics)) {
        for (const { name, value } of metricsBatch) {
          const column = typeof name === 'string' ? positions.get(name) : undefined;
          if (column === undefined || seen.has(column)) continue;
          seen.add(column);
          if (ends && value instanceof RestError) return yield new InvalidRow(row, 'has a value of a wrong type');
          (columns[column] as Float64Array)[length] = typeof value === 'number' ? value : Number.NaN;
        }
        if (!Array.isArray(metrics)) yield undefined;
      }
      batch.length += 1;
      if (batch.isFull) {
        yield batch;
        batch.next();
      }
    }
    yield undefined;
  }
  if (batch.length > 0) yield batch;
}

function listIn(metrics: DecodedRow['metrics']): Exclude<DecodedRow['metrics'], RestError | null | undefined> {
  return metrics === null || metrics === undefined || metrics instanceof RestError ? [] : metrics;
}
