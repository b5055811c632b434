import {
  Bytes,
  type Field,
  type FieldType,
  type Literal,
  literal,
  type Making,
  type Origin,
  type RowBatch,
  type Template,
} from '../engine/index.ts';
import { LEADING_COLUMNS } from '../src/core/csv-field.ts';
import {
  areEqual,
  areRead,
  attributesOf,
  type EntryAttributes,
  EntryRows,
  longMetrics,
  wideSlots,
} from './file-rows.ts';
import { METRIC_COLUMNS, type TextFormat } from './text-format.ts';
import type { WideColumn } from './wide-columns.ts';

/** Which rows a file of text has, and how. */
export interface TextRowsOptions {
  readonly format: TextFormat;
  /** The columns of the metrics. Undefined if each metric has a line of its own. */
  readonly columns: readonly WideColumn[] | undefined;
  /** The names of the metrics that have lines. Undefined for all. */
  readonly metrics: ReadonlySet<string> | undefined;
}

/** A value of rows of a template, and what precedes it. */
interface Value {
  readonly before: Literal;
  /** Less than 0 if the rows have none. */
  readonly slot: number;
}

/** The values of a row, and how many bytes precede all of them. */
interface Values {
  readonly list: readonly Value[];
  readonly beforeBytes: number;
}

const noValues: Values = { list: [], beforeBytes: 0 };

const NULL_START = 0x6e;
/** With how many columns the values of each template are kept, and of how many metrics what precedes their values. */
const MAX_IDLE_ENTRIES = 1000;
/** So many bytes are written in one step, about. */
const STEP_BYTES = 1 << 15;
const MIN_LINE_BYTES = 512;
/** At least what is read behind bytes that are copied word by word, and what is written behind a value. */
const SHORT_BYTES = 16;
/** The memory of what is noted of a line that is held. */
const BYTES_PER_LINE = 8;

/** The bytes of a JSON string that are the same in a JSON string of a file, and those that are the same in a field of CSV. */
const plainInJson = new Uint8Array(256).fill(1);
plainInJson[0x5c] = 0;
const plainInCsv = Uint8Array.from(plainInJson);
plainInCsv[0x2c] = 0;

/**
 * Rows as lines of text. Numbers keep every digit. Where the attributes of an asset precede its rows, as they usually do, its lines are
 * written at once, so that nothing of it is held. Else its lines are held until all is known: if they began with the wrong attributes, they
 * get another beginning.
 */
export function textRows(options: TextRowsOptions): FieldType {
  return { make: (making) => new TextRows(options, making) };
}

class TextRows implements Field {
  readonly #format: TextFormat;
  /** The columns of the metrics, and what precedes the value of each. Undefined if each metric has a line of its own. */
  readonly #columns: readonly WideColumn[] | undefined;
  readonly #beforeColumns: readonly Literal[];
  readonly #metrics: ReadonlySet<string> | undefined;
  readonly #lineEnd: Literal;
  readonly #nullValue: Literal;
  readonly #memory: Making['memory'];
  readonly #out: Bytes;
  readonly #held: Bytes;
  /** Which of the two the lines of this entry are written into. */
  #into: Bytes;
  readonly #entry = new EntryRows();
  /** The attributes with which its lines begin. */
  #attributes: EntryAttributes | undefined;
  /** What precedes a line, its attributes, and behind them its date. */
  #line = Buffer.alloc(MIN_LINE_BYTES);
  #lineView = viewOf(this.#line);
  #attributesLength = 0;
  #lineLength = 0;
  /** The lengths of the lines that are held, and where the last one begins. */
  readonly #lengths: number[] = [];
  #lineStart = 0;
  #rewriting: Rewriting | undefined;
  /** The row, and the index of the value, that come next. Less than 0 before the line of the row. */
  #row = 0;
  #next = -1;
  #template: Template | undefined;
  #values = noValues;
  readonly #valuesByTemplate = new WeakMap<Template, Values>();
  /** What a line of a metric has before its value, by name. */
  readonly #beforeMetric = new Map<string | null, Literal>();

  constructor({ format, columns, metrics }: TextRowsOptions, { memory, out }: Making) {
    this.#format = format;
    this.#columns = columns;
    this.#beforeColumns = columns?.map(({ name }) => literal(format.beforeColumn(name))) ?? [];
    this.#metrics = metrics;
    this.#lineEnd = literal(format.lineEnd);
    this.#nullValue = literal(format.nullValue);
    this.#memory = memory;
    this.#out = out as Bytes;
    this.#held = new Bytes(memory, STEP_BYTES);
    this.#into = this.#out;
    const others = columns?.map(({ name }) => name) ?? METRIC_COLUMNS;
    const [id, name, version, date] = LEADING_COLUMNS;
    this.#out.text(format.header([id, name, version, format.dateColumn(date), ...others]));
  }

