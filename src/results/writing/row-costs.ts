import type { BoundField, BoundObject, MetricStep, RowStep } from '../selection.ts';

/** The number of bytes of a null. */
export const NULL_BYTES = 4;
/** The most bytes of a number that is written from a double, as in `-1.2345678901234567e-100`. */
const MAX_NUMBER_BYTES = 24;

/** How many bytes a selection on rows writes: constants, and how often the values of a row are written. */
export interface RowCosts {
  /** The bytes of each row that are not values. */
  readonly perRow: number;
  /** The bytes for each metric that are not values, of all lists of metrics together. */
  readonly perMetric: number;
  /** How often the date, each name and each value are written. */
  readonly dates: number;
  readonly names: number;
  readonly values: number;
  /** The number of fields with one metric. */
  readonly chosen: number;
}

/** The values of some rows. The bytes are those of their JSON. */
export interface RowValues {
  rows: number;
  metrics: number;
  dateBytes: number;
  nameBytes: number;
  valueBytes: number;
}

/** What a selection on rows costs. Lists of chosen metrics count as if they had all: a part costs at most what the whole costs. */
export function rowCostsOf({ fields }: BoundObject<RowStep>): RowCosts {
  let perRow = 3;
  let perMetric = 0;
  let dates = 0;
  let names = 0;
  let values = 0;
  let chosen = 0;
  for (const { prefix, step } of fields) {
    perRow += prefix.length;
    if (step.kind === 'valueDate') dates += 1;
    else if (step.kind === 'constant') perRow += step.json.length;
    else if (step.kind === 'value') chosen += 1;
    else if (step.kind === 'invalidArguments') perRow += NULL_BYTES;
    else {
      const metric = metricCostsOf(step.metric.fields);
      perRow += NULL_BYTES;
      perMetric += metric.bytes;
      names += metric.names;
      values += metric.values;
    }
  }
  return { perRow, perMetric, dates, names, values, chosen };
}

/** What a selection on a metric or a column costs: constants, and how often the name and the value are written. */
export function metricCostsOf(fields: readonly BoundField<MetricStep>[]): {
  readonly bytes: number;
  readonly names: number;
  readonly values: number;
} {
  let bytes = 3;
  let names = 0;
  let values = 0;
  for (const { prefix, step } of fields) {
    bytes += prefix.length;
    if (step.kind === 'constant') bytes += step.json.length;
    else if (step.kind === 'name') names += 1;
    else values += 1;
  }
  return { bytes, names, values };
}

/** The most bytes that a selection writes for rows with these values. */
export function bytesOf(costs: RowCosts, { rows, metrics, dateBytes, nameBytes, valueBytes }: RowValues): number {
  const constants = rows * (costs.perRow + costs.chosen * MAX_NUMBER_BYTES) + metrics * costs.perMetric;
  return constants + dateBytes * costs.dates + nameBytes * costs.names + valueBytes * costs.values;
}
