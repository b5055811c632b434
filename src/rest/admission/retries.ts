import type { RestError } from '../contract/rest-error.ts';

/** One of this many calls may be a retry, and this many retries may accumulate. */
const CALLS_PER_RETRY = 11;
const MAX_SAVED_RETRIES = 10;

/** The delay before a retry: a minimum, and a random jitter that spreads the retries. */
const MIN_DELAY_MS = 50;
const MAX_JITTER_MS = 100;

/**
 * Limits retries: of eleven calls, including retries, one may be a retry, and at most ten retries accumulate. So retries add
 * at most a tenth to the load of a service that is down, and do not overwhelm a service that recovers. There is no retry
 * before the first eleven calls.
 */
export class RetryBudget {
  /** In elevenths of a retry, because integers add up exactly. */
  #balance = 0;

  /** Counts a call. */
  deposit(): void {
    this.#balance = Math.min(this.#balance + 1, MAX_SAVED_RETRIES * CALLS_PER_RETRY);
  }

  /** Whether a call may be retried. If so, this uses up one retry. */
  tryWithdraw(): boolean {
    if (this.#balance < CALLS_PER_RETRY) return false;
    this.#balance -= CALLS_PER_RETRY;
    return true;
  }
}

/** The delay before a retry. If it is aborted, it rejects with the failure of the call. */
export function pauseBeforeRetry(failed: RestError): { readonly response: Promise<void>; abort(): void } {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, MIN_DELAY_MS + Math.random() * MAX_JITTER_MS);
  const abort = () => {
    clearTimeout(timer);
    reject(failed);
  };
  return { response: promise, abort };
}
