import { RestError } from '../../rest/contract/rest-error.ts';
import type { MetricValue, WireField } from '../../rest/contract/wire.ts';
import { decodedBatches } from '../aggregates/column-batches.ts';
import { joinRows, latestRows } from '../aggregates/latest-row.ts';
import { type ChosenRows, Reducer } from '../aggregates/reduction.ts';
import { ColumnsBuilder } from '../columns.ts';
import type { IntList } from '../indexing/int-list.ts';
import type { RowsSlice } from '../indexing/row-index.ts';
import type { BoundField, BoundObject, ColumnsStep, FieldOrigin, Path, RowContentStep, RowStep } from '../selection.ts';
import {
  FREE_DECODINGS,
  UNITS_PER_DECODED_BYTE,
  UNITS_PER_DECODED_VALUE,
  UNITS_PER_NAME,
  UNITS_PER_SEARCHED_METRIC,
  UNITS_PER_UNUSUAL_NAME,
  USUAL_NAMES,
} from '../work-budget.ts';
import { type ByteWriter, CLOSE_LIST, CLOSE_OBJECT, COMMA, EMPTY_OBJECT, NULL, OPEN_LIST } from './byte-writer.ts';
import type { Output } from './output-chunks.ts';
import { type DecodedRow, inOneBatch, newNames, rowBatches } from './row-batches.ts';
import { bytesOf, exactRowCostsOf, metricCostsOf, NULL_BYTES, type RowValues, rowCostsOf } from './row-costs.ts';
import { type CopiedStep, unitsOfReduction } from './work-estimate.ts';

/** How many values or columns are handled between two pauses. */
const VALUES_PER_TIME_SLICE = 4096;
/** The least number of bytes of a metric, `{},`. */
const MIN_METRIC_BYTES = 3;
/** How many times longer a number can be as a double: `1e20` has 21 digits. */
const MAX_NUMBER_GROWTH = 6;

type Rows = RowContentStep & { readonly kind: 'rows' };
type Scalar = WireField<string | number>;

/**
 * Writes the rows of one asset that cannot be copied. It decodes them in batches, and reports invalid
 * values at their paths. What a field writes is charged before: by its upper limit if that fits into the budget, and else by
 * its exact size, for which the rows are decoded once more.
 */
export class DecodedRowsWriter {
  readonly #output: Output;
  readonly #out: ByteWriter;
  readonly #slice: RowsSlice;

  constructor(output: Output, slice: RowsSlice) {
    this.#output = output;
    this.#out = output.out;
    this.#slice = slice;
  }

  /** Writes the value of a field that needs rows. Null, with an error, if it exceeds the work budget. */
  *rows(field: BoundField<CopiedStep>, path: Path | undefined): Iterable<void> {
    const { step } = field;
    let written: boolean | RestError = this.reserveDecoding();
    if (written) {
      if (step.kind === 'rows') written = yield* this.#results(step, path);
      else if (step.kind === 'latest') written = yield* this.#latest(step.row, path);
      else if (step.kind === 'columns') written = yield* this.#columns(step, path);
      else written = yield* this.#metricNames();
    }
    this.#orNull(written, field, path);
  }

  /** Writes rows of one date, joined. Null, with an error, if that exceeds the work budget. @param bytes those of the rows */
  *joined(
    rows: Iterable<DecodedRow | undefined>,
    bytes: number,
    field: BoundField<RowContentStep & { readonly kind: 'latest' }>,
    path: Path | undefined,
  ): Iterable<void> {
    this.#orNull(this.reserveDecoding(bytes) && (yield* this.#joined(rows, field.step.row, path)), field, path);
  }

