import { Bailout } from '../bailout.ts';
import type { Rows, RowsSlice } from '../indexing/row-index.ts';
import type { RowTemplate } from '../indexing/row-template.ts';
import type { AggregateStep, BoundObject, RowContentStep, RowStep } from '../selection.ts';
import {
  UNITS_PER_AGGREGATED_VALUE,
  UNITS_PER_NAME,
  UNITS_PER_REDUCED_METRIC,
  UNITS_PER_REPEATED_VALUE,
  UNITS_PER_SERIALIZER,
  UNITS_PER_SERIALIZER_FIELD,
  UNITS_PER_SKIPPED_ROW,
  type WorkBudget,
} from '../work-budget.ts';
import { bytesOf, metricCostsOf, NULL_BYTES, type RowCosts, rowCostsOf } from './row-costs.ts';
import { compileRowSerializer, type RowSerializer } from './row-serializer.ts';

/** The most bytes of a row that is written in one step, and the most bytes that a row serializer adds to its values. */
const MAX_ROW_BYTES = 1 << 20;
const MAX_LITERAL_BYTES = 1 << 18;

/** The row serializers of one selection on rows, by row template. */
interface SelectionSerializers {
  readonly costs: RowCosts;
  readonly byTemplate: Map<RowTemplate, RowSerializer>;
  /** Templates that all have one. The rows of most assets have the same templates. */
  compiled: ReadonlySet<RowTemplate> | undefined;
}

/** The row serializers of one placeholder. */
export class RowSerializers {
  readonly #bySelection = new Map<BoundObject<RowStep>, SelectionSerializers>();

  /** The row serializers of one selection. */
  of(bound: BoundObject<RowStep>): SelectionSerializers {
    let known = this.#bySelection.get(bound);
    if (known === undefined) {
      known = { costs: rowCostsOf(bound), byTemplate: new Map(), compiled: undefined };
      this.#bySelection.set(bound, known);
    }
    return known;
  }

  /**
   * Compiles those that rows need and have not yet, one at a time, and charges for them. Undefined if there are none.
   *
   * @returns whether the budget allows them
   */
  compile({ templates }: Rows, step: RowContentStep, work: WorkBudget): Generator<void, boolean> | undefined {
    if (step.kind !== 'rows' && step.kind !== 'latest') return undefined;
    const known = this.of(step.row);
    return known.compiled === templates ? undefined : compileAll(known, templates, step.row, work);
  }
}

function* compileAll(
  known: SelectionSerializers,
  templates: ReadonlySet<RowTemplate>,
  bound: BoundObject<RowStep>,
  work: WorkBudget,
): Generator<void, boolean> {
  for (const template of templates) {
    if (known.byTemplate.has(template)) continue;
    const units = UNITS_PER_SERIALIZER + sizeOf(bound, template) * UNITS_PER_SERIALIZER_FIELD + template.nameBytes;
    if (!work.reserve(units)) return false;
    known.byTemplate.set(template, compileRowSerializer(template, bound));
    yield;
  }
  known.compiled = templates;
  return true;
}

/**
 * The indexed rows, if the selection can be copied from them. So much of a row that it has to be written in parts cannot.
 */
export function indexedRows(
  { rows, longestRow }: RowsSlice,
  step: RowContentStep,
  serializers: RowSerializers,
): Rows | Bailout {
  if (rows instanceof Bailout || (step.kind !== 'rows' && step.kind !== 'latest')) return rows;
  const { costs, byTemplate, compiled } = serializers.of(step.row);
  if (longestRow * Math.max(costs.dates, costs.values + costs.chosen) > MAX_ROW_BYTES) return Bailout.longRow;
  if (compiled === rows.templates) return rows;
  for (const template of rows.templates) {
    if (byTemplate.has(template)) continue;
    const { metrics, nameBytes } = template;
    const values = { rows: 1, metrics: metrics?.length ?? 0, dateBytes: 0, nameBytes, valueBytes: 0 };
    if (bytesOf(costs, values) > MAX_LITERAL_BYTES) return Bailout.longRow;
  }
  return rows;
}

/** A field that is copied from the index. */
export type CopiedStep = Exclude<RowContentStep, AggregateStep>;

/**
 * The most units that a field can cost: its bytes, and other work. Its row serializers are compiled.
 *
 * @param columnRows the number of rows in columns
 */
