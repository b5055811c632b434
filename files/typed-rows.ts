import type { Bytes, Field, FieldType, Making, Origin, RowBatch, Template } from '../engine/index.ts';
import { LEADING_COLUMNS } from '../src/core/csv-field.ts';
import type { Dictionary } from './dictionary.ts';
import { DateReader, type DateValue } from './file-dates.ts';
import { attributesOf, type EntryAttributes, EntryRows, longMetrics, type RowMetric, wideSlots } from './file-rows.ts';
import { BatchCollector, type BatchWriter, batchRows, type Column } from './record-batch.ts';
import type { RowsSurvey } from './rows-survey.ts';
import { METRIC_COLUMNS } from './text-format.ts';
import type { WideColumn } from './wide-columns.ts';

/** Which rows a file with types has, and what it knows of them. */
export interface TypedRowsOptions {
  /** The columns of the metrics. Undefined for a row for each metric. */
  readonly columns: readonly WideColumn[] | undefined;
  /** The names of the metrics that have rows. Undefined for all. */
  readonly metrics: ReadonlySet<string> | undefined;
  readonly survey: RowsSurvey;
  /** Makes the writer for these columns. */
  readonly createWriter: (columns: readonly Column[]) => BatchWriter;
}

/** So many values are collected in one step. */
const STEP_VALUES = 4096;

/** Collects rows in columns, and writes them in batches. */
export class TypedRows implements FieldType, Field {
  readonly #batches: BatchCollector;
  readonly #ids: (string | null)[];
  readonly #names: (string | null)[];
  readonly #versions: (bigint | null)[];
  readonly #dates: DateValue[];
  readonly #metricNames: (string | null)[];
  readonly #values: readonly Float64Array[];
  readonly #columns: readonly WideColumn[] | undefined;
  readonly #metrics: ReadonlySet<string> | undefined;
  readonly #lateAttributes: RowsSurvey['lateAttributes'];
  readonly #dateReader: DateReader;
  readonly #entry = new EntryRows();
  #attributes: EntryAttributes = { assetId: '', name: null, version: null };
  #out: Bytes | undefined;
  #template: Template | undefined;
  /** Of rows of this template: the metrics that have a row each, or the slot of each column. */
  #ownMetrics: readonly RowMetric[] = [];
  #slots: readonly number[] = [];
  /** The row, and the index of its metric, that come next. */
  #row = 0;
  #next = 0;

  constructor({ columns: wide, metrics, survey, createWriter }: TypedRowsOptions) {
    const { dates, texts } = survey;
    this.#columns = wide;
    this.#metrics = metrics;
    this.#lateAttributes = survey.lateAttributes;
    this.#dateReader = new DateReader(dates.type);
    const [id, name, version, date] = LEADING_COLUMNS;
    const [metric, value] = METRIC_COLUMNS;
    const doubles = wide?.map((column) => column.name) ?? [value];
    const rows = batchRows(LEADING_COLUMNS.length + (wide?.length ?? METRIC_COLUMNS.length));
    this.#ids = new Array(rows);
    this.#names = new Array(rows);
    this.#versions = new Array(rows);
    this.#dates = new Array(rows);
    this.#metricNames = new Array(rows);
    this.#values = doubles.map(() => new Float64Array(rows));
    const ofMetric: Column = {
      ...{ name: metric, type: 'text', nullable: true, values: this.#metricNames },
      ...dictionaryOf(texts.metric),
    };
    const columns: Column[] = [
      { name: id, type: 'text', nullable: false, values: this.#ids, ...dictionaryOf(texts.asset_id) },
      { name, type: 'text', nullable: true, values: this.#names, ...dictionaryOf(texts.asset_name) },
      { name: version, type: 'int64', nullable: true, values: this.#versions },
      { name: date, type: dates.type, nullable: true, values: this.#dates } as Column,
      ...(wide === undefined ? [ofMetric] : []),
      ...this.#values.map(
        (values, index) => ({ name: doubles[index] as string, type: 'double', nullable: true, values }) as const,
      ),
    ];
    this.#batches = new BatchCollector(columns, createWriter);
  }

  make({ out }: Making): this {
    this.#out = out;
    return this;
  }

  begin(origin: Origin): void {
    this.#entry.begin(origin);
  }

  add(rows: RowBatch): void {
    if (this.#entry.add(rows)) {
      const origin = this.#entry.origin as Origin;
      this.#attributes = this.#lateAttributes.get(origin.entry) ?? attributesOf(origin);
    }
    const { template } = rows;
    if (template !== this.#template) {
      this.#template = template;
      // It knows those of the last template only: thousands of columns are large.
      if (this.#columns === undefined) this.#ownMetrics = longMetrics(template, this.#metrics);
      else this.#slots = wideSlots(template, this.#columns);
    }
    this.#row = 0;
    this.#next = 0;
  }

  addMore(rows: RowBatch): boolean {
    const batches = this.#batches;
    if (batches.hasFilled) for (const bytes of batches.takeFilled()) this.#out?.copyAll(bytes);
    for (let left = STEP_VALUES; this.#row < rows.count; this.#row += 1) {
      if (left <= 0 || batches.hasFilled) return true;
      if (this.#columns === undefined) left = this.#addLong(rows, left);
      else left -= this.#addWide(rows);
      if (this.#next > 0) return true;
    }
    return batches.hasFilled;
  }

  write(): boolean {
    return false;
  }

  /** The rest of the file, when all rows were added, in steps that do not block other requests for long. */
  finish(): Iterable<readonly Buffer[]> {
    return this.#batches.finish();
  }

  #addWide(rows: RowBatch): number {
    const at = this.#begin(this.#dateReader.ofRow(rows, this.#row));
    const slots = this.#slots;
    for (let index = 0; index < slots.length; index += 1)
      (this.#values[index] as Float64Array)[at] = valueAt(rows, this.#row, slots[index] as number);
    return slots.length + 1;
  }

  /** Adds a row for each metric, until so many are added, or a batch is full. Returns how many are left to add. */
  #addLong(rows: RowBatch, most: number): number {
    const valueDate = this.#dateReader.ofRow(rows, this.#row);
    const metrics = this.#ownMetrics;
    const [values] = this.#values as [Float64Array];
    let left = most;
    for (; this.#next < metrics.length; this.#next += 1) {
      if (left <= 0 || this.#batches.hasFilled) return left;
      const { name, slot } = metrics[this.#next] as RowMetric;
      const at = this.#begin(valueDate);
      this.#metricNames[at] = name;
      values[at] = valueAt(rows, this.#row, slot);
      this.#batches.characters += name?.length ?? 0;
      left -= 1;
    }
    this.#next = 0;
    return left - 1;
  }

  /** Begins a row: with what each row has. Returns its index in the columns. */
  #begin(valueDate: DateValue): number {
    const at = this.#batches.beginRow();
    const { assetId, name, version } = this.#attributes;
    this.#ids[at] = assetId;
    this.#names[at] = name;
    this.#versions[at] = version;
    this.#dates[at] = valueDate;
    this.#batches.characters +=
      assetId.length + (name?.length ?? 0) + (typeof valueDate === 'string' ? valueDate.length : 0);
    return at;
  }
}

/** NaN for null. */
function valueAt(rows: RowBatch, row: number, slot: number): number {
  return slot < 0 ? Number.NaN : (rows.values(slot)[row] as number);
}

function dictionaryOf(dictionary: Dictionary): { readonly dictionary?: Dictionary } {
  return dictionary.isUsable ? { dictionary } : {};
}
