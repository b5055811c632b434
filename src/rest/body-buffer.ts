import { discard, PooledBuffer } from '../core/buffer-pool.ts';

/** Up to this size a body mostly comes in one chunk, or is quickly joined. A larger one gets a buffer of the pool. */
const JOINED_BYTES = 1_048_576;

/** The bytes of a body, in their order, as they come. */
export class BodyBuffer {
  size = 0;
  readonly #chunks: Buffer[] = [];
  /** Takes a large body as it comes: joining its chunks afterwards would take long. */
  #whole: PooledBuffer | undefined;

  /** Sets the length of the body, where it is known. */
  expect(length: number): void {
    if (length > JOINED_BYTES) this.#whole = PooledBuffer.acquire(length);
  }

  /**
   * Adds a chunk, which belongs to the body from now on.
   *
   * @param max how many bytes may be taken for the body, the chunk included
   */
  add(chunk: Buffer, max: number): void {
    const at = this.size;
    this.size += chunk.length;
    if (this.size > JOINED_BYTES) this.#ensureCapacity(at, max);
    if (this.#whole === undefined) {
      this.#chunks.push(chunk);
    } else {
      const { bytes } = this.#whole;
      bytes.set(chunk, at);
      // undici may read the last chunk again, for what follows the body.
      if (this.size < bytes.length) discard(chunk);
    }
  }

  /** All of it in one buffer, which belongs to whoever takes it. */
  join(): PooledBuffer {
    const whole = this.#whole;
    if (whole !== undefined) {
      whole.truncate(this.size);
      return whole;
    }
    const [only] = this.#chunks;
    const bytes = this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks, this.size);
    return PooledBuffer.of(bytes);
  }

  /** Nobody needs it. */
  drop(): void {
    this.#whole?.release();
    this.#whole = undefined;
    this.#chunks.length = 0;
  }

  /** Takes memory for everything up to now, and for as much again where the length of the body is not known. */
  #ensureCapacity(used: number, max: number): void {
    const before = this.#whole;
    if (before !== undefined && this.size <= before.bytes.length) return;
    this.#whole = PooledBuffer.acquireAtLeast(Math.max(this.size, Math.min(2 * this.size, max)));
    let at = 0;
    for (const chunk of before === undefined ? this.#chunks : [before.bytes.subarray(0, used)]) {
      this.#whole.bytes.set(chunk, at);
      at += chunk.length;
    }
    this.#chunks.length = 0;
    before?.free();
  }
}
