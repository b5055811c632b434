import { PooledBuffer } from '../../core/buffer-pool.ts';
import { RestError } from '../../rest/errors.ts';
import { MIN_SLIDING_BYTES, type SlidingMemory } from '../../rest/file-memory.ts';

/** How many bytes are added at least before a reader goes on: waking it for each chunk costs more than reading the chunk. */
const WAKE_BYTES = 1 << 18;

/** The limit of a response whose parts are dropped once they are read. */
export interface SlidingLimit {
  /** The setting. */
  readonly name: 'UPSTREAM_MAX_BYTES';
  /** The most bytes that are held at a time. */
  readonly value: number;
}

/** The body of a response of which only the part that is still needed is held. */
export class SlidingBody {
  /** Whether no more bytes will come. */
  isComplete = false;
  readonly #source: AsyncIterator<Buffer>;
  readonly #limit: SlidingLimit;
  readonly #reserved: SlidingMemory;
  #memory = PooledBuffer.of(Buffer.alloc(0));
  #size = 0;

  /** @param reserved its memory of the budget */
  constructor(source: AsyncIterable<Buffer>, limit: SlidingLimit, reserved: SlidingMemory) {
    this.#source = source[Symbol.asyncIterator]();
    this.#limit = limit;
    this.#reserved = reserved;
  }

  /** Its memory. It is another one after the body has grown. */
  get pooled(): PooledBuffer {
    return this.#memory;
  }

  /** The bytes that are held. */
  get bytes(): Buffer {
    return this.#memory.bytes.subarray(0, this.#size);
  }

  /**
   * Waits for many more bytes, or the end.
   *
   * @throws what the source throws, and a RestError if the limit does not allow more bytes, or there is no memory for them
   */
  async more(): Promise<void> {
    const enough = this.#size + WAKE_BYTES;
    while (!this.isComplete && this.#size < enough) {
      const { done, value } = await this.#source.next();
      if (done === true) this.isComplete = true;
      else await this.#add(value);
    }
  }

  /** Reserves memory for what is made of it. Rejects with a RestError. */
  reserve(bytes: number): Promise<void> {
    return this.#reserved.growIndex(bytes);
  }

  /** Drops bytes. */
  drop(start: number, end: number): void {
    this.#memory.bytes.copyWithin(start, end, this.#size);
    this.#size -= end - start;
  }

  /** Returns its memory to the pool, and ends the source. */
  async release(): Promise<void> {
    this.#memory.release();
    this.#reserved.release();
    await this.#source.return?.();
  }

  async #add(chunk: Buffer): Promise<void> {
    const size = this.#size + chunk.length;
    if (size > this.#limit.value) {
      throw new RestError('getDatasetResults', 'responseTooLarge', { status: 200, limit: this.#limit });
    }
    if (size > this.#memory.bytes.length) await this.#grow(Math.max(size, MIN_SLIDING_BYTES / 2));
    this.#memory.bytes.set(chunk, this.#size);
    this.#size = size;
  }

  async #grow(length: number): Promise<void> {
    const granted = await this.#reserved.growBody(length);
    const before = this.#memory;
    this.#memory = PooledBuffer.acquire(granted);
    this.#memory.bytes.set(before.bytes.subarray(0, this.#size));
    before.free();
  }
}
