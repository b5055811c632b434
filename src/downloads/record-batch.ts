import { LEADING_COLUMNS } from '../core/csv-field.ts';
import type { RestError } from '../rest/contract/rest-error.ts';
import type { Row } from '../rest/contract/wire.ts';
import {
  DateReader,
  type DateType,
  type DateValue,
  type Dictionary,
  type EntryAttributes,
  firstValues,
  MAX_ROW_CHARACTERS,
  METRIC_COLUMNS,
  type RepeatedTexts,
  type RowIndex,
  type RowSink,
  type RowTemplate,
  type TimestampType,
  type WideColumn,
} from '../results/results.ts';

/**
 * A column of a file with types: its name, and the values of some rows. A date is days since 1970-01-01, and a timestamp the
 * units of its type since then. A dictionary has all texts of the column in all rows.
 */
export type Column = { readonly name: string; readonly nullable: boolean } & (
  | { readonly type: 'text'; readonly values: (string | null)[]; readonly dictionary?: Dictionary }
  | { readonly type: 'int64' | TimestampType; readonly values: (bigint | null)[] }
  | { readonly type: 'double' | 'date'; readonly values: (number | null)[] }
);

/** What the rows of a file have in common. */
export interface BatchColumns {
  /** The columns of the metrics. Undefined for a row for each metric. */
  readonly wide: readonly WideColumn[] | undefined;
  readonly dates: DateType;
  readonly texts: RepeatedTexts;
}

/** Writes a file in batches of rows. */
export interface BatchWriter {
  /** Writes the next rows, in steps that do not block other requests for long. The columns are always the same. */
  write(columns: readonly Column[], rows: number): Iterator<void>;
  /** Writes the end of the file. */
  finish(): void;
  /** Takes the bytes that were written. */
  take(): Buffer[];
}

/** How large a batch becomes: in rows, in cells, and in characters of texts, which Arrow repeats in each row. */
const BATCH_ROWS = 16_384;
const BATCH_CELLS = 1 << 20;
const BATCH_CHARACTERS = 1 << 20;

/** How many columns of a batch with so many rows are written in one step. */
export function columnsPerStep(rows: number): number {
  return Math.min(MAX_STEP_COLUMNS, Math.ceil(STEP_CELLS / rows));
}
const MAX_STEP_COLUMNS = 64;
const STEP_CELLS = 1 << 16;

const NULL_START = 0x6e;
const QUOTE = 0x22;

/** Has the values of some columns written in batches, while they are collected. */
export class BatchCollector {
  readonly #writer: BatchWriter;
  readonly #columns: readonly Column[];
  readonly #maxRows: number;
  #rows = 0;
  #filled: Buffer[] = [];
  /** The steps of the batch that is written. */
  #writing: Iterator<void> | undefined;
  /** The characters of the texts so far. */
  characters = 0;

  /** @param createWriter makes the writer for these columns */
  constructor(columns: readonly Column[], createWriter: (columns: readonly Column[]) => BatchWriter) {
    this.#columns = columns;
    this.#maxRows = Math.min(BATCH_ROWS, Math.ceil(BATCH_CELLS / columns.length));
    this.#writer = createWriter(columns);
  }

