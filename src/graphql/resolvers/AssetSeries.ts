import type { GraphQLResolveInfo } from 'graphql';
import type { AssetSeriesResolvers } from '../../generated/resolvers.ts';
import type { AssetSeriesColumnsArgs, AssetSeriesRowsArgs } from '../../generated/schema.ts';
import {
  type BoundField,
  metricNames,
  type RowsStep,
  toColumns,
  UNITS_PER_DECODED_VALUE,
} from '../../results/results.ts';
import type { OperationContext } from '../context.ts';
import { checkCount, checkMetricNames } from '../input.ts';
import type { AssetSeriesModel } from '../models.ts';

type Rows = Exclude<AssetSeriesModel['entry']['results'], Error | null | undefined>;

/** A value made from the rows. Null or an error if the rows are. */
function fromRows<T>({ entry: { results } }: AssetSeriesModel, make: (rows: Rows) => T): T | Error | null {
  if (results === null || results === undefined) return null;
  return results instanceof Error ? results : make(results);
}

type RowsResolver<Args, Value = unknown> = (
  series: AssetSeriesModel,
  args: Args,
  context: OperationContext,
  info: GraphQLResolveInfo,
) => Value;

/** A field that needs the rows: adds a placeholder, or takes the generic path if the fast path is off. */
function rowsField<Args = object>(generic: RowsResolver<Args>): RowsResolver<Args, never> {
  const resolve: RowsResolver<Args> = (series, args, context, info) => {
    const { raw, plan } = context;
    if (raw === undefined) return generic(series, args, context, info);
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
      budget.spendRows(series.entry, page.length);
      return page;
    });
  }),
  columns: rowsField<AssetSeriesColumnsArgs>((series, { metrics }, { budget }) => {
    checkMetricNames(metrics);
    return fromRows(series, (rows) => {
      budget.spendRows(series.entry, rows.length);
      const names = metrics ?? metricNames(rows);
      budget.spendWork(names.length * rows.length * UNITS_PER_DECODED_VALUE);
      return toColumns(rows, names);
    });
  }),
};
