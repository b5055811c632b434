import type { GraphQLResolveInfo } from 'graphql';
import type { AssetSeriesResolvers } from '../../generated/resolvers.ts';
import type {
  AssetSeriesColumnsArgs,
  AssetSeriesPeriodsArgs,
  AssetSeriesRowsArgs,
  AssetSeriesStatisticsArgs,
} from '../../generated/schema.ts';
import {
  type Aggregate,
  addSeries,
  type BoundField,
  ByDate,
  decodedBatches,
  type EntryRows,
  inOneBatch,
  joinRows,
  latestRows,
  metricNames,
  Periods,
  Reducer,
  type RowsStep,
  runNow,
  type SeriesOrigin,
  Statistics,
  toColumns,
  UNITS_PER_AGGREGATED_METRIC,
  UNITS_PER_DECODED_VALUE,
} from '../../results/results.ts';
import type { OperationContext } from '../context.ts';
import { checkCount, distinctNames, tooManyMetrics, tooManyPeriods, tooManyValues } from '../input.ts';
import type { OperationBudget } from '../limits.ts';
import type { AssetSeriesModel } from '../models.ts';

type Rows = Exclude<AssetSeriesModel['rows']['results'], Error | null | undefined>;

/** A value made from the rows. Null or an error if the rows are. */
function fromRows<T>({ rows: { results } }: AssetSeriesModel, make: (rows: Rows) => T): T | Error | null {
  if (results === null || results === undefined) return null;
  return results instanceof Error ? results : make(results);
}

type RowsResolver<Args, Value = unknown> = (
  series: AssetSeriesModel,
  args: Args,
  context: OperationContext,
  info: GraphQLResolveInfo,
) => Value;

/** Charges rows that GraphQL execution decodes, all at once. They are decoded already if the fast path is off. */
export function spendDecoding({ slice }: EntryRows, budget: OperationBudget): void {
  if (slice) budget.spendText(slice.end - slice.start, 1);
}

/** A field that needs the rows: adds a placeholder, or takes the generic path if the fast path is off or a condition is invalid. */
function rowsField<Args = object>(generic: RowsResolver<Args>): RowsResolver<Args, never> {
  const resolve: RowsResolver<Args> = (series, args, context, info) => {
    const { raw, plan, budget } = context;
    if (raw === undefined || plan.hasInvalidCondition(info)) {
      spendDecoding(series.rows, budget);
      return generic(series, args, context, info);
    }
    const bound = plan.rows(info);
    if (bound.step.kind === 'invalidArguments') return bound.step.error;
    return raw.addPlaceholder(info, series.writeRows(bound as BoundField<RowsStep>));
  };
  // A placeholder fits every type of field.
  return resolve as never;
}

/** The names of the metrics of a series. */
export const metricNamesOf = rowsField((series) => fromRows(series, metricNames));

export const AssetSeries: AssetSeriesResolvers = {
  asset: ({ dataset, latest }) => ({
    datasetId: dataset.id,
    assetId: latest.assetId,
    entry: latest,
    isSeriesCounted: false,
  }),
  version: ({ entry }) => entry.version,
  rowCount: rowsField((series) => fromRows(series, (rows) => rows.length)),
  metricNames: metricNamesOf,
  rows: rowsField<AssetSeriesRowsArgs>((series, { first, offset = 0 }, { budget }) => {
    checkCount('first', first);
    checkCount('offset', offset);
    const end = first === null || first === undefined ? undefined : offset + first;
    return fromRows(series, (all) => {
      const page = all.slice(offset, end);
      budget.spendRows(series.rows, page.length);
      return page;
    });
  }),
  columns: rowsField<AssetSeriesColumnsArgs>((series, { metrics, points }, { budget }) => {
    const chosen = distinctNames(metrics);
    checkCount('points', points);
    return fromRows(series, (rows) => {
      budget.spendRows(series.rows, rows.length);
      const names = chosen ?? metricNames(rows);
      budget.spendWork(names.length * rows.length * UNITS_PER_DECODED_VALUE);
      return toColumns(points === null || points === undefined ? rows : reduced(rows, names, points), names);
    });
  }),
  latest: rowsField((series, _args, { budget }) =>
    fromRows(series, (rows) => {
      budget.spendRows(series.rows, rows.length);
      return latestOf(rows);
    }),
  ),
  statistics: rowsField<AssetSeriesStatisticsArgs>((series, { metrics }, { budget }) =>
    computed(series, distinctNames(metrics), budget, new Statistics(tooManyMetrics, tooManyValues)),
  ),
  periods: rowsField<AssetSeriesPeriodsArgs>((series, { every, metrics }, { budget }) =>
    computed(series, distinctNames(metrics), budget, new ByDate(new Periods(every), tooManyPeriods, tooManyValues)),
  ),
};

/** The rows with the latest date, joined. */
function latestOf(rows: Rows): Rows[number] | Error | null {
  const latest = runNow(latestRows(batchesOf(rows, [], 'ends')));
  if (latest instanceof Error) return latest;
  const found = Array.from({ length: latest.length }, (_, index) => rows[latest.get(index)] as Rows[number]);
  return (found.length > 1 ? runNow(joinRows(found.map(inOneBatch), () => true)) : found[0]) ?? null;
}

/** Something that is computed from the rows. */
function computed<Value>(
  series: AssetSeriesModel,
  metrics: readonly string[] | undefined,
  budget: OperationBudget,
  into: Aggregate<Value>,
): Value | Error | null {
  const { assetId } = series.entry;
  return fromRows(
    series,
    (rows) => addRows(series.rows, rows, metrics, budget, into, { assetId }) ?? finished(into, budget),
  );
}

/** The value of something that is computed. Charges it. */
export function finished<Value>(into: Aggregate<Value>, budget: OperationBudget): Value | Error {
  budget.spendWork(into.finishCosts().units);
  return runNow(into.finish());
}

/** Adds the rows of an entry to what is computed, and charges them. Returns an error if there is no value. */
export function addRows(
  entry: EntryRows,
  rows: Rows,
  metrics: readonly string[] | undefined,
  budget: OperationBudget,
  into: Aggregate<unknown>,
  series: SeriesOrigin,
): Error | undefined {
  budget.spendRows(entry, rows.length);
  const names = metrics ?? metricNames(rows);
  budget.spendWork(names.length * (UNITS_PER_AGGREGATED_METRIC + rows.length * UNITS_PER_DECODED_VALUE));
  return runNow(addSeries(batchesOf(rows, names, 'ends'), names, into, series));
}

/** The rows in the order of their dates, at most so many. */
function reduced(rows: Rows, names: readonly string[], points: number): Rows {
  const read = (some: readonly string[]) => batchesOf(rows, some, 'is skipped');
  const chosen = runNow(new Reducer().reduce(read, names, rows.length, points));
  if (chosen === undefined) return rows;
  const ordered = new Array<Rows[number]>(chosen.rows.length);
  for (const [at, row] of chosen.rows.entries()) ordered[chosen.places?.[at] ?? at] = rows[row] as Rows[number];
  return ordered;
}

/** Rows of the generic path, column by column. */
function batchesOf(rows: Rows, names: readonly string[], invalid: 'ends' | 'is skipped') {
  return decodedBatches([rows.map(inOneBatch)], names, invalid);
}
