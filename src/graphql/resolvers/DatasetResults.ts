import type { DatasetResultsResolvers } from '../../generated/resolvers.ts';
import { checkCount } from '../input.ts';
import { positionAfter } from './AssetSeriesConnection.ts';

export const DatasetResults: DatasetResultsResolvers = {
  processingId: ({ results }) => results.processingId,
  sourceId: ({ results }) => results.sourceId,
  series: ({ datasetId, results }, { first, after }) => {
    checkCount('first', first);
    const { assets, latest } = results;
    if (assets === null || assets === undefined || assets instanceof Error) return assets;
    const start = positionAfter(after, assets);
    const end = Math.min(assets.length, start + (first ?? assets.length));
    return { datasetId, entries: assets, latest, start, end };
  },
};
