import { nonFiniteText } from '../../rest/contract/wire.ts';
import { latestRows } from '../aggregates/latest-row.ts';
import { Reducer } from '../aggregates/reduction.ts';
import { Bailout } from '../bailout.ts';
import type { IntList } from '../indexing/int-list.ts';
import { namesIn, type RowIndex, type Rows, type RowsSlice } from '../indexing/row-index.ts';
import { type RowTemplate, SlotKind } from '../indexing/row-template.ts';
import type { OddRowCounter } from '../odd-rows.ts';
import type {
  AggregateStep,
  BoundField,
  BoundObject,
  ColumnsStep,
  ConnectionStep,
  EdgeStep,
  FieldOrigin,
  MetricStep,
  Page,
  Path,
  RowContentStep,
  RowStep,
  RowsStep,
  SeriesEntry,
  SeriesStep,
} from '../selection.ts';
import { UNITS_PER_REPEATED_VALUE, UNITS_PER_SKIPPED_ROW } from '../work-budget.ts';
import { writeAggregate } from './aggregate-writer.ts';
import { AttributeWriter } from './attribute-writer.ts';
import { type ByteWriter, CLOSE_LIST, CLOSE_OBJECT, COMMA, EMPTY_OBJECT, NULL, OPEN_LIST } from './byte-writer.ts';
import { DecodedRowsWriter } from './decoded-rows-writer.ts';
import { type Output, type WriteStep, type WriteSteps, whileInUse } from './output-chunks.ts';
import { type DecodedRow, rowsIn } from './row-batches.ts';
import { RowErrors } from './row-errors.ts';
import { type Copy, type RowSerializer, writeParts } from './row-serializer.ts';
import {
  type CopiedStep,
  estimateUnits,
  indexedRows,
  RowSerializers,
  unitsOfNames,
  unitsOfReading,
  unitsOfReduction,
} from './work-estimate.ts';

/** How many rows are written between two pauses, and how many bytes of the items of a list. */
const ROWS_PER_TIME_SLICE = 4096;
const BYTES_PER_TIME_SLICE = 4096;

/**
 * Writes the GraphQL response of results, in one pass over each asset's rows, and without an object for any value.
 * DecodedRowsWriter writes the rows of an asset that cannot be copied as they are.
 */
export class SeriesWriter {
  readonly #output: Output;
  readonly #out: ByteWriter;
  readonly #counter: Pick<OddRowCounter, 'add'>;
  readonly #serializers = new RowSerializers();
  readonly #reducer = new Reducer();
  readonly #rowErrors = new Map<BoundObject<RowStep>, RowErrors>();

  /** @param counter counts the rows that have to be decoded */
  constructor(output: Output, counter: Pick<OddRowCounter, 'add'>) {
    this.#output = output;
    this.#out = output.out;
    this.#counter = counter;
  }

