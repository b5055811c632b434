/** The fields of datasets and assets that are read from what is loaded. They have no arguments. */

import type { DatasetSharing } from '../generated/resolvers.ts';
import { isNotFoundOrUnauthenticated } from './errors.ts';
import { plain } from './execution/plain.ts';
import type { AssetModel, DatasetModel, NamedModel } from './models.ts';
import type { FieldReaders } from './object-json.ts';

type Metadata = Exclude<DatasetModel['metadata'], Error | null>;
type Entry = Exclude<AssetModel['entry'], Error | null>;

/** Resolves a value of the metadata, or the error of its call. */
export function fromMetadata<T, A = unknown>(
  read: (metadata: Metadata, args: A) => T,
): (dataset: DatasetModel, args?: A) => T | Error {
  return plain(({ metadata }: DatasetModel, args?: A) => {
    if (metadata instanceof Error) return metadata;
    if (metadata === null) throw new Error('The look-ahead missed a field that needs the metadata.');
    return read(metadata, args as A);
  });
}

/** Resolves an attribute, or the error of its call. */
function fromEntry<T>(read: (entry: Entry, asset: AssetModel) => T): (asset: AssetModel) => T | Error {
  return (asset) => {
    const { entry } = asset;
    if (entry instanceof Error) return entry;
    if (entry === null) throw new Error('The look-ahead missed a field that needs the attributes.');
    return read(entry, asset);
  };
}

/** An object of an id and a name. Null if both are. */
function named(id: NamedModel['id'], name: NamedModel['name']): NamedModel | null {
  return (id ?? name ?? null) === null ? null : { id, name };
}

const sharings: ReadonlySet<string> = new Set<DatasetSharing>(['OWNED', 'SHARED', 'NON_SHARED']);

/** The fields of a dataset that are read from its metadata. */
export const metadataFields = {
  name: fromMetadata(({ name }) => name),
  description: fromMetadata(({ description }) => description),
  assetCount: fromMetadata(({ assetCount }) => assetCount),
  attributionText: fromMetadata(({ attributionText }) => attributionText),
  attributionFile: fromMetadata(({ attributionFile }) => attributionFile),
  sharing: fromMetadata(({ sharedOption: option }) => {
    if (option === null || option === undefined || option instanceof Error) return option;
    return sharings.has(option) ? (option as DatasetSharing) : 'UNRECOGNIZED';
  }),
  processing: fromMetadata(({ processingId, processingName }) => named(processingId, processingName)),
  source: fromMetadata(({ sourceId, sourceName }) => named(sourceId, sourceName)),
  startDate: fromMetadata(({ startDate }) => startDate),
  stopDate: fromMetadata(({ stopDate }) => stopDate),
};

/** Whether a field of a dataset is read from its metadata, without arguments. */
export function isLoadedMetadata(field: string): boolean {
  return field in metadataFields;
}

function isPresent<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}

/** The fields of an asset that do not need the rows. */
export const attributeFields = {
  datasetId: ({ datasetId }: AssetModel) => datasetId,
  assetId: ({ assetId }: AssetModel) => assetId,
  name: fromEntry(({ name }) => name),
  version: fromEntry(({ version }) => version),
  categories: fromEntry(({ categories }) => categories),
  centroid: fromEntry(({ latitude, longitude }) =>
    isPresent(latitude) && isPresent(longitude) ? { latitude, longitude } : null,
  ),
  surfaceAreaM2: fromEntry(({ surfaceAreaM2 }) => surfaceAreaM2),
  parent: fromEntry(({ parentId, parentName, parentVersion }, { datasetId }) =>
    isPresent(parentId ?? parentName ?? parentVersion)
      ? { datasetId, assetId: parentId, name: parentName, version: parentVersion }
      : null,
  ),
};

const datasetFields = { id: ({ id }: DatasetModel) => id, ...metadataFields };

/** The asset of results, with the dataset that they belong to. */
interface AssetOfDataset extends AssetModel {
  readonly dataset: DatasetModel;
}

/** The dataset, or the error of the metadata call if the dataset does not exist for the client and metadata is selected. */
function datasetOf({ dataset }: AssetOfDataset, selected: readonly string[]): DatasetModel | Error {
  const { metadata } = dataset;
  const isMissing = metadata instanceof Error && isNotFoundOrUnauthenticated(metadata);
  return isMissing && selected.some(isLoadedMetadata) ? metadata : dataset;
}

/** Reads these fields, for the fast path. */
export const loadedFields: FieldReaders = {
  Asset: (asset, field, selected) =>
    field === 'dataset'
      ? datasetOf(asset as AssetOfDataset, selected)
      : attributeFields[field as keyof typeof attributeFields](asset as AssetOfDataset),
  AssetParent: (parent, field) =>
    field === 'asset' ? parentAsset(parent as ParentModel) : parent[field as keyof typeof parent],
  Dataset: (dataset, field) => datasetFields[field as keyof typeof datasetFields](dataset as DatasetModel),
};

type ParentModel = Exclude<ReturnType<typeof attributeFields.parent>, Error | null>;

/** The key of the parent as an asset of the same dataset. */
function parentAsset({ datasetId, assetId }: ParentModel): unknown {
  if (assetId instanceof Error || !isPresent(assetId)) return assetId;
  const dataset: DatasetModel = { id: datasetId, metadata: null };
  return { datasetId, assetId, dataset, entry: null, isSeriesCounted: false };
}
