import { LRUCache } from 'lru-cache';

/** For how long the results of a dataset are kept as a whole, in milliseconds. */
const SUSPENSION_MS = 300_000;
/** How many datasets are remembered. */
const MAX_DATASETS = 10_000;

/**
 * Whether the results of a dataset may pass to the client while they arrive. Suspended for a dataset whose assets have several
 * entries far from each other: the attributes of an asset are those of its highest version, which may come last. Holds no data
 * of any client.
 */
export class ResultsPassing {
  readonly #suspended = new LRUCache<string, true>({ max: MAX_DATASETS, ttl: SUSPENSION_MS, ttlResolution: 0 });

  allows(datasetId: string): boolean {
    return !this.#suspended.has(datasetId);
  }

  suspend(datasetId: string): void {
    this.#suspended.set(datasetId, true);
  }
}
