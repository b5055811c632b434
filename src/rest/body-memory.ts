import { SMALL_BYTES } from './memory-budget.ts';
import type { AwaitedMemory, OperationMemory } from './operation-memory.ts';

/** What an operation holds of the memory budget for one body, while that arrives. */
export class BodyMemory {
  /** Bytes. */
  held = 0;
  readonly #operation: OperationMemory;
  #awaited: AwaitedMemory | undefined;
  #isGrowing = false;
  #isOver = false;

  constructor(operation: OperationMemory) {
    this.#operation = operation;
  }

  /** Takes the memory of a body of this length; what it gives is that of `OperationMemory.reserve`. */
  reserve(length: number): Promise<void> | undefined {
    return this.#take(length);
  }

  /** Takes enough for so many bytes in all, and as much again because there may be more; gives what `reserve` does. */
  grow(needed: number): Promise<void> | undefined {
    // Not so much that it would be refused where less would do.
    const most = this.#operation.most - this.#operation.held + this.held;
    const wanted = Math.max(needed, Math.min(2 * needed, most));
    if (!this.#isGrowing && wanted > SMALL_BYTES) {
      this.#isGrowing = true;
      this.#operation.noteGrowing(1);
    }
    return this.#take(wanted - this.held);
  }

  /** The body has ended: so many bytes stay in use until the operation ends, and the rest is given back. */
  end(used: number): void {
    this.#isOver = true;
    this.#awaited?.cancel();
    if (this.#isGrowing) this.#operation.noteGrowing(-1);
    this.#isGrowing = false;
    this.#operation.giveBack(Math.max(0, this.held - used));
    this.held = Math.min(used, this.held);
  }

  #take(bytes: number): Promise<void> | undefined {
    const awaited = this.#operation.request(bytes, this.#isGrowing);
    if (awaited === undefined) {
      this.held += bytes;
      return undefined;
    }
    this.#awaited = awaited;
    return awaited.granted.then(() => {
      if (this.#isOver) this.#operation.giveBack(bytes);
      else this.held += bytes;
    });
  }
}
