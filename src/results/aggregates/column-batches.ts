import { DateParser, USUAL_DAY_LENGTH, USUAL_TIME_LENGTH, usualDayIn, usualTimeIn } from '../../core/dates.ts';
import { RestError } from '../../rest/contract/rest-error.ts';
import { nonFiniteText } from '../../rest/contract/wire.ts';
import { numberIn } from '../indexing/number.ts';
import type { RowIndex, Rows } from '../indexing/row-index.ts';
import type { RowTemplate } from '../indexing/row-template.ts';
import type { DecodedRow } from '../writing/row-batches.ts';
import { InvalidRow } from './invalid-row.ts';
import { UsualDates } from './usual-dates.ts';

/** The most rows of a batch, and about the most values. */
const ROWS_PER_BATCH = 512;
const VALUES_PER_BATCH = 4096;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Some consecutive rows of a series, column by column. It is overwritten by the next batch. */
export interface ColumnBatch {
  /** The number of rows, and how many rows precede them. */
  readonly length: number;
  readonly firstRow: number;
  /** The date of each row in whole epoch milliseconds. NaN if it has none, or one that cannot be read. */
  readonly times: Float64Array;
  /** The nanoseconds beyond them, from 0 to 999,999. Undefined if no row has any. */
  readonly nanoseconds: Int32Array | undefined;
  /** The values of each metric. NaN where a row has none. If a row repeats a metric, the first one wins. */
  readonly columns: readonly Float64Array[];
  /** The date of a row of this batch, as received. */
  dateAt(row: number): string | null;
  /** Whether a row of this batch has a date, which perhaps cannot be read. */
  hasDate(row: number): boolean;
}

/** Batches, pauses (undefined), and last an error if a row is invalid. */
export type ColumnBatches = Iterable<ColumnBatch | RestError | undefined>;

abstract class Batch implements ColumnBatch {
  readonly times: Float64Array;
  readonly columns: readonly Float64Array[];
  nanoseconds: Int32Array | undefined;
  length = 0;
  firstRow = 0;
  protected readonly parser = new DateParser();

  constructor(columnCount: number) {
    const capacity = Math.max(1, Math.min(ROWS_PER_BATCH, Math.floor(VALUES_PER_BATCH / (columnCount + 1))));
    this.times = new Float64Array(capacity);
    this.columns = Array.from({ length: columnCount }, () => new Float64Array(capacity));
  }

  abstract dateAt(row: number): string | null;
  abstract hasDate(row: number): boolean;

  /** Takes the date that was parsed for a row. */
  protected setTime(row: number): void {
    const { milliseconds, nanoseconds } = this.parser;
    this.times[row] = milliseconds;
    if (nanoseconds === 0) return;
    this.nanoseconds ??= new Int32Array(this.times.length);
    this.nanoseconds[row] = nanoseconds;
  }

  get isFull(): boolean {
    return this.length === this.times.length;
  }

  restart(): void {
    this.firstRow = 0;
    this.length = 0;
    this.nanoseconds = undefined;
  }

  next(): void {
    this.firstRow += this.length;
    this.length = 0;
    this.nanoseconds = undefined;
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
    super(columnCount);
    this.entries = new Int32Array(this.times.length);
    this.#known = new UsualDates(this.times.length);
  }

  dateAt(row: number): string | null {
    const { bytes } = this.index as RowIndex;
    const span = this.#dateSpan(row);
    return span === undefined ? null : JSON.parse(bytes.toString('utf8', ...span));
  }

  hasDate(row: number): boolean {
    return this.#dateSpan(row) !== undefined;
  }

  /** Where the JSON of a row's date is. Undefined if it has none. */
  #dateSpan(row: number): readonly [start: number, end: number] | undefined {
    const index = this.index as RowIndex;
    const entry = this.entries[row] as number;
    const template = index.templateAt(entry);
    const { date } = template;
    if (date === undefined) return undefined;
    const start = index.startOf(entry, template, date);
    return index.bytes[start] === QUOTE ? [start, index.endOf(entry, date)] : undefined;
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
    const { view } = index;
    for (let row = first; row < length; row += 1) {
      const entry = entries[row] as number;
      const start = index.startOf(entry, template, slot);
      const end = index.endOf(entry, slot);
      let time = Number.NaN;
      if (end - start === USUAL_TIME_LENGTH + 2) {
        if (this.#known.replace(row, view, start + 1)) continue;
        time = usualTimeIn(view, start + 1);
      } else if (end - start === USUAL_DAY_LENGTH + 2) {
        this.#known.forget(row, row + 1);
        time = usualDayIn(view, start + 1);
      }
      if (Number.isNaN(time)) this.#readTime(row, start, end);
      else times[row] = time;
    }
  }

