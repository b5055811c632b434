import { LinkedList } from '../../core/linked-list.ts';
import { RestError } from '../contract/rest-error.ts';
import type { Memory, MemoryRequest, MemoryUse } from './memory.ts';
import type { Operation } from './operation.ts';

/** Why a request is refused: it exceeds the whole budget, its time is over, or the operation has ended. */
type Refusal = 'responseTooLarge' | 'memoryBudget' | 'cancelled';

/** A request that waits for memory. */
export interface PendingMemory {
  /** The granted bytes; rejects with a RestError. */
  readonly granted: Promise<number>;
  /** Stops waiting. */
  cancel(): void;
}

/** The memory that is held for one operation, or for a call for which several operations wait. */
export class OperationMemory {
  /** The operation that began it. */
  readonly operation: Operation;
  /** What it is held for, but for what is read ahead. Set it before anything is held. */
  use: MemoryUse = 'responses';
  /** For how many milliseconds a request waits. Undefined: until `stopWaiting`. */
  maxWaitMs: number | undefined;
  readonly #memory: Memory;
  /** Bytes. */
  #held = 0;
  /** The bytes that are held beside them, to read ahead. */
  #ahead = 0;
  readonly #pending = new LinkedList<PendingMemory & { refuse(): void }>();
  #isLate = false;
  #hasEnded = false;

  constructor(memory: Memory, operation: Operation) {
    this.#memory = memory;
    this.operation = operation;
  }

  /** The maximum bytes that its operation may hold. */
  get maxBytes(): number {
    return this.#memory.bytes;
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
   * Requests memory.
   *
   * @param growth what grows, if its end is unknown
   * @returns the bytes that are granted at once, or the pending request
   */
  request(bytes: number, growth?: MemoryRequest['growth']): number | PendingMemory {
    if (this.#hasEnded) return this.#refused('cancelled');
    if (this.operation.held + bytes > this.#memory.bytes) return this.#refused('responseTooLarge');
    if (bytes <= 0) return 0;
    const request = { operation: this.operation, use: this.use, bytes, growth };
    const granted = this.#memory.tryTake(request);
    this.#held += granted;
    if (granted > 0) return granted;
    return this.#isLate ? this.#refused('memoryBudget') : this.#wait(request);
  }

  /** What has grown keeps its size. */
  endGrowth(growing: NonNullable<MemoryRequest['growth']>['of']): void {
    this.#memory.endGrowth(growing);
  }

  /**
   * Takes memory to read ahead, which nobody waits for, and leaves a quarter of the budget free. Returns whether there was so
   * much.
   */
  tryReadAhead(bytes: number): boolean {
    if (this.#hasEnded || bytes > this.free || !this.#memory.hasSpare(bytes)) return false;
    const { operation } = this;
    const taken = this.#memory.tryTake({ operation, use: 'read_ahead', bytes, growth: undefined });
    this.#ahead += taken;
    return taken > 0;
  }

  /** Releases memory to read ahead. */
  releaseAhead(bytes: number): void {
    const released = Math.min(bytes, this.#ahead);
    if (released === 0) return;
    this.#ahead -= released;
    this.#memory.release(this.operation, 'read_ahead', released);
  }

  /** Releases bytes. */
  releaseBytes(bytes: number): void {
    const released = Math.min(bytes, this.#held);
    if (released === 0) return;
    this.#held -= released;
    this.#memory.release(this.operation, this.use, released);
  }

  /** Passes bytes on. Returns whether it held so many, and the other may. */
  give(to: OperationMemory, bytes: number): boolean {
    const isOther = to.operation !== this.operation;
    if (this.#held < bytes || to.#hasEnded || (isOther && bytes > to.free)) return false;
    this.#held -= bytes;
    to.#held += bytes;
    if (isOther) this.#memory.move(this.operation, to.operation, bytes);
    return true;
  }

  /** Refuses the pending requests. From now on a request that cannot be granted at once is refused. */
  stopWaiting(): void {
    this.#isLate = true;
    for (const pending of this.#pending) pending.refuse();
  }

  /** Releases everything: the response is written, or no longer needed. From now on nothing is granted. */
  release(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    for (const pending of this.#pending) pending.cancel();
    if (this.#ahead > 0) this.releaseAhead(this.#ahead);
    if (this.#held > 0) this.releaseBytes(this.#held);
  }

  #wait(request: MemoryRequest): PendingMemory {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const stop = () => {
      clearTimeout(timer);
      entry.remove();
    };
    const settle = (granted: number) => {
      stop();
      this.#held += granted;
      if (granted > 0) resolve(granted);
      // Perhaps its operation has got the rest of the budget for something else.
      else reject(this.#refusal(request.bytes > this.free ? 'responseTooLarge' : 'memoryBudget'));
    };
    const waiting = { ...request, settle };
    const end = (refusal: Refusal) => {
      if (entry.list === undefined) return;
      stop();
      reject(this.#refusal(refusal));
      this.#memory.leave(waiting);
    };
    const pending = { granted: promise, cancel: () => end('cancelled'), refuse: () => end('memoryBudget') };
    const timer = this.maxWaitMs === undefined ? undefined : setTimeout(() => end('memoryBudget'), this.maxWaitMs);
    const entry = this.#pending.add(pending);
    this.#memory.wait(waiting);
    return pending;
  }

  #refused(refusal: Refusal): PendingMemory {
    return { granted: Promise.reject(this.#refusal(refusal)), cancel: () => {} };
  }

  #refusal(refusal: Refusal): RestError {
    const limit = { name: 'MEMORY_BUDGET', value: this.maxBytes };
    return new RestError('getDatasetResults', refusal, refusal === 'cancelled' ? {} : { limit });
  }
}
