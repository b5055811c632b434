import type { attributeFields } from '../rest/contract/response-fields.ts';
import type { AssetResult, WireField } from '../rest/contract/wire.ts';
import type { RowsSlice } from './indexing/row-index.ts';

/** The rows of one entry, or of several one after another. Reading `results` decodes them. */
export interface EntryRows extends Pick<AssetResult, 'results'> {
  /** The slice of the response that holds them. Null without rows, undefined if the fast path is off. */
  readonly slice?: RowsSlice | null | undefined;
}

/** The entry of an asset in a response. */
export interface AssetEntry extends AssetResult, EntryRows {
  /** The number of bytes of its attributes. Undefined if the fast path is off. */
  readonly attributeBytes?: number;
  /** Adds the bytes of each attribute, by its number (indexing/attributes.ts). Undefined if the fast path is off. */
  addAttributeBytes?(sums: Int32Array): void;
  /** Its attributes, if the bytes of all of them can be copied to the GraphQL response. */
  readonly plain?: PlainAttributes | undefined;
}

/** An attribute of an asset. */
export type AttributeName = keyof typeof attributeFields;

/** Attributes of an asset whose bytes in the REST response are their JSON in the GraphQL response. An int64 needs quotes. */
export interface PlainAttributes {
  /** Whether they have to be copied in parts. */
  readonly mayBeLong: boolean;
  /** Whether it is present. */
  has(attribute: AttributeName): boolean;
  /** Copies the bytes of an attribute that is present. */
  copy(attribute: AttributeName, out: AttributeOutput): void;
}

/** Where attributes are copied to. */
export interface AttributeOutput {
  copy(bytes: Buffer, start: number, end: number): void;
}

/** How often each attribute of an asset is written. */
export type AttributeCopies = ReadonlyMap<AttributeName, number>;

/** The entries of results, in the order received: an array, or an index that creates entries on demand. */
export interface AssetEntries {
  readonly length: number;
  at(index: number): AssetEntry | undefined;
  /** The bytes that so many copies of attributes of the entries from `start` to `end` (exclusive) take. */
  attributeBytesIn?(start: number, end: number, copies: AttributeCopies): number;
}

/** The first entry with the highest version of each asset. */
export interface AssetsById extends ReadonlySetLike<string> {
  get(assetId: string): AssetEntry | undefined;
}

/** The first entry of the same asset with the highest version. */
export function latestOfAsset(entry: AssetEntry, entries: AssetEntries, latest: AssetsById): AssetEntry {
  // Usually each asset has one entry.
  return latest.size === entries.length ? entry : (latest.get(entry.assetId) ?? entry);
}

/** The first entry with the highest version of each asset, computed at once. */
export function latestOf(assets: WireField<readonly AssetEntry[]>): Map<string, AssetEntry> {
  const latest = new Map<string, AssetEntry>();
  if (Array.isArray(assets)) for (const asset of assets) addLatest(latest, asset);
  return latest;
}

/** Adds an entry unless a newer one of the same asset is known. */
export function addLatest(latest: Map<string, AssetEntry>, entry: AssetEntry): void {
  const known = latest.get(entry.assetId);
  if (known === undefined || isNewer(entry, known)) latest.set(entry.assetId, entry);
}

/** An absent version is the lowest. Among equal versions, the first entry wins. */
export function isNewer(asset: AssetEntry, than: AssetEntry): boolean {
  if (typeof asset.version !== 'bigint') return false;
  return typeof than.version !== 'bigint' || asset.version > than.version;
}

/** Whether they belong to one version of an asset. All entries without a version do. */
export function haveSameVersion(one: AssetEntry, other: AssetEntry): boolean {
  return !isNewer(one, other) && !isNewer(other, one);
}
