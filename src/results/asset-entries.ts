import type { attributeFields } from '../rest/contract/response-fields.ts';
import type { AssetResult } from '../rest/contract/wire.ts';
import type { RowsSlice } from './indexing/row-index.ts';

/** The rows of one entry, or of several one after another. */
export interface EntryRows {
  /** The slice of the response that holds them. Null without a list of rows. */
  readonly slice: RowsSlice | null;
  /** The error if the slice is null because something else is in place of the list. */
  readonly rowsError: Error | undefined;
}

/** The entry of an asset in a response. */
export interface AssetEntry extends AssetResult, EntryRows {
  /** The number of bytes of its attributes. */
  readonly attributeBytes: number;
  /** Adds the bytes of each attribute, by its number (indexing/attributes.ts). */
  addAttributeBytes(sums: Int32Array): void;
  /** Its attributes, if the bytes of all of them can be copied to the GraphQL response. */
  readonly plain: PlainAttributes | undefined;
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

/** The entries of results, in the order received. An index creates them on demand. */
export interface AssetEntries {
  readonly length: number;
  at(index: number): AssetEntry | undefined;
  /** The bytes that so many copies of attributes of the entries from `start` to `end` (exclusive) take. */
  attributeBytesIn(start: number, end: number, copies: AttributeCopies): number;
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
