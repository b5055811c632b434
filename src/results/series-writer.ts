import { latestOfAsset } from './asset-entries.ts';
import { Bailout } from './bailout.ts';
import type { ByteWriter } from './byte-writer.ts';
import type { FastPathCounter } from './counter.ts';
import { DecodedRowsWriter } from './decoded-rows-writer.ts';
import { CLOSE_LIST, CLOSE_OBJECT, COMMA, EMPTY_OBJECT, NULL, OPEN_LIST } from './json-bytes.ts';
import type {
  ColumnsStep,
  ConnectionStep,
  EdgeStep,
  ErrorSink,
  MetricStep,
  ObjectPlan,
  Page,
  Path,
  PlannedField,
  RowContentStep,
  RowStep,
  RowsStep,
  SeriesEntry,
  SeriesStep,
} from './plan.ts';
import { RowErrors } from './row-errors.ts';
import { namesIn, type RowIndex, type Rows, type RowsSlice } from './row-index.ts';
import { type Copy, compileRowSerializer, type RowSerializer } from './row-serializer.ts';
import type { RowTemplate } from './row-template.ts';
import {
  UNITS_PER_DECODED_BYTE,
  UNITS_PER_NAME,
  UNITS_PER_REPEATED_VALUE,
  UNITS_PER_SERIALIZER,
  UNITS_PER_SERIALIZER_FIELD,
  UNITS_PER_SKIPPED_ROW,
  type WorkBudget,
} from './work-budget.ts';

/** So many rows are gone over between two stops. */
const STRETCH_ROWS = 4096;

/** Bytes of a null and its comma. */
const NULL_BYTES = 5;

/** What is written to: bytes, the errors of fields that are null, and what of the operation's work is left. */
export interface Output {
  readonly out: ByteWriter;
  readonly errors: ErrorSink;
  readonly work: WorkBudget;
  /** Counts what is left to rows that are decoded. */
  readonly counter: Pick<FastPathCounter, 'bailout'>;
}

/** Writes a part of a response; stops again and again, so that what is written can be sent, and others get their turn. */
export type Writing = (output: Output) => Iterable<void>;

/** A page of series, written straight from the bytes of the REST response. */
export function writeConnection(
  page: Page,
  plan: ObjectPlan<ConnectionStep>,
  cursorAt: (index: number) => string,
): Writing {
  return (output) => new SeriesWriter(output).connection(page, plan, cursorAt);
}

/** One series, likewise. */
export function writeSeries(entry: SeriesEntry, plan: ObjectPlan<SeriesStep>): Writing {
  return (output) => new SeriesWriter(output).series(entry, plan, undefined);
}

/** One field of a series that takes its rows, likewise; its value alone. */
export function writeRows(entry: SeriesEntry, field: PlannedField<RowsStep>): Writing {
  return (output) => new SeriesWriter(output).rows(entry, field, undefined) ?? [];
}

/**
 * Writes the GraphQL response of results, in one pass over each asset's rows and without an object for any value. Rows
 * in which something is odd are left to DecodedRowsWriter, an asset at a time.
 */
class SeriesWriter {
  readonly #output: Output;
  readonly #out: ByteWriter;
  /** Of each plan the serializers by the templates of the rows. */
  readonly #serializers = new Map<ObjectPlan<RowStep>, Map<RowTemplate, RowSerializer>>();
  readonly #rowErrors = new Map<ObjectPlan<RowStep>, RowErrors>();

  constructor(output: Output) {
    this.#output = output;
    this.#out = output.out;
  }

