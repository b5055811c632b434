import type { Growing } from './memory.ts';
import { SMALL_BYTES } from './operation.ts';
import type { OperationMemory } from './operation-memory.ts';

/** The memory of what is made of results before it is sent, and whose size is unknown. */
export class GrowingMemory implements Growing {
  grown = 0;
  readonly #memory: OperationMemory;
  #held = 0;

  constructor(memory: OperationMemory) {
    this.#memory = memory;
  }

  /** Reserves so many bytes more. The result is that of `OperationMemory.reserve`. */
  growBy(bytes: number): Promise<void> | undefined {
    const memory = this.#memory.request(bytes, bytes <= SMALL_BYTES ? undefined : { of: this, upTo: bytes });
    if (typeof memory !== 'number') return memory.granted.then((granted) => this.#hold(granted));
    this.#hold(memory);
    return undefined;
  }

  /** Releases all of it. */
  release(): void {
    this.#memory.releaseBytes(this.#held);
    this.#held = 0;
    if (this.grown > 0) this.#memory.endGrowth(this);
  }

  #hold(bytes: number): void {
    this.#held += bytes;
  }
}
