import { LEADING_COLUMNS } from '../../core/csv-field.ts';
import type { Row } from '../../rest/contract/wire.ts';
import { decodeString } from '../indexing/indexed-asset.ts';
import type { RowIndex } from '../indexing/row-index.ts';
import type { RowTemplate } from '../indexing/row-template.ts';
import { ByteWriter, type Part, partOf, QUOTE } from '../writing/byte-writer.ts';
import { firstValues } from './metric-names.ts';
import { type EntryAttributes, MAX_ROW_CHARACTERS, type RowSink } from './row-sink.ts';
import { METRIC_COLUMNS, type TextFormat, type WideColumn } from './text-format.ts';

/** A value of a row of a template, and what precedes it. */
interface Value {
  readonly before: Part;
  /** Undefined if the row has no value. */
  readonly slot: number | undefined;
}

const BLANK = 0x20;
const NULL_START = 0x6e;
/** With how many columns the values of each template are kept. */
const MAX_KEPT_COLUMNS = 1000;
/** The bytes for the beginning of a line, up to the date. */
const MIN_LINE_BYTES = 512;

/** The bytes of a JSON string that are the same in a JSON string of a file, and those that are the same in a field of CSV. */
const plainInJson = new Uint8Array(256).fill(1);
plainInJson[0x5c] = 0;
const plainInCsv = Uint8Array.from(plainInJson);
plainInCsv[0x2c] = 0;

/** Writes rows as lines of text: each with the end of the line before it, and its own beginning, in one copy. Numbers keep every digit of the response, but for those of decoded rows, which are doubles. */
export class TextSink implements RowSink {
  readonly #out = new ByteWriter();
  readonly #format: TextFormat;
  /** The columns of the metrics. Undefined if each metric has a line of its own. */
  readonly #columns: readonly (WideColumn & { readonly before: Part })[] | undefined;
  readonly #nullValue: Part;
  /** The end of the line before, the asset, and after it the date. */
  #line = partOf(Buffer.alloc(MIN_LINE_BYTES));
  /** The bytes of it before the date. */
  #assetLength = 0;
  /** What a line of a metric has before its value, by name. */
  readonly #metrics = new Map<string | null, Part>();
  readonly #valuesByTemplate = new Map<RowTemplate, readonly Value[]>();
  #template: RowTemplate | undefined;
  #values: readonly Value[] = [];

  /** @param columns the columns of the metrics; undefined for a line for each metric */
  constructor(format: TextFormat, columns: readonly WideColumn[] | undefined) {
    this.#format = format;
    this.#columns = columns?.map((column) => ({ ...column, before: textPart(format.beforeColumn(column.name)) }));
    this.#nullValue = textPart(format.nullValue);
    const others = columns?.map(({ name }) => name) ?? METRIC_COLUMNS;
    const [id, name, version, date] = LEADING_COLUMNS;
    this.#out.text(format.header([id, name, version, format.dateColumn(date), ...others]));
  }

