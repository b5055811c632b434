import type { QueryResolvers } from '../../generated/resolvers.ts';
import { loadDataset } from '../load.ts';

/** The root fields. Each starts all calls that its selection needs. */
export const Query: QueryResolvers = {
  dataset: (_root, { id }, context, info) => {
    const dataset = context.plan.dataset(info);
    context.budget.spendCalls(dataset, 1);
    context.budget.spendDatasets(1, dataset.plan.fields);
    return loadDataset(id, dataset, context, 'alone');
  },
  datasetsByIds: (_root, { ids }, context, info) => {
    context.budget.spendDatasets(ids.length, context.plan.fieldsOn(info));
    if (ids.length === 0) return [];
    const dataset = context.plan.dataset(info);
    context.budget.spendCalls(dataset, ids.length);
    return ids.map((id) => loadDataset(id, dataset, context, 'list'));
  },
};
