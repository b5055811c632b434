/** Loads datasets and assets. All calls that a selection needs start together. */

import type { GraphQLResolveInfo } from 'graphql';
import { scheduleTurn } from '../core/turn-scheduler.ts';
import type { OperationContext } from './context.ts';
import { isNotFoundOrUnauthenticated } from './errors/errors.ts';
import { checkAssetId, checkDatasetId, isAssetId } from './input.ts';
import type { AssetModel, DatasetModel } from './models.ts';
import type { AssetRequirements, DatasetRequirements } from './selections/look-ahead.ts';

/**
 * Loads a dataset. Starts every call that the selection needs, and waits only for the metadata.
 *
 * @throws if the metadata call ends with 404, or without valid credentials; the other calls for this dataset are then
 *   cancelled
 */
export async function loadDataset(
  id: string,
  requirements: DatasetRequirements,
  context: OperationContext,
): Promise<DatasetModel> {
  checkDatasetId(id);
  context.budget.spendText(id.length, requirements.copies);
  const needsResults = requirements.rows.length + requirements.assets.length > 0;
  const loading = requirements.metadata ? context.loaders.metadata(id) : null;
  if (requirements.assetMetadata) startMetadata(id, context);
  const early = needsResults ? startResults(id, requirements, context) : undefined;
  try {
    const metadata = await loading;
    const turn = scheduleTurn(context, requirements.fields);
    if (turn !== undefined) await turn;
    if (metadata !== null) context.budget.spendMetadata(metadata, requirements.copies);
    return { id, metadata };
  } catch (error) {
    if (!isNotFoundOrUnauthenticated(error)) return { id, metadata: error as Error };
    early?.abort();
    throw error;
  }
}

/** Starts the metadata call of a dataset for its assets. */
function startMetadata(id: string, { loaders }: OperationContext): void {
  loaders.metadata(id).catch(ignoreEarlyError);
}

/** Starts the results calls of a dataset. They can be cancelled. */
function startResults(id: string, requirements: DatasetRequirements, context: OperationContext): AbortController {
  const controller = new AbortController();
  const { results } = context.loaders;
  for (const { needs, ...filter } of requirements.rows)
    results.plannedRows(id, filter, needs, controller.signal).catch(ignoreEarlyError);
  for (const asset of requirements.assets)
    startAsset(id, asset.assetId, asset.requirements, context, controller.signal);
  return controller;
}

/** Starts the calls for an asset. */
function startAsset(
  datasetId: string,
  assetId: string,
  requirements: AssetRequirements,
  { loaders: { results } }: OperationContext,
  signal: AbortSignal,
): void {
  if (!isAssetId(assetId)) return;
  const loading: Promise<unknown>[] = requirements.timeRanges.map((timeRange) =>
    results.rows(datasetId, { assetIds: [assetId], timeRange }, signal),
  );
  if (requirements.attributes) loading.push(results.asset(datasetId, assetId, signal));
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
  requirements: AssetRequirements,
  context: OperationContext,
  info: GraphQLResolveInfo,
): Promise<AssetModel | null> {
  checkAssetId(assetId);
  context.budget.spendText(datasetId.length + assetId.length, requirements.copies);
  if (requirements.metadata) startMetadata(datasetId, context);
  const { partialErrors } = context;
  const { results } = context.loaders;
  const [attributes, ...series] = await Promise.allSettled([
    requirements.attributes ? results.asset(datasetId, assetId) : undefined,
    ...requirements.timeRanges.map((timeRange) => results.rows(datasetId, { assetIds: [assetId], timeRange })),
  ]);
  await scheduleTurn(context, requirements.fields);
  for (const load of [attributes, ...series]) {
    if (load.status === 'rejected' && isNotFoundOrUnauthenticated(load.reason)) throw load.reason;
  }
  const asset = { datasetId, assetId, isSeriesCounted: true };
  if (attributes.status === 'rejected') return { ...asset, entry: attributes.reason };
  if (attributes.value !== undefined) {
    partialErrors.reportIncomplete(attributes.value.incomplete, info);
    const { entry } = attributes.value;
    if (entry !== undefined) context.budget.spendAttributes(datasetId, entry, requirements.copies);
    return entry === undefined ? null : { ...asset, entry };
  }
  // Without attributes, the series of all time shows whether the asset exists.
  const allTime = series[requirements.timeRanges.indexOf(undefined)];
  if (allTime?.status === 'fulfilled' && !(allTime.value.assets instanceof Error)) {
    partialErrors.reportIncomplete(allTime.value.incomplete, info);
    if (!allTime.value.latest.has(assetId)) return null;
  }
  return { ...asset, entry: null };
}
