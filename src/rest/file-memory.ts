import { BodyMemory } from './body-memory.ts';
import type { OperationMemory } from './operation-memory.ts';

/** The memory of a body of which only a part is held, in bytes at first. It grows with the largest asset. */
export const MIN_SLIDING_BYTES = 1 << 20;

/** The memory of the budget that one file of results holds while it is written. */
export class FileMemory {
  readonly #operation: OperationMemory;
  readonly #timeoutMs: number;

  /** @param timeoutMs for how many milliseconds a file waits for memory */
  constructor(operation: OperationMemory, timeoutMs: number) {
    operation.use = 'files';
    this.#operation = operation;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Reserves all that a file needs whose assets are small, until the operation ends. Rejects with a RestError.
   *
   * @param bytes for what is written and not sent
   */
  begin(bytes: number): Promise<void> {
    return this.#inTime(this.#operation.reserve(bytes + MIN_SLIDING_BYTES));
  }

  /** The memory of a body of which only a part is held, one after the other. */
  slidingBody(): SlidingMemory {
    return new SlidingMemory(new BodyMemory(this.#operation), (memory) => this.#inTime(memory));
  }

  async #inTime(memory: Promise<void> | undefined): Promise<void> {
    if (memory === undefined) return;
    const timer = setTimeout(() => this.#operation.stopWaiting(), this.#timeoutMs);
    await memory.finally(() => clearTimeout(timer));
  }
}

/** The memory of a body of which only a part is held, and of its index. Both grow behind those of older operations. */
export class SlidingMemory {
  readonly #memory: BodyMemory;
  readonly #inTime: (memory: Promise<void> | undefined) => Promise<void>;
  #bodyBytes = 0;
  #indexBytes = 0;

  constructor(memory: BodyMemory, inTime: (memory: Promise<void> | undefined) => Promise<void>) {
    this.#memory = memory;
    this.#inTime = inTime;
  }

  /** Reserves this many bytes for the body, or more. Returns how many. Rejects with a RestError. */
  async growBody(bytes: number): Promise<number> {
    await this.#ensure(bytes + this.#indexBytes);
    this.#bodyBytes = MIN_SLIDING_BYTES + this.#memory.held - this.#indexBytes;
    return this.#bodyBytes;
  }

  /** Reserves further bytes for the index. Rejects with a RestError. */
  async growIndex(bytes: number): Promise<void> {
    await this.#ensure(this.#bodyBytes + this.#indexBytes + bytes);
    this.#indexBytes += bytes;
  }

  release(): void {
    this.#memory.end(0);
  }

  #ensure(bytes: number): Promise<void> {
    const needed = bytes - MIN_SLIDING_BYTES;
    return this.#inTime(needed <= this.#memory.held ? undefined : this.#memory.grow(needed));
  }
}
