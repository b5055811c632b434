import { RestError } from './errors.ts';
import type { MemoryBudget } from './memory-budget.ts';

/** Why memory is not had: the operation wants more than there is for all, its time is over, or it has ended. */
type Refusal = 'responseTooLarge' | 'memoryBudget' | 'cancelled';

/** Memory that is waited for. */
export interface AwaitedMemory {
  /** Rejects with a RestError. */
  readonly granted: Promise<void>;
  /** Stops waiting, unless it is granted already. */
  cancel(): void;
}

/** What one operation holds of the process's memory budget. */
export class OperationMemory {
  /** The number of its opening: older operations have lower ones. */
  readonly age: number;
  /** Bytes. To be changed by the budget alone. */
  held = 0;
  readonly #budget: MemoryBudget;
  readonly #awaited = new Set<AwaitedMemory & { refuse(): void }>();
  #isLate = false;
  #hasEnded = false;

  constructor(budget: MemoryBudget, age: number) {
    this.#budget = budget;
    this.age = age;
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
    const awaited = this.request(bytes, false);
    if (awaited === undefined || signal === undefined) return awaited?.granted;
    if (signal.aborted) awaited.cancel();
    const cancel = () => awaited.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    return awaited.granted.finally(() => signal.removeEventListener('abort', cancel));
  }

  /**
   * As `reserve`, for a body.
   *
   * @param isGrowing whether its length is not known
   */
  request(bytes: number, isGrowing: boolean): AwaitedMemory | undefined {
    if (this.#hasEnded) return refused(this.#refusal('cancelled'));
    if (this.held + bytes > this.most) return refused(this.#refusal('responseTooLarge'));
    if (this.#budget.take({ operation: this, bytes, isGrowing })) return undefined;
    if (this.#isLate) return refused(this.#refusal('memoryBudget'));
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const settle = (outcome: 'granted' | 'memoryBudget' | 'cancelled') => {
      this.#awaited.delete(awaited);
      if (outcome === 'granted') resolve();
      else reject(this.#refusal(outcome));
    };
    const request = { operation: this, bytes, isGrowing, settle };
    const end = (failure: 'memoryBudget' | 'cancelled') => {
      if (!this.#awaited.has(awaited)) return;
      settle(failure);
      this.#budget.cancel(request);
    };
    const awaited = { granted: promise, cancel: () => end('cancelled'), refuse: () => end('memoryBudget') };
    this.#awaited.add(awaited);
    this.#budget.wait(request);
    return awaited;
  }

  /** A body of unknown length begins (1) or ends (-1). */
  noteGrowing(change: 1 | -1): void {
    this.#budget.noteGrowing(this, change);
  }

  /** Gives so many bytes back. */
  giveBack(bytes: number): void {
    const given = Math.min(bytes, this.held);
    if (given === 0) return;
    this.held -= given;
    this.#budget.giveBack(this, given);
  }

  /** The time of the operation is over: from now on nothing is waited for. */
  stopWaiting(): void {
    this.#isLate = true;
    for (const awaited of this.#awaited) awaited.refuse();
  }

  /** Gives back everything: the answer is written, or nobody waits for it. From now on nothing is granted. */
  release(): void {
    this.#hasEnded = true;
    for (const awaited of this.#awaited) awaited.cancel();
    this.giveBack(this.held);
  }

  #refusal(failure: Refusal): RestError {
    const limit = { name: 'MEMORY_BUDGET', value: this.most };
    return new RestError('getDatasetResults', failure, failure === 'cancelled' ? {} : { limit });
  }
}

/** Private. */
function refused(error: RestError): AwaitedMemory {
  const granted = Promise.reject(error);
  return { granted, cancel: () => {} };
}
