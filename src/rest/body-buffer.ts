import { ArrivingBody } from '../core/arriving-body.ts';
import { discard, PooledBuffer } from '../core/buffer-pool.ts';

/** Bodies up to this size are joined from their chunks. A larger body gets a buffer of the pool. */
const MAX_JOINED_BYTES = 1_048_576;

/** Collects the bytes of a body. */
export class BodyBuffer {
  size = 0;
  readonly #chunks: Buffer[] = [];
  /** A large body: joining its chunks at the end would take long. */
  #large: ArrivingBody | undefined;
  readonly #onLarge: (body: ArrivingBody) => void;

  /** @param onLarge gets a large body when its first bytes are there */
  constructor(onLarge: (body: ArrivingBody) => void) {
    this.#onLarge = onLarge;
  }

  /** Allocates memory for a body of known length. */
  allocate(length: number): void {
    if (length > MAX_JOINED_BYTES) this.#large = new ArrivingBody(PooledBuffer.acquire(length), length);
  }

  /**
   * Adds a chunk. From now on the body owns it.
   *
   * @param max the maximum bytes of the body, including this chunk
   */
  add(chunk: Buffer, max: number): void {
    const offset = this.size;
    this.size += chunk.length;
    if (this.size > MAX_JOINED_BYTES) this.#ensureCapacity(offset, max);
    if (this.#large === undefined) {
      this.#chunks.push(chunk);
      return;
    }
    const { bytes } = this.#large.pooled;
    bytes.set(chunk, offset);
    // undici may read the last chunk again, for the bytes after the body.
    if (this.size < bytes.length) discard(chunk);
    this.#large.arrived(this.size);
    if (offset <= MAX_JOINED_BYTES && this.size > MAX_JOINED_BYTES) this.#onLarge(this.#large);
  }

  /** The whole body in one buffer, which the caller owns. */
  join(): PooledBuffer {
    const large = this.#large;
    if (large !== undefined) {
      large.pooled.truncate(this.size);
      large.complete();
      return large.pooled;
    }
    const [single] = this.#chunks;
    const bytes = this.#chunks.length === 1 && single !== undefined ? single : Buffer.concat(this.#chunks, this.size);
    return PooledBuffer.of(bytes);
  }

  /** Discards the body. */
  release(): void {
    this.#large?.release();
    this.#large = undefined;
    this.#chunks.length = 0;
  }

  /** Ensures memory for the bytes so far. If the length is unknown, it takes twice as much. */
  #ensureCapacity(used: number, max: number): void {
    if (this.#large !== undefined && this.size <= this.#large.pooled.bytes.length) return;
    const length = Math.max(this.size, Math.min(2 * this.size, max));
    if (this.#large !== undefined) {
      this.#large.pooled.grow(length, used);
      return;
    }
    const pooled = PooledBuffer.acquireAtLeast(length);
    let offset = 0;
    for (const chunk of this.#chunks) {
      pooled.bytes.set(chunk, offset);
      offset += chunk.length;
    }
    this.#chunks.length = 0;
    this.#large = new ArrivingBody(pooled);
  }
}
