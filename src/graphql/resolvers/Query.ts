import type { QueryResolvers } from '../../generated/resolvers.ts';
import { datasetNeeds } from '../look-ahead.ts';
import { loadDataset } from './Dataset.ts';

export const Query: QueryResolvers = {
  dataset: (_root, { id }, context, info) => loadDataset(id, datasetNeeds(info), context),
  datasets: (_root, { ids }, context, info) => {
    const needs = datasetNeeds(info);
    return ids.map((id) => loadDataset(id, needs, context));
  },
};
