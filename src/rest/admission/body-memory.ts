import { SMALL_BYTES } from './memory-budget.ts';
import type { OperationMemory, PendingMemory } from './operation-memory.ts';

/** A body grows at least by this factor. Smaller steps would copy it too often. */
const MIN_GROWTH = 9 / 8;

/** The part of an operation's memory that one body holds while it arrives. */
export class BodyMemory {
  /** Bytes. */
  held: number;
  readonly #operation: OperationMemory;
  #pending: PendingMemory | undefined;
  /** The part of it that was granted while the length of the body was unknown. */
  #grown = 0;
  #hasEnded = false;

  /** @param held the bytes that the operation has reserved for it */
  constructor(operation: OperationMemory, held: number) {
    this.#operation = operation;
    this.held = held;
  }

  /** Reserves memory for a body of this length. The result is that of `OperationMemory.reserve`. */
  reserve(length: number): Promise<void> | undefined {
    return this.#request(Math.max(0, length - this.held));
  }

  /** Reserves memory for this many bytes in total, and up to twice as much because more may follow. Returns as `reserve`. */
  grow(needed: number): Promise<void> | undefined {
    if (needed <= SMALL_BYTES) return this.#request(Math.min(2 * needed, SMALL_BYTES) - this.held);
    const min = Math.min(Math.ceil(needed * MIN_GROWTH), this.#operation.free + this.held);
    return this.#request(Math.max(needed, min) - this.held, Math.max(needed, min, 2 * needed) - this.held);
  }

  /** Reserves further memory for a part of the body, or for what is made of it, whose length is unknown. Returns as `reserve`. */
  growBy(bytes: number): Promise<void> | undefined {
    return bytes <= SMALL_BYTES ? this.#request(bytes) : this.#request(bytes, bytes);
  }

  /** Reserves so many bytes more. Returns as `reserve`. */
  add(bytes: number): Promise<void> | undefined {
    return this.#request(bytes);
  }

  /** Ends the growth of the body. The used bytes stay reserved until the operation ends; the rest is released. */
  end(used: number): void {
    this.#hasEnded = true;
    this.#keep(used);
  }

  /** Releases all but so many bytes. It may grow again. */
  shrink(used: number): void {
    this.#keep(used);
  }

  #keep(used: number): void {
    this.#pending?.cancel();
    const kept = Math.min(used, this.held);
    const unused = this.held - kept;
    this.held = kept;
    this.#operation.releaseBytes(unused);
    if (this.#grown > 0) this.#operation.endGrowing(this.#grown);
    this.#grown = 0;
  }

  #request(bytes: number, growingTo?: number): Promise<void> | undefined {
    const memory = this.#operation.request(bytes, growingTo);
    const hold = (granted: number) => {
      this.held += granted;
      if (growingTo !== undefined) this.#grown += granted;
      // The grant came after the end.
      if (this.#hasEnded) this.end(0);
    };
    if (typeof memory === 'number') {
      hold(memory);
      return undefined;
    }
    this.#pending = memory;
    return memory.granted.then(hold);
  }
}
