import type { AssetParentResolvers } from '../../generated/resolvers.ts';
import { isAssetId } from '../input.ts';
import { loadAsset } from '../load.ts';
import { needsCalls } from '../plan/dataset-plan.ts';

/** The parent of an asset: `asset` looks it up in the same dataset. */
export const AssetParent: AssetParentResolvers = {
  asset: ({ datasetId, assetId }, _args, context, info) => {
    if (assetId === null || assetId === undefined || assetId instanceof Error) return assetId;
    const asset = context.plan.asset(info);
    if (!needsCalls(asset)) return { datasetId, assetId, entry: null, isSeriesCounted: true };
    // The service cannot be asked for such an asset.
    if (!isAssetId(assetId)) return null;
    context.budget.spendSeries(asset.timeRanges.length, asset.timeRanges);
    context.budget.spendAsset(asset);
    return loadAsset(datasetId, assetId, asset, context, info);
  },
};
