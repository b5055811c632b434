import { PooledBuffer } from '../../core/buffer-pool.ts';
import { RestError } from '../../rest/errors.ts';

/** The memory at first, in bytes. It grows with the largest asset. */
const MIN_BYTES = 1 << 20;
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
  readonly #memory = PooledBuffer.acquireAtLeast(MIN_BYTES);
  #size = 0;

  constructor(source: AsyncIterable<Buffer>, limit: SlidingLimit) {
    this.#source = source[Symbol.asyncIterator]();
    this.#limit = limit;
  }

  /** Its memory. It may move while the body grows. */
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
   * @throws what the source throws, and RestError `responseTooLarge` if more bytes would be held than the limit allows
   */
  async more(): Promise<void> {
    const enough = this.#size + WAKE_BYTES;
    while (!this.isComplete && this.#size < enough) {
      const { done, value } = await this.#source.next();
      if (done === true) this.isComplete = true;
      else this.#add(value);
    }
  }

  /** Drops the first bytes. */
  drop(count: number): void {
    this.#memory.bytes.copyWithin(0, count, this.#size);
    this.#size -= count;
  }

  /** Returns its memory to the pool, and ends the source. */
  async release(): Promise<void> {
    this.#memory.release();
    await this.#source.return?.();
  }

  #add(chunk: Buffer): void {
    const size = this.#size + chunk.length;
    if (size > this.#limit.value) {
      throw new RestError('getDatasetResults', 'responseTooLarge', { status: 200, limit: this.#limit });
    }
    if (size > this.#memory.bytes.length) this.#memory.grow(Math.max(size, this.#memory.bytes.length * 2), this.#size);
    this.#memory.bytes.set(chunk, this.#size);
    this.#size = size;
  }
}
