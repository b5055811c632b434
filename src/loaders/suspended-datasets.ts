import { LRUCache } from 'lru-cache';

/** For how long a dataset is suspended, in milliseconds. */
export const SUSPENSION_MS = 300_000;
/** How many datasets are remembered. */
const MAX_DATASETS = 10_000;

/** The datasets for which something is not done for some minutes. */
export class SuspendedDatasets {
  readonly #datasets = new LRUCache<string, true>({
    // With `max` it would allocate the memory for all of them at once.
    maxSize: MAX_DATASETS,
    sizeCalculation: () => 1,
    ttl: SUSPENSION_MS,
    ttlResolution: 0,
  });

  has(datasetId: string): boolean {
    return this.#datasets.has(datasetId);
  }

  add(datasetId: string): void {
    this.#datasets.set(datasetId, true);
  }
}
