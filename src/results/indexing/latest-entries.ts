import type { AssetsById } from '../asset-entries.ts';
import type { IndexedAsset } from './indexed-asset.ts';

/** A table of assets that is searched by id. */
export interface AssetIds {
  /** The number of distinct ids. */
  readonly ids: number;
  keys(): Iterator<string>;
  /** The index of the entry with the highest version of an id. -1 if there is none. */
  find(assetId: string): number;
  at(index: number): IndexedAsset | undefined;
}

/** The entry with the highest version of each asset in a table. */
export class LatestEntries implements AssetsById {
  readonly #table: AssetIds;

  constructor(table: AssetIds) {
    this.#table = table;
  }

  get size(): number {
    return this.#table.ids;
  }

  has(assetId: string): boolean {
    return this.#table.find(assetId) >= 0;
  }

  get(assetId: string): IndexedAsset | undefined {
    return this.#table.at(this.#table.find(assetId));
  }

  keys(): Iterator<string> {
    return this.#table.keys();
  }
}