  begin(origin: Origin): void {
    this.#entry.begin(origin);
    this.#attributes = undefined;
    this.#held.rewind(0);
    this.#lineStart = 0;
    this.#memory.hold(-this.#lengths.length * BYTES_PER_LINE);
    this.#lengths.length = 0;
    this.#rewriting = undefined;
  }

  add(rows: RowBatch): void {
    if (this.#entry.add(rows)) this.#beginLines(this.#entry.origin as Origin);
    const { template } = rows;
    if (template !== this.#template) {
      this.#template = template;
      this.#values = this.#valuesOf(template);
    }
    this.#row = 0;
    this.#next = -1;
  }

  addMore(rows: RowBatch): boolean {
    const into = this.#into;
    const isWide = this.#columns !== undefined;
    const { length } = this.#values.list;
    if (!isWide && length === 0) return false;
    const end = into.position + STEP_BYTES;
    for (; this.#row < rows.count; this.#row += 1) {
      if (into.position > end) return true;
      if (this.#next < 0) {
        this.#writeDate(rows, this.#row);
        if (isWide) this.#beginLine(into);
        this.#next = 0;
      }
      // Most rows are short: there is room for all of it.
      const most = (length + 1) * (this.#lineLength + SHORT_BYTES) + this.#values.beforeBytes + rows.bytesOf(this.#row);
      if (most <= STEP_BYTES) {
        into.makeRoom(most);
        this.#writeValues(rows, length);
      } else {
        while (this.#next < length) {
          if (into.position > end) return true;
          const { before, slot } = this.#values.list[this.#next] as Value;
          const bytes = slot < 0 ? 0 : rows.endOf(this.#row, slot) - rows.startOf(this.#row, slot);
          into.makeRoom(this.#lineLength + before.bytes.length + bytes + SHORT_BYTES);
          this.#writeValues(rows, this.#next + 1);
        }
      }
      if (isWide) this.#endLine(into);
      this.#next = -1;
    }
    return false;
  }

  /** Writes the next values of the row, for which there is room. */
  #writeValues(rows: RowBatch, end: number): void {
    const into = this.#into;
    const { list } = this.#values;
    const { bytes, view } = rows;
    const [row, line, lineView, lineLength] = [this.#row, this.#line, this.#lineView, this.#lineLength];
    const isLong = this.#columns === undefined;
    for (let index = this.#next; index < end; index += 1) {
      const { before, slot } = list[index] as Value;
      if (isLong) into.put(line, lineView, 0, lineLength);
      put(into, before);
      const start = slot < 0 ? 0 : rows.startOf(row, slot);
      if (slot < 0 || bytes[start] === NULL_START) put(into, this.#nullValue);
      else into.put(bytes, view, start, rows.endOf(row, slot));
      if (isLong) this.#endLine(into);
    }
    this.#next = end;
  }

  write(out: Bytes): boolean {
    if (this.#attributes === undefined) return false;
    if (this.#into === this.#out) return false;
    const attributes = attributesOf(this.#entry.origin as Origin);
    if (areEqual(attributes, this.#attributes)) out.adopt(this.#held);
    else {
      this.#rewriting ??= new Rewriting(
        this.#held.takeAll(),
        this.#lengths,
        this.#attributesLength,
        literal(this.#beginningOf(attributes)),
        this.#memory,
      );
      return this.#rewriting.write(out);
    }
    return false;
  }

  #beginningOf(attributes: EntryAttributes): string {
    return this.#format.lineBreak + this.#format.leading(attributes);
  }

  #beginLines(origin: Origin): void {
    this.#into = areRead(origin) ? this.#out : this.#held;
    this.#attributes = attributesOf(origin);
    const beginning = Buffer.from(this.#beginningOf(this.#attributes));
    this.#attributesLength = beginning.length;
    this.#fitLine(beginning.length);
    this.#line.set(beginning);
  }

  #beginLine(into: Bytes): void {
    into.makeRoom(this.#lineLength);
    into.put(this.#line, this.#lineView, 0, this.#lineLength);
  }

  #endLine(into: Bytes): void {
    if (this.#lineEnd.bytes.length > 0) put(into, this.#lineEnd);
    if (into === this.#out) return;
    this.#memory.holdForField(BYTES_PER_LINE);
    this.#lengths.push(into.position - this.#lineStart);
    this.#lineStart = into.position;
  }

  /** Writes the date of a row into the beginning of its lines. */
  #writeDate(rows: RowBatch, row: number): void {
    const { plainDates } = this.#format;
    const { date: slot } = rows.template;
    let length = 0;
    if (plainDates !== undefined && rows.hasDate(row)) {
      const [start, end] = [rows.startOf(row, slot), rows.endOf(row, slot)];
      length =
        plainDates === 'json'
          ? this.#copyPlain(rows.bytes, start, end, plainInJson)
          : this.#copyPlain(rows.bytes, start + 1, end - 1, plainInCsv);
    }
    if (length === 0) {
      const date = Buffer.from(this.#format.date(rows.dateText(row)));
      length = date.length;
      this.#fitLine(this.#attributesLength + length);
      this.#line.set(date, this.#attributesLength);
    }
    this.#lineLength = this.#attributesLength + length;
  }

  /** Copies a date into the line. Returns its length; 0 if it may be another one in the file. */
  #copyPlain(bytes: Buffer, from: number, to: number, isPlain: Uint8Array): number {
    this.#fitLine(this.#attributesLength + to - from);
    const line = this.#line;
    const shift = this.#attributesLength - from;
    for (let at = from; at < to; at += 1) {
      const byte = bytes[at] as number;
      if (isPlain[byte] !== 1) return 0;
      line[at + shift] = byte;
    }
    return to - from;
  }

  #valuesOf(template: Template): Values {
    const known = this.#valuesByTemplate.get(template);
    if (known !== undefined) return known;
    const columns = this.#columns;
    const list =
      columns === undefined
        ? longMetrics(template, this.#metrics).map(({ name, slot }) => ({ before: this.#beforeValueOf(name), slot }))
        : wideSlots(template, columns).map((slot, at) => ({ before: this.#beforeColumns[at] as Literal, slot }));
    const values = { list, beforeBytes: list.reduce((sum, { before }) => sum + before.bytes.length, 0) };
    // With thousands of columns, those of all templates would take too much memory.
    if (columns === undefined || columns.length <= MAX_IDLE_ENTRIES) this.#valuesByTemplate.set(template, values);
    return values;
  }

  #beforeValueOf(name: string | null): Literal {
    let before = this.#beforeMetric.get(name);
    if (before === undefined) {
      if (this.#beforeMetric.size === MAX_IDLE_ENTRIES) this.#beforeMetric.clear();
      before = literal(this.#format.beforeMetric(name));
      this.#beforeMetric.set(name, before);
    }
    return before;
  }

  /** Makes the line so long, and keeps what it has. */
  #fitLine(length: number): void {
    if (this.#line.length >= length + SHORT_BYTES) return;
    const longer = Buffer.alloc(2 * length + SHORT_BYTES);
    this.#line.copy(longer);
    this.#line = longer;
    this.#lineView = viewOf(longer);
  }
}

/** Writes lines with another beginning, step by step. */
class Rewriting {
  readonly #pieces: Buffer[];
  readonly #lengths: readonly number[];
  readonly #skipped: number;
  readonly #beginning: Literal;
  readonly #memory: Making['memory'];
  #line = 0;
  /** How far the first piece was read. */
  #at = 0;

  constructor(
    pieces: Buffer[],
    lengths: readonly number[],
    skipped: number,
    beginning: Literal,
    memory: Making['memory'],
  ) {
    this.#pieces = pieces;
    this.#lengths = lengths;
    this.#skipped = skipped;
    this.#beginning = beginning;
    this.#memory = memory;
  }

  /** Returns whether more is left. */
  write(out: Bytes): boolean {
    const end = out.position + STEP_BYTES;
    for (; this.#line < this.#lengths.length; this.#line += 1) {
      if (out.position > end) return true;
      out.literal(this.#beginning);
      this.#read(this.#skipped);
      this.#read((this.#lengths[this.#line] as number) - this.#skipped, out);
    }
    for (const piece of this.#pieces) this.#memory.give(piece);
    return false;
  }

  /** Reads so many bytes, and writes them if it gets where. */
  #read(length: number, out?: Bytes): void {
    for (let left = length; left > 0; ) {
      const piece = this.#pieces[0] as Buffer;
      const part = piece.subarray(this.#at, this.#at + left);
      out?.copyAll(part);
      left -= part.length;
      this.#at += part.length;
      if (this.#at < piece.length || this.#pieces.length === 1) continue;
      this.#memory.give(piece);
      this.#pieces.shift();
      this.#at = 0;
    }
  }
}

/** Writes what is short, for which there is room. */
function put(into: Bytes, { bytes, view }: Literal): void {
  into.put(bytes, view, 0, bytes.length);
}

function viewOf({ buffer, byteOffset, length }: Buffer): DataView {
  return new DataView(buffer, byteOffset, length);
}
