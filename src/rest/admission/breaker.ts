import { ExchangeError } from '../contract/exchange-error.ts';
import { downStatuses } from '../contract/http-error.ts';

/** The length of the window in milliseconds, and the number of slots that it consists of. */
const WINDOW_MS = 10_000;
const SLOTS = 10;
const SLOT_MS = WINDOW_MS / SLOTS;

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
    if (this.#open !== undefined) this.#closeIfUnused();
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

/** The number of calls, and how many of them failed. */
interface Counts {
  calls: number;
  failed: number;
}

/** Whose call it is. */
export interface CallOwner {
  /** Identifies the GraphQL operation. */
  readonly id: symbol;
  /** Identifies the token without revealing it. */
  readonly token: string;
}

/** The calls of one second. Only failures are counted by owner: there are few while the service is up. */
interface Slot extends Counts {
  readonly startedAt: number;
  /** The owner of the first call, and whether all other calls have the same one. */
  readonly first: CallOwner;
  isOneOperation: boolean;
  isOneToken: boolean;
  readonly failedByOperation: Map<CallOwner['id'], number>;
  readonly failedByToken: Map<CallOwner['token'], number>;
}

/** Counts the calls of the last ten seconds. */
class CallWindow {
  readonly #slots: Slot[] = [];

  add(owner: CallOwner, hasFailed: boolean): void {
    const slot = this.#current(owner);
    slot.calls += 1;
    slot.isOneOperation &&= slot.first.id === owner.id;
    slot.isOneToken &&= slot.first.token === owner.token;
    if (!hasFailed) return;
    slot.failed += 1;
    slot.failedByOperation.set(owner.id, (slot.failedByOperation.get(owner.id) ?? 0) + 1);
    slot.failedByToken.set(owner.token, (slot.failedByToken.get(owner.token) ?? 0) + 1);
  }

  clear(): void {
    this.#slots.length = 0;
  }

  /** The counts of all calls. */
  total(): Counts {
    const total = { calls: 0, failed: 0 };
    for (const { calls, failed } of this.#slots) {
      total.calls += calls;
      total.failed += failed;
    }
    return total;
  }

  /** The operation of all calls; undefined if there are several. */
  get onlyOperation(): CallOwner['id'] | undefined {
    const [{ first } = {}] = this.#slots;
    const isOnly = this.#slots.every((slot) => slot.isOneOperation && slot.first.id === first?.id);
    return isOnly ? first?.id : undefined;
  }

  /** The token of all calls; undefined if there are several. */
  get onlyToken(): CallOwner['token'] | undefined {
    const [{ first } = {}] = this.#slots;
    const isOnly = this.#slots.every((slot) => slot.isOneToken && slot.first.token === first?.token);
    return isOnly ? first?.token : undefined;
  }

  /** The maximum number of failures of one operation. */
  maxFailedOfOperation(): number {
    return maxIn(this.#slots.map(({ failedByOperation }) => failedByOperation));
  }

  /** The maximum number of failures with one token. */
  maxFailedOfToken(): number {
    return maxIn(this.#slots.map(({ failedByToken }) => failedByToken));
  }

  #current(first: CallOwner): Slot {
    const now = performance.now();
    while (this.#slots[0] !== undefined && now - this.#slots[0].startedAt >= WINDOW_MS) this.#slots.shift();
    const last = this.#slots.at(-1);
    if (last !== undefined && now - last.startedAt < SLOT_MS) return last;
    const slot: Slot = {
      startedAt: now,
      first: { id: first.id, token: first.token },
      isOneOperation: true,
      isOneToken: true,
      calls: 0,
      failed: 0,
      failedByOperation: new Map(),
      failedByToken: new Map(),
    };
    this.#slots.push(slot);
    return slot;
  }
}

function maxIn<Owner>(slots: readonly ReadonlyMap<Owner, number>[]): number {
  const sums = new Map<Owner, number>();
  let max = 0;
  for (const slot of slots) {
    for (const [owner, failed] of slot) {
      const sum = (sums.get(owner) ?? 0) + failed;
      sums.set(owner, sum);
      max = Math.max(max, sum);
    }
  }
  return max;
}
