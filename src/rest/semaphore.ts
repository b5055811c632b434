/** A permit that a call holds or waits for. */
export interface Permit {
  /** Releases the permit, or stops waiting for it. Call it once. */
  release(): void;
  /** Sets whether the call waits for memory that only other calls can release. */
  stall(isStalled: boolean): void;
}

/** The owner of calls. Its calls share the limits for one owner. */
export interface Owner {
  /** Whether it holds memory, which it releases only when its calls have ended. */
  readonly isHolder: boolean;
  /** The number of permits of its calls. Only the semaphore changes it. */
  permits: number;
}

/** A call that needs a permit. */
export interface Call {
  readonly owner: Owner;
  /** Whether its response may be so large that it has to wait for memory. */
  readonly mayStall: boolean;
  /** Is called when the call gets a permit: at once, or later. */
  readonly start: () => void;
  /** Is called when the queue is full: at once, or later. */
  readonly reject: () => void;
}

/** A call with its state: the permit that it holds or waits for. */
class QueuedCall implements Permit {
  readonly call: Call;
  state: 'waiting' | 'running' | 'ended' = 'waiting';
  readonly #semaphore: Semaphore;

  constructor(call: Call, semaphore: Semaphore) {
    this.call = call;
    this.#semaphore = semaphore;
  }

  release(): void {
    this.#semaphore.release(this);
  }

  stall(isStalled: boolean): void {
    this.#semaphore.stall(isStalled);
  }
}

/** The calls of one owner leave one in four permits free, and so do all calls together that may stall. */
const RESERVED_ONE_IN = 4;
/** Calls that may stall, but whose owner holds memory, leave one in eight free. */
const HOLDERS_RESERVED_ONE_IN = 8;

/**
 * A fair semaphore with a bounded queue. Owners take turns, and the calls of one owner run in their order, so no owner waits
 * behind all calls of another. One owner holds at most three quarters of the permits. The same limit applies to all calls
 * together that may stall, so small calls always get permits.
 *
 * The queue of the connection pool is not used, because it is unbounded and its entries cannot be removed.
 */
export class Semaphore {
  readonly #permits: number;
  readonly #maxWaiting: number;
  /** The waiting calls of each owner, in the order of the owners' turns. */
  readonly #waiting = new Map<object, QueuedCall[]>();
  #waitingCalls = 0;
  #inUse = 0;
  /** The permits of calls that may stall, and of calls that do. */
  #mayStall = 0;
  #stalled = 0;

  constructor(permits: number, maxWaiting: number) {
    this.#permits = permits;
    this.#maxWaiting = maxWaiting;
  }

  /** Whether a call would have to wait. */
  wouldWait(call: Pick<Call, 'owner' | 'mayStall'>): boolean {
    return !this.#hasPermitFor(call);
  }

  /** Whether an owner waits for a permit, and all calls with a permit are stalled. */
  isStalled(owner: object): boolean {
    return this.#stalled === this.#inUse && this.#waiting.has(owner);
  }

  /**
   * Acquires a permit, or waits for one. If the queue is full, the owner with the largest number of waiting calls loses its last
   * one: that call is rejected.
   */
  acquire(newCall: Call): Permit {
    const call = new QueuedCall(newCall, this);
    const { owner } = newCall;
    if (this.#hasPermitFor(newCall)) {
      this.#start(call);
    } else {
      const calls = this.#waiting.get(owner) ?? [];
      this.#waiting.set(owner, calls);
      calls.push(call);
      this.#waitingCalls += 1;
      if (this.#waitingCalls > this.#maxWaiting) this.#rejectOne(owner);
    }
    return call;
  }

  /** Releases the permit of a call, or stops waiting for it. */
  release(call: QueuedCall): void {
    const { owner, mayStall } = call.call;
    const { state } = call;
    if (state === 'waiting') this.#dequeue(call);
    call.state = 'ended';
    if (state !== 'running') return;
    this.#inUse -= 1;
    owner.permits -= 1;
    if (mayStall) this.#mayStall -= 1;
    this.#serve();
  }

  /** A call with a permit stalls, or goes on. */
  stall(isStalled: boolean): void {
    this.#stalled += isStalled ? 1 : -1;
  }

  #hasPermitFor({ owner, mayStall }: Pick<Call, 'owner' | 'mayStall'>): boolean {
    if (this.#inUse >= this.#permits) return false;
    const share = this.#permits - Math.floor(this.#permits / RESERVED_ONE_IN);
    if (owner.permits >= share) return false;
    if (!mayStall) return true;
    return (
      this.#mayStall < (owner.isHolder ? this.#permits - Math.floor(this.#permits / HOLDERS_RESERVED_ONE_IN) : share)
    );
  }

  #start(call: QueuedCall): void {
    const { owner, mayStall, start } = call.call;
    call.state = 'running';
    this.#inUse += 1;
    owner.permits += 1;
    if (mayStall) this.#mayStall += 1;
    start();
  }

  /** Starts waiting calls while there are permits, one of each owner in turn. */
  #serve(): void {
    for (const [owner, calls] of this.#waiting) {
      if (this.#inUse >= this.#permits) return;
      const next = calls.find(({ call }) => this.#hasPermitFor(call));
      if (next === undefined) continue;
      this.#dequeue(next);
      // Moves the owner to the end of the map, where this loop reaches it again.
      if (this.#waiting.delete(owner)) this.#waiting.set(owner, calls);
      this.#start(next);
    }
  }

  #dequeue(call: QueuedCall): void {
    const { owner } = call.call;
    const calls = this.#waiting.get(owner) ?? [];
    calls.splice(calls.indexOf(call), 1);
    this.#waitingCalls -= 1;
    if (calls.length === 0) this.#waiting.delete(owner);
  }

  #rejectOne(newOwner: object): void {
    let largest = newOwner;
    const waitingOf = (owner: object) => this.#waiting.get(owner)?.length ?? 0;
    for (const owner of this.#waiting.keys()) if (waitingOf(owner) > waitingOf(largest)) largest = owner;
    const last = this.#waiting.get(largest)?.at(-1);
    if (last === undefined) return;
    this.#dequeue(last);
    last.state = 'ended';
    last.call.reject();
  }
}
