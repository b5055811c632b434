import type { BoundField, BoundObject, MetricStep, RowStep } from '../selection.ts';

/** The number of bytes of a null. */
export const NULL_BYTES = 4;
/** The most bytes of a number that is written from a double, as in `-1.2345678901234567e-100`. */
const MAX_NUMBER_BYTES = 24;

/** What a metric costs: the bytes that are not values, and how often its name and its value are written. */
export interface MetricCosts {
  readonly bytes: number;
  readonly names: number;
  readonly values: number;
}

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

/** What a selection on rows costs at most: lists of chosen metrics count as if they had all. */
export function rowCostsOf(bound: BoundObject<RowStep>): RowCosts {
  return costsOf(bound, () => true);
}

/** What a selection on rows costs, apart from the lists of chosen metrics, and what those cost for each metric by its name. */
export function exactRowCostsOf(bound: BoundObject<RowStep>): {
  readonly costs: RowCosts;
  readonly ofChosen: ReadonlyMap<string, MetricCosts>;
  readonly chosenLists: number;
} {
  const ofChosen = new Map<string, MetricCosts>();
  let chosenLists = 0;
  for (const { step } of bound.fields) {
    if (step.kind !== 'metrics' || step.names === undefined) continue;
    chosenLists += 1;
    const own = metricCostsOf(step.metric.fields);
    for (const name of step.names) {
      const { bytes, names, values } = ofChosen.get(name) ?? noCosts;
      ofChosen.set(name, { bytes: bytes + own.bytes, names: names + own.names, values: values + own.values });
    }
  }
  return { costs: costsOf(bound, ({ names }) => names === undefined), ofChosen, chosenLists };
}

const noCosts: MetricCosts = { bytes: 0, names: 0, values: 0 };

/** @param counts whether the metrics of a list count */
function costsOf(
  { fields }: BoundObject<RowStep>,
  counts: (list: RowStep & { readonly kind: 'metrics' }) => boolean,
): RowCosts {
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
      perRow += NULL_BYTES;
      if (!counts(step)) continue;
      const metric = metricCostsOf(step.metric.fields);
      perMetric += metric.bytes;
      names += metric.names;
      values += metric.values;
    }
  }
  return { perRow, perMetric, dates, names, values, chosen };
}

/** What a selection on a metric or a column costs. */
export function metricCostsOf(fields: readonly BoundField<MetricStep>[]): MetricCosts {
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
