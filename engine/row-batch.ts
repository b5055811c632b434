import { Bytes, NULL } from './bytes.ts';
import { DateSlots } from './date-slots.ts';
import type { Memory } from './memory.ts';
import { numberAt } from './number.ts';
import { type RowError, RowParser } from './row-parser.ts';
import { PADDING, Scanner } from './scanner.ts';
import { LOST, type Template, Templates } from './template.ts';

/** How many rows are taken together: their bytes are still near when the fields read them. */
export const MAX_ROWS = 32;
/** About the most bytes that they have together: fields may write them hundreds of times. */
const MAX_RUN = 1 << 15;
/** About the most entries of `ends`. */
const MAX_ENTRIES = 1 << 16;

/** The most entries of it that are kept for other bodies. */
const MAX_IDLE_ENTRIES = 1 << 12;

const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;

const tooLarge: readonly RowError[] = [{ part: 'row', kind: 'tooLarge', metric: -1 }];

/**
 * Some rows that have one template, one after another. `ends` has for each row its first byte and the end of each slot. A slot
 * begins where the slot before it ends, plus the length of the literal between them.
 */
export class RowBatch {
  bytes: Buffer = NULL.bytes;
  view: DataView = NULL.view;
  template: Template = LOST;
  count = 0;
  /** How many rows of the series come before. */
  first = 0;
  ends: Int32Array = new Int32Array(MAX_ROWS * 8);
  /** The values of a row that are null because of errors. Such a row is alone. */
  errors: readonly RowError[] = [];
  #width = 1;
  readonly #memory: Memory;
  /** What was decoded of these rows. */
  readonly #values: Float64Array[] = [];
  #times: Float64Array | undefined;
  readonly #hasValues: boolean[] = [];
  #hasTimes = false;
  readonly #dates = new DateSlots();
  readonly #nanosecondsOfTimes = new Int32Array(MAX_ROWS);
  #hasNanoseconds = false;

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  /** Begins with a row whose slots are in `ends` from index 1 on. */
  begin(template: Template, { bytes, view }: Scanner, start: number, errors: readonly RowError[] = []): void {
    this.first += this.count;
    this.count = 1;
    this.template = template;
    this.bytes = bytes;
    this.view = view;
    this.errors = errors;
    this.ends[0] = start;
    this.#width = template.kinds.length + 1;
    this.#hasTimes = false;
    if (this.#hasValues.length > 0) this.#hasValues.length = 0;
  }

  /** Begins a series. */
  restart(): void {
    this.first = 0;
    this.count = 0;
  }

  /** Gives large memory up, and what it has read. */
  clear(): void {
    if (this.ends.length > MAX_IDLE_ENTRIES) this.ends = new Int32Array(MAX_ROWS * 8);
    this.bytes = NULL.bytes;
    this.view = NULL.view;
    this.template = LOST;
    this.errors = [];
    this.#values.length = 0;
  }

  /** Makes room for rows with so many slots: for many rows, or for one that is large. */
  fit(slots: number): void {
    const entries = Math.max(slots + 1, Math.min(MAX_ROWS * (slots + 1), MAX_ENTRIES));
    if (this.ends.length < entries) this.ends = new Int32Array(entries);
  }

  /** Reads the rows behind the last one that have its template, with nothing but a comma before each. This is the way of most rows. */
  readRun(scanner: Scanner): void {
    const { template, ends } = this;
    const { bytes } = scanner;
    const { maxPart } = this.#memory;
    const width = this.#width;
    const most = Math.min(MAX_ROWS, Math.floor(ends.length / width));
    for (let count = this.count; count < most; count += 1) {
      const { at } = scanner;
      if (at - (ends[0] as number) > MAX_RUN || bytes[at] !== COMMA || bytes[at + 1] !== OPEN_OBJECT) return;
      scanner.at = at + 1;
      const entry = count * width;
      if (!template.match(scanner, ends, entry + 1) || scanner.at - at - 1 > maxPart) {
        scanner.at = at;
        return;
      }
      ends[entry] = at + 1;
      this.count = count + 1;
    }
  }

  /** Whether this is a row that is too large to be read. It is alone. */
  get isLost(): boolean {
    return this.template === LOST;
  }

  bytesOf(row: number): number {
    return this.rowEnd(row) - this.rowStart(row);
  }

  get bytesOfAll(): number {
    return this.rowEnd(this.count - 1) - this.rowStart(0);
  }

  startOf(row: number, slot: number): number {
    return (this.ends[row * this.#width + slot] as number) + (this.template.lengths[slot] as number);
  }

  endOf(row: number, slot: number): number {
    return this.ends[row * this.#width + slot + 1] as number;
  }

  /** At least the number of bytes of a slot in all rows. For rows of few slots it is not worth while to add them up. */
  roomFor(slot: number): number {
    if (this.#width < 16) return this.bytesOfAll;
    let bytes = 0;
    for (let row = 0; row < this.count; row += 1) bytes += this.endOf(row, slot) - this.startOf(row, slot);
    return bytes;
  }

  rowStart(row: number): number {
    return this.ends[row * this.#width] as number;
  }

  rowEnd(row: number): number {
    const slots = this.#width - 1;
    return this.endOf(row, slots - 1) + (this.template.lengths[slots] as number);
  }

  /** The values of a slot; NaN for null. Each of them counts as computed. */
  values(slot: number): Float64Array {
    const { bytes, view, ends, count } = this;
    let values = this.#values[slot];
    if (values === undefined || values.length < count)
      this.#values[slot] = values = new Float64Array(count > 1 ? MAX_ROWS : 1);
    if (this.#hasValues[slot] === true) return values;
    this.#hasValues[slot] = true;
    this.#memory.count(count);
    const width = this.#width;
    const length = this.template.lengths[slot] as number;
    for (let row = 0, entry = slot; row < count; row += 1, entry += width)
      values[row] = numberAt(bytes, view, (ends[entry] as number) + length, ends[entry + 1] as number);
    return values;
  }

  /** The dates in whole epoch milliseconds. NaN for those that are null, or cannot be read. Each of them counts as computed. */
  times(): Float64Array {
    this.#times ??= new Float64Array(MAX_ROWS);
    const times = this.#times;
    if (this.#hasTimes) return times;
    this.#hasTimes = true;
    this.#hasNanoseconds = false;
    this.#memory.count(this.count);
    const slot = this.template.date;
    if (slot < 0) return times.fill(Number.NaN);
    const { bytes, view } = this;
    const { parser } = this.#dates;
    for (let row = 0; row < this.count; row += 1) {
      times[row] = this.#dates.timeAt(bytes, view, this.startOf(row, slot), this.endOf(row, slot));
      if (parser.nanoseconds === 0 && !this.#hasNanoseconds) continue;
      if (!this.#hasNanoseconds) this.#nanosecondsOfTimes.fill(0);
      this.#hasNanoseconds = true;
      this.#nanosecondsOfTimes[row] = parser.nanoseconds;
    }
    return times;
  }

  /** The nanoseconds beyond these milliseconds, from 0 to 999,999. Undefined if no date has any. */
  nanoseconds(): Int32Array | undefined {
    this.times();
    return this.#hasNanoseconds ? this.#nanosecondsOfTimes : undefined;
  }

  /** Whether a row has a date, which perhaps cannot be read. */
  hasDate(row: number): boolean {
    const slot = this.template.date;
    return slot >= 0 && this.bytes[this.startOf(row, slot)] === 0x22;
  }

  /** The date of a row as received, as JSON. */
  dateJson(row: number): string {
    const slot = this.template.date;
    return slot < 0 ? 'null' : this.bytes.toString('utf8', this.startOf(row, slot), this.endOf(row, slot));
  }

  /** The date of a row as received. Null if it has none. */
  dateText(row: number): string | null {
    return JSON.parse(this.dateJson(row));
  }
}

/** Reads rows one after another, those of one template together. */
export class RowReader {
  /** Entries that are no rows, and entries of rows that are no metrics. */
  omitted = 0;
  /** The rows that had to be written once more to be read, and those that were too large. */
  odd = 0;
  /** Those that were read last. */
  readonly rows: RowBatch;
  readonly #templates = new Templates();
  readonly #parser = new RowParser();
  /** The canonical form of an odd row. */
  readonly #odd: Bytes;
  readonly #oddScanner = new Scanner();
  readonly #memory: Memory;

  constructor(memory: Memory) {
    this.#memory = memory;
    this.rows = new RowBatch(memory);
    this.#odd = new Bytes(memory, 1024, false);
  }

  /** The bytes of memory that it has for odd rows. */
  get capacity(): number {
    return this.#odd.capacity;
  }

  /** Forgets all that it knows of rows, and keeps memory of usual size. */
  clear(): void {
    this.#templates.clear();
    this.#odd.release();
    this.rows.clear();
  }

  /** Begins a body. */
  begin(): void {
    this.odd = 0;
    this.restart();
  }

  /** Begins a list of rows. */
  restart(): void {
    this.omitted = 0;
    this.rows.restart();
  }

  /** Reads the row at the scanner, and those behind it that are like it. */
  read(scanner: Scanner): void {
    const start = scanner.at;
    let template = this.#match(scanner);
    if (template === undefined) this.#parser.parse(scanner);
    if (scanner.at - start > this.#memory.maxPart) this.lose();
    else if (template === undefined && this.#parser.isOdd) this.#readOdd(scanner);
    else {
      template ??= this.#enter(scanner);
      this.rows.begin(template, scanner, start);
      this.rows.readRun(scanner);
    }
  }

  /** The next row is too large to be read. */
  lose(): void {
    this.odd += 1;
    this.rows.begin(LOST, this.#oddScanner, 0, tooLarge);
  }

  /** The row that was parsed last is written once more, and from then on it is like any other. */
  #readOdd(from: Scanner): void {
    const { errors, omitted } = this.#parser;
    this.odd += 1;
    this.omitted += omitted;
    this.#odd.rewind(0);
    this.#parser.writeCanonical(this.#odd, from);
    this.readCanonical(this.#odd, errors);
  }

  /** Reads a row that has the padding of a scanner behind it, and nothing odd. @param errors what was wrong with it */
  readCanonical(row: Bytes, errors: readonly RowError[]): void {
    const scanner = this.#oddScanner;
    scanner.read(row, row.length - PADDING);
    let template = this.#match(scanner);
    if (template === undefined) {
      this.#parser.parse(scanner);
      template = this.#enter(scanner);
    }
    this.rows.begin(template, scanner, 0, errors);
  }

  #match(scanner: Scanner): Template | undefined {
    return this.#templates.match(scanner, this.rows.ends, 1);
  }

  #enter({ bytes }: Scanner): Template {
    const template = this.#templates.of(bytes, this.#parser);
    this.rows.fit(template.kinds.length);
    this.rows.ends.set(this.#parser.ends, 1);
    return template;
  }
}
