import { noteBegin, noteEnd } from '../core/idle.ts';
import { RestError } from './errors.ts';
import type { MemoryBudget, MemoryHolder, MemoryRequest } from './memory-budget.ts';

/** Why memory is not had: the operation wants more than there is for all, its time is over, or it has ended. */
type Refusal = 'responseTooLarge' | 'memoryBudget' | 'cancelled';

/** Memory that is waited for. */
export interface AwaitedMemory {
  /** How many bytes; rejects with a RestError. */
  readonly granted: Promise<number>;
  /** Stops waiting, unless it is granted already. */
  cancel(): void;
}

/** What one operation holds of the process's memory budget. */
export class OperationMemory implements MemoryHolder {
  readonly age: number;
  /** Bytes. To be changed by the budget alone. */
  held = 0;
  readonly #budget: MemoryBudget;
  readonly #awaited = new Set<AwaitedMemory & { refuse(): void }>();
  #isLate = false;
  #hasEnded = false;

  constructor(budget: MemoryBudget) {
    this.#budget = budget;
    this.age = budget.open();
    noteBegin();
  }

  /** How many bytes it may hold at most. */
  get most(): number {
    return this.#budget.bytes;
  }

  /** Whether it holds more than small answers. */
  get isHolder(): boolean {
    return this.#budget.isHolder(this);
  }

  /**
   * Takes so many bytes of the budget.
   *
   * @param signal stops waiting
   * @returns undefined when they are granted at once; otherwise it resolves when they are, and rejects with a RestError
   *   `memoryBudget` when they cannot be, or `responseTooLarge` when the operation would hold more than the whole budget
   */
  reserve(bytes: number, signal?: AbortSignal): Promise<void> | undefined {
    const memory = this.request(bytes);
    if (typeof memory === 'number') return undefined;
    const cancel = () => memory.cancel();
    if (signal?.aborted) cancel();
    signal?.addEventListener('abort', cancel, { once: true });
    return memory.granted.then(noted).finally(() => signal?.removeEventListener('abort', cancel));
  }

  /**
   * As `reserve`, for a body.
   *
   * @param growingTo how many bytes would be better, where its length is not known
   * @returns how many are granted at once, or what is waited for
   */
  request(bytes: number, growingTo?: number): number | AwaitedMemory {
    if (this.#hasEnded) return refused(this.#refusal('cancelled'));
    if (this.held + bytes > this.most) return refused(this.#refusal('responseTooLarge'));
    const request = { operation: this, bytes, growingTo };
    const granted = this.#budget.take(request);
    if (granted > 0 || bytes === 0) return granted;
    if (this.#isLate) return refused(this.#refusal('memoryBudget'));
    return this.#wait(request);
  }

  /** A body that has grown to so many bytes grows no more. */
  endGrowing(bytes: number): void {
    this.#budget.endGrowing(this, bytes);
  }

  /** Gives so many bytes back. */
  returnBytes(bytes: number): void {
    const given = Math.min(bytes, this.held);
    if (given === 0) return;
    this.held -= given;
    this.#budget.returnBytes(this, given);
  }

  /** The time of the operation is over: from now on nothing is waited for. */
  stopWaiting(): void {
    this.#isLate = true;
    for (const awaited of this.#awaited) awaited.refuse();
  }

  /** Gives back everything: the answer is written, or nobody waits for it. From now on nothing is granted. */
  release(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    noteEnd();
    for (const awaited of this.#awaited) awaited.cancel();
    this.returnBytes(this.held);
  }

  #wait(request: MemoryRequest): AwaitedMemory {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const settle = (granted: number, failure: Refusal = 'memoryBudget') => {
      this.#awaited.delete(awaited);
      if (granted > 0) resolve(granted);
      else reject(this.#refusal(failure));
    };
    const waiting = { ...request, settle };
    const end = (failure: Refusal) => {
      if (!this.#awaited.has(awaited)) return;
      settle(0, failure);
      this.#budget.cancel(waiting);
    };
    const awaited = { granted: promise, cancel: () => end('cancelled'), refuse: () => end('memoryBudget') };
    this.#awaited.add(awaited);
    this.#budget.wait(waiting);
    return awaited;
  }

  #refusal(failure: Refusal): RestError {
    const limit = { name: 'MEMORY_BUDGET', value: this.most };
    return new RestError('getDatasetResults', failure, failure === 'cancelled' ? {} : { limit });
  }
}

/** Private. */
function refused(error: RestError): AwaitedMemory {
  const granted = Promise.reject<number>(error);
  return { granted, cancel: () => {} };
}

/** Private. How many bytes are granted, who has asked for them knows. */
function noted(): void {}
