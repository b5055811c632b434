import { latestOfAsset } from './asset-entries.ts';
import type { ByteWriter } from './byte-writer.ts';
import type { FastWayCounter } from './counter.ts';
import { Decline } from './decline.ts';
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
import { type Copy, compileRow, type RowProgram } from './row-program.ts';
import type { RowShape } from './row-shape.ts';
import {
  UNITS_PER_DECODED_BYTE,
  UNITS_PER_NAME,
  UNITS_PER_REPEATED_VALUE,
  UNITS_PER_SKIPPED_ROW,
  UNITS_PER_TEMPLATE,
  UNITS_PER_TEMPLATE_FIELD,
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
  readonly counter: Pick<FastWayCounter, 'declined'>;
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
  /** Of each plan the programs by the shapes of the rows. */
  readonly #programs = new Map<ObjectPlan<RowStep>, Map<RowShape, RowProgram>>();
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
    if (rows instanceof Decline) {
      this.#output.counter.declined(rows.reason);
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
    const { count, shapes } = rows;
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
    const programs = this.#programsOf(plan);
    const written = Math.max(0, Math.min(count, offset + first) - offset);
    let units = Math.min(count, offset) * UNITS_PER_SKIPPED_ROW;
    let literal = 0;
    let repeats = 0;
    let again = 0;
    let rowLiteral = sliceBytes;
    for (const shape of shapes) {
      let program = programs.get(shape);
      if (program === undefined) {
        const toCompile = UNITS_PER_TEMPLATE + sizeOf(plan, shape) * UNITS_PER_TEMPLATE_FIELD;
        units += toCompile;
        if (!this.#output.work.allows(units)) return units;
        program = compileRow(shape, plan);
        programs.set(shape, program);
        this.#output.work.spend(toCompile);
      }
      literal = Math.max(literal, program.literalBytes);
      repeats = Math.max(repeats, program.mostRepeats);
      again = Math.max(again, program.again);
      rowLiteral = Math.min(rowLiteral, shape.literalBytes);
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
    const programs = this.#programsOf(plan);
    const before = out.written;
    let cell = rows.firstCell;
    let shape: RowShape | undefined;
    let program: RowProgram | undefined;
    let again = 0;
    out.byte(OPEN_LIST);
    for (let row = 0; row < end; row += 1) {
      const current = index.shapeAt(cell);
      if (row >= offset) {
        if (row > offset) out.byte(COMMA);
        if (program === undefined || current !== shape) {
          shape = current;
          program = programs.get(current) as RowProgram;
        }
        this.#row(index, cell, current, program);
        again += program.again;
      }
      cell = index.nextCell(cell, current);
      if (out.hasFilled || row % STRETCH_ROWS === STRETCH_ROWS - 1) yield;
    }
    out.byte(CLOSE_LIST);
    this.#rowErrorsOf(plan).report(path, Math.max(0, end - offset), this.#output.errors);
    const skipped = Math.min(rows.count, offset) * UNITS_PER_SKIPPED_ROW;
    this.#output.work.spend(out.written - before + skipped + again * UNITS_PER_REPEATED_VALUE);
  }

  #row(index: RowIndex, cell: number, shape: RowShape, { copies, after, toEnd }: RowProgram): void {
    const out = this.#out;
    for (let part = 0; part < copies.length; part += 1) {
      const { before, fromHole, toHole } = copies[part] as Copy;
      out.copy(before);
      const isLast = part === copies.length - 1;
      const end = toEnd && isLast ? index.rowEnd(cell, shape) : index.endOf(cell, toHole);
      out.copy(index.bytes, index.startOf(cell, shape, fromHole), end);
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
          return this.#column(rows, (shape) => shape.date);
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
          return this.#column(rows, (shape) => shape.metricsByName.get(name)?.value);
      }
    });
  }

  /** The same hole of every row; null where a row has none. */
  *#column({ index, firstCell, count }: Rows, holeOf: (shape: RowShape) => number | undefined): Iterable<void> {
    const out = this.#out;
    const { bytes, view } = index;
    let cell = firstCell;
    let shape: RowShape | undefined;
    let hole: number | undefined;
    out.byte(OPEN_LIST);
    for (let row = 0; row < count; row += 1) {
      if (row > 0) out.byte(COMMA);
      const current = index.shapeAt(cell);
      if (current !== shape) {
        shape = current;
        hole = holeOf(current);
      }
      if (hole === undefined) out.copy(NULL);
      else out.copyWords(bytes, view, index.startOf(cell, current, hole), index.endOf(cell, hole));
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

  #programsOf(plan: ObjectPlan<RowStep>): Map<RowShape, RowProgram> {
    const known = this.#programs.get(plan) ?? new Map<RowShape, RowProgram>();
    this.#programs.set(plan, known);
    return known;
  }

  #rowErrorsOf(plan: ObjectPlan<RowStep>): RowErrors {
    const known = this.#rowErrors.get(plan) ?? new RowErrors(plan);
    this.#rowErrors.set(plan, known);
    return known;
  }
}

/** How many values a template for rows of a shape has to be made for. */
function sizeOf({ fields }: ObjectPlan<RowStep>, { metrics }: RowShape): number {
  let size = 0;
  for (const { step } of fields) {
    size += step.kind === 'metrics' ? 1 + step.metric.fields.length * (metrics?.length ?? 0) : 1;
  }
  return size;
}

function unitsOfNames({ shapes }: Rows): number {
  let names = 0;
  for (const { metrics } of shapes) names += metrics?.length ?? 0;
  return names * UNITS_PER_NAME;
}

function entryAt({ datasetId, entries, latest }: Page, index: number): SeriesEntry {
  const entry = entries.at(index);
  if (entry === undefined) throw new RangeError('A page ends with its entries.');
  return { datasetId, entry, latest: latestOfAsset(entry, entries, latest) };
}
