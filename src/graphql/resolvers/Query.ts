import type { QueryResolvers } from '../../generated/resolvers.ts';
import { UNITS_PER_ASSET } from '../limits.ts';
import { loadDataset } from '../load.ts';
import { datasetRequirements } from '../selections/look-ahead.ts';

export const Query: QueryResolvers = {
  dataset: (_root, { id }, context, info) => {
    const requirements = datasetRequirements(info, context);
    context.budget.spendDatasets(1, requirements.fields);
    return loadDataset(id, requirements, context);
  },
  datasets: (_root, { ids }, context, info) => {
    context.budget.spendDatasets(ids.length, context.budget.fieldsOn(info));
    if (ids.length === 0) return [];
    const requirements = datasetRequirements(info, context);
    context.budget.spendAssetIds((ids.length - 1) * requirements.assetIds);
    context.budget.spendSeries((ids.length - 1) * requirements.series, []);
    context.budget.spendWork((ids.length - 1) * requirements.assets.length * UNITS_PER_ASSET);
    return ids.map((id) => loadDataset(id, requirements, context));
  },
};