  /** Begins a row, before a value of each column is added. Writes the rows before it if they are many. */
  beginRow(): void {
    if (this.#rows >= this.#maxRows || this.characters >= BATCH_CHARACTERS) this.#write();
    this.#rows += 1;
  }

  get hasFilled(): boolean {
    return this.#writing !== undefined || this.#filled.length > 0;
  }

  takeFilled(): readonly Buffer[] {
    this.#step();
    const filled = this.#filled;
    this.#filled = [];
    return filled;
  }

  *finish(): Iterable<readonly Buffer[]> {
    while (this.hasFilled) yield this.takeFilled();
    if (this.#rows > 0) this.#write();
    while (this.hasFilled) yield this.takeFilled();
    this.#writer.finish();
    yield this.#writer.take();
  }

  #write(): void {
    // The batch before it is written long ago, unless this one has very few rows.
    while (this.#writing !== undefined) this.#step();
    const columns = this.#columns.map((column) => ({ ...column, values: column.values.splice(0) }) as Column);
    this.#writing = this.#writer.write(columns, this.#rows);
    this.#rows = 0;
    this.characters = 0;
  }

  #step(): void {
    if (this.#writing?.next().done === true) this.#writing = undefined;
    this.#filled.push(...this.#writer.take());
  }
}

/** Collects rows in columns, and writes them in batches. */
export class BatchSink implements RowSink {
  readonly #batches: BatchCollector;
  readonly #ids: (string | null)[] = [];
  readonly #names: (string | null)[] = [];
  readonly #versions: (bigint | null)[] = [];
  readonly #dates: DateValue[] = [];
  readonly #metrics: (string | null)[] = [];
  readonly #values: readonly (number | null)[][];
  readonly #wide: readonly WideColumn[] | undefined;
  readonly #dateReader: DateReader;
  #template: RowTemplate | undefined;
  #slots: readonly (number | undefined)[] = [];
  #entry: EntryAttributes = { assetId: '', name: null, version: null };

  /** @param createWriter makes the writer for these columns */
  constructor(createWriter: (columns: readonly Column[]) => BatchWriter, { wide, dates, texts }: BatchColumns) {
    this.#wide = wide;
    this.#dateReader = new DateReader(dates);
    this.#values = wide === undefined ? [[]] : wide.map(() => []);
    const [id, name, version, date] = LEADING_COLUMNS;
    const [metric, value] = METRIC_COLUMNS;
    const doubles = wide?.map((column) => column.name) ?? [value];
    const columns: Column[] = [
      { name: id, type: 'text', nullable: false, values: this.#ids, ...dictionaryOf(texts.asset_id) },
      { name, type: 'text', nullable: true, values: this.#names, ...dictionaryOf(texts.asset_name) },
      { name: version, type: 'int64', nullable: true, values: this.#versions },
      { name: date, type: dates, nullable: true, values: this.#dates } as Column,
      ...(wide === undefined
        ? [
            {
              name: metric,
              type: 'text',
              nullable: true,
              values: this.#metrics,
              ...dictionaryOf(texts.metric),
            } as const,
          ]
        : []),
      ...this.#values.map(
        (values, index) => ({ name: doubles[index] as string, type: 'double', nullable: true, values }) as const,
      ),
    ];
    this.#batches = new BatchCollector(columns, createWriter);
  }

  begin(entry: EntryAttributes): void {
    this.#entry = entry;
  }

  row(index: RowIndex, offsetEntry: number, template: RowTemplate): Iterable<void> | undefined {
    const { metrics } = template;
    const valueDate = this.#dateReader.ofRow(index, offsetEntry, template);
    if (this.#wide !== undefined) {
      const slots = this.#slotsOf(template, this.#wide);
      this.#begin(valueDate);
      for (let at = 0; at < slots.length; at += 1) {
        this.#values[at]?.push(numberAt(index, offsetEntry, template, slots[at]));
      }
    } else if (metrics === null || metrics.length === 0) this.#addMetric(valueDate, null, null);
    else if (metrics.length * this.#entryCharacters > MAX_ROW_CHARACTERS)
      return this.#longRow(index, offsetEntry, template, valueDate);
    else {
      for (const { name, value } of metrics) {
        this.#addMetric(valueDate, name, numberAt(index, offsetEntry, template, value));
      }
    }
    return undefined;
  }

  /** A row for each metric, with a pause when they have begun a batch. */
  *#longRow(index: RowIndex, offsetEntry: number, template: RowTemplate, valueDate: DateValue): Iterable<void> {
    for (const { name, value } of template.metrics ?? []) {
      this.#addMetric(valueDate, name, numberAt(index, offsetEntry, template, value));
      if (this.hasFilled) yield;
    }
  }

  *decodedRow(row: Row): Iterable<void> {
    const valueDate = this.#dateReader.ofText(present(row.valueDate));
    const metrics = present(row.metrics) ?? [];
    if (this.#wide !== undefined) {
      const values = yield* firstValues(metrics);
      this.#begin(valueDate);
      for (const [at, { metric }] of this.#wide.entries()) this.#values[at]?.push(numberOf(values.get(metric)));
    } else if (metrics.length === 0) this.#addMetric(valueDate, null, null);
    else {
      for (const { name, value } of metrics) {
        this.#addMetric(valueDate, present(name), numberOf(value));
        if (this.hasFilled) yield;
      }
    }
  }

  /** The characters of the entry that each row repeats. */
  get #entryCharacters(): number {
    return this.#entry.assetId.length + (this.#entry.name?.length ?? 0);
  }

  get hasFilled(): boolean {
    return this.#batches.hasFilled;
  }

  takeFilled(): readonly Buffer[] {
    return this.#batches.takeFilled();
  }

  finish(): Iterable<readonly Buffer[]> {
    return this.#batches.finish();
  }

  /** The slot of each column in rows of a template. It knows those of the last one only: thousands of columns are large. */
  #slotsOf(template: RowTemplate, columns: readonly WideColumn[]): readonly (number | undefined)[] {
    if (template !== this.#template) {
      this.#template = template;
      this.#slots = columns.map(({ metric }) => template.metricsByName.get(metric)?.value);
    }
    return this.#slots;
  }

  #addMetric(valueDate: DateValue, name: string | null, value: number | null): void {
    this.#begin(valueDate);
    this.#metrics.push(name);
    this.#values[0]?.push(value);
    this.#batches.characters += name?.length ?? 0;
  }

  /** Begins a row: with what each row has. */
  #begin(valueDate: DateValue): void {
    this.#batches.beginRow();
    const { assetId, name, version } = this.#entry;
    this.#ids.push(assetId);
    this.#names.push(name);
    this.#versions.push(version);
    this.#dates.push(valueDate);
    this.#batches.characters +=
      assetId.length + (name?.length ?? 0) + (typeof valueDate === 'string' ? valueDate.length : 0);
  }
}

function dictionaryOf(dictionary: Dictionary): { readonly dictionary?: Dictionary } {
  return dictionary.isUsable ? { dictionary } : {};
}

/** A date or a name of a decoded row. Errors do not come here. */
function present<T>(value: T | null | undefined | RestError): T | null {
  return (value as T | null | undefined) ?? null;
}

/** A value of a decoded row, if it is a number. A negative zero has lost its sign, as in rows that are copied. */
function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value + 0 : null;
}

function numberAt(
  index: RowIndex,
  offsetEntry: number,
  template: RowTemplate,
  slot: number | undefined,
): number | null {
  if (slot === undefined) return null;
  const start = index.startOf(offsetEntry, template, slot);
  const first = index.bytes[start];
  if (first === NULL_START || first === QUOTE) return null;
  return Number(index.bytes.toString('latin1', start, index.endOf(offsetEntry, slot)));
}