  begin(entry: EntryAttributes): void {
    const leading = Buffer.from(this.#format.lineEnd + this.#format.leading(entry));
    this.#assetLength = leading.length;
    this.#ensureLine(leading.length + MIN_LINE_BYTES);
    this.#line.bytes.set(leading);
  }

  row(index: RowIndex, offsetEntry: number, template: RowTemplate): Iterable<void> | undefined {
    if (template !== this.#template) {
      this.#template = template;
      this.#values = this.#valuesOf(template);
    }
    const out = this.#out;
    const lineLength = this.#writeDate(index, offsetEntry, template);
    const { bytes: line, view: lineView } = this.#line;
    const values = this.#values;
    if (this.#columns === undefined && lineLength * values.length > MAX_ROW_CHARACTERS)
      return this.#longRow(index, offsetEntry, template, lineLength);
    for (let at = 0; at < values.length; at += 1) {
      const { before, slot } = values[at] as Value;
      if (at === 0 || this.#columns === undefined) out.copyWords(line, lineView, this.#lineStart, lineLength);
      out.copyWords(before.bytes, before.view, 0, before.bytes.length);
      this.#value(index, offsetEntry, template, slot);
    }
    // A wide file without metrics.
    if (values.length === 0) out.copy(line, this.#lineStart, lineLength);
    return undefined;
  }

  /** A line for each metric, with a pause when they have filled a chunk. */
  *#longRow(index: RowIndex, offsetEntry: number, template: RowTemplate, lineLength: number): Iterable<void> {
    const out = this.#out;
    const { bytes } = this.#line;
    for (const { before, slot } of this.#values) {
      out.copy(bytes, this.#lineStart, lineLength);
      out.copy(before.bytes);
      this.#value(index, offsetEntry, template, slot);
      if (out.hasFilled) yield;
    }
  }

  *decodedRow({ valueDate, metrics }: Row): Iterable<void> {
    const out = this.#out;
    const known = Array.isArray(metrics) ? metrics : [];
    const begin = () => {
      out.copy(this.#line.bytes, this.#lineStart, this.#assetLength);
      out.text(this.#format.date((valueDate as string | null | undefined) ?? null));
    };
    const end = (value: unknown) => {
      if (typeof value === 'number') out.text(JSON.stringify(value));
      else out.copy(this.#nullValue.bytes);
    };
    if (this.#columns === undefined) {
      for (const { name, value } of known.length === 0 ? [{ name: null, value: null }] : known) {
        begin();
        out.text(this.#format.beforeMetric((name as string | null | undefined) ?? null));
        end(value);
        if (out.hasFilled) yield;
      }
      return;
    }
    begin();
    const values = yield* firstValues(known);
    for (const { metric, before } of this.#columns) {
      out.copy(before.bytes);
      end(values.get(metric));
    }
  }

  get hasFilled(): boolean {
    return this.#out.hasFilled;
  }

  takeFilled(): readonly Buffer[] {
    return this.#out.takeFilled();
  }

  finish(): Iterable<readonly Buffer[]> {
    if (this.#out.written > 0) this.#out.text(this.#format.lineEnd);
    return [this.#out.finish()];
  }

  /** Where the next line begins in `#line`: no line precedes the first one. */
  get #lineStart(): number {
    return this.#out.written === 0 ? this.#format.lineEnd.length : 0;
  }

  /** Writes the date of a row into the line. Returns the length of the line then. */
  #writeDate(index: RowIndex, offsetEntry: number, template: RowTemplate): number {
    const { bytes } = index;
    const { date: slot } = template;
    const start = slot === undefined ? 0 : index.startOf(offsetEntry, template, slot);
    const end = slot === undefined ? 0 : index.endOf(offsetEntry, slot);
    const isString = start !== end && bytes[start] !== NULL_START;
    if (isString) {
      const { plainDates } = this.#format;
      let length = 0;
      if (plainDates === 'json') length = this.#copyPlain(bytes, start, end, plainInJson);
      else if (plainDates === 'field') length = this.#copyPlain(bytes, start + 1, end - 1, plainInCsv);
      if (length > 0) return this.#assetLength + length;
    }
    const date = Buffer.from(this.#format.date(isString ? decodeString(bytes.toString('utf8', start, end)) : null));
    this.#ensureLine(this.#assetLength + date.length);
    this.#line.bytes.set(date, this.#assetLength);
    return this.#assetLength + date.length;
  }

  /** Copies a date into the line. Returns its length; 0 if it may be another one in the file. */
  #copyPlain(bytes: Buffer, from: number, to: number, isPlain: Uint8Array): number {
    this.#ensureLine(this.#assetLength + to - from);
    const line = this.#line.bytes;
    const shift = this.#assetLength - from;
    for (let at = from; at < to; at += 1) {
      const byte = bytes[at] as number;
      if (isPlain[byte] !== 1) return 0;
      line[at + shift] = byte;
    }
    return to - from;
  }

  #value(index: RowIndex, offsetEntry: number, template: RowTemplate, slot: number | undefined): void {
    const out = this.#out;
    if (slot !== undefined) {
      const start = index.startOf(offsetEntry, template, slot);
      const first = index.bytes[start];
      if (first !== NULL_START && first !== QUOTE) {
        // The index has made a blank of the sign of a negative zero.
        const from = first === BLANK ? start + 1 : start;
        out.copyWords(index.bytes, index.view, from, index.endOf(offsetEntry, slot));
        return;
      }
    }
    out.copy(this.#nullValue.bytes);
  }

  #valuesOf(template: RowTemplate): readonly Value[] {
    const known = this.#valuesByTemplate.get(template);
    if (known !== undefined) return known;
    const values =
      this.#columns?.map(({ metric, before }) => ({ before, slot: template.metricsByName.get(metric)?.value })) ??
      this.#ownLines(template);
    // With thousands of columns, those of all templates would take too much memory.
    if (this.#columns === undefined || values.length <= MAX_KEPT_COLUMNS) this.#valuesByTemplate.set(template, values);
    return values;
  }

  /** The metrics of a row with a line for each. A row without metrics has one line too: its date is not lost. */
  #ownLines({ metrics }: RowTemplate): readonly Value[] {
    const lines = metrics?.map(({ name, value }) => ({ before: this.#beforeMetric(name), slot: value })) ?? [];
    return lines.length === 0 ? [{ before: this.#beforeMetric(null), slot: undefined }] : lines;
  }

  #beforeMetric(name: string | null): Part {
    const known = this.#metrics.get(name) ?? textPart(this.#format.beforeMetric(name));
    this.#metrics.set(name, known);
    return known;
  }

  #ensureLine(length: number): void {
    const { bytes } = this.#line;
    if (bytes.length >= length) return;
    const longer = Buffer.alloc(Math.max(length, bytes.length * 2));
    longer.set(bytes);
    this.#line = partOf(longer);
  }
}

function textPart(text: string): Part {
  return partOf(Buffer.from(text));
}
