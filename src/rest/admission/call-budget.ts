import type { Limit } from '../contract/rest-error.ts';

/**
 * The REST calls that one GraphQL operation may make, retries included. Whoever asks first gets them:
 * src/loaders/loaders.ts decides the order.
 */
export class CallBudget implements Limit {
  readonly name = 'UPSTREAM_MAX_CALLS';
  /** The maximum number of calls. */
  readonly value: number;
  #made = 0;
  #rejected = 0;
  readonly #datasets = new Set<string>();
  /** The datasets that lack a call. */
  readonly #incomplete = new Set<string>();

  constructor(maxCalls: number) {
    this.value = maxCalls;
  }

  /** Counts a call for a dataset. Returns false if no call is left for it. */
  tryTake(datasetId: string): boolean {
    this.#datasets.add(datasetId);
    if (this.hasCalls) {
      this.#made += 1;
      return true;
    }
    this.#rejected += 1;
    this.#incomplete.add(datasetId);
    return false;
  }

  /** Whether a call is left. */
  get hasCalls(): boolean {
    return this.#made < this.value;
  }

  /** Counts a retry, for which a call must be left. */
  takeRetry(): void {
    this.#made += 1;
  }

  /**
   * How many calls the operation needs, and how to split it, from what is known so far: "at least 1000 for 500 datasets; ask for
   * 250 datasets at a time". Datasets that take no call do not count.
   */
  get advice(): string {
    const total = this.#datasets.size;
    const complete = total - this.#incomplete.size;
    const needed = `at least ${this.#made + this.#rejected} for ${datasets(total)}`;
    if (complete > 0) return `${needed}; ask for ${datasets(complete)} at a time`;
    return `${needed}; ask for one dataset at a time, with fewer time ranges or assets`;
  }
}

function datasets(count: number): string {
  return count === 1 ? 'one dataset' : `${count} datasets`;
}
