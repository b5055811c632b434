/** The fields of datasets and assets that are read from what is loaded. They have no arguments. */

import { toGlobalId } from '../../core/global-id.ts';
import type { DatasetSharing } from '../../generated/schema.ts';
import { attributeFields, metadataFields, namesOn } from '../../rest/contract/response-fields.ts';
import { isNotFoundOrUnauthenticated } from '../errors/errors.ts';
import type { CompiledField, CompiledFields } from '../execution/execution.ts';
import { plain } from '../execution/plain.ts';
import type { AssetModel, DatasetModel } from '../models.ts';
import { type SelectionSource, selectionOn } from './selected-fields.ts';

type Metadata = Exclude<DatasetModel['metadata'], Error | null>;
type Entry = Exclude<AssetModel['entry'], Error | null>;

/** Resolves a value of the metadata, or the error of its call. */
export function fromMetadata<T, A = unknown>(
  read: (metadata: Metadata, args: A) => T,
): (dataset: DatasetModel, args?: A) => T | Error {
  return plain(({ metadata }: DatasetModel, args?: A) => {
    if (metadata instanceof Error) return metadata;
    if (metadata === null) throw new Error('The plan missed a field that needs the metadata.');
    return read(metadata, args as A);
  });
}

/** Resolves an attribute, or the error of its call. */
function fromEntry<T>(read: (entry: Entry, asset: AssetModel) => T): (asset: AssetModel) => T | Error {
  return (asset) => {
    const { entry } = asset;
    if (entry instanceof Error) return entry;
    if (entry === null) throw new Error('The plan missed a field that needs the attributes.');
    return read(entry, asset);
  };
}

/**
 * Makes an object of values by the names of its fields.
 *
 * @param isWhole whether it is null without any of the values; otherwise without all of them
 */
function objectOf<Names extends Readonly<Record<string, string>>>(names: Names, isWhole = false) {
  const fields = Object.entries(names);
  return <Values extends Readonly<Record<Names[keyof Names], unknown>>>(
    values: Values,
  ): { readonly [Field in keyof Names]: Values[Names[Field]] } | null => {
    const object: Record<string, unknown> = {};
    let present = 0;
    for (const [field, name] of fields) {
      const value = values[name as Names[keyof Names]];
      object[field] = value;
      if (isPresent(value)) present += 1;
    }
    return present === 0 || (isWhole && present < fields.length) ? null : (object as never);
  };
}

function isPresent<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}

/** Fields that are values as they are. @param from makes a resolver that reads what is loaded */
function readersOf<Names extends Readonly<Record<string, keyof Values>>, Values, Model>(
  names: Names,
  from: (read: (values: Values) => unknown) => (model: Model) => unknown,
): { readonly [Field in keyof Names]: (model: Model) => Values[Names[Field]] | Error } {
  const readers = Object.entries(names).map(([field, name]) => [field, from((values) => values[name])]);
  return Object.fromEntries(readers);
}

const toProcessing = objectOf(namesOn(metadataFields, 'DatasetProcessing'));
const toSource = objectOf(namesOn(metadataFields, 'DatasetSource'));
const toCentroid = objectOf(namesOn(attributeFields, 'centroid'), true);
const toParent = objectOf(namesOn(attributeFields, 'parent'));

const sharings: ReadonlySet<string> = new Set<DatasetSharing>(['OWNED', 'SHARED', 'NON_SHARED']);

/** The fields of a dataset that are read from its metadata. */
export const loadedMetadata = {
  ...readersOf(namesOn(metadataFields, 'Dataset'), fromMetadata<unknown>),
  sharing: fromMetadata(({ sharedOption: option }) => {
    if (option === null || option === undefined || option instanceof Error) return option;
    return sharings.has(option) ? (option as DatasetSharing) : 'UNRECOGNIZED';
  }),
  processing: fromMetadata((metadata) => toProcessing(metadata)),
  source: fromMetadata((metadata) => toSource(metadata)),
};

/** Whether a field of a dataset is read from its metadata, without arguments. */
export function isLoadedMetadata(field: string): boolean {
  return field in loadedMetadata;
}

/** The fields of an asset that do not need the rows. */
export const loadedAttributes = {
  ...readersOf(namesOn(attributeFields, 'asset'), fromEntry<unknown>),
  id: ({ datasetId, assetId }: AssetModel) => toGlobalId(datasetId, assetId),
  datasetId: ({ datasetId }: AssetModel) => datasetId,
  assetId: ({ assetId }: AssetModel) => assetId,
  centroid: fromEntry((entry) => toCentroid(entry)),
  parent: fromEntry((entry, { datasetId }) => {
    const parent = toParent(entry);
    return parent && { datasetId, ...parent };
  }),
};

/** The fields of a dataset that are made of all its results, without arguments. */
export const madeOfAllResults: ReadonlySet<string> = new Set(['seriesCount', 'metricNames']);
/** The fields of a dataset that need no call, or their own calls. */
const notMetadata: ReadonlySet<string> = new Set([
  ...['__typename', 'id', 'results', 'asset', 'assetsByIds'],
  ...['download', 'downloadUrlWithToken'],
  ...madeOfAllResults,
]);
/** The fields of an asset that need its rows. */
export const rowsOfAsset: ReadonlySet<string> = new Set(['series', 'metricNames']);
/** The fields of an asset that need no call, or their own calls. */
const notAttributes: ReadonlySet<string> = new Set([
  ...['__typename', 'id', 'datasetId', 'assetId', 'dataset'],
  ...rowsOfAsset,
]);

/** Whether a field of a dataset needs its metadata. */
export function needsMetadata({ definition }: CompiledField): boolean {
  return !notMetadata.has(definition.name);
}

/** Whether fields of an asset need the metadata of its dataset. */
export function selectsMetadata(fields: CompiledFields, source: SelectionSource): boolean {
  return fields.some(
    (field) => field.definition.name === 'dataset' && selectionOn('Dataset', field, source).some(needsMetadata),
  );
}

/** Whether a field of an asset needs its attributes. */
export function needsAttributes({ definition }: CompiledField): boolean {
  return !notAttributes.has(definition.name);
}

/** The dataset of an asset, or the error of the metadata call if it does not exist for the client. @param selected whether metadata is */
export function metadataOfAsset(dataset: DatasetModel, selected: boolean): DatasetModel | Error {
  const { metadata } = dataset;
  return selected && metadata instanceof Error && isNotFoundOrUnauthenticated(metadata) ? metadata : dataset;
}
