import type { RestError } from './errors.ts';

/** Of how many calls one may be a repetition, and how many repetitions may be saved up. */
const CALLS_FOR_ONE = 11;
const MAX_SAVED = 10;

/** Milliseconds before a call is repeated: at least, and how much is added at random, so that not all come at once. */
const MIN_WAIT_MS = 50;
const RANDOM_WAIT_MS = 100;

/**
 * How many calls may be repeated: of eleven calls, repetitions included, one may be a repetition; and no more than ten
 * may be repeated in a row. So a service that is down gets at most a tenth more calls, and one that has just come up is
 * not overwhelmed. Before the first eleven calls nothing is repeated.
 */
export class RetryBudget {
  /** In parts of a repetition: whole numbers add up exactly. */
  #saved = 0;

  /** A call is made. */
  deposit(): void {
    this.#saved = Math.min(this.#saved + 1, MAX_SAVED * CALLS_FOR_ONE);
  }

  /** Whether a call may be repeated; if so, that counts as done. */
  tryWithdraw(): boolean {
    if (this.#saved < CALLS_FOR_ONE) return false;
    this.#saved -= CALLS_FOR_ONE;
    return true;
  }
}

/**
 * The time before a call is repeated; rejects with the failure that it is repeated for when it is ended before.
 */
export function pauseBeforeRetry(failed: RestError): { readonly response: Promise<void>; abort(): void } {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, MIN_WAIT_MS + Math.random() * RANDOM_WAIT_MS);
  const abort = () => {
    clearTimeout(timer);
    reject(failed);
  };
  return { response: promise, abort };
}
