import type { Received } from '../rest/wire.ts';
import type { AssetEntry } from './answer.ts';

/** So many ids stand in one map: a larger one takes long to grow. */
const MOST_IN_MAP = 1 << 14;
const MAPS = 1 << 10;

/** Assets by their ids. Stays fast to add to however many there are. */
export interface AssetsById {
  readonly size: number;
  has(assetId: string): boolean;
  get(assetId: string): AssetEntry | undefined;
  keys(): MapIterator<string>;
}

/** The entries of an answer in the order received, and of each asset the entry with the highest version. */
export class AssetList {
  readonly entries: AssetEntry[] = [];
  readonly latest: LatestEntries = new LatestEntries();

  /** How many entries there are. */
  get length(): number {
    return this.entries.length;
  }

  add(entry: AssetEntry): void {
    this.entries.push(entry);
    this.latest.add(entry);
  }
}

/** Of each asset the entry with the highest version. */
export class LatestEntries implements AssetsById {
  #maps: Map<string, AssetEntry>[] = [new Map()];
  size = 0;

  /** Of the assets of an answer, in one piece. */
  static of(assets: Received<readonly AssetEntry[]>): LatestEntries {
    const latest = new LatestEntries();
    if (Array.isArray(assets)) for (const asset of assets) latest.add(asset);
    return latest;
  }

  add(entry: AssetEntry): void {
    const map = this.#mapOf(entry.assetId);
    const known = map.get(entry.assetId);
    if (known !== undefined && !isNewer(entry, known)) return;
    map.set(entry.assetId, entry);
    if (known === undefined) this.size += 1;
    if (this.size > MOST_IN_MAP && this.#maps.length === 1) this.#divide();
  }

  has(assetId: string): boolean {
    return this.#mapOf(assetId).has(assetId);
  }

  get(assetId: string): AssetEntry | undefined {
    return this.#mapOf(assetId).get(assetId);
  }

  *keys(): MapIterator<string> {
    for (const map of this.#maps) yield* map.keys();
  }

  #mapOf(assetId: string): Map<string, AssetEntry> {
    const { length } = this.#maps;
    return this.#maps[length === 1 ? 0 : hashOf(assetId) & (length - 1)] as Map<string, AssetEntry>;
  }

  #divide(): void {
    const [all = new Map()] = this.#maps;
    this.#maps = Array.from({ length: MAPS }, () => new Map());
    for (const [assetId, entry] of all) this.#mapOf(assetId).set(assetId, entry);
  }
}

/** An absent version is the lowest, and of equal ones the first counts. */
export function isNewer(asset: AssetEntry, than: AssetEntry): boolean {
  if (typeof asset.version !== 'bigint') return false;
  return typeof than.version !== 'bigint' || asset.version > than.version;
}

/** Looks at the end of an id, which mostly tells more than its beginning. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = Math.max(0, text.length - 32); at < text.length; at += 1)
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash ^ (hash >>> 15);
}