export function estimateUnits(
  slice: RowsSlice,
  rows: Rows,
  step: CopiedStep,
  serializers: RowSerializers,
  columnRows: number,
): number {
  switch (step.kind) {
    case 'metricNames':
      return unitsOfNames(rows);
    case 'columns':
      return unitsOfColumns(slice, rows, step, columnRows);
    case 'rows':
      return unitsOfRows(slice, rows, step, serializers.of(step.row).byTemplate);
    case 'latest':
      return (
        unitsOfReading(slice) + unitsOfRows(slice, rows, { first: 1, offset: 0 }, serializers.of(step.row).byTemplate)
      );
  }
}

/** The units for the values of all rows, when something is computed from them. */
export function unitsOfReading({ length }: RowsSlice): number {
  return length;
}

/** The units for ordering the rows of a series by date, and for choosing so many of them by some metrics. */
export function unitsOfReduction(slice: RowsSlice, points: number, metrics: number): number {
  const ofColumn = slice.count * UNITS_PER_AGGREGATED_VALUE;
  // The dates are a column, too.
  if (points >= slice.count) return ofColumn;
  return unitsOfReading(slice) + ofColumn + metrics * (UNITS_PER_REDUCED_METRIC + ofColumn);
}

/** The most units for the distinct names of metrics: their bytes, and the work to collect them. */
export function unitsOfNames({ templates }: Rows): number {
  let units = 2;
  for (const { metrics, nameBytes } of templates) units += (metrics?.length ?? 0) * UNITS_PER_NAME + nameBytes;
  return units;
}

function unitsOfColumns(
  slice: RowsSlice,
  rows: Rows,
  { metrics, columns }: RowContentStep & { kind: 'columns' },
  count: number,
): number {
  const values = Math.min(slice.length - rows.count * leastLiteral(rows), count * slice.longestRow);
  let names = metrics?.length ?? 0;
  let nameBytes = metrics?.reduce((sum, name) => sum + Buffer.byteLength(JSON.stringify(name)), 0) ?? 0;
  if (metrics === undefined) {
    for (const template of rows.templates) {
      names += template.metrics?.length ?? 0;
      nameBytes += template.nameBytes;
    }
  }
  let units = 3 + (metrics === undefined ? unitsOfNames(rows) : 0);
  for (const { prefix, step } of columns.fields) {
    units += prefix.length;
    if (step.kind === 'constant') units += step.json.length;
    if (step.kind === 'rowCount') units += String(count).length;
    if (step.kind === 'valueDates') units += count * (NULL_BYTES + 1) + values;
    if (step.kind !== 'metrics') continue;
    const costs = metricCostsOf(step.column.fields);
    units += 2 + names * costs.bytes + nameBytes * costs.names;
    units += costs.values * (names * (2 + count * (NULL_BYTES + 1)) + values);
  }
  return units;
}

function unitsOfRows(
  { length, longestRow }: RowsSlice,
  rows: Rows,
  { first, offset }: Pick<RowContentStep & { kind: 'rows' }, 'first' | 'offset'>,
  serializers: ReadonlyMap<RowTemplate, RowSerializer>,
): number {
  const { count, templates } = rows;
  const written = Math.max(0, Math.min(count, offset + first) - offset);
  const units = 2 + Math.min(count, offset) * UNITS_PER_SKIPPED_ROW;
  let ofRow = 0;
  // For each byte of a row that is not a value. So a row with many metrics makes others no more expensive.
  let ofByte = 0;
  let repeats = 0;
  for (const template of templates) {
    const serializer = serializers.get(template) as RowSerializer;
    const own = serializer.literalBytes + serializer.repeatedValues * UNITS_PER_REPEATED_VALUE;
    ofRow = Math.max(ofRow, own);
    ofByte = Math.max(ofByte, own / template.literalBytes);
    repeats = Math.max(repeats, serializer.maxRepeats);
  }
  const least = leastLiteral(rows);
  const values = Math.min(length - count * least, written * (longestRow - least));
  const literals = Math.min(written * ofRow, Math.ceil(length * ofByte));
  return units + written + literals + values * repeats;
}

/** The least number of bytes of a row that are not values. */
function leastLiteral({ templates }: Rows): number {
  let least = Number.POSITIVE_INFINITY;
  for (const { literalBytes } of templates) least = Math.min(least, literalBytes);
  return templates.size === 0 ? 0 : least;
}

/** The number of values that a row serializer of this template writes. */
function sizeOf({ fields }: BoundObject<RowStep>, { metrics }: RowTemplate): number {
  let size = 0;
  for (const { step } of fields) {
    size += step.kind === 'metrics' ? 1 + step.metric.fields.length * (metrics?.length ?? 0) : 1;
  }
  return size;
}
