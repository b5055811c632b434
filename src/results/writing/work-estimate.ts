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
import { bytesOf, metricCostsOf, NULL_BYTES, type RowCosts, rowCostsOf } from './row-costs.ts';
import { compileRowSerializer, type RowSerializer } from './row-serializer.ts';

/** The most bytes of a row that is written in one step, and the most bytes that a row serializer adds to its values. */
const MAX_ROW_BYTES = 1 << 20;
const MAX_LITERAL_BYTES = 1 << 18;

/** The row serializers of one selection on rows, by row template. */
interface SelectionSerializers {
  readonly costs: RowCosts;
  readonly byTemplate: Map<RowTemplate, RowSerializer>;
}

/** The row serializers of one placeholder. */
export class RowSerializers {
  readonly #bySelection = new Map<BoundObject<RowStep>, SelectionSerializers>();

  /** The row serializers of one selection. */
  of(bound: BoundObject<RowStep>): SelectionSerializers {
    let known = this.#bySelection.get(bound);
    if (known === undefined) {
      known = { costs: rowCostsOf(bound), byTemplate: new Map() };
      this.#bySelection.set(bound, known);
    }
    return known;
  }
}

/** Whether a selection makes so much of a row that it has to be written in parts, which the fast path cannot do. */
export function exceedsStep(
  { longestRow }: RowsSlice,
  { templates }: Rows,
  step: RowContentStep,
  serializers: RowSerializers,
): boolean {
  if (step.kind !== 'rows') return false;
  const { costs, byTemplate } = serializers.of(step.row);
  if (longestRow * Math.max(costs.dates, costs.values + costs.chosen) > MAX_ROW_BYTES) return true;
  for (const template of templates) {
    if (byTemplate.has(template)) continue;
    const { metrics, nameBytes } = template;
    const values = { rows: 1, metrics: metrics?.length ?? 0, dateBytes: 0, nameBytes, valueBytes: 0 };
    if (bytesOf(costs, values) > MAX_LITERAL_BYTES) return true;
  }
  return false;
}

/**
 * The most units that a field can cost: its bytes, and other work. Compiles the row serializers that it needs, as far as the
 * budget allows, and charges for them.
 */
export function estimateUnits(
  slice: RowsSlice,
  rows: Rows,
  step: RowContentStep,
  serializers: RowSerializers,
  work: WorkBudget,
): number {
  switch (step.kind) {
    case 'metricNames':
      return unitsOfNames(rows);
    case 'columns':
      return unitsOfColumns(slice, rows, step);
    case 'rows':
      return unitsOfRows(slice, rows, step, serializers.of(step.row).byTemplate, work);
  }
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
): number {
  const values = slice.end - slice.start - rows.count * leastLiteral(rows);
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
    if (step.kind === 'rowCount') units += String(rows.count).length;
    if (step.kind === 'valueDates') units += rows.count * (NULL_BYTES + 1) + values;
    if (step.kind !== 'metrics') continue;
    const costs = metricCostsOf(step.column.fields);
    units += 2 + names * costs.bytes + nameBytes * costs.names;
    units += costs.values * (names * (2 + rows.count * (NULL_BYTES + 1)) + values);
  }
  return units;
}

function unitsOfRows(
  { start, end, longestRow }: RowsSlice,
  rows: Rows,
  { first, offset, row: bound }: RowContentStep & { kind: 'rows' },
  serializers: Map<RowTemplate, RowSerializer>,
  work: WorkBudget,
): number {
  const { count, templates } = rows;
  const written = Math.max(0, Math.min(count, offset + first) - offset);
  const units = 2 + Math.min(count, offset) * UNITS_PER_SKIPPED_ROW;
  let literal = 0;
  let repeats = 0;
  let repeatedValues = 0;
  for (const template of templates) {
    let serializer = serializers.get(template);
    if (serializer === undefined) {
      const toCompile =
        UNITS_PER_SERIALIZER + sizeOf(bound, template) * UNITS_PER_SERIALIZER_FIELD + template.nameBytes;
      if (!work.reserve(toCompile)) return Number.POSITIVE_INFINITY;
      serializer = compileRowSerializer(template, bound);
      serializers.set(template, serializer);
    }
    literal = Math.max(literal, serializer.literalBytes);
    repeats = Math.max(repeats, serializer.maxRepeats);
    repeatedValues = Math.max(repeatedValues, serializer.repeatedValues);
  }
  const least = leastLiteral(rows);
  const values = Math.min(end - start - count * least, written * (longestRow - least));
  return units + written * (literal + 1 + repeatedValues * UNITS_PER_REPEATED_VALUE) + values * repeats;
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
