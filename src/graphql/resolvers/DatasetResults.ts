import type { DatasetResultsResolvers } from '../../generated/resolvers.ts';
import { writeConnection } from '../../results/fast-way.ts';
import type { ConnectionStep, ObjectPlan } from '../../results/plan.ts';
import { checkCount } from '../input.ts';
import { PlanCache } from '../plan-cache.ts';
import { ResultsSelection } from '../results-selection.ts';
import { readAsset } from './Asset.ts';
import { cursorAt, positionAfter, readPage } from './AssetSeriesConnection.ts';

const plans = new PlanCache<ObjectPlan<ConnectionStep>>('variables');

export const DatasetResults: DatasetResultsResolvers = {
  processingId: ({ results }) => results.processingId,
  sourceId: ({ results }) => results.sourceId,
  series: ({ datasetId, results }, { first, after }, { splices }, info) => {
    checkCount('first', first);
    const { assets, latest } = results;
    if (assets === null || assets === undefined || assets instanceof Error) return assets;
    const start = positionAfter(after, assets);
    const end = Math.min(assets.length, start + (first ?? assets.length));
    const page = { datasetId, entries: assets, latest, start, end };
    const spliced = splices.attempt(info, () => {
      const plan = plans.get(info, () => new ResultsSelection(info, readAsset).connection(info.fieldNodes, readPage));
      return writeConnection(page, plan, (index) => cursorAt(assets, index));
    });
    return spliced ? null : page;
  },
};
