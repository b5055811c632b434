import type { Row, WireField } from '../../rest/wire.ts';
import { ColumnsBuilder, findMetric, metricNames } from '../columns.ts';
import type { RowsSlice } from '../indexing/row-index.ts';
import type {
  BoundField,
  BoundObject,
  ColumnsStep,
  FieldOrigin,
  MetricStep,
  Path,
  RowContentStep,
  RowStep,
} from '../selection.ts';
import { UNITS_PER_DECODED_VALUE } from '../work-budget.ts';
import type { ByteWriter } from './byte-writer.ts';
import { CLOSE_LIST, CLOSE_OBJECT, COMMA, EMPTY_OBJECT, NULL, OPEN_LIST } from './json-bytes.ts';
import type { Output } from './output.ts';
import { decodeRowBatches } from './row-batches.ts';

/** How many values of a column are written between two pauses. */
const VALUES_PER_TIME_SLICE = 4096;

/**
 * Writes the rows of one asset after a bailout. It decodes them in batches, as the generic path does, and reports invalid
 * values at their paths.
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

  /** Writes the value of a field that needs rows. */
  *rows(field: BoundField<RowContentStep>, path: Path | undefined): Iterable<void> {
    const { step } = field;
    switch (step.kind) {
      case 'metricNames':
        return this.#out.text(JSON.stringify(yield* this.#names()));
      case 'rows':
        return yield* this.#results(step, path);
      case 'columns':
        return yield* this.#columns(field, step, path);
    }
  }

  /** The distinct names of the metrics, in the order of their first appearance. */
  *#names(): Generator<void, string[]> {
    const names = new Set<string>();
    for (const rows of decodeRowBatches(this.#slice)) {
      for (const name of metricNames(rows)) names.add(name);
      yield;
    }
    return [...names];
  }

  *#results({ first, offset, row: bound }: RowContentStep & { kind: 'rows' }, path: Path | undefined): Iterable<void> {
    const end = offset + first;
    let index = 0;
    this.#out.byte(OPEN_LIST);
    for (const rows of decodeRowBatches(this.#slice)) {
      for (const row of rows) {
        if (index >= offset && index < end) {
          if (index > offset) this.#out.byte(COMMA);
          this.#row(row, bound, { parent: path, key: index - offset });
        }
        index += 1;
      }
      if (index >= end) break;
      yield;
    }
    this.#out.byte(CLOSE_LIST);
  }

  #row(row: Row, bound: BoundObject<RowStep>, path: Path): void {
    this.#object(bound, (field) => {
      const { step } = field;
      if (step.kind === 'constant') this.#out.copy(step.json);
      else if (step.kind === 'invalidArguments') this.#value(step.error, field, { parent: path, key: field.key });
      else if (step.kind === 'valueDate') this.#value(row.valueDate, field, { parent: path, key: field.key });
      else this.#metricsOf(row, step, field, { parent: path, key: field.key });
    });
  }

  #metricsOf({ metrics }: Row, step: RowStep & { kind: 'metrics' | 'value' }, origin: FieldOrigin, path: Path): void {
    if (metrics === null || metrics === undefined || metrics instanceof Error) this.#value(metrics, origin, path);
    else if (step.kind === 'value') this.#value(findMetric(metrics, step.metric)?.value, origin, path);
    else {
      const { names } = step;
      const selected =
        names === undefined ? metrics : metrics.filter(({ name }) => typeof name === 'string' && names.has(name));
      this.#out.byte(OPEN_LIST);
      for (const [index, metric] of selected.entries()) {
        if (index > 0) this.#out.byte(COMMA);
        this.#object<MetricStep>(step.metric, (field) => {
          if (field.step.kind === 'constant') return this.#out.copy(field.step.json);
          const value = field.step.kind === 'name' ? metric.name : metric.value;
          return this.#value(value, field, { parent: { parent: path, key: index }, key: field.key });
        });
      }
      this.#out.byte(CLOSE_LIST);
    }
  }

  *#columns(
    field: BoundField<RowContentStep>,
    { metrics, columns: bound }: RowContentStep & { kind: 'columns' },
    path: Path | undefined,
  ): Iterable<void> {
    const { work, errors } = this.#output;
    const { count } = this.#slice;
    const names = metrics ?? (yield* this.#names());
    const units = count * names.length * UNITS_PER_DECODED_VALUE;
    if (!work.allows(units)) {
      this.#out.copy(NULL);
      errors.add(path, field, errors.workExceeded());
      return;
    }
    work.spend(units);
    const columns = new ColumnsBuilder(names, count);
    for (const rows of decodeRowBatches(this.#slice)) {
      columns.add(rows);
      yield;
    }
    for (const part of bound.fields) {
      this.#out.copy(part.prefix);
      yield* this.#columnsPart(columns, count, part, { parent: path, key: part.key });
    }
    this.#out.copy(bound.fields.length === 0 ? EMPTY_OBJECT : CLOSE_OBJECT);
  }

  *#columnsPart(
    { valueDates, metrics }: ColumnsBuilder,
    count: number,
    field: BoundField<ColumnsStep>,
    path: Path,
  ): Iterable<void> {
    const { step } = field;
    if (step.kind === 'constant') return this.#out.copy(step.json);
    if (step.kind === 'rowCount') return this.#out.text(String(count));
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
      }
      this.#out.copy(fields.length === 0 ? EMPTY_OBJECT : CLOSE_OBJECT);
    }
    this.#out.byte(CLOSE_LIST);
  }

  *#list(values: readonly WireField<string | number>[], origin: FieldOrigin, path: Path): Iterable<void> {
    this.#out.byte(OPEN_LIST);
    for (const [index, value] of values.entries()) {
      if (index > 0) this.#out.byte(COMMA);
      this.#value(value, origin, { parent: path, key: index });
      if (index % VALUES_PER_TIME_SLICE === VALUES_PER_TIME_SLICE - 1) yield;
    }
    this.#out.byte(CLOSE_LIST);
  }

  #object<Step>({ fields }: BoundObject<Step>, write: (field: BoundField<Step>) => void): void {
    for (const field of fields) {
      this.#out.copy(field.prefix);
      write(field);
    }
    this.#out.copy(fields.length === 0 ? EMPTY_OBJECT : CLOSE_OBJECT);
  }

  /** Writes a scalar. An error is reported, and written as null. */
  #value(value: WireField<string | number> | Error, origin: FieldOrigin, path: Path | undefined): void {
    if (value instanceof Error) this.#output.errors.add(path, origin, value);
    if (value === null || value === undefined || value instanceof Error) this.#out.copy(NULL);
    else this.#out.text(JSON.stringify(value));
  }
}
