import { LinkedList, ListEntry } from '../../core/linked-list.ts';

/** A permit that a call holds or waits for. */
export interface Permit {
  /** Releases the permit, or stops waiting for it. Call it once. */
  release(): void;
  /** Sets whether the call waits for memory that only other calls can release. */
  stall(isStalled: boolean): void;
  /** From now on the call takes as long as its client reads. */
  pass(): void;
}

/** The owner of calls. Its calls share the limits for one owner. */
export interface Owner {
  /** Whether it holds memory, which it releases only when its calls have ended. */
  readonly isHolder: boolean;
  /** Its calls. The semaphore makes it. */
  calls?: OwnerCalls | undefined;
}

/** The calls of one owner. */
class OwnerCalls {
  /** The number of its calls with a permit. */
  running = 0;
  readonly waiting = new LinkedList<CallPermit>();
  /** Its entry in the order of the owners' turns, while one of its calls waits. */
  readonly turn: ListEntry<OwnerCalls> = new ListEntry<OwnerCalls>(this);
}

/** A call that needs a permit. */
export interface QueuedCall {
  readonly owner: Owner;
  /** Whether its response may be so large that it has to wait for memory. */
  readonly mayStall: boolean;
  /** Is called when the call gets a permit: at once, or later. */
  start(): void;
  /** Is called when the queue is full: at once, or later. */
  reject(): void;
}

/** A call with its state: the permit that it holds or waits for. */
class CallPermit implements Permit {
  readonly call: QueuedCall;
  readonly ofOwner: OwnerCalls;
  isRunning = false;
  isPassing = false;
  /** When it began to wait, in milliseconds of `performance.now()`. */
  since = 0;
  /** Its entry among the waiting calls of its owner, while it waits. */
  readonly entry: ListEntry<CallPermit> = new ListEntry<CallPermit>(this);
  readonly #semaphore: Semaphore;

  constructor(call: QueuedCall, ofOwner: OwnerCalls, semaphore: Semaphore) {
    this.call = call;
    this.ofOwner = ofOwner;
    this.#semaphore = semaphore;
  }

  release(): void {
    this.#semaphore.release(this);
  }

  stall(isStalled: boolean): void {
    this.#semaphore.stall(isStalled);
  }

  pass(): void {
    this.#semaphore.pass(this);
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
  /** The owners with waiting calls, in the order of their turns. */
  readonly #turns = new LinkedList<OwnerCalls>();
  #waitingCalls = 0;
  #inUse = 0;
  /** The permits of calls that may stall, and of calls that do. */
  #mayStall = 0;
  #stalled = 0;
  /** The permits of calls that take as long as their clients read. */
  #passing = 0;

  constructor(permits: number, maxWaiting: number) {
    this.#permits = permits;
    this.#maxWaiting = maxWaiting;
  }

  /** The number of calls that wait. */
  get waiting(): number {
    return this.#waitingCalls;
  }

  /** Whether clients that read slowly may be why a call has waited for so many milliseconds. */
  isHeldUp(milliseconds: number): boolean {
    if (this.#passing === 0) return false;
    const latest = performance.now() - milliseconds;
    return [...this.#turns].some(({ waiting }) => (waiting.first?.value.since ?? latest + 1) <= latest);
  }

  /** Whether a call would have to wait. */
  wouldWait(call: Pick<QueuedCall, 'owner' | 'mayStall'>): boolean {
    return !this.#hasPermitFor(call);
  }

  /** Whether an owner waits for a permit, and all calls with a permit are stalled. */
  isStalled({ calls }: Owner): boolean {
    return this.#stalled === this.#inUse && calls !== undefined && calls.waiting.size > 0;
  }

  /**
   * Acquires a permit, or waits for one. If the queue is full, the owner with the largest number of waiting calls loses its last
   * one: that call is rejected.
   */
  acquire(call: QueuedCall): Permit {
    call.owner.calls ??= new OwnerCalls();
    const queued = new CallPermit(call, call.owner.calls, this);
    if (this.#hasPermitFor(call)) this.#start(queued);
    else this.#enqueue(queued);
    return queued;
  }

  /** Releases the permit of a call, or stops waiting for it. */
  release(queued: CallPermit): void {
    if (queued.entry.list !== undefined) this.#dequeue(queued);
    if (!queued.isRunning) return;
    queued.isRunning = false;
    if (queued.isPassing) this.#passing -= 1;
    this.#inUse -= 1;
    queued.ofOwner.running -= 1;
    if (queued.call.mayStall) this.#mayStall -= 1;
    this.#serve();
  }

  /** A call with a permit passes to its client. */
  pass(queued: CallPermit): void {
    if (!queued.isRunning || queued.isPassing) return;
    queued.isPassing = true;
    this.#passing += 1;
  }

  /** A call with a permit stalls, or goes on. */
  stall(isStalled: boolean): void {
    this.#stalled += isStalled ? 1 : -1;
  }

  #hasPermitFor({ owner, mayStall }: Pick<QueuedCall, 'owner' | 'mayStall'>): boolean {
    if (this.#inUse >= this.#permits) return false;
    const share = this.#permits - Math.floor(this.#permits / RESERVED_ONE_IN);
    if ((owner.calls?.running ?? 0) >= share) return false;
    if (!mayStall) return true;
    return (
      this.#mayStall < (owner.isHolder ? this.#permits - Math.floor(this.#permits / HOLDERS_RESERVED_ONE_IN) : share)
    );
  }

  #start(queued: CallPermit): void {
    queued.isRunning = true;
    this.#inUse += 1;
    queued.ofOwner.running += 1;
    if (queued.call.mayStall) this.#mayStall += 1;
    queued.call.start();
  }

  #enqueue(queued: CallPermit): void {
    const { waiting, turn } = queued.ofOwner;
    queued.since = performance.now();
    waiting.append(queued.entry);
    if (turn.list === undefined) this.#turns.append(turn);
    this.#waitingCalls += 1;
    if (this.#waitingCalls > this.#maxWaiting) this.#rejectOne(queued.ofOwner);
  }

  #dequeue({ entry, ofOwner }: CallPermit): void {
    entry.remove();
    this.#waitingCalls -= 1;
    if (ofOwner.waiting.size === 0) ofOwner.turn.remove();
  }

  /** Starts waiting calls while there are permits, one of each owner in turn. */
  #serve(): void {
    let turn = this.#turns.first;
    while (turn !== undefined && this.#inUse < this.#permits) {
      const following = turn.next;
      const next = this.#nextOf(turn.value);
      if (next === undefined) {
        turn = following;
        continue;
      }
      this.#dequeue(next);
      if (turn.list !== undefined) this.#turns.append(turn);
      this.#start(next);
      turn = following ?? this.#turns.last;
    }
  }

  /** The first waiting call of an owner that may have a permit. */
  #nextOf({ waiting }: OwnerCalls): CallPermit | undefined {
    for (let entry = waiting.first; entry !== undefined; entry = entry.next) {
      const { call } = entry.value;
      if (this.#hasPermitFor(call)) return entry.value;
      // Without a permit for a call that does not stall, there is none for any call of its owner.
      if (!call.mayStall) return undefined;
    }
    return undefined;
  }

  #rejectOne(newest: OwnerCalls): void {
    let largest = newest;
    for (const calls of this.#turns) if (calls.waiting.size > largest.waiting.size) largest = calls;
    const last = largest.waiting.last?.value;
    if (last === undefined) return;
    this.#dequeue(last);
    last.call.reject();
  }
}
