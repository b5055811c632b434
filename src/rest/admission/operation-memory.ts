import { LinkedList } from '../../core/linked-list.ts';
import { RestError } from '../contract/rest-error.ts';
import type { MemoryBudget, MemoryHolder, MemoryRequest, MemoryUse, Waiter } from './memory-budget.ts';
import type { Owner } from './semaphore.ts';

/** Why a request is rejected: it exceeds the whole budget, its time is over, or the operation has ended. */
type Rejection = 'responseTooLarge' | 'memoryBudget' | 'cancelled';

/** A request that waits for memory. */
export interface PendingMemory {
  /** The granted bytes; rejects with a RestError. */
  readonly granted: Promise<number>;
  /** Stops waiting. */
  cancel(): void;
}

/** One operation as the limits see it: all its calls and all its memory, also those for which other operations wait. */
class Operation implements MemoryHolder {
  readonly age: number;
  held = 0;
  calls: Owner['calls'] = undefined;
  readonly #budget: MemoryBudget;

  constructor(budget: MemoryBudget) {
    this.#budget = budget;
    this.age = budget.register();
  }

  get isHolder(): boolean {
    return this.#budget.isHolder(this);
  }
}

/** The memory of the budget that is held for one operation, or for a call for which several operations wait. */
export class OperationMemory {
  /** The operation that began it. */
  readonly operation: Operation;
  /** Who waits for the call, if several operations may. */
  waiters: ReadonlySet<Waiter> | undefined;
  /** What it is held for, but for what is read ahead. Set it before anything is held. */
  use: MemoryUse = 'responses';
  /** For how many milliseconds a request waits. Undefined: until `stopWaiting`. */
  maxWaitMs: number | undefined;
  readonly #budget: MemoryBudget;
  /** Bytes. */
  #held = 0;
  /** The part of them that is read ahead. */
  #ahead = 0;
  readonly #pending = new LinkedList<PendingMemory & { reject(): void }>();
  #isLate = false;
  #hasEnded = false;

  /** @param operation that which began a call; absent: a new one */
  constructor(budget: MemoryBudget, operation: Operation = new Operation(budget)) {
    this.#budget = budget;
    this.operation = operation;
  }

  /** The maximum bytes that its operation may hold. */
  get maxBytes(): number {
    return this.#budget.bytes;
  }

  /** The bytes that its operation may hold beside those that it holds. */
  get free(): number {
    return this.maxBytes - this.operation.held;
  }

  /**
   * Reserves memory.
   *
   * @param signal stops waiting
   * @returns undefined if it is granted at once; otherwise a promise. It rejects with a RestError: `memoryBudget` if the
   *   memory does not become free in time, `responseTooLarge` if the operation would exceed the whole budget
   */
  reserve(bytes: number, signal?: AbortSignal): Promise<void> | undefined {
    const memory = this.request(bytes);
    if (typeof memory === 'number') return undefined;
    const cancel = () => memory.cancel();
    if (signal?.aborted) cancel();
    signal?.addEventListener('abort', cancel, { once: true });
    return memory.granted.then(() => {}).finally(() => signal?.removeEventListener('abort', cancel));
  }

  /**
   * Requests memory for a body.
   *
   * @param growingTo the preferred number of bytes, if the length of the body is unknown
   * @returns the bytes that are granted at once, or the pending request
   */
  request(bytes: number, growingTo?: number): number | PendingMemory {
    if (this.#hasEnded) return rejected(this.#rejection('cancelled'));
    if (bytes > this.free) return rejected(this.#rejection('responseTooLarge'));
    const request = { operation: this.operation, waiters: this.waiters, bytes, growingTo };
    const granted = this.#budget.tryAcquire(request);
    this.#hold(granted);
    if (granted > 0 || bytes === 0) return granted;
    if (this.#isLate) return rejected(this.#rejection('memoryBudget'));
    return this.#wait(request);
  }

  /**
   * Takes memory to read ahead, which nobody waits for, and leaves a quarter of the budget free. Returns whether there was so
   * much.
   */
  tryReadAhead(bytes: number): boolean {
    if (this.#hasEnded || bytes > this.free || !this.#budget.hasSpare(bytes)) return false;
    if (this.request(bytes) !== bytes) return false;
    this.#readAhead(bytes);
    return true;
  }

  /** Releases memory to read ahead. */
  releaseAhead(bytes: number): void {
    if (bytes === 0 || this.#hasEnded) return;
    this.#readAhead(-bytes);
    this.releaseBytes(bytes);
  }

  /** A body stops growing, with this many bytes. */
  endGrowing(bytes: number): void {
    this.#budget.endGrowing(this.operation, bytes);
  }

  /** Releases bytes. */
  releaseBytes(bytes: number): void {
    const released = Math.min(bytes, this.#held);
    if (released === 0) return;
    this.#hold(-released);
    this.operation.held -= released;
    this.#budget.released(this.operation);
  }

  /** Passes bytes on. Returns whether it held so many, and the other may. */
  give(to: OperationMemory, bytes: number): boolean {
    const isOther = to.operation !== this.operation;
    if (this.#held < bytes || to.#hasEnded || (isOther && bytes > to.free)) return false;
    this.#hold(-bytes);
    to.#hold(bytes);
    if (isOther) this.#budget.move(this.operation, to.operation, bytes);
    return true;
  }

  /** Rejects the pending requests. From now on a request that cannot be granted at once is rejected. */
  stopWaiting(): void {
    this.#isLate = true;
    for (const pending of this.#pending) pending.reject();
  }

  /** Releases everything: the response is written, or no longer needed. From now on nothing is granted. */
  release(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    for (const pending of this.#pending) pending.cancel();
    this.#readAhead(-this.#ahead);
    this.releaseBytes(this.#held);
  }

  #hold(bytes: number): void {
    this.#held += bytes;
    this.#budget.uses[this.use] += bytes;
  }

  /** Bytes that it holds are for what is read ahead from now on; with a negative number, no longer. */
  #readAhead(bytes: number): void {
    this.#ahead += bytes;
    this.#budget.uses.read_ahead += bytes;
    this.#budget.uses[this.use] -= bytes;
  }

  #wait(request: MemoryRequest): PendingMemory {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const settle = (granted: number, failure: Rejection = 'memoryBudget') => {
      clearTimeout(timer);
      entry.remove();
      this.#hold(granted);
      if (granted > 0) resolve(granted);
      else reject(this.#rejection(failure));
    };
    const waiting = { ...request, settle };
    const end = (failure: Rejection) => {
      if (entry.list === undefined) return;
      settle(0, failure);
      this.#budget.cancel(waiting);
    };
    const pending = { granted: promise, cancel: () => end('cancelled'), reject: () => end('memoryBudget') };
    const timer = this.maxWaitMs === undefined ? undefined : setTimeout(() => end('memoryBudget'), this.maxWaitMs);
    const entry = this.#pending.add(pending);
    this.#budget.enqueue(waiting);
    return pending;
  }

  #rejection(failure: Rejection): RestError {
    const limit = { name: 'MEMORY_BUDGET', value: this.maxBytes };
    return new RestError('getDatasetResults', failure, failure === 'cancelled' ? {} : { limit });
  }
}

function rejected(error: RestError): PendingMemory {
  const granted = Promise.reject<number>(error);
  return { granted, cancel: () => {} };
}