  connection(page: Page, plan: ObjectPlan<ConnectionStep>, cursorAt: (index: number) => string): Iterable<void> {
    return this.#object(plan, ({ key, step }) => {
      switch (step.kind) {
        case 'constant':
          return this.#out.copy(step.json);
        case 'page':
          return this.#out.text(step.json(page));
        case 'nodes':
          return this.#list(page, key, (entry, _index, path) => this.series(entry, step.node, path));
        case 'edges':
          return this.#list(page, key, (entry, index, path) =>
            this.#edge(entry, step.edge, () => cursorAt(index), path),
          );
      }
    });
  }

  series(entry: SeriesEntry, plan: ObjectPlan<SeriesStep>, path: Path | undefined): Iterable<void> {
    return this.#object(plan, (field) => {
      const { step } = field;
      switch (step.kind) {
        case 'constant':
          return this.#out.copy(step.json);
        case 'entry':
          return this.#out.text(step.json(entry, { parent: path, key: field.key }, this.#output.errors));
        case 'refused':
          return this.#null({ parent: path, key: field.key }, field, step.error);
        default:
          return this.rows(entry, field as PlannedField<RowsStep>, { parent: path, key: field.key });
      }
    });
  }

  /** The value of a field that takes rows. @param path undefined where the field is the one that is written */
  rows({ entry }: SeriesEntry, planned: PlannedField<RowsStep>, path: Path | undefined): Iterable<void> | void {
    const { slice } = entry;
    if (slice === null || slice === undefined) {
      const wrong = entry.results;
      return wrong instanceof Error ? this.#null(path, planned, wrong) : this.#out.copy(NULL);
    }
    const { rows } = slice;
    if (planned.step.kind === 'resultCount') return this.#out.text(String(slice.count));
    const field = planned as PlannedField<RowContentStep>;
    if (rows instanceof Bailout) {
      this.#output.counter.bailout(rows.reason);
      return this.#decodedRows(slice, field, path);
    }
    const units = this.#unitsOf(slice, rows, field.step);
    if (!this.#output.work.allows(units)) return this.#null(path, field, this.#output.errors.workExceeded());
    return this.#indexedRows(rows, field, path);
  }

  #indexedRows(rows: Rows, { step }: PlannedField<RowContentStep>, path: Path | undefined): Iterable<void> | void {
    switch (step.kind) {
      case 'metricNames':
        return this.#join(namesIn(rows), (name) => this.#out.text(JSON.stringify(name)));
      case 'results':
        return this.#results(rows, step, path);
      case 'columns':
        return this.#columns(rows, step);
    }
  }

  *#decodedRows(slice: RowsSlice, field: PlannedField<RowContentStep>, path: Path | undefined): Iterable<void> {
    const { work, errors } = this.#output;
    const units = work.isKnown(slice) ? (slice.end - slice.start) * UNITS_PER_DECODED_BYTE : 0;
    if (!work.allows(units)) {
      this.#null(path, field, errors.workExceeded());
      return;
    }
    work.spend(units);
    const before = this.#out.written;
    yield* new DecodedRowsWriter(this.#output, slice).rows(field, path);
    work.spend(this.#out.written - before);
  }

  /** At most what a field will come to: bytes, and other work. */
  #unitsOf({ start, end }: RowsSlice, rows: Rows, step: RowContentStep): number {
    const { count, templates } = rows;
    if (step.kind === 'metricNames') return unitsOfNames(rows);
    const sliceBytes = end - start;
    if (step.kind === 'columns') {
      let units = 0;
      for (const { step: part } of step.columns.fields) {
        if (part.kind === 'valueDates') units += sliceBytes;
        if (part.kind !== 'metrics') continue;
        const names = step.metrics?.length ?? 0;
        if (step.metrics === undefined) units += unitsOfNames(rows);
        const values = part.column.fields.filter((field) => field.step.kind === 'value').length;
        units += values * (names * count * NULL_BYTES + sliceBytes);
      }
      return units;
    }
    const { first, offset, row: plan } = step;
    const serializers = this.#serializersOf(plan);
    const written = Math.max(0, Math.min(count, offset + first) - offset);
    let units = Math.min(count, offset) * UNITS_PER_SKIPPED_ROW;
    let literal = 0;
    let repeats = 0;
    let again = 0;
    let rowLiteral = sliceBytes;
    for (const template of templates) {
      let serializer = serializers.get(template);
      if (serializer === undefined) {
        const toCompile = UNITS_PER_SERIALIZER + sizeOf(plan, template) * UNITS_PER_SERIALIZER_FIELD;
        units += toCompile;
        if (!this.#output.work.allows(units)) return units;
        serializer = compileRowSerializer(template, plan);
        serializers.set(template, serializer);
        this.#output.work.spend(toCompile);
      }
      literal = Math.max(literal, serializer.literalBytes);
      repeats = Math.max(repeats, serializer.mostRepeats);
      again = Math.max(again, serializer.again);
      rowLiteral = Math.min(rowLiteral, template.literalBytes);
    }
    const values = Math.max(0, sliceBytes - count * rowLiteral);
    return units + written * (literal + 1 + again * UNITS_PER_REPEATED_VALUE) + values * repeats;
  }

  *#object<Step>(plan: ObjectPlan<Step>, write: (field: PlannedField<Step>) => Iterable<void> | void): Iterable<void> {
    for (const field of plan.fields) {
      this.#out.copy(field.prefix);
      const writing = write(field);
      if (writing !== undefined) yield* writing;
    }
    this.#out.copy(plan.fields.length === 0 ? EMPTY_OBJECT : CLOSE_OBJECT);
  }

  *#list(
    page: Page,
    key: string,
    write: (entry: SeriesEntry, index: number, path: Path) => Iterable<void>,
  ): Iterable<void> {
    const list: Path = { parent: undefined, key };
    this.#out.byte(OPEN_LIST);
    for (let index = page.start; index < page.end; index += 1) {
      if (index > page.start) this.#out.byte(COMMA);
      yield* write(entryAt(page, index), index, { parent: list, key: index - page.start });
      yield;
    }
    this.#out.byte(CLOSE_LIST);
  }

  #edge(entry: SeriesEntry, plan: ObjectPlan<EdgeStep>, cursor: () => string, path: Path): Iterable<void> {
    return this.#object(plan, ({ key, step }) => {
      switch (step.kind) {
        case 'constant':
          return this.#out.copy(step.json);
        case 'cursor':
          return this.#out.text(JSON.stringify(cursor()));
        case 'node':
          return this.series(entry, step.node, { parent: path, key });
      }
    });
  }

  *#results(
    rows: Rows,
    { first, offset, row: plan }: RowContentStep & { kind: 'results' },
    path: Path | undefined,
  ): Iterable<void> {
    const out = this.#out;
    const { index } = rows;
    const end = Math.min(rows.count, offset + first);
    const serializers = this.#serializersOf(plan);
    const before = out.written;
    let cell = rows.firstCell;
    let template: RowTemplate | undefined;
    let serializer: RowSerializer | undefined;
    let again = 0;
    out.byte(OPEN_LIST);
    for (let row = 0; row < end; row += 1) {
      const current = index.templateAt(cell);
      if (row >= offset) {
        if (row > offset) out.byte(COMMA);
        if (serializer === undefined || current !== template) {
          template = current;
          serializer = serializers.get(current) as RowSerializer;
        }
        this.#row(index, cell, current, serializer);
        again += serializer.again;
      }
      cell = index.nextCell(cell, current);
      if (out.hasFilled || row % STRETCH_ROWS === STRETCH_ROWS - 1) yield;
    }
    out.byte(CLOSE_LIST);
    this.#rowErrorsOf(plan).report(path, Math.max(0, end - offset), this.#output.errors);
    const skipped = Math.min(rows.count, offset) * UNITS_PER_SKIPPED_ROW;
    this.#output.work.spend(out.written - before + skipped + again * UNITS_PER_REPEATED_VALUE);
  }

  #row(index: RowIndex, cell: number, template: RowTemplate, { copies, after, toEnd }: RowSerializer): void {
    const out = this.#out;
    for (let part = 0; part < copies.length; part += 1) {
      const { before, fromSlot, toSlot } = copies[part] as Copy;
      out.copy(before);
      const isLast = part === copies.length - 1;
      const end = toEnd && isLast ? index.rowEnd(cell, template) : index.endOf(cell, toSlot);
      out.copy(index.bytes, index.startOf(cell, template, fromSlot), end);
    }
    if (!toEnd) out.copy(after);
  }

  *#columns(rows: Rows, { metrics, columns }: RowContentStep & { kind: 'columns' }): Iterable<void> {
    const before = this.#out.written;
    yield* this.#object<ColumnsStep>(columns, ({ step }) => {
      switch (step.kind) {
        case 'constant':
          return this.#out.copy(step.json);
        case 'rowCount':
          return this.#out.text(String(rows.count));
        case 'valueDates':
          return this.#column(rows, (template) => template.date);
        case 'metrics':
          return this.#join(metrics ?? namesIn(rows), (name) => this.#metricColumn(rows, name, step.column));
      }
    });
    this.#output.work.spend(this.#out.written - before);
  }

  #metricColumn(rows: Rows, name: string, plan: ObjectPlan<MetricStep>): Iterable<void> {
    return this.#object(plan, ({ step }) => {
      switch (step.kind) {
        case 'constant':
          return this.#out.copy(step.json);
        case 'name':
          return this.#out.text(JSON.stringify(name));
        case 'value':
          return this.#column(rows, (template) => template.metricsByName.get(name)?.value);
      }
    });
  }

  /** The same slot of every row; null where a row has none. */
  *#column({ index, firstCell, count }: Rows, slotOf: (template: RowTemplate) => number | undefined): Iterable<void> {
    const out = this.#out;
    const { bytes, view } = index;
    let cell = firstCell;
    let template: RowTemplate | undefined;
    let slot: number | undefined;
    out.byte(OPEN_LIST);
    for (let row = 0; row < count; row += 1) {
      if (row > 0) out.byte(COMMA);
      const current = index.templateAt(cell);
      if (current !== template) {
        template = current;
        slot = slotOf(current);
      }
      if (slot === undefined) out.copy(NULL);
      else out.copyWords(bytes, view, index.startOf(cell, current, slot), index.endOf(cell, slot));
      cell = index.nextCell(cell, current);
      if (out.hasFilled || row % STRETCH_ROWS === STRETCH_ROWS - 1) yield;
    }
    out.byte(CLOSE_LIST);
  }

  *#join<T>(items: readonly T[], write: (item: T) => Iterable<void> | void): Iterable<void> {
    this.#out.byte(OPEN_LIST);
    for (const [index, item] of items.entries()) {
      if (index > 0) this.#out.byte(COMMA);
      const writing = write(item);
      if (writing !== undefined) yield* writing;
      if (this.#out.hasFilled) yield;
    }
    this.#out.byte(CLOSE_LIST);
  }

  #null(path: Path | undefined, field: PlannedField<unknown>, error: Error): void {
    this.#out.copy(NULL);
    this.#output.errors.add(path, field, error);
  }

  #serializersOf(plan: ObjectPlan<RowStep>): Map<RowTemplate, RowSerializer> {
    const known = this.#serializers.get(plan) ?? new Map<RowTemplate, RowSerializer>();
    this.#serializers.set(plan, known);
    return known;
  }

  #rowErrorsOf(plan: ObjectPlan<RowStep>): RowErrors {
    const known = this.#rowErrors.get(plan) ?? new RowErrors(plan);
    this.#rowErrors.set(plan, known);
    return known;
  }
}

/** How many values a serializer for rows of a template has to write. */
function sizeOf({ fields }: ObjectPlan<RowStep>, { metrics }: RowTemplate): number {
  let size = 0;
  for (const { step } of fields) {
    size += step.kind === 'metrics' ? 1 + step.metric.fields.length * (metrics?.length ?? 0) : 1;
  }
  return size;
}

function unitsOfNames({ templates }: Rows): number {
  let names = 0;
  for (const { metrics } of templates) names += metrics?.length ?? 0;
  return names * UNITS_PER_NAME;
}

function entryAt({ datasetId, entries, latest }: Page, index: number): SeriesEntry {
  const entry = entries.at(index);
  if (entry === undefined) throw new RangeError('A page ends with its entries.');
  return { datasetId, entry, latest: latestOfAsset(entry, entries, latest) };
}
