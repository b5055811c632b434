import { operationEnded, operationStarted } from '../core/idle.ts';
import { LinkedList } from '../core/linked-list.ts';
import { RestError } from './errors.ts';
import type { MemoryBudget, MemoryHolder, MemoryRequest } from './memory-budget.ts';
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

/** The memory that one operation holds of the budget. */
export class OperationMemory implements MemoryHolder {
  readonly age: number;
  /** Bytes. */
  held = 0;
  /** Its calls. */
  calls: Owner['calls'] = undefined;
  readonly #budget: MemoryBudget;
  readonly #pending = new LinkedList<PendingMemory & { reject(): void }>();
  #isLate = false;
  #hasEnded = false;

  constructor(budget: MemoryBudget) {
    this.#budget = budget;
    this.age = budget.register();
    operationStarted();
  }

  /** The maximum bytes that it may hold. */
  get maxBytes(): number {
    return this.#budget.bytes;
  }

  /** Whether it holds more than small responses. */
  get isHolder(): boolean {
    return this.#budget.isHolder(this);
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
    if (this.held + bytes > this.maxBytes) return rejected(this.#rejection('responseTooLarge'));
    const request = { operation: this, bytes, growingTo };
    const granted = this.#budget.tryAcquire(request);
    if (granted > 0 || bytes === 0) return granted;
    if (this.#isLate) return rejected(this.#rejection('memoryBudget'));
    return this.#wait(request);
  }

  /** A body stops growing, with this many bytes. */
  endGrowing(bytes: number): void {
    this.#budget.endGrowing(this, bytes);
  }

  /** Releases bytes. */
  releaseBytes(bytes: number): void {
    const released = Math.min(bytes, this.held);
    if (released === 0) return;
    this.held -= released;
    this.#budget.release(this, released);
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
    operationEnded();
    for (const pending of this.#pending) pending.cancel();
    this.releaseBytes(this.held);
  }

  #wait(request: MemoryRequest): PendingMemory {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const settle = (granted: number, failure: Rejection = 'memoryBudget') => {
      entry.remove();
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
