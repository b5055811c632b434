import type { GraphQLResolveInfo } from 'graphql';
import { turnFor } from '../../core/turn-scheduler.ts';
import type { AssetResolvers } from '../../generated/resolvers.ts';
import type { OperationContext } from '../context.ts';
import { badUserInput, isNotFoundOrUnauthenticated } from '../errors.ts';
import { checkAssetId, checkDatasetId, isAssetId, toTimeRange } from '../input.ts';
import { UNITS_PER_ASSET } from '../limits.ts';
import { type AssetRequirements, assetRequirements } from '../look-ahead.ts';
import type { AssetModel } from '../models.ts';
import { ResultsSelection } from '../results-selection.ts';

/** Starts the calls for an asset early. The field that returns the asset reports their errors. */
export function startAsset(
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
  for (const promise of loading) promise.catch(() => {});
}

/**
 * Loads an asset, or null if the service reports no such asset. If only the key is selected, there is no call and no check.
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
  const { partialErrors } = context;
  const { results } = context.loaders;
  const [attributes, ...series] = await Promise.allSettled([
    requirements.attributes ? results.asset(datasetId, assetId) : undefined,
    ...requirements.timeRanges.map((timeRange) => results.rows(datasetId, { assetIds: [assetId], timeRange })),
  ]);
  await turnFor(context, requirements.fields);
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

type Entry = Exclude<AssetModel['entry'], Error | null>;

/** Resolves an attribute, or the error of its call. */
function fromEntry<T>(read: (entry: Entry) => T): (asset: AssetModel) => T | Error {
  return ({ entry }) => {
    if (entry instanceof Error) return entry;
    if (entry === null) throw new Error('The look-ahead missed a field that needs the attributes.');
    return read(entry);
  };
}

function isPresent<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}

/** The resolvers of the attributes, which do not need the rows. */
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

/** Reads an attribute, for the fast path. */
export function readAsset(asset: object, field: string): unknown {
  return attributes[field as keyof typeof attributes](asset as AssetModel);
}

export const Asset: AssetResolvers = {
  ...attributes,
  __resolveReference: async (reference, context, info) => {
    const { datasetId, assetId } = reference as { datasetId?: unknown; assetId?: unknown };
    if (typeof datasetId !== 'string' || typeof assetId !== 'string') {
      throw badUserInput('An Asset reference needs "datasetId" and "assetId" as strings.');
    }
    checkDatasetId(datasetId);
    const requirements = assetRequirements(info, context);
    context.budget.spendSeries(requirements.timeRanges.length, requirements.timeRanges);
    context.budget.spendWork(UNITS_PER_ASSET);
    return loadAsset(datasetId, assetId, requirements, context, info);
  },
  series: async ({ datasetId, assetId, isSeriesCounted }, { timeRange }, context, info) => {
    const { loaders, partialErrors, budget, selections, raw } = context;
    const filter = { assetIds: [assetId], timeRange: toTimeRange(timeRange) };
    if (!isSeriesCounted) budget.spendSeries(1, [filter.timeRange]);
    const results = await loaders.results.rows(datasetId, filter);
    partialErrors.reportIncomplete(results.incomplete, info);
    if (results.assets instanceof Error) return results.assets;
    const series = results.series(datasetId, assetId);
    if (series === undefined) return null;
    if (raw === undefined) return series;
    const compiled = selections.get('AssetSeries', info, (source) => new ResultsSelection(source, readAsset).series());
    const { bind, copies, bytesPerEntry } = compiled;
    const { attributeBytes = 0 } = series.entry;
    if (bind === undefined) {
      results.bailOut();
      budget.spendText(attributeBytes, copies);
      return series;
    }
    budget.spendWork(bytesPerEntry + (copies - 1) * attributeBytes);
    const bound = selections.bind(compiled, () => bind(info.variableValues));
    return raw.addPlaceholder(info, series.write(bound));
  },
};
