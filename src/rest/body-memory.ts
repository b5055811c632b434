import { SMALL_BYTES } from './memory-budget.ts';
import type { AwaitedMemory, OperationMemory } from './operation-memory.ts';

/** By how much a body grows at least. */
const MIN_GROWTH = 9 / 8;

/** What an operation holds of the memory budget for one body, while that arrives. */
export class BodyMemory {
  /** Bytes. */
  held = 0;
  readonly #operation: OperationMemory;
  #awaited: AwaitedMemory | undefined;
  /** What of it was taken while it was not known how much there would be. */
  #grown = 0;
  #isOver = false;

  constructor(operation: OperationMemory) {
    this.#operation = operation;
  }

  /** Takes the memory of a body of this length; what it gives is that of `OperationMemory.reserve`. */
  reserve(length: number): Promise<void> | undefined {
    return this.#take(length);
  }

  /** Takes enough for so many bytes in all, and up to as much again because there may be more; gives what `reserve` does. */
  grow(needed: number): Promise<void> | undefined {
    if (needed <= SMALL_BYTES) return this.#take(Math.min(2 * needed, SMALL_BYTES) - this.held);
    // Smaller steps would have the body copied too often.
    const least = Math.min(Math.ceil(needed * MIN_GROWTH), this.#operation.most - this.#operation.held + this.held);
    return this.#take(Math.max(needed, least) - this.held, Math.max(needed, least, 2 * needed) - this.held);
  }

  /** The body has ended: so many bytes stay in use until the operation ends, and the rest is given back. */
  end(used: number): void {
    this.#isOver = true;
    this.#awaited?.cancel();
    const left = Math.min(used, this.held);
    const unused = this.held - left;
    this.held = left;
    this.#operation.returnBytes(unused);
    if (this.#grown > 0) this.#operation.endGrowing(this.#grown);
    this.#grown = 0;
  }

  #take(bytes: number, growingTo?: number): Promise<void> | undefined {
    const memory = this.#operation.request(bytes, growingTo);
    const take = (granted: number) => {
      this.held += granted;
      if (growingTo !== undefined) this.#grown += granted;
      // It was granted when nobody waited for it any more.
      if (this.#isOver) this.end(0);
    };
    if (typeof memory === 'number') {
      take(memory);
      return undefined;
    }
    this.#awaited = memory;
    return memory.granted.then(take);
  }
}
