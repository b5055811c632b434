import type { ExchangeError } from '../contract/exchange-error.ts';
import { downStatuses } from '../contract/http-error.ts';
import type { Operation } from './operation.ts';

/** The window: ten slots of one second. */
const SLOTS = 10;
const SLOT_MS = 1000;

/** The minimum number of results in the window before the circuit may open. */
const MIN_RESULTS = 20;

/** The failures of one token count for at most this share of all other results. */
const MAX_SHARE = 1 / 10;

/** The bits of `Operation.counted`, of each circuit. */
const bits = {
  getDatasetMetadata: { success: 1, failure: 2 },
  getDatasetResults: { success: 4, failure: 8 },
} as const;

/** The REST operations that have a circuit. */
export type GuardedOperation = keyof typeof bits;

export interface BreakerOptions {
  /** Milliseconds before an open circuit allows a trial call; 0: the circuit never opens. */
  readonly circuitOpenMs: number;
  /** Is called when the circuit of a REST operation opens or closes. */
  readonly onCircuitChange: (operation: GuardedOperation, isOpen: boolean) => void;
}

/** Admits a call. A trial call has one of its own. */
export type Admission = object;

const ordinary: Admission = {};

/** An open circuit. */
interface OpenCircuit {
  readonly since: number;
  /** The only token that has failed; undefined: several have. */
  readonly token: string | undefined;
  /** The trial call, while it is running. */
  readonly trial: Admission | undefined;
}

/** The results of one second. */
interface Slot {
  readonly second: number;
  successes: number;
  /** The token of each operation that failed. */
  readonly failures: string[];
}

/**
 * The circuit breaker of one REST operation. The circuit opens when the last ten seconds had at least 20 results, and more
 * than half of them were failures. While it is open, one trial call is made from time to time. It closes when a trial call succeeds.
 *
 * A call fails if it would fail for any client: no connection, a broken connection, no headers in time, or status 502, 503
 * or 504. Any other status is a success, including 429. Two kinds of calls do not count: calls that were aborted locally,
 * and calls on a connection that the service had just closed.
 *
 * One client must not stop the calls of others. So a GraphQL operation counts once: its failed calls are one failure, and its
 * successful ones one success. The failures of one token count for at most a tenth of all other results, unless there is no
 * success. If there is none and only one token has failed, the circuit closes when another token needs a call.
 */
export class Breaker {
  readonly #operation: GuardedOperation;
  readonly #options: BreakerOptions;
  readonly #bits: { readonly success: number; readonly failure: number };
  #open: OpenCircuit | undefined;
  /** The seconds of the window that have results, the oldest first, and their sums. */
  readonly #slots: Slot[] = [];
  #successes = 0;
  #failures = 0;
  readonly #failuresByToken = new Map<string, number>();

  constructor(operation: GuardedOperation, options: BreakerOptions) {
    this.#operation = operation;
    this.#options = options;
    this.#bits = bits[operation];
  }

  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  /** Whether the circuit is closed, or closes when the operation needs a call. */
  isClosedFor({ token }: Operation): boolean {
    return this.#open === undefined || (this.#open.token !== undefined && this.#open.token !== token);
  }

  /** Admits a call; undefined if the circuit is open. Record the result of each admitted call. */
  admit(operation: Operation): Admission | undefined {
    const open = this.#open;
    if (open === undefined) return ordinary;
    if (this.isClosedFor(operation)) {
      this.#close();
      return ordinary;
    }
    if (open.trial !== undefined || performance.now() - open.since < this.#options.circuitOpenMs) return undefined;
    const trial: Admission = {};
    this.#open = { ...open, trial };
    return trial;
  }

  /** Records the result of an admitted call: the status of its response, or why there is none. */
  record(operation: Operation, admission: Admission, result: number | ExchangeError): void {
    if (this.#options.circuitOpenMs === 0) return;
    const open = this.#open;
    const hasFailed = typeof result === 'number' ? downStatuses.has(result) : isFailure(result);
    if (open?.trial === admission) {
      // A trial that does not count leaves the circuit open.
      if (hasFailed === false) this.#close();
      else this.#open = { ...open, since: performance.now(), trial: undefined };
    }
    if (hasFailed === true) this.#recordFailure(operation);
    if (hasFailed !== false || (operation.counted & this.#bits.success) !== 0) return;
    operation.counted |= this.#bits.success;
    this.#currentSlot().successes += 1;
    this.#successes += 1;
  }

  #recordFailure(operation: Operation): void {
    const { token } = operation;
    if (this.#open !== undefined && this.#open.token !== token) this.#open = { ...this.#open, token: undefined };
    if ((operation.counted & this.#bits.failure) !== 0) return;
    operation.counted |= this.#bits.failure;
    this.#currentSlot().failures.push(token);
    this.#failures += 1;
    this.#failuresByToken.set(token, (this.#failuresByToken.get(token) ?? 0) + 1);
    if (this.#open !== undefined || !this.#isFailing) return;
    const only = this.#failuresByToken.size === 1 ? token : undefined;
    this.#open = { since: performance.now(), token: only, trial: undefined };
    this.#options.onCircuitChange(this.#operation, true);
  }

  get #isFailing(): boolean {
    const results = this.#successes + this.#failures;
    if (results < MIN_RESULTS || this.#failures <= this.#successes) return false;
    if (this.#successes === 0) return true;
    let failures = 0;
    for (const each of this.#failuresByToken.values()) failures += Math.min(each, (results - each) * MAX_SHARE);
    return failures > this.#successes;
  }

  #close(): void {
    this.#open = undefined;
    this.#dropBefore(Number.POSITIVE_INFINITY);
    this.#options.onCircuitChange(this.#operation, false);
  }

  #currentSlot(): Slot {
    const second = Math.floor(performance.now() / SLOT_MS);
    const last = this.#slots.at(-1);
    if (last?.second === second) return last;
    this.#dropBefore(second - SLOTS + 1);
    const slot = { second, successes: 0, failures: [] };
    this.#slots.push(slot);
    return slot;
  }

  #dropBefore(second: number): void {
    for (let [first] = this.#slots; first !== undefined && first.second < second; [first] = this.#slots) {
      this.#slots.shift();
      this.#successes -= first.successes;
      this.#failures -= first.failures.length;
      for (const token of first.failures) {
        const left = (this.#failuresByToken.get(token) ?? 0) - 1;
        if (left > 0) this.#failuresByToken.set(token, left);
        else this.#failuresByToken.delete(token);
      }
    }
  }
}

/** Whether a call failed that has no response; undefined: it does not count. */
function isFailure({ failure, abortedLocally, isStale }: ExchangeError): boolean | undefined {
  if (abortedLocally || isStale) return undefined;
  return failure === 'unavailable' || failure === 'timeout';
}
