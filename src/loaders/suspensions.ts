/*
 * What the service has shown of its datasets, for which something is not done for some minutes. It holds no data of any client.
 */

import { LRUCache } from 'lru-cache';
import type { Requirements, StreamRequirements } from '../results/results.ts';
import type { Filter } from './filters.ts';

/** For how long a dataset is suspended, in milliseconds. */
export const SUSPENSION_MS = 300_000;
/** How many datasets are remembered. */
const MAX_DATASETS = 10_000;

/** The datasets for which something is not done for some minutes. */
class SuspendedDatasets {
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

/** More requests are merged all the same: each merged call is checked, and so many single calls would exceed the limit. */
const MAX_SINGLE_REQUESTS = 100;

/**
 * Whether results calls may be merged: whether one call may serve several requests of one operation. Suspended for a dataset
 * when the service responds to a merged call with assets that the call did not ask for. Holds no data of any client.
 */
export class CallMerging {
  readonly #suspended = new SuspendedDatasets();
  readonly #warn: () => void;
  #suspensions = 0;

  /** @param warn is called when merging is suspended */
  constructor(warn: () => void) {
    this.#warn = warn;
  }

  /** How often merging was suspended. */
  get suspensions(): number {
    return this.#suspensions;
  }

  /** Whether this many requests for a dataset may be merged. */
  allows(datasetId: string, requests: number): boolean {
    return requests > MAX_SINGLE_REQUESTS || !this.#suspended.has(datasetId);
  }

  suspend(datasetId: string): void {
    if (this.#suspended.has(datasetId)) return;
    this.#suspended.add(datasetId);
    this.#suspensions += 1;
    this.#warn();
  }
}

/** A field that reads the results of a filter. */
export interface Reader {
  /** What it needs of them; undefined for all. */
  readonly requirements: Requirements | undefined;
  /** Whether it is one of those that were announced. */
  readonly wasAnnounced: boolean;
}

/**
 * What has to be held of results, by what fields need of them. If one field needs all entries, once and in their order, they may
 * pass to the client while they arrive. They may not for some minutes
 *
 * - if assets of the dataset had several entries: the attributes of an asset are those of its highest version, which may come
 *   last;
 * - if an operation selects `processingId` or `sourceId`, and the service sent them behind the assets.
 *
 * Holds no data of any client.
 */
export class ResultsStreaming {
  readonly #suspended = new SuspendedDatasets();
  /** When the service sent the ids behind the assets, by the monotonic clock. */
  #idsCameLast = Number.NEGATIVE_INFINITY;

  /**
   * What the fields that ask for the same results need of them; undefined if all of them are held.
   *
   * @param readers all of these fields
   */
  requirementsOf(datasetId: string, filter: Filter, readers: readonly Reader[]): Requirements | undefined {
    const requirements = readers.map((reader) => reader.requirements);
    const [only, ...others] = requirements;
    if (only !== undefined && !('first' in only)) {
      if (others.length > 0 || !this.#mayStream(datasetId, only)) return undefined;
      return { ...only, whenLate: () => this.#idsComeLast() };
    }
    // An asset that was asked for by its id, and is not found, does not exist.
    if (filter.assetIds !== undefined) return undefined;
    const first = Math.max(
      ...requirements.map((need) => (need && 'first' in need ? need.first : Number.POSITIVE_INFINITY)),
    );
    const names = requirements.some((need) => need !== undefined && 'first' in need && need.names);
    return Number.isFinite(first) ? { first, names } : undefined;
  }

  /** Assets of a dataset have several entries. */
  suspend(datasetId: string): void {
    this.#suspended.add(datasetId);
  }

  #mayStream(datasetId: string, { processingId, sourceId }: StreamRequirements): boolean {
    if (this.#suspended.has(datasetId)) return false;
    return !(processingId || sourceId) || performance.now() - this.#idsCameLast >= SUSPENSION_MS;
  }

  #idsComeLast(): void {
    this.#idsCameLast = performance.now();
  }
}
