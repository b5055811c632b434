/** The fields of datasets and assets that are read from what is loaded. They have no arguments. */

import type { DatasetSharing } from '../../generated/resolvers.ts';
import { attributeFields, metadataFields, namesOn } from '../../rest/contract/response-fields.ts';
import { isNotFoundOrUnauthenticated } from '../errors/errors.ts';
import { plain } from '../execution/plain.ts';
import type { AssetModel, DatasetModel } from '../models.ts';
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

/** An object of values by the names of its fields. Null without these values: without any, or without all of them. */
function objectOf<Names extends Readonly<Record<string, keyof Values>>, Values>(
  names: Names,
  values: Values,
  isWhole = false,
): { readonly [Field in keyof Names]: Values[Names[Field]] } | null {
  const object = mapValues(names, (name) => values[name]);
  const present = Object.values(object).filter(isPresent).length;
  return present === 0 || (isWhole && present < Object.keys(names).length) ? null : (object as never);
}

function mapValues<T, U>(names: Readonly<Record<string, T>>, map: (name: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(names).map(([field, name]) => [field, map(name)]));
}

function isPresent<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}

/** The fields that are values of the metadata, as they are. */
function metadataReaders<Names extends Readonly<Record<string, keyof Metadata>>>(
  names: Names,
): { readonly [Field in keyof Names]: (dataset: DatasetModel) => Metadata[Names[Field]] | Error } {
  return mapValues(names, (name) => fromMetadata((metadata) => metadata[name])) as never;
}

/** The fields that are attributes, as they are. */
function attributeReaders<Names extends Readonly<Record<string, keyof Entry>>>(
  names: Names,
): { readonly [Field in keyof Names]: (asset: AssetModel) => Entry[Names[Field]] | Error } {
  return mapValues(names, (name) => fromEntry((entry) => entry[name])) as never;
}

const processingNames = namesOn(metadataFields, 'DatasetProcessing');
const sourceNames = namesOn(metadataFields, 'DatasetSource');
const centroidNames = namesOn(attributeFields, 'GeoPoint');
const parentNames = namesOn(attributeFields, 'AssetParent');

const sharings: ReadonlySet<string> = new Set<DatasetSharing>(['OWNED', 'SHARED', 'NON_SHARED']);

/** The fields of a dataset that are read from its metadata. */
export const loadedMetadata = {
  ...metadataReaders(namesOn(metadataFields, 'Dataset')),
  sharing: fromMetadata(({ sharedOption: option }) => {
    if (option === null || option === undefined || option instanceof Error) return option;
    return sharings.has(option) ? (option as DatasetSharing) : 'UNRECOGNIZED';
  }),
  processing: fromMetadata((metadata) => objectOf(processingNames, metadata)),
  source: fromMetadata((metadata) => objectOf(sourceNames, metadata)),
};

/** Whether a field of a dataset is read from its metadata, without arguments. */
export function isLoadedMetadata(field: string): boolean {
  return field in loadedMetadata;
}

/** The fields of an asset that do not need the rows. */
export const loadedAttributes = {
  ...attributeReaders(namesOn(attributeFields, 'Asset')),
  datasetId: ({ datasetId }: AssetModel) => datasetId,
  assetId: ({ assetId }: AssetModel) => assetId,
  centroid: fromEntry((entry) => objectOf(centroidNames, entry, true)),
  parent: fromEntry((entry, { datasetId }) => {
    const parent = objectOf(parentNames, entry);
    return parent && { datasetId, ...parent };
  }),
};

const datasetFields = { id: ({ id }: DatasetModel) => id, ...loadedMetadata };

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
      : loadedAttributes[field as keyof typeof loadedAttributes](asset as AssetOfDataset),
  AssetParent: (parent, field) =>
    field === 'asset' ? parentAsset(parent as ParentModel) : parent[field as keyof typeof parent],
  Dataset: (dataset, field) => datasetFields[field as keyof typeof datasetFields](dataset as DatasetModel),
};

type ParentModel = Exclude<ReturnType<typeof loadedAttributes.parent>, Error | null>;

/** The key of the parent as an asset of the same dataset. */
function parentAsset({ datasetId, assetId }: ParentModel): unknown {
  if (assetId instanceof Error || !isPresent(assetId)) return assetId;
  const dataset: DatasetModel = { id: datasetId, metadata: null };
  return { datasetId, assetId, dataset, entry: null, isSeriesCounted: false };
}
