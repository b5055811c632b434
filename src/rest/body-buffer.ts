import { ArrivingBody } from '../core/arriving-body.ts';
import { discard, PooledBuffer } from '../core/buffer-pool.ts';

/** Up to this size a body mostly comes in one chunk, or is quickly joined. A larger one gets a buffer of the pool. */
const JOINED_BYTES = 1_048_576;

/** The bytes of a body, in their order, as they come. */
export class BodyBuffer {
  size = 0;
  readonly #chunks: Buffer[] = [];
  /** Takes a large body as it comes: joining its chunks afterwards would take long. */
  #large: ArrivingBody | undefined;
  readonly #onLarge: (body: ArrivingBody) => void;

  /** @param onLarge gets a large body while it arrives, when its first bytes are there */
  constructor(onLarge: (body: ArrivingBody) => void) {
    this.#onLarge = onLarge;
  }

  /** Sets the length of the body, where it is known. */
  expect(length: number): void {
    if (length > JOINED_BYTES) this.#large = new ArrivingBody(PooledBuffer.acquire(length), length);
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
    if (this.#large === undefined) {
      this.#chunks.push(chunk);
      return;
    }
    const { bytes } = this.#large.pooled;
    bytes.set(chunk, at);
    // undici may read the last chunk again, for what follows the body.
    if (this.size < bytes.length) discard(chunk);
    this.#large.arrived(this.size);
    if (at <= JOINED_BYTES && this.size > JOINED_BYTES) this.#onLarge(this.#large);
  }

  /** All of it in one buffer, which belongs to whoever takes it. */
  join(): PooledBuffer {
    const large = this.#large;
    if (large !== undefined) {
      large.pooled.truncate(this.size);
      large.complete();
      return large.pooled;
    }
    const [only] = this.#chunks;
    const bytes = this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks, this.size);
    return PooledBuffer.of(bytes);
  }

  /** Nobody needs it. */
  drop(): void {
    this.#large?.drop();
    this.#large = undefined;
    this.#chunks.length = 0;
  }

  /** Takes memory for everything up to now, and for as much again where the length of the body is not known. */
  #ensureCapacity(used: number, max: number): void {
    if (this.#large !== undefined && this.size <= this.#large.pooled.bytes.length) return;
    const length = Math.max(this.size, Math.min(2 * this.size, max));
    if (this.#large !== undefined) {
      this.#large.pooled.grow(length, used);
      return;
    }
    const pooled = PooledBuffer.acquireAtLeast(length);
    let at = 0;
    for (const chunk of this.#chunks) {
      pooled.bytes.set(chunk, at);
      at += chunk.length;
    }
    this.#chunks.length = 0;
    this.#large = new ArrivingBody(pooled);
  }
}
