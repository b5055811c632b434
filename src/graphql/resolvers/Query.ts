import type { QueryResolvers } from '../../generated/resolvers.ts';
import { datasetNeeds } from '../look-ahead.ts';
import { loadDataset } from './Dataset.ts';

export const Query: QueryResolvers = {
  dataset: (_root, { id }, context, info) => {
    context.budget.spendDatasets(1);
    return loadDataset(id, datasetNeeds(info), context);
  },
  datasets: (_root, { ids }, context, info) => {
    context.budget.spendDatasets(ids.length);
    const needs = datasetNeeds(info);
    return ids.map((id) => loadDataset(id, needs, context));
  },
};
