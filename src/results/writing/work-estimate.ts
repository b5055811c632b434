import type { Rows, RowsSlice } from '../indexing/row-index.ts';
import type { RowTemplate } from '../indexing/row-template.ts';
import type { BoundObject, RowContentStep, RowStep } from '../selection.ts';
import {
  UNITS_PER_NAME,
  UNITS_PER_REPEATED_VALUE,
  UNITS_PER_SERIALIZER,
  UNITS_PER_SERIALIZER_FIELD,
  UNITS_PER_SKIPPED_ROW,
  type WorkBudget,
} from '../work-budget.ts';
import { compileRowSerializer, type RowSerializer } from './row-serializer.ts';

/** The number of bytes of a null and its comma. */
const NULL_BYTES = 5;

/** The row serializers of one placeholder, by selection on rows and row template. */
export class RowSerializers {
  readonly #bySelection = new Map<BoundObject<RowStep>, Map<RowTemplate, RowSerializer>>();

  /** The row serializers of one selection. */
  of(bound: BoundObject<RowStep>): Map<RowTemplate, RowSerializer> {
    const known = this.#bySelection.get(bound) ?? new Map<RowTemplate, RowSerializer>();
    this.#bySelection.set(bound, known);
    return known;
  }
}

/**
 * The most units that a field can cost: its bytes, and other work. Compiles the row serializers that it needs, as far as the
 * budget allows, and charges for them.
 */
export function estimateUnits(
  { start, end }: RowsSlice,
  rows: Rows,
  step: RowContentStep,
  serializers: RowSerializers,
  work: WorkBudget,
): number {
  const sliceBytes = end - start;
  switch (step.kind) {
    case 'metricNames':
      return unitsOfNames(rows);
    case 'columns':
      return unitsOfColumns(rows, sliceBytes, step);
    case 'rows':
      return unitsOfRows(rows, sliceBytes, step, serializers.of(step.row), work);
  }
}

function unitsOfNames({ templates }: Rows): number {
  let names = 0;
  for (const { metrics } of templates) names += metrics?.length ?? 0;
  return names * UNITS_PER_NAME;
}

function unitsOfColumns(
  rows: Rows,
  sliceBytes: number,
  { metrics, columns }: RowContentStep & { kind: 'columns' },
): number {
  let units = 0;
  for (const { step } of columns.fields) {
    if (step.kind === 'valueDates') units += sliceBytes;
    if (step.kind !== 'metrics') continue;
    const names = metrics?.length ?? 0;
    if (metrics === undefined) units += unitsOfNames(rows);
    const values = step.column.fields.filter((field) => field.step.kind === 'value').length;
    units += values * (names * rows.count * NULL_BYTES + sliceBytes);
  }
  return units;
}

function unitsOfRows(
  { count, templates }: Rows,
  sliceBytes: number,
  { first, offset, row: bound }: RowContentStep & { kind: 'rows' },
  serializers: Map<RowTemplate, RowSerializer>,
  work: WorkBudget,
): number {
  const written = Math.max(0, Math.min(count, offset + first) - offset);
  let units = Math.min(count, offset) * UNITS_PER_SKIPPED_ROW;
  let literal = 0;
  let repeats = 0;
  let repeatedValues = 0;
  let rowLiteral = sliceBytes;
  for (const template of templates) {
    let serializer = serializers.get(template);
    if (serializer === undefined) {
      const toCompile = UNITS_PER_SERIALIZER + sizeOf(bound, template) * UNITS_PER_SERIALIZER_FIELD;
      units += toCompile;
      if (!work.allows(units)) return units;
      serializer = compileRowSerializer(template, bound);
      serializers.set(template, serializer);
      work.spend(toCompile);
    }
    literal = Math.max(literal, serializer.literalBytes);
    repeats = Math.max(repeats, serializer.maxRepeats);
    repeatedValues = Math.max(repeatedValues, serializer.repeatedValues);
    rowLiteral = Math.min(rowLiteral, template.literalBytes);
  }
  const values = Math.max(0, sliceBytes - count * rowLiteral);
  return units + written * (literal + 1 + repeatedValues * UNITS_PER_REPEATED_VALUE) + values * repeats;
}

/** The number of values that a row serializer of this template writes. */
function sizeOf({ fields }: BoundObject<RowStep>, { metrics }: RowTemplate): number {
  let size = 0;
  for (const { step } of fields) {
    size += step.kind === 'metrics' ? 1 + step.metric.fields.length * (metrics?.length ?? 0) : 1;
  }
  return size;
}
