import { ExchangeError } from '../contract/exchange-error.ts';
import { downStatuses } from '../contract/http-error.ts';
import { type CallOwner, CallWindow, type Counts, WINDOW_MS } from './call-window.ts';

/** The minimum number of calls before the breaker may open. */
const MIN_CALLS = 20;

/** Up to this many failures, each one is evaluated. Above it, failures are evaluated at most once per interval. */
const MAX_EVALUATED_EACH = 100;
const EVALUATION_INTERVAL_MS = 50;

export interface BreakerOptions {
  /** Milliseconds before an open circuit allows a trial call; 0: the circuit never opens. */
  readonly openMs: number;
  readonly onChange: (isOpen: boolean) => void;
}

/** An open circuit. */
interface OpenCircuit {
  /** The circuit is open for this GraphQL operation or token only; undefined: for all of them. */
  readonly id?: CallOwner['id'] | undefined;
  readonly token?: CallOwner['token'] | undefined;
  readonly since: number;
  /** When a call was last asked for that it applies to. */
  readonly usedAt: number;
  /** The trial call, while it is running. */
  readonly trial: Admission | undefined;
}

/** Admits a call. A trial call has one of its own. */
export type Admission = object;

const ordinary: Admission = {};

/**
 * The circuit breaker of one REST operation. The circuit opens when at least 20 calls were made in the last ten seconds and
 * more than half of them failed. While it is open, one trial call is made from time to time. The circuit closes when a trial
 * call succeeds.
 *
 * A call fails if it would fail for any client: no connection, a broken connection, no headers in time, or status 502, 503
 * or 504. Any other status is a success, including 429. Two kinds of calls do not count: calls that were aborted locally,
 * and calls on a connection that the service had just closed.
 *
 * One client must not open the circuit for all. So the failures of the GraphQL operation that fails most are ignored, and
 * likewise those of the token that fails most. If all calls came from one operation or one token, the circuit opens for
 * that one only, and closes when that one asks for no call for ten seconds.
 */
export class Breaker {
  readonly #openMs: number;
  readonly #onChange: (isOpen: boolean) => void;
  readonly #window = new CallWindow();
  #open: OpenCircuit | undefined;
  #evaluatedAt = 0;

  constructor({ openMs, onChange }: BreakerOptions) {
    this.#openMs = openMs;
    this.#onChange = onChange;
  }

  /** For whom the circuit is open: for all, or for one operation or token. */
  get openFor(): 'all' | 'one_client' | undefined {
    this.#closeIfUnused();
    if (this.#open === undefined) return undefined;
    return isForAll(this.#open) ? 'all' : 'one_client';
  }

  /** Whether the circuit is closed for an owner. */
  isClosedFor(owner: CallOwner): boolean {
    return this.#openFor(owner) === undefined;
  }

  /** Admits a call; undefined if the circuit is open. Record the result of each admitted call. */
  admit(owner: CallOwner): Admission | undefined {
    const open = this.#openFor(owner);
    if (open === undefined) return ordinary;
    if (open.trial !== undefined || performance.now() - open.since < this.#openMs) return undefined;
    const trial: Admission = {};
    this.#open = { ...open, trial };
    return trial;
  }

  /** Records that an admitted call got a response with this status. */
  recordResponse(owner: CallOwner, admission: Admission, status: number): void {
    this.#record(owner, downStatuses.has(status), admission);
  }

  /** Records that an admitted call got no response. */
  recordFailure(owner: CallOwner, admission: Admission, error: unknown): void {
    this.#record(owner, hasFailed(error), admission);
  }

  /** The open circuit, if it applies to an owner who asks for a call. */
  #openFor(owner: CallOwner): OpenCircuit | undefined {
    this.#closeIfUnused();
    if (this.#open === undefined || !appliesTo(this.#open, owner)) return undefined;
    this.#open = { ...this.#open, usedAt: performance.now() };
    return this.#open;
  }

  /** Its operation has ended, or its client is gone: nobody would make a trial call. */
  #closeIfUnused(): void {
    if (this.#open === undefined || isForAll(this.#open) || this.#open.trial !== undefined) return;
    if (performance.now() - this.#open.usedAt >= WINDOW_MS) this.#close();
  }

  #close(): void {
    this.#window.clear();
    this.#open = undefined;
    this.#onChange(false);
  }

  /** Limits how often failures are evaluated: with thousands of them it is expensive. */
  #isDue(): boolean {
    const now = performance.now();
    if (this.#window.total().failed > MAX_EVALUATED_EACH && now - this.#evaluatedAt < EVALUATION_INTERVAL_MS)
      return false;
    this.#evaluatedAt = now;
    return true;
  }

  /** Records the result of a call; undefined: it does not count. */
  #record(owner: CallOwner, failed: boolean | undefined, admission: Admission): void {
    if (this.#openMs === 0) return;
    if (failed !== undefined) this.#window.add(owner, failed);
    const isTrial = this.#open?.trial === admission;
    if (isTrial && failed === false) {
      this.#close();
      return;
    }
    // A trial that does not count leaves the circuit open.
    if (isTrial && this.#open !== undefined) this.#open = { ...this.#open, since: performance.now(), trial: undefined };
    if (failed === true) this.#openIfFailing();
  }

  #openIfFailing(): void {
    const total = this.#window.total();
    if (total.calls < MIN_CALLS || !isFailing(total) || !this.#isDue()) return;
    const { onlyOperation: id, onlyToken: token } = this.#window;
    if (id === undefined && !failsWithout(this.#window.maxFailedOfOperation(), total)) return;
    if (token === undefined && !failsWithout(this.#window.maxFailedOfToken(), total)) return;
    const now = performance.now();
    const before = this.#open ?? { since: now, trial: undefined };
    const wasClosed = this.#open === undefined;
    this.#open = { ...before, usedAt: now, id, token };
    if (wasClosed) this.#onChange(true);
  }
}

function isForAll({ id, token }: OpenCircuit): boolean {
  return id === undefined && token === undefined;
}

function appliesTo(open: OpenCircuit, { id, token }: CallOwner): boolean {
  return (open.id ?? id) === id && (open.token ?? token) === token;
}

function isFailing({ calls, failed }: Counts): boolean {
  return failed > calls / 2;
}

/** Whether calls still fail if this many failures are ignored. */
function failsWithout(failures: number, { calls, failed }: Counts): boolean {
  return failed - failures >= (calls - failures) / 2;
}

function hasFailed(error: unknown): boolean | undefined {
  if (!(error instanceof ExchangeError) || error.abortedLocally || error.isStale) return undefined;
  return error.failure === 'unavailable' || error.failure === 'timeout';
}
