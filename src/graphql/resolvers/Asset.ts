import type { GraphQLResolveInfo } from 'graphql';
import type { AssetResolvers } from '../../generated/resolvers.ts';
import { writeSeries } from '../../results/fast-way.ts';
import type { ObjectPlan, SeriesStep } from '../../results/plan.ts';
import type { OperationContext } from '../context.ts';
import { badUserInput, meansAbsent } from '../errors.ts';
import { checkAssetId, checkDatasetId, isAssetId, toTimeRange } from '../input.ts';
import { type AssetNeeds, assetNeeds } from '../look-ahead.ts';
import type { AssetModel } from '../models.ts';
import { PlanCache } from '../plan-cache.ts';
import { ResultsSelection } from '../results-selection.ts';

/** Asks early for what the selection on an asset needs; failures are reported by the field that returns the asset. */
export function startAsset(
  datasetId: string,
  assetId: string,
  needs: AssetNeeds,
  { loaders: { results } }: OperationContext,
  signal: AbortSignal,
): void {
  if (!isAssetId(assetId)) return;
  const loading: Promise<unknown>[] = needs.timeRanges.map((timeRange) =>
    results.rows(datasetId, { assetIds: [assetId], timeRange }, signal),
  );
  if (needs.attributes) loading.push(results.asset(datasetId, assetId, signal));
  for (const promise of loading) promise.catch(() => {});
}

/**
 * An asset with what is selected of it, or null where the service reports no such asset. Only the key selected: no
 * call, and no check.
 *
 * @throws when the service says of any call made for it that there is nothing for this caller
 */
export async function loadAsset(
  datasetId: string,
  assetId: string,
  needs: AssetNeeds,
  { loaders: { results }, outcome }: OperationContext,
  info: GraphQLResolveInfo,
): Promise<AssetModel | null> {
  checkAssetId(assetId);
  const [attributes, ...series] = await Promise.allSettled([
    needs.attributes ? results.asset(datasetId, assetId) : undefined,
    ...needs.timeRanges.map((timeRange) => results.rows(datasetId, { assetIds: [assetId], timeRange })),
  ]);
  for (const outcome of [attributes, ...series]) {
    if (outcome.status === 'rejected' && meansAbsent(outcome.reason)) throw outcome.reason;
  }
  if (attributes.status === 'rejected') return { datasetId, assetId, entry: attributes.reason };
  if (attributes.value !== undefined) {
    outcome.reportIncomplete(attributes.value.incomplete, info);
    const { entry } = attributes.value;
    return entry === undefined ? null : { datasetId, assetId, entry };
  }
  // Without attributes, the series of all time tells whether there is such an asset.
  const allTime = series[needs.timeRanges.indexOf(undefined)];
  if (allTime?.status === 'fulfilled' && !(allTime.value.assets instanceof Error)) {
    outcome.reportIncomplete(allTime.value.incomplete, info);
    if (!allTime.value.latest.has(assetId)) return null;
  }
  return { datasetId, assetId, entry: null };
}

type Entry = Exclude<AssetModel['entry'], Error | null>;

/** An attribute; an error where there is none. */
function fromEntry<T>(read: (entry: Entry) => T): (asset: AssetModel) => T | Error {
  return ({ entry }) => {
    if (entry instanceof Error) return entry;
    if (entry === null) throw new Error('The look-ahead has missed a field that needs the attributes.');
    return read(entry);
  };
}

function isPresent<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}

/** The attributes, which are known without any rows. */
const attributes = {
  datasetId: ({ datasetId }: AssetModel) => datasetId,
  assetId: ({ assetId }: AssetModel) => assetId,
  name: fromEntry(({ name }) => name),
  version: fromEntry(({ version }) => version),
  categories: fromEntry(({ categories }) => categories),
  centroid: fromEntry(({ latitude, longitude }) =>
    isPresent(latitude) && isPresent(longitude) ? { latitude, longitude } : null,
  ),
  surfaceAreaM2: fromEntry(({ surfaceAreaM2 }) => surfaceAreaM2),
  parent: fromEntry(({ parentId, parentName, parentVersion }) =>
    isPresent(parentId ?? parentName ?? parentVersion)
      ? { assetId: parentId, name: parentName, version: parentVersion }
      : null,
  ),
};

/** Reads an attribute, for the fast way. */
export function readAsset(asset: object, field: string): unknown {
  return attributes[field as keyof typeof attributes](asset as AssetModel);
}

const plans = new PlanCache<ObjectPlan<SeriesStep>>('variables');

export const Asset: AssetResolvers = {
  ...attributes,
  __resolveReference: async (reference, context, info) => {
    const { datasetId, assetId } = reference as { datasetId?: unknown; assetId?: unknown };
    if (typeof datasetId !== 'string' || typeof assetId !== 'string') {
      throw badUserInput('An Asset reference needs its "datasetId" and its "assetId" as strings.');
    }
    checkDatasetId(datasetId);
    const needs = assetNeeds(info);
    context.budget.spendSeries(needs.timeRanges.length, needs.timeRanges);
    return loadAsset(datasetId, assetId, needs, context, info);
  },
  series: async ({ datasetId, assetId }, { timeRange }, { loaders, outcome, splices }, info) => {
    const filter = { assetIds: [assetId], timeRange: toTimeRange(timeRange) };
    const { assets, latest, incomplete } = await loaders.results.rows(datasetId, filter);
    outcome.reportIncomplete(incomplete, info);
    if (assets instanceof Error) return assets;
    const entry = latest.get(assetId);
    if (entry === undefined) return null;
    const series = { datasetId, entry, latest: entry };
    const spliced = splices.attempt(info, () =>
      writeSeries(
        series,
        plans.get(info, () => new ResultsSelection(info, readAsset).series(info.fieldNodes)),
      ),
    );
    return spliced ? null : series;
  },
};
