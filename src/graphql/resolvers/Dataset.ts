import { turnFor } from '../../core/turn-scheduler.ts';
import type { DatasetResolvers, DatasetSharing, EpochUnit } from '../../generated/resolvers.ts';
import type { OperationContext } from '../context.ts';
import { badUserInput, invalidMetadata, isNotFoundOrUnauthenticated } from '../errors.ts';
import { checkDatasetId, toRowsFilter } from '../input.ts';
import { assetRequirements, type DatasetRequirements, datasetRequirements, needsResults } from '../look-ahead.ts';
import type { DatasetModel, NamedModel } from '../models.ts';
import { loadAsset, startAsset } from './Asset.ts';

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
  const loading = requirements.metadata ? context.loaders.metadata.load(id) : null;
  const early =
    requirements.rows.length + requirements.assets.length > 0 ? startResults(id, requirements, context) : undefined;
  try {
    const metadata = await loading;
    const turn = turnFor(context, requirements.fields);
    if (turn !== undefined) await turn;
    if (metadata !== null) context.budget.spendMetadata(metadata, requirements.copies);
    return { id, metadata };
  } catch (error) {
    if (!isNotFoundOrUnauthenticated(error)) return { id, metadata: error as Error };
    early?.abort();
    throw error;
  }
}

/** Starts the results calls of a dataset. They can be cancelled. */
function startResults(id: string, requirements: DatasetRequirements, context: OperationContext): AbortController {
  const controller = new AbortController();
  for (const filter of requirements.rows)
    context.loaders.results.rows(id, filter, controller.signal).catch(ignoreEarlyError);
  for (const asset of requirements.assets)
    startAsset(id, asset.assetId, asset.requirements, context, controller.signal);
  return controller;
}

/** The field that needs an early call reports its error. */
function ignoreEarlyError(): void {}

type Metadata = Exclude<DatasetModel['metadata'], Error | null>;

/** Resolves a value of the metadata, or the error of its call. */
function fromMetadata<T>(read: (metadata: Metadata) => T): (dataset: DatasetModel) => T | Error {
  return ({ metadata }) => {
    if (metadata instanceof Error) return metadata;
    if (metadata === null) throw new Error('The look-ahead missed a field that needs the metadata.');
    return read(metadata);
  };
}

/** An object of an id and a name. Null if both are. */
function named(id: NamedModel['id'], name: NamedModel['name']): NamedModel | null {
  return (id ?? name ?? null) === null ? null : { id, name };
}

const sharings: ReadonlySet<string> = new Set<DatasetSharing>(['OWNED', 'SHARED', 'NON_SHARED']);

const earliest = Date.parse('0000-01-01T00:00:00.000Z');
const latest = Date.parse('9999-12-31T23:59:59.999Z');

/** A date of the metadata as an RFC 3339 date-time, whose year has four digits. */
function toDateTime(date: Metadata['startDate'], unit: EpochUnit): string | Error | null {
  if (date === null || date === undefined) return null;
  if (date instanceof Error) return date;
  // A number that is not exact is far outside the range.
  const milliseconds = unit === 'SECONDS' ? Number(date) * 1000 : Number(date);
  if (milliseconds < earliest || milliseconds > latest) return invalidMetadata();
  return new Date(milliseconds).toISOString();
}

export const Dataset: DatasetResolvers = {
  __resolveReference: async (reference, context, info) => {
    const { id } = reference as { id?: unknown };
    if (typeof id !== 'string') throw badUserInput('A Dataset reference needs "id" as a string.');
    return loadDataset(id, datasetRequirements(info, context), context);
  },
  name: fromMetadata(({ name }) => name),
  description: fromMetadata(({ description }) => description),
  assetCount: fromMetadata(({ assetCount }) => assetCount),
  attributionText: fromMetadata(({ attributionText }) => attributionText),
  attributionFile: fromMetadata(({ attributionFile }) => attributionFile),
  sharing: (dataset) => {
    const option = fromMetadata(({ sharedOption }) => sharedOption)(dataset);
    if (option === null || option === undefined || option instanceof Error) return option;
    return sharings.has(option) ? (option as DatasetSharing) : 'UNRECOGNIZED';
  },
  processing: fromMetadata(({ processingId, processingName }) => named(processingId, processingName)),
  source: fromMetadata(({ sourceId, sourceName }) => named(sourceId, sourceName)),
  startDate: fromMetadata(({ startDate }) => startDate),
  stopDate: fromMetadata(({ stopDate }) => stopDate),
  startDateTime: (dataset, { unit }) => fromMetadata(({ startDate }) => toDateTime(startDate, unit))(dataset),
  stopDateTime: (dataset, { unit }) => fromMetadata(({ stopDate }) => toDateTime(stopDate, unit))(dataset),
  results: async ({ id }, { filter: input }, { loaders, partialErrors, selections }, info) => {
    const filter = toRowsFilter(input);
    const isNeeded = selections.get('DatasetResults', info, (source) => needsResults(source.fieldNodes, source));
    if (!isNeeded) return { datasetId: id, filter, results: null };
    const results = await loaders.results.rows(id, filter);
    partialErrors.reportIncomplete(results.incomplete, info);
    return { datasetId: id, filter, results };
  },
  asset: ({ id }, { assetId }, context, info) =>
    loadAsset(id, assetId, assetRequirements(info, context), context, info),
  download: ({ id }) => ({ datasetId: id }),
};
