import type { AssetResolvers } from '../../generated/resolvers.ts';
import { badUserInput } from '../errors/errors.ts';
import { checkDatasetId, toTimeRange } from '../input.ts';
import { UNITS_PER_ASSET } from '../limits.ts';
import { loadAsset, loadDataset } from '../load.ts';
import { loadedAttributes, loadedFields } from '../selections/loaded-fields.ts';
import { assetRequirements, datasetRequirements } from '../selections/look-ahead.ts';
import { ResultsSelection } from '../selections/results-selection.ts';

export const Asset: AssetResolvers = {
  ...loadedAttributes,
  __resolveReference: async (reference, context, info) => {
    const { datasetId, assetId } = reference as { datasetId?: unknown; assetId?: unknown };
    if (typeof datasetId !== 'string' || typeof assetId !== 'string') {
      throw badUserInput('A reference to an asset needs "datasetId" and "assetId" as strings.');
    }
    checkDatasetId(datasetId);
    const requirements = assetRequirements(info, context);
    context.budget.spendSeries(requirements.timeRanges.length, requirements.timeRanges);
    context.budget.spendWork(UNITS_PER_ASSET);
    return loadAsset(datasetId, assetId, requirements, context, info);
  },
  dataset: ({ datasetId }, _args, context, info) => {
    context.budget.spendFields(1, info);
    return loadDataset(datasetId, datasetRequirements(info, context), context);
  },
  series: async ({ datasetId, assetId, isSeriesCounted }, { timeRange }, context, info) => {
    const { loaders, partialErrors, budget, selections, raw } = context;
    selections.checkConditions(info);
    const filter = { assetIds: [assetId], timeRange: toTimeRange(timeRange) };
    if (!isSeriesCounted) budget.spendSeries(1, [filter.timeRange]);
    const results = await loaders.results.rows(datasetId, filter);
    partialErrors.reportIncomplete(results.incomplete, info);
    if (results.assets instanceof Error) return results.assets;
    const series = results.series({ id: datasetId }, assetId);
    if (series === undefined) return null;
    if (raw === undefined) return series;
    const compiled = selections.get('AssetSeries', info, (source) =>
      new ResultsSelection(source, loadedFields).series(),
    );
    const { bind } = compiled;
    if (bind === undefined) {
      results.bailOut();
      budget.spendExecutedEntries(compiled.copies, [series.entry], 0, 1);
      return series;
    }
    budget.spendEntries(compiled, datasetId, [series.entry], 0, 1);
    const bound = selections.bind(compiled, () => bind(info.variableValues));
    return raw.addPlaceholder(info, series.write(bound));
  },
};