  /** Writes null, with its error, if a field was not written: because of an error, or of the work budget. */
  #orNull(written: boolean | RestError, field: FieldOrigin, path: Path | undefined): void {
    if (written === true) return;
    const { errors } = this.#output;
    this.#out.copy(NULL);
    errors.add(path, field, written === false ? errors.workExceeded() : written);
  }

  /** Charges the decoding of rows, all of them unless given. Returns false if it exceeds the work budget. */
  reserveDecoding(bytes = this.#slice.length): boolean {
    const { work } = this.#output;
    const isFree = work.use(this.#slice) < FREE_DECODINGS;
    return work.reserve(isFree ? 0 : bytes * UNITS_PER_DECODED_BYTE);
  }

  *#metricNames(): Generator<void, boolean> {
    const names = yield* this.names();
    if (names === undefined) return false;
    this.#out.byte(OPEN_LIST);
    let index = 0;
    for (const name of names) {
      if (index > 0) this.#out.byte(COMMA);
      this.#out.text(JSON.stringify(name));
      index += 1;
      if (this.#isDue(index)) yield;
    }
    this.#out.byte(CLOSE_LIST);
    return true;
  }

  /**
   * The distinct names of the metrics, in the order of their first appearance. Each is charged with its bytes. Undefined if
   * that exceeds the budget.
   */
  *names(): Generator<void, ReadonlySet<string> | undefined> {
    const names = new Set<string>();
    for (const name of newNames(this.#slice, names)) {
      if (name === undefined) yield;
      else {
        if (!this.#reserveName(name, names.size)) return undefined;
        names.add(name);
      }
    }
    return names;
  }

  /** Charges the name of a metric that is kept, after so many others. */
  #reserveName(name: Scalar, kept: number): boolean {
    const units = kept < USUAL_NAMES ? UNITS_PER_NAME : UNITS_PER_UNUSUAL_NAME;
    return this.#output.work.reserve(units + bytesOfScalar(name));
  }

  *#results(step: Rows, path: Path | undefined): Generator<void, boolean> {
    const { work } = this.#output;
    const reserved = yield* this.#reserve(step);
    if (reserved === undefined) return false;
    const before = this.#out.written;
    this.#out.byte(OPEN_LIST);
    const chosen = chosenMetrics(step.row);
    let index = 0;
    for (const row of this.#selectedRows(step)) {
      if (row !== undefined) {
        if (index > 0) this.#out.byte(COMMA);
        yield* this.#row(row, step.row, chosen, { parent: path, key: index });
        index += 1;
      }
      if (row === undefined || this.#out.hasFilled) yield;
    }
    this.#out.byte(CLOSE_LIST);
    work.refund(reserved - (this.#out.written - before));
    return true;
  }

  /** Writes the rows with the latest date, joined. */
  *#latest(bound: BoundObject<RowStep>, path: Path | undefined): Generator<void, boolean | RestError> {
    const latest = yield* latestRows(decodedBatches(rowBatches(this.#slice), [], 'ends'));
    if (latest instanceof RestError) return latest;
    if (latest.length > 1) return yield* this.#joined(this.#rowsAt(latest), bound, path);
    for (const row of this.#rowsAt(latest)) {
      if (row !== undefined) return yield* this.#single(row, bound, path);
      yield;
    }
    this.#out.copy(NULL);
    return true;
  }

  *#joined(
    rows: Iterable<DecodedRow | undefined>,
    bound: BoundObject<RowStep>,
    path: Path | undefined,
  ): Generator<void, boolean> {
    const joined = yield* joinRows(rows, ({ name }, kept) => this.#reserveName(name, kept));
    return joined !== undefined && (yield* this.#single(inOneBatch(joined), bound, path));
  }

  /** Writes one row. */
  *#single(row: DecodedRow, bound: BoundObject<RowStep>, path: Path | undefined): Generator<void, boolean> {
    const { work } = this.#output;
    const reserved = yield* this.#exactBytes([row], bound);
    if (!work.reserve(reserved)) return false;
    const before = this.#out.written;
    yield* this.#row(row, bound, chosenMetrics(bound), path);
    work.refund(reserved - (this.#out.written - before));
    return true;
  }

  /** The rows of a page. Undefined for a pause. */
  *#selectedRows({ first, offset }: Rows): Iterable<DecodedRow | undefined> {
    const end = offset + first;
    let index = 0;
    for (const rows of rowBatches(this.#slice)) {
      for (const row of rows) {
        if (index >= offset && index < end) yield row;
        index += 1;
      }
      if (index >= end) return;
      yield undefined;
    }
  }

  /** The rows with these indices, which ascend. Undefined for a pause. */
  *#rowsAt(chosen: IntList): Iterable<DecodedRow | undefined> {
    let index = 0;
    let at = 0;
    for (const rows of rowBatches(this.#slice)) {
      for (const row of rows) {
        if (at === chosen.length) return;
        if (index === chosen.get(at)) {
          at += 1;
          yield row;
        }
        index += 1;
      }
      yield undefined;
    }
  }

  /** Reserves what the rows of a page write. Returns the units; undefined if they exceed the budget. */
  *#reserve(step: Rows): Generator<void, number | undefined> {
    const { work } = this.#output;
    const { length, count, longestRow } = this.#slice;
    const costs = rowCostsOf(step.row);
    const rows = Math.max(0, Math.min(count, step.offset + step.first) - step.offset);
    const bytes = Math.min(length, rows * longestRow);
    const metrics = bytes / MIN_METRIC_BYTES;
    const limit = bytesOf({ ...costs, dates: 0, names: 0, values: 0 }, { ...noValues, rows, metrics });
    const most = 2 + limit + bytes * Math.max(costs.dates, costs.names, costs.values * MAX_NUMBER_GROWTH);
    if (work.reserve(most)) return most;
    const exact = yield* this.#exactBytes(this.#selectedRows(step), step.row);
    return work.reserve(exact) ? exact : undefined;
  }

  /** What rows write, and the search for chosen metrics. */
  *#exactBytes(rows: Iterable<DecodedRow | undefined>, bound: BoundObject<RowStep>): Generator<void, number> {
    const { costs, ofChosen, chosenLists } = exactRowCostsOf(bound);
    const values = { ...noValues };
    let chosenBytes = 0;
    for (const row of rows) {
      if (row === undefined) {
        yield;
        continue;
      }
      values.rows += 1;
      values.dateBytes += bytesOfScalar(row.valueDate);
      for (const batch of batchesIn(row.metrics)) {
        values.metrics += batch.length;
        for (const { name, value } of batch) {
          const nameBytes = bytesOfScalar(name);
          const valueBytes = bytesOfScalar(value);
          values.nameBytes += nameBytes;
          values.valueBytes += valueBytes;
          const own = typeof name === 'string' ? ofChosen.get(name) : undefined;
          if (own !== undefined) chosenBytes += own.bytes + nameBytes * own.names + valueBytes * own.values;
        }
        if (isLong(row.metrics)) yield;
      }
    }
    return 2 + bytesOf(costs, values) + chosenBytes + values.metrics * chosenLists * UNITS_PER_SEARCHED_METRIC;
  }

  /** @param chosen the metrics whose values are written as fields of their own */
  *#row(
    row: DecodedRow,
    { fields }: BoundObject<RowStep>,
    chosen: ReadonlySet<string>,
    path: Path | undefined,
  ): Iterable<void> {
    let values: ReadonlyMap<string, WireField<number>> | undefined;
    for (const field of fields) {
      const { prefix, step } = field;
      this.#out.copy(prefix);
      const own: Path = { parent: path, key: field.key };
      if (step.kind === 'constant') this.#out.copy(step.json);
      else if (step.kind === 'invalidArguments') this.#value(step.error, field, own);
      else if (step.kind === 'valueDate') this.#value(row.valueDate, field, own);
      else if (isAbsent(row.metrics)) this.#value(row.metrics, field, own);
      else if (step.kind === 'metrics') yield* this.#metrics(row.metrics, step, own);
      else {
        values ??= yield* valuesIn(row.metrics, chosen);
        this.#value(values.get(step.metric), field, own);
      }
      if (this.#out.hasFilled) yield;
    }
    this.#close(fields);
  }

  *#metrics(
    batches: Iterable<readonly MetricValue[]>,
    { names, metric: { fields } }: RowStep & { readonly kind: 'metrics' },
    path: Path,
  ): Iterable<void> {
    let index = 0;
    this.#out.byte(OPEN_LIST);
    for (const batch of batches) {
      for (const metric of batch) {
        if (names !== undefined && !(typeof metric.name === 'string' && names.has(metric.name))) continue;
        if (index > 0) this.#out.byte(COMMA);
        for (const field of fields) {
          this.#out.copy(field.prefix);
          if (field.step.kind === 'constant') this.#out.copy(field.step.json);
          else {
            const value = field.step.kind === 'name' ? metric.name : metric.value;
            this.#value(value, field, { parent: { parent: path, key: index }, key: field.key });
          }
          if (this.#out.hasFilled) yield;
        }
        this.#close(fields);
        index += 1;
      }
      if (isLong(batches)) yield;
    }
    this.#out.byte(CLOSE_LIST);
  }

  *#columns(
    { metrics, points, columns: { fields } }: RowContentStep & { readonly kind: 'columns' },
    path: Path | undefined,
  ): Generator<void, boolean> {
    const { work } = this.#output;
    const { count } = this.#slice;
    const found = metrics ?? (yield* this.names());
    if (found === undefined) return false;
    const names = [...found];
    // The dates are a column too.
    if (!work.reserve((names.length + 1) * count * UNITS_PER_DECODED_VALUE)) return false;
    if (points !== undefined && !work.reserve(unitsOfReduction(this.#slice, points, names.length))) return false;
    const chosen = points === undefined ? undefined : yield* this.#reduce(names, points);
    const columns = yield* this.#build(names, chosen);
    const reserved = yield* this.#reserveColumns(columns, fields);
    if (reserved === undefined) return false;
    const before = this.#out.written;
    for (const part of fields) {
      this.#out.copy(part.prefix);
      yield* this.#columnsPart(columns, part, { parent: path, key: part.key });
    }
    this.#close(fields);
    work.refund(reserved - (this.#out.written - before));
    return true;
  }

  /** The rows in the order of their dates, at most so many. Undefined for all in the order received. */
  *#reduce(names: readonly string[], points: number): Generator<void, ChosenRows | undefined> {
    const read = (some: readonly string[]) => decodedBatches(rowBatches(this.#slice), some, 'is skipped');
    return yield* new Reducer().reduce(read, names, this.#slice.count, points);
  }

  /** @param chosen the rows; undefined for all in the order received */
  *#build(names: Iterable<string>, chosen: ChosenRows | undefined): Generator<void, ColumnsBuilder> {
    const columns = new ColumnsBuilder(chosen?.rows.length ?? this.#slice.count);
    let row = -1;
    let at = 0;
    for (const name of names) {
      columns.addColumn(name);
      if (columns.metrics.length % VALUES_PER_TIME_SLICE === 0) yield;
    }
    for (const rows of rowBatches(this.#slice)) {
      for (const { valueDate, metrics } of rows) {
        row += 1;
        if (chosen !== undefined && chosen.rows[at] !== row) continue;
        columns.addRow(chosen?.places?.[at] ?? at, valueDate);
        at += 1;
        if (metrics instanceof RestError) columns.addError(metrics);
        for (const batch of batchesIn(metrics)) {
          columns.addMetrics(batch);
          if (isLong(metrics)) yield;
        }
      }
      yield;
    }
    return columns;
  }

  /** Reserves what columns write. Returns the units; undefined if they exceed the budget. */
  *#reserveColumns(
    { valueDates, metrics }: ColumnsBuilder,
    fields: readonly BoundField<ColumnsStep>[],
  ): Generator<void, number | undefined> {
    const { work } = this.#output;
    let nameBytes = 0;
    let valueBytes = 0;
    for (const [index, { name, values }] of metrics.entries()) {
      nameBytes += bytesOfScalar(name);
      valueBytes += 2 + (yield* this.#bytesOfList(values));
      if (this.#isDue(index)) yield;
    }
    let dateBytes: number | undefined;
    let units = 3;
    for (const { prefix, step } of fields) {
      units += prefix.length;
      if (step.kind === 'constant') units += step.json.length;
      else if (step.kind === 'rowCount') units += String(valueDates.length).length;
      else if (step.kind === 'valueDates') {
        dateBytes ??= 2 + (yield* this.#bytesOfList(valueDates));
        units += dateBytes;
      } else {
        const costs = metricCostsOf(step.column.fields);
        units += 2 + metrics.length * costs.bytes + nameBytes * costs.names + valueBytes * costs.values;
      }
      if (units > work.limit) return undefined;
    }
    return work.reserve(units) ? units : undefined;
  }

  *#bytesOfList(values: readonly Scalar[]): Generator<void, number> {
    let bytes = 0;
    for (const [index, value] of values.entries()) {
      bytes += 1 + bytesOfScalar(value);
      if (this.#isDue(index)) yield;
    }
    return bytes;
  }

  *#columnsPart({ valueDates, metrics }: ColumnsBuilder, field: BoundField<ColumnsStep>, path: Path): Iterable<void> {
    const { step } = field;
    if (step.kind === 'constant') return this.#out.copy(step.json);
    if (step.kind === 'rowCount') return this.#out.text(String(valueDates.length));
    if (step.kind === 'valueDates') return yield* this.#list(valueDates, field, path);
    this.#out.byte(OPEN_LIST);
    for (const [index, { name, values }] of metrics.entries()) {
      if (index > 0) this.#out.byte(COMMA);
      const { fields } = step.column;
      for (const part of fields) {
        this.#out.copy(part.prefix);
        if (part.step.kind === 'constant') this.#out.copy(part.step.json);
        else if (part.step.kind === 'name') this.#out.text(JSON.stringify(name));
        else yield* this.#list(values, part, { parent: { parent: path, key: index }, key: part.key });
        if (this.#out.hasFilled) yield;
      }
      this.#close(fields);
    }
    this.#out.byte(CLOSE_LIST);
  }

  *#list(values: readonly Scalar[], origin: FieldOrigin, path: Path): Iterable<void> {
    this.#out.byte(OPEN_LIST);
    for (const [index, value] of values.entries()) {
      if (index > 0) this.#out.byte(COMMA);
      this.#value(value, origin, { parent: path, key: index });
      if (this.#isDue(index)) yield;
    }
    this.#out.byte(CLOSE_LIST);
  }

  /** Whether to pause after this many values. */
  #isDue(index: number): boolean {
    return index % VALUES_PER_TIME_SLICE === VALUES_PER_TIME_SLICE - 1 || this.#out.hasFilled;
  }

  #close(fields: readonly unknown[]): void {
    this.#out.copy(fields.length === 0 ? EMPTY_OBJECT : CLOSE_OBJECT);
  }

  /** Writes a scalar. An error is reported, and written as null. */
  #value(value: Scalar | Error, origin: FieldOrigin, path: Path | undefined): void {
    if (value instanceof Error) this.#output.errors.add(path, origin, value);
    if (value === null || value === undefined || value instanceof Error) this.#out.copy(NULL);
    else this.#out.text(JSON.stringify(value));
  }
}

/** The metrics whose values a row has as fields of their own. */
function chosenMetrics({ fields }: BoundObject<RowStep>): ReadonlySet<string> {
  return new Set(fields.flatMap(({ step }) => (step.kind === 'value' ? step.metric : [])));
}

const noValues: RowValues = { rows: 0, metrics: 0, dateBytes: 0, nameBytes: 0, valueBytes: 0 };

/** The number of bytes of a scalar as JSON. */
function bytesOfScalar(value: Scalar): number {
  if (value === null || value === undefined || value instanceof RestError) return NULL_BYTES;
  return Buffer.byteLength(JSON.stringify(value));
}

function isAbsent(metrics: DecodedRow['metrics']): metrics is RestError | null | undefined {
  return metrics === null || metrics === undefined || metrics instanceof RestError;
}

function batchesIn(metrics: DecodedRow['metrics']): Iterable<readonly MetricValue[]> {
  return isAbsent(metrics) ? [] : metrics;
}

/** Whether the metrics are those of a long row, which takes a pause after each batch. */
function isLong(metrics: DecodedRow['metrics']): boolean {
  return !Array.isArray(metrics);
}

/** The values of the first metrics with these names in a row, found in one pass. */
function* valuesIn(
  batches: Iterable<readonly MetricValue[]>,
  names: ReadonlySet<string>,
): Generator<void, ReadonlyMap<string, WireField<number>>> {
  const values = new Map<string, WireField<number>>();
  for (const batch of batches) {
    for (const { name, value } of batch) {
      if (typeof name === 'string' && names.has(name) && !values.has(name)) values.set(name, value);
    }
    if (values.size === names.size) break;
    if (isLong(batches)) yield;
  }
  return values;
}
