import type { AssetResult, WireField } from '../rest/wire.ts';
import type { RowsSlice } from './indexing/row-index.ts';

/** An asset's entry in a response. Its rows are decoded only when `results` is read. */
export interface AssetEntry extends AssetResult {
  /** Where its rows stand in the response, for the fast path; null without rows, undefined where the fast path is off. */
  readonly slice?: RowsSlice | null;
  /** The bytes of its attributes; undefined where the fast path is off. */
  readonly attributeBytes?: number;
}

/** The entries of results, in their order: a list, or what makes an entry when it is asked for. */
export interface AssetEntries {
  readonly length: number;
  at(index: number): AssetEntry | undefined;
}

/** Of each asset the entry with the highest version. */
export interface AssetsById extends ReadonlySetLike<string> {
  get(assetId: string): AssetEntry | undefined;
}

/** The entry of the same asset with the highest version. */
export function latestOfAsset(entry: AssetEntry, entries: AssetEntries, latest: AssetsById): AssetEntry {
  // Mostly each asset has one entry: then there is nothing to look for.
  return latest.size === entries.length ? entry : (latest.get(entry.assetId) ?? entry);
}

/** Of the assets of an answer the entries with the highest version, in one piece. */
export function latestOf(assets: WireField<readonly AssetEntry[]>): Map<string, AssetEntry> {
  const latest = new Map<string, AssetEntry>();
  if (Array.isArray(assets)) for (const asset of assets) addLatest(latest, asset);
  return latest;
}

/** Adds an entry where no newer one of the same asset is known. */
export function addLatest(latest: Map<string, AssetEntry>, entry: AssetEntry): void {
  const known = latest.get(entry.assetId);
  if (known === undefined || isNewer(entry, known)) latest.set(entry.assetId, entry);
}

/** An absent version is the lowest, and of equal ones the first counts. */
export function isNewer(asset: AssetEntry, than: AssetEntry): boolean {
  if (typeof asset.version !== 'bigint') return false;
  return typeof than.version !== 'bigint' || asset.version > than.version;
}
