import type { GraphQLResolveInfo } from 'graphql';
import type { AssetResolvers } from '../../generated/resolvers.ts';
import type { RowsFilter } from '../../loaders/loaders.ts';
import type { Series } from '../../results/results.ts';
import type { OperationContext } from '../context.ts';
import { badUserInput } from '../errors/errors.ts';
import { checkDatasetId, toTimeRange } from '../input.ts';
import { loadAsset, loadDataset } from '../load.ts';
import type { AssetModel } from '../models.ts';
import { loadedAttributes } from '../plan/loaded-fields.ts';
import { rowsField } from './AssetSeries.ts';

/** The series of an asset in a time range, or in all time. Null if the service reports none. */
async function loadSeries(
  { datasetId, assetId, isSeriesCounted }: AssetModel,
  timeRange: RowsFilter['timeRange'],
  { loaders, partialErrors, budget }: OperationContext,
  info: GraphQLResolveInfo,
): Promise<Series | Error | null> {
  if (!isSeriesCounted) budget.spendSeries(1, [timeRange]);
  const results = await loaders.rows(datasetId, { assetIds: [assetId], timeRange });
  partialErrors.noteResponses(results.responses, info);
  if (results.assets instanceof Error) return results.assets;
  return results.series(datasetId, assetId) ?? null;
}

/** The fields of an asset, and how an entity reference to one is resolved. */
export const Asset: AssetResolvers = {
  ...loadedAttributes,
  __resolveReference: async (reference, context, info) => {
    const { datasetId, assetId } = reference as { datasetId?: unknown; assetId?: unknown };
    if (typeof datasetId !== 'string' || typeof assetId !== 'string') {
      throw badUserInput('A reference to an asset needs "datasetId" and "assetId" as strings or integers.');
    }
    checkDatasetId(datasetId);
    const asset = context.plan.asset(info);
    context.budget.spendSeries(asset.timeRanges.length, asset.timeRanges);
    context.budget.spendAsset(asset);
    return loadAsset(datasetId, assetId, asset, context, info);
  },
  dataset: ({ datasetId }, _args, context, info) => {
    context.budget.spendFields(1, info);
    const dataset = context.plan.dataset(info);
    context.budget.spendCalls(dataset, 1);
    return loadDataset(datasetId, dataset, context, 'asset');
  },
  metricNames: async (asset, _args, context, info) => {
    const series = await loadSeries(asset, undefined, context, info);
    if (series === null || series instanceof Error) return series;
    return rowsField(series, {}, context, info);
  },
  series: async (asset, { filter }, context, info) => {
    const { budget, plan, response } = context;
    const { datasetId } = asset;
    const series = await loadSeries(asset, toTimeRange(filter?.timeRange), context, info);
    if (series === null || series instanceof Error) return series;
    const { bound } = plan.series(info);
    if (bound === undefined) {
      budget.spendText(series.attributes.bytes, 1);
      return series;
    }
    return response.addPlaceholder(info, series.write(bound, { dataset: { id: datasetId, metadata: null }, start: 0 }));
  },
};
