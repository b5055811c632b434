import { SuspendedDatasets } from './suspended-datasets.ts';

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
