/** Loads datasets and assets. All calls that a selection needs start together. */

import type { GraphQLResolveInfo } from 'graphql';
import { scheduleTurn } from '../core/event-loop.ts';
import type { OperationContext } from './context.ts';
import { isNotFoundOrUnauthenticated } from './errors/errors.ts';
import { checkAssetId, checkDatasetId, isAskedAssetId } from './input.ts';
import type { AssetModel, DatasetModel } from './models.ts';
import type { BoundAsset, BoundDataset } from './plan/dataset-plan.ts';

/**
 * Loads a dataset. Starts every call that the selection needs, and waits only for the metadata.
 *
 * @param position where it is: alone, in a list, or of an asset, whose readers were announced
 * @throws if the metadata call ends with 404, or without valid credentials; the other calls for this dataset are then
 *   cancelled
 */
export async function loadDataset(
  id: string,
  dataset: BoundDataset,
  context: OperationContext,
  position: 'alone' | 'list' | 'asset',
): Promise<DatasetModel> {
  checkDatasetId(id);
  const { metadata: needing, assetMetadata, copies, fields } = dataset.plan;
  context.budget.spendText(id.length, copies);
  const loading = needing.length > 0 ? context.loaders.metadata(id) : null;
  if (assetMetadata) startMetadata(id, context);
  const early = startResults(id, dataset, context, position === 'asset');
  const { results, allResults } = early ?? {};
  try {
    const metadata = await loading;
    const turn = position === 'alone' ? undefined : scheduleTurn(context, fields);
    if (turn !== undefined) await turn;
    if (metadata !== null) context.budget.spendMetadata(metadata, copies);
    return { id, metadata, results, allResults };
  } catch (error) {
    if (!isNotFoundOrUnauthenticated(error)) return { id, metadata: error as Error, results, allResults };
    early?.controller.abort();
    throw error;
  }
}

/** Starts the metadata call of a dataset for its assets. */
function startMetadata(id: string, { loaders }: OperationContext): void {
  loaders.metadata(id).catch(ignoreEarlyError);
}

/** Starts the results calls of a dataset, which can be cancelled. Returns the results of each field that needs some, and all results. */
function startResults(id: string, dataset: BoundDataset, context: OperationContext, wasAnnounced: boolean) {
  const { all, bound } = dataset.plan;
  if (bound !== undefined) return undefined;
  const controller = new AbortController();
  const { signal } = controller;
  const { loaders } = context;
  const allResults =
    all.fields.length === 0
      ? undefined
      : loaders.rows(id, {}, signal, { requirements: all.requirements, wasAnnounced });
  allResults?.catch(ignoreEarlyError);
  const started = new Map(
    dataset.results.map((results) => {
      const reader = { requirements: results.requirements, wasAnnounced };
      return [results, loaders.rows(id, results.filter, signal, reader)];
    }),
  );
  for (const loading of started.values()) loading.catch(ignoreEarlyError);
  for (const { assetId, asset } of dataset.assets) startAsset(id, assetId, asset, context, signal);
  return { results: started, allResults, controller };
}

/** Starts the calls for an asset. */
function startAsset(
  datasetId: string,
  assetId: string,
  { plan, timeRanges }: BoundAsset,
  { loaders }: OperationContext,
  signal: AbortSignal,
): void {
  if (!isAskedAssetId(assetId)) return;
  const loading: Promise<unknown>[] = timeRanges.map((timeRange) =>
    loaders.rows(datasetId, { assetIds: [assetId], timeRange }, signal),
  );
  if (plan.attributes.length > 0) loading.push(loaders.attributes(datasetId, assetId, signal));
  for (const promise of loading) promise.catch(ignoreEarlyError);
}

/** The field that needs an early call reports its error. */
function ignoreEarlyError(): void {}

/**
 * Loads an asset, or null if the service reports no such asset. If only the key or the dataset is selected, there is no call
 * for the asset and no check.
 *
 * @throws if any of its calls ends with 404, or without valid credentials
 */
export async function loadAsset(
  datasetId: string,
  assetId: string,
  { plan, timeRanges }: BoundAsset,
  context: OperationContext,
  info: GraphQLResolveInfo,
): Promise<AssetModel | null> {
  checkAssetId(assetId);
  context.budget.spendText(datasetId.length + assetId.length, plan.copies);
  if (plan.metadata) startMetadata(datasetId, context);
  const { partialErrors, loaders } = context;
  const [attributes, ...series] = await Promise.allSettled([
    plan.attributes.length > 0 ? loaders.attributes(datasetId, assetId) : undefined,
    ...timeRanges.map((timeRange) => loaders.rows(datasetId, { assetIds: [assetId], timeRange })),
  ]);
  await scheduleTurn(context, plan.fields);
  for (const load of [attributes, ...series]) {
    if (load.status === 'rejected' && isNotFoundOrUnauthenticated(load.reason)) throw load.reason;
  }
  const asset = { datasetId, assetId, isSeriesCounted: true };
  if (attributes.status === 'rejected') return { ...asset, entry: attributes.reason };
  if (attributes.value !== undefined) {
    const { assets, responses } = attributes.value;
    if (assets instanceof Error) return { ...asset, entry: assets };
    partialErrors.noteResponses(responses, info);
    const entry = attributes.value.asset(assetId);
    if (entry !== undefined) context.budget.spendAttributes(datasetId, entry, plan.copies);
    return entry === undefined ? null : { ...asset, entry };
  }
  // Without attributes, the series of all time shows whether the asset exists.
  const allTime = series[timeRanges.indexOf(undefined)];
  if (allTime?.status === 'fulfilled' && !(allTime.value.assets instanceof Error)) {
    partialErrors.noteResponses(allTime.value.responses, info);
    if (!allTime.value.hasAsset(assetId)) return null;
  }
  return { ...asset, entry: null };
}
