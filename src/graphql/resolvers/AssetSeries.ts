import type { GraphQLResolveInfo } from 'graphql';
import type { AssetSeriesResolvers } from '../../generated/resolvers.ts';
import type { BoundField, RowsStep } from '../../results/results.ts';
import type { OperationContext } from '../context.ts';
import type { AssetSeriesModel } from '../models.ts';

/** A field that needs the rows: they are written in place of its placeholder. */
export function rowsField(
  series: AssetSeriesModel,
  _args: object,
  { raw, plan }: OperationContext,
  info: GraphQLResolveInfo,
): Error {
  const bound = plan.rows(info);
  if (bound.step.kind === 'invalidArguments') return bound.step.error;
  return raw.addPlaceholder(info, series.writeRows(bound as BoundField<RowsStep>));
}

/** The results of one asset. */
export const AssetSeries: AssetSeriesResolvers = {
  asset: ({ dataset, latest }) => ({
    datasetId: dataset.id,
    assetId: latest.assetId,
    entry: latest,
    isSeriesCounted: false,
  }),
  version: ({ entry }) => entry.version,
  rowCount: rowsField,
  metricNames: rowsField,
  rows: rowsField,
  columns: rowsField,
  latest: rowsField,
  statistics: rowsField,
  periods: rowsField,
};