  /** Reads the JSON of a date of any form. */
  #readTime(row: number, start: number, end: number): void {
    this.#known.forget(row, row + 1);
    const { bytes } = this.index as RowIndex;
    // Escapes are rare, and then it may be a date nevertheless. What is no string has none.
    if (!this.parser.parse(bytes, start + 1, end - 1) && bytes.subarray(start, end).includes(BACKSLASH))
      this.parser.parseText(JSON.parse(bytes.toString('utf8', start, end)));
    this.setTime(row);
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
  /** A batch that reads the dates alone, and another one, that are not in use: columns of fewer rows need both. */
  readonly #spares: (IndexedBatch | undefined)[] = [];

  /** The rows of an index, which are all valid. @param names the metrics, each once */
  *of({ index, firstOffsetEntry, count }: Rows, names: readonly string[]): Generator<ColumnBatch, void> {
    const kind = Math.min(names.length, 1);
    const spare = this.#spares[kind];
    const batch = spare?.columns.length === names.length ? spare : new IndexedBatch(names.length);
    if (batch === spare) this.#spares[kind] = undefined;
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
      this.#spares[kind] = batch;
    }
  }
}

/** The slot of each metric in the rows of a template; -1 if it has none. */
function slotsOf({ metricsByName }: RowTemplate, names: readonly string[]): Int32Array {
  return Int32Array.from(names, (name) => metricsByName.get(name)?.value ?? -1);
}

/** A batch of decoded rows. */
class DecodedBatch extends Batch {
  readonly #dates: DecodedRow['valueDate'][] = [];

  dateAt(row: number): string | null {
    const date = this.#dates[row];
    return typeof date === 'string' ? date : null;
  }

  /** A date of a wrong type is one that cannot be read. */
  hasDate(row: number): boolean {
    return this.#dates[row] !== null && this.#dates[row] !== undefined;
  }

  setDate(row: number, date: DecodedRow['valueDate']): void {
    this.#dates[row] = date;
    this.parser.parseText(typeof date === 'string' ? date : '');
    this.setTime(row);
  }
}

/**
 * Decoded rows.
 *
 * @param names the metrics, each once
 * @param invalid whether a date or value of a wrong type ends them with an error, or is skipped: a value as if it were absent
 */
export function* decodedBatches(
  rows: Iterable<readonly DecodedRow[]>,
  names: readonly string[],
  invalid: 'ends' | 'is skipped',
): Generator<ColumnBatch | RestError | undefined, void> {
  const ends = invalid === 'ends';
  const batch = new DecodedBatch(names.length);
  const positions = new Map(names.map((name, column) => [name, column]));
  for (const some of rows) {
    for (const { valueDate, metrics } of some) {
      const row = batch.firstRow + batch.length;
      const wrong = (what: string) => endWith(new InvalidRow(row, `has a ${what} of a wrong type`), batch);
      if (ends && valueDate instanceof RestError) return yield* wrong('date');
      if (ends && metrics instanceof RestError && names.length > 0) return yield* wrong('list of metrics');
      const { length, columns } = batch;
      batch.setDate(length, valueDate);
      for (const column of columns) column[length] = Number.NaN;
      const seen = new Set<number>();
      // Without names only the dates are needed.
      for (const metricsBatch of names.length === 0 ? [] : listIn(metrics)) {
        for (const { name, value } of metricsBatch) {
          const column = typeof name === 'string' ? positions.get(name) : undefined;
          if (column === undefined || seen.has(column)) continue;
          seen.add(column);
          if (ends && value instanceof RestError && value !== nonFiniteText) return yield* wrong('value');
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

/** The rows before an invalid one come first: one of them may be what ends the field. */
function* endWith(error: InvalidRow, batch: Batch): Generator<ColumnBatch | RestError, void> {
  if (batch.length > 0) yield batch;
  yield error;
}

function listIn(metrics: DecodedRow['metrics']): Exclude<DecodedRow['metrics'], RestError | null | undefined> {
  return metrics === null || metrics === undefined || metrics instanceof RestError ? [] : metrics;
}
