import type { AssetResolvers } from '../../generated/resolvers.ts';
import { badUserInput } from '../errors/errors.ts';
import { checkDatasetId, toTimeRange } from '../input.ts';
import { UNITS_PER_ASSET } from '../limits.ts';
import { loadAsset, loadDataset } from '../load.ts';
import { loadedAttributes } from '../plan/loaded-fields.ts';

export const Asset: AssetResolvers = {
  ...loadedAttributes,
  __resolveReference: async (reference, context, info) => {
    const { datasetId, assetId } = reference as { datasetId?: unknown; assetId?: unknown };
    if (typeof datasetId !== 'string' || typeof assetId !== 'string') {
      throw badUserInput('A reference to an asset needs "datasetId" and "assetId" as strings.');
    }
    checkDatasetId(datasetId);
    const asset = context.plan.asset(info);
    context.budget.spendSeries(asset.timeRanges.length, asset.timeRanges);
    context.budget.spendWork(UNITS_PER_ASSET);
    return loadAsset(datasetId, assetId, asset, context, info);
  },
  dataset: ({ datasetId }, _args, context, info) => {
    context.budget.spendFields(1, info);
    const dataset = context.plan.dataset(info);
    context.budget.spendCalls(dataset, 1);
    return loadDataset(datasetId, dataset, context);
  },
  series: async ({ datasetId, assetId, isSeriesCounted }, { timeRange }, context, info) => {
    const { loaders, partialErrors, budget, plan, raw } = context;
    plan.checkConditions(info);
    const filter = { assetIds: [assetId], timeRange: toTimeRange(timeRange) };
    if (!isSeriesCounted) budget.spendSeries(1, [filter.timeRange]);
    const results = await loaders.results.rows(datasetId, filter);
    partialErrors.reportIncomplete(results.incomplete, info);
    if (results.assets instanceof Error) return results.assets;
    const series = results.series({ id: datasetId }, assetId);
    if (series === undefined) return null;
    if (raw === undefined) return series;
    const { compiled, bound } = plan.series(info);
    if (bound === undefined) {
      results.bailOut();
      budget.spendExecutedEntries(compiled.copies, [series.entry], 0, 1);
      return series;
    }
    budget.spendEntries(compiled, datasetId, [series.entry], 0, 1);
    return raw.addPlaceholder(info, series.write(bound));
  },
};