  connection(page: Page, bound: BoundObject<ConnectionStep>, cursorAt: (index: number) => string): WriteSteps {
    return this.#object(bound, ({ key, step }) => {
      switch (step.kind) {
        case 'constant':
          return this.#out.copy(step.json);
        case 'page':
          return this.#out.text(step.json(page.arrived));
        case 'nodes':
          return this.#list(page, key, (entry, _index, path) => this.series(entry, step.node, path));
        case 'edges':
          return this.#list(page, key, (entry, index, path) =>
            this.#edge(entry, step.edge, () => cursorAt(index), path),
          );
      }
    });
  }

  series(entry: SeriesEntry, bound: BoundObject<SeriesStep>, path: Path | undefined): WriteSteps {
    return this.#object(bound, (field) => {
      const { step } = field;
      switch (step.kind) {
        case 'constant':
          return this.#out.copy(step.json);
        case 'entry': {
          const { plain } = step.of === 'latest' ? entry.latest : entry.entry;
          if (plain !== undefined && step.copy !== undefined)
            return new AttributeWriter(this.#out, entry.dataset.id, plain).write(step.copy);
          return this.#pieces(step.json(entry, { parent: path, key: field.key }, this.#output.errors));
        }
        case 'invalidArguments':
          return this.#null({ parent: path, key: field.key }, field, step.error);
        default:
          return this.rows(entry, field as BoundField<RowsStep>, { parent: path, key: field.key });
      }
    });
  }

  /** Writes the value of a field that needs rows. @param path undefined if it is the value of the placeholder itself */
  rows(entry: SeriesEntry, bound: BoundField<RowsStep>, path: Path | undefined): WriteSteps {
    const { rows: ofEntry } = entry;
    const { slice } = ofEntry;
    if (slice === null) {
      const { rowsError } = ofEntry;
      return rowsError === undefined ? this.#out.copy(NULL) : this.#null(path, bound, rowsError);
    }
    if (bound.step.kind === 'rowCount') return this.#out.text(String(slice.count));
    const field = bound as BoundField<RowContentStep>;
    const rows = indexedRows(slice, field.step, this.#serializers);
    if (rows instanceof Bailout) this.#counter.add(rows.reason, slice.count);
    if (field.step.kind === 'aggregate')
      return whileInUse(slice, writeAggregate(this.#output, slice, field as BoundField<AggregateStep>, path, entry));
    const copied = field as BoundField<CopiedStep>;
    return whileInUse(
      slice,
      rows instanceof Bailout
        ? new DecodedRowsWriter(this.#output, slice).rows(copied, path)
        : this.#indexedRows(slice, rows, copied, path),
    );
  }

  *#pieces(pieces: Iterable<string>): Iterable<void> {
    for (const piece of pieces) {
      this.#out.text(piece);
      if (this.#out.hasFilled) yield;
    }
  }

  /** Charges the most units that it can cost, and gives back those that were not needed. */
  *#indexedRows(
    slice: RowsSlice,
    rows: Rows,
    field: BoundField<CopiedStep>,
    path: Path | undefined,
  ): Iterable<WriteStep> {
    const { step } = field;
    const { work, errors } = this.#output;
    const compiling = this.#serializers.compile(rows, step, work);
    const isCompiled = compiling === undefined || (yield* compiling);
    const chosen = step.kind === 'columns' ? yield* this.#reduce(slice, rows, step) : undefined;
    const columnRows = chosen?.length ?? rows.count;
    const reserved =
      isCompiled && chosen !== null
        ? estimateUnits(slice, rows, step, this.#serializers, columnRows)
        : Number.POSITIVE_INFINITY;
    if (!work.reserve(reserved)) return this.#null(path, field, errors.workExceeded());
    const before = this.#out.written;
    let others = 0;
    if (step.kind === 'rows') others = yield* this.#listOfRows(rows, step, path);
    else if (step.kind === 'latest')
      others = yield* this.#latest(slice, rows, field as BoundField<RowContentStep & { kind: 'latest' }>, path);
    else if (step.kind === 'columns') others = yield* this.#columns(rows, chosen ?? undefined, step, path);
    else return yield* this.#join(namesIn(rows), (name) => this.#out.text(JSON.stringify(name)));
    work.refund(reserved - others - (this.#out.written - before));
  }

  #object<Step>({ fields }: BoundObject<Step>, write: (field: BoundField<Step>) => WriteSteps): WriteSteps {
    for (let index = 0; index < fields.length; index += 1) {
      const field = fields[index] as BoundField<Step>;
      this.#out.copy(field.prefix);
      const writing = write(field);
      if (writing !== undefined) return this.#objectFrom(writing, fields.slice(index + 1), write);
    }
    this.#out.copy(fields.length === 0 ? EMPTY_OBJECT : CLOSE_OBJECT);
  }

  /** Writes the value of a field, and the fields after it. */
  *#objectFrom<Step>(
    value: Iterable<WriteStep>,
    fields: readonly BoundField<Step>[],
    write: (field: BoundField<Step>) => WriteSteps,
  ): Iterable<WriteStep> {
    yield* value;
    for (const field of fields) {
      this.#out.copy(field.prefix);
      const writing = write(field);
      if (writing !== undefined) yield* writing;
    }
    this.#out.copy(CLOSE_OBJECT);
  }

  *#list(
    page: Page,
    key: string,
    write: (entry: SeriesEntry, index: number, path: Path) => WriteSteps,
  ): Iterable<WriteStep> {
    const out = this.#out;
    const list: Path = { parent: undefined, key };
    let paused = out.written;
    out.byte(OPEN_LIST);
    for (let index = page.start; ; index += 1) {
      if (index === page.end && !(page.more !== undefined && (yield* page.more()))) break;
      if (index > page.start) out.byte(COMMA);
      const writing = write(page.at(index), index, { parent: list, key: index - page.start });
      if (writing !== undefined) yield* writing;
      if (out.hasFilled || out.written - paused >= BYTES_PER_TIME_SLICE) {
        yield;
        paused = out.written;
      }
    }
    out.byte(CLOSE_LIST);
  }

  #edge(entry: SeriesEntry, bound: BoundObject<EdgeStep>, cursor: () => string, path: Path): WriteSteps {
    return this.#object(bound, ({ key, step }) => {
      switch (step.kind) {
        case 'constant':
          return this.#out.copy(step.json);
        case 'cursor':
          return this.#out.text(`"${cursor()}"`);
        case 'node':
          return this.series(entry, step.node, { parent: path, key });
      }
    });
  }

  /** Returns the units of work beside the bytes. */
  *#listOfRows(
    rows: Rows,
    { first, offset, row: bound }: RowContentStep & { kind: 'rows' },
    path: Path | undefined,
  ): Generator<void, number> {
    const out = this.#out;
    const { index } = rows;
    const end = Math.min(rows.count, offset + first);
    const serializers = this.#serializers.of(bound).byTemplate;
    let entry = rows.firstOffsetEntry;
    let template: RowTemplate | undefined;
    let serializer: RowSerializer | undefined;
    let repeatedValues = 0;
    out.byte(OPEN_LIST);
    for (let row = 0; row < end; row += 1) {
      const current = index.templateAt(entry);
      if (row >= offset) {
        if (serializer === undefined || current !== template) {
          template = current;
          serializer = serializers.get(current) as RowSerializer;
        }
        // No comma precedes the first row.
        if (index.hasTexts(entry)) {
          if (row > offset) out.byte(COMMA);
          this.#rowWithTexts(index, entry, current, bound, { parent: path, key: row - offset });
        } else this.#row(index, entry, current, serializer, row > offset ? 0 : 1);
        repeatedValues += serializer.repeatedValues;
      }
      entry = index.nextOffsetEntry(entry, current);
      if (out.hasFilled || row % ROWS_PER_TIME_SLICE === ROWS_PER_TIME_SLICE - 1) yield;
    }
    out.byte(CLOSE_LIST);
    this.#rowErrorsOf(bound).report(path, Math.max(0, end - offset), this.#output.errors);
    return Math.min(rows.count, offset) * UNITS_PER_SKIPPED_ROW + repeatedValues * UNITS_PER_REPEATED_VALUE;
  }

  /** Writes the rows with the latest date, joined. Returns the units of work beside the bytes. */
  *#latest(
    slice: RowsSlice,
    rows: Rows,
    field: BoundField<RowContentStep & { kind: 'latest' }>,
    path: Path | undefined,
  ): Generator<void, number> {
    const units = unitsOfReading(slice);
    const latest = yield* latestRows(this.#output.batches.of(rows, []));
    if (latest instanceof Error) {
      this.#null(path, field, latest);
      return units;
    }
    if (latest.length > 1) {
      const before = this.#out.written;
      const bytes = Math.min(slice.length, latest.length * slice.longestRow);
      yield* new DecodedRowsWriter(this.#output, slice).joined(decodedRows(rows, latest), bytes, field, path);
      // That charges what it writes.
      return units - (this.#out.written - before);
    }
    if (latest.length === 0) this.#out.copy(NULL);
    const { row: bound } = field.step;
    const { index } = rows;
    for (const entry of offsetEntriesOf(rows, latest)) {
      if (entry === undefined) {
        yield;
        continue;
      }
      const template = index.templateAt(entry);
      // No comma precedes it.
      if (index.hasTexts(entry)) this.#rowWithTexts(index, entry, template, bound, path);
      else this.#row(index, entry, template, this.#serializers.of(bound).byTemplate.get(template) as RowSerializer, 1);
      this.#rowErrorsOf(bound).reportRow(path, this.#output.errors);
    }
    return units;
  }

  /** @param from the first byte of what precedes the first value */
  #row(index: RowIndex, entry: number, template: RowTemplate, serializer: RowSerializer, from: number): void {
    const out = this.#out;
    const { copies, after, toEnd } = serializer;
    for (let part = 0; part < copies.length; part += 1) {
      const { before, fromSlot, toSlot } = copies[part] as Copy;
      out.copyWords(before.bytes, before.view, part === 0 ? from : 0, before.bytes.length);
      const isLast = part === copies.length - 1;
      const end = toEnd && isLast ? index.rowEnd(entry, template) : index.endOf(entry, toSlot);
      out.copy(index.bytes, index.startOf(entry, template, fromSlot), end);
    }
    if (!toEnd) out.copy(after, copies.length === 0 ? from : 0);
  }

  /** Writes a row with texts of non-finite numbers part by part: each of them is null, with an error. */
  #rowWithTexts(
    index: RowIndex,
    entry: number,
    template: RowTemplate,
    bound: BoundObject<RowStep>,
    path: Path | undefined,
  ): void {
    const out = this.#out;
    const text = (part: Buffer | string) => (typeof part === 'string' ? out.text(part) : out.copy(part));
    const slot = (at: number | undefined, field: FieldOrigin, parent: Path | undefined) => {
      if (at === undefined) out.copy(NULL);
      else if (template.kinds[at] === SlotKind.number && index.isText(entry, template, at)) {
        out.copy(NULL);
        this.#output.errors.add({ parent, key: field.key }, field, nonFiniteText);
      } else out.copy(index.bytes, index.startOf(entry, template, at), index.endOf(entry, at));
    };
    writeParts(template, bound, { text, slot }, path);
  }

  /**
   * The offset entries of the rows, in the order of their dates, and at most so many. Undefined for all in the order received.
   * Null if the work budget does not allow it.
   */
  *#reduce(
    slice: RowsSlice,
    rows: Rows,
    { metrics, points }: RowContentStep & { kind: 'columns' },
  ): Generator<void, Int32Array | undefined | null> {
    const { work, batches } = this.#output;
    const { index, count } = rows;
    if (points === undefined) return undefined;
    const isReduced = points < count;
    if (isReduced && metrics === undefined && !work.reserve(unitsOfNames(rows))) return null;
    const names = isReduced ? (metrics ?? namesIn(rows)) : [];
    if (!work.reserve(unitsOfReduction(slice, points, names.length))) return null;
    const chosen = yield* this.#reducer.reduce((some) => batches.of(rows, some), names, count, points);
    if (chosen === undefined) return undefined;
    const { places } = chosen;
    const entries = places === undefined ? chosen.rows : new Int32Array(chosen.rows.length);
    let entry = rows.firstOffsetEntry;
    let row = 0;
    for (const [at, next] of chosen.rows.entries()) {
      for (; row < next; row += 1) {
        entry = index.nextOffsetEntry(entry, index.templateAt(entry));
        if (row % ROWS_PER_TIME_SLICE === ROWS_PER_TIME_SLICE - 1) yield;
      }
      entries[places === undefined ? at : (places[at] as number)] = entry;
    }
    return entries;
  }

  /** Returns the units of work beside the bytes. @param chosen the offset entries of the rows; undefined for all */
  *#columns(
    rows: Rows,
    chosen: Int32Array | undefined,
    { metrics, columns }: RowContentStep & { kind: 'columns' },
    path: Path | undefined,
  ): Generator<WriteStep, number> {
    const writing = this.#object<ColumnsStep>(columns, ({ key, step }) => {
      switch (step.kind) {
        case 'constant':
          return this.#out.copy(step.json);
        case 'rowCount':
          return this.#out.text(String(chosen?.length ?? rows.count));
        case 'valueDates':
          return this.#column(rows, chosen, (template) => template.date);
        case 'metrics':
          return this.#join(metrics ?? namesIn(rows), (name, index) =>
            this.#metricColumn(rows, chosen, name, step.column, { parent: { parent: path, key }, key: index }),
          );
      }
    });
    if (writing !== undefined) yield* writing;
    return metrics === undefined ? unitsOfNames(rows) : 0;
  }

  #metricColumn(
    rows: Rows,
    chosen: Int32Array | undefined,
    name: string,
    bound: BoundObject<MetricStep>,
    path: Path,
  ): WriteSteps {
    return this.#object(bound, (field) => {
      const { step } = field;
      switch (step.kind) {
        case 'constant':
          return this.#out.copy(step.json);
        case 'name':
          return this.#out.text(JSON.stringify(name));
        case 'value':
          return this.#column(
            rows,
            chosen,
            (template) => template.metricsByName.get(name)?.value,
            (row) => {
              const list = { parent: path, key: field.key };
              this.#output.errors.add({ parent: list, key: row }, field, nonFiniteText);
            },
          );
      }
    });
  }

  /**
   * Writes the same slot of every row, or of those with the chosen offset entries; null if a row has none.
   *
   * @param onText takes the rows in which the number of the slot is the text of a non-finite one, which is written as null
   */
  *#column(
    { index, firstOffsetEntry, count: all }: Rows,
    chosen: Int32Array | undefined,
    slotOf: (template: RowTemplate) => number | undefined,
    onText?: (row: number) => void,
  ): Iterable<void> {
    const out = this.#out;
    const { bytes, view } = index;
    const count = chosen?.length ?? all;
    let entry = firstOffsetEntry;
    let template: RowTemplate | undefined;
    let slot: number | undefined;
    out.byte(OPEN_LIST);
    for (let row = 0; row < count; row += 1) {
      if (chosen !== undefined) entry = chosen[row] as number;
      const current = index.templateAt(entry);
      if (row > 0) out.byte(COMMA);
      if (current !== template) {
        template = current;
        slot = slotOf(current);
      }
      if (slot === undefined) out.copy(NULL);
      else if (onText !== undefined && index.hasTexts(entry) && index.isText(entry, current, slot)) {
        out.copy(NULL);
        onText(row);
      } else out.copyWords(bytes, view, index.startOf(entry, current, slot), index.endOf(entry, slot));
      if (chosen === undefined) entry = index.nextOffsetEntry(entry, current);
      if (out.hasFilled || row % ROWS_PER_TIME_SLICE === ROWS_PER_TIME_SLICE - 1) yield;
    }
    out.byte(CLOSE_LIST);
  }

  *#join<T>(items: readonly T[], write: (item: T, index: number) => WriteSteps): Iterable<WriteStep> {
    this.#out.byte(OPEN_LIST);
    for (const [index, item] of items.entries()) {
      if (index > 0) this.#out.byte(COMMA);
      const writing = write(item, index);
      if (writing !== undefined) yield* writing;
      if (this.#out.hasFilled) yield;
    }
    this.#out.byte(CLOSE_LIST);
  }

  #null(path: Path | undefined, field: BoundField<unknown>, error: Error): void {
    this.#out.copy(NULL);
    this.#output.errors.add(path, field, error);
  }

  #rowErrorsOf(bound: BoundObject<RowStep>): RowErrors {
    const known = this.#rowErrors.get(bound) ?? new RowErrors(bound);
    this.#rowErrors.set(bound, known);
    return known;
  }
}

/** The first offset entries of the rows with these indices, which ascend. Undefined for a pause. */
function* offsetEntriesOf({ index, firstOffsetEntry }: Rows, chosen: IntList): Iterable<number | undefined> {
  let entry = firstOffsetEntry;
  let row = 0;
  for (let at = 0; at < chosen.length; at += 1) {
    for (; row < chosen.get(at); row += 1) {
      entry = index.nextOffsetEntry(entry, index.templateAt(entry));
      if (row % ROWS_PER_TIME_SLICE === ROWS_PER_TIME_SLICE - 1) yield undefined;
    }
    yield entry;
  }
}

/** The same rows, decoded. They have slots. */
function* decodedRows(rows: Rows, chosen: IntList): Iterable<DecodedRow | undefined> {
  const { index } = rows;
  for (const entry of offsetEntriesOf(rows, chosen)) {
    if (entry === undefined) {
      yield undefined;
      continue;
    }
    const template = index.templateAt(entry);
    // A row begins with the literal before its first slot.
    const start = index.startOf(entry, template, 0) - (template.lengths[0] as number);
    for (const decoded of rowsIn(index.bytes, { start, end: index.rowEnd(entry, template) })) {
      yield* decoded;
      yield undefined;
    }
  }
}
