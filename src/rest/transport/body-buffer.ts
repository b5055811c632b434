import { ArrivingBody, type BodySource } from '../../core/arriving-body.ts';
import type { BodySizes } from '../../core/body-sizes.ts';
import { discard, PooledBuffer } from '../../core/buffer-pool.ts';
import { ChunkQueue } from '../../core/chunk-queue.ts';

/** Collects the bytes of a body. */
export class BodyBuffer {
  size = 0;
  readonly #chunks = new ChunkQueue();
  /** A large body: joining its chunks at the end would take long. */
  #large: ArrivingBody | undefined;
  readonly #sizes: BodySizes;
  readonly #onLarge: (body: ArrivingBody) => void;
  readonly #source: BodySource | undefined;

  /**
   * @param onLarge gets a large body when its first bytes are there
   * @param source of a body that may be dropped in parts
   */
  constructor(sizes: BodySizes, onLarge: (body: ArrivingBody) => void, source?: BodySource) {
    this.#sizes = sizes;
    this.#onLarge = onLarge;
    this.#source = source;
  }

  /** The memory that a body of this length needs at first. */
  firstBytes(length: number): number {
    if (this.#source === undefined || length <= this.#source.holdBytes) return length;
    return Math.min(length, this.#source.holdBytes + this.#sizes.rest);
  }

  /** Allocates memory for a body of known length. */
  allocate(length: number): void {
    if (length <= this.#sizes.large) return;
    const first = this.firstBytes(length);
    this.#large = new ArrivingBody(
      PooledBuffer.acquire(first),
      this.#sizes,
      length,
      first < length ? this.#source : undefined,
    );
  }

  /** A body of which only a part is held. Undefined if all of it is kept, or that is not decided. */
  get partial(): ArrivingBody | undefined {
    return this.#large?.isPartial === true ? this.#large : undefined;
  }

  /** Whether it waits for its reader's decision. */
  get isUndecided(): boolean {
    return this.#large?.isUndecided === true;
  }

  /** Its whole length, if that is known and needs more memory than there is. */
  get missingLength(): number | undefined {
    const length = this.#large?.expectedLength ?? 0;
    return length > (this.#large?.pooled.bytes.length ?? 0) ? length : undefined;
  }

  /** Takes memory for the whole body, which is kept. */
  growTo(length: number): void {
    this.#large?.pooled.grow(length, this.size);
  }

  /**
   * Adds a chunk. From now on the body owns it.
   *
   * @param max the maximum bytes of the body, including this chunk
   */
  add(chunk: Buffer, max: number): void {
    const offset = this.size;
    this.size += chunk.length;
    const { partial } = this;
    if (partial !== undefined) {
      partial.offer(chunk);
      return;
    }
    if (this.size > this.#sizes.large) this.#ensureCapacity(offset, max);
    if (this.#large === undefined) {
      this.#chunks.push(chunk);
      return;
    }
    const { bytes } = this.#large.pooled;
    bytes.set(chunk, offset);
    // undici may read the last chunk again, for the bytes after the body.
    if (this.size < bytes.length) discard(chunk);
    this.#large.arrived(this.size);
    if (offset <= this.#sizes.large && this.size > this.#sizes.large) this.#onLarge(this.#large);
  }

  /** The whole body in one buffer, which the caller owns. */
  join(): PooledBuffer {
    const large = this.#large;
    if (large !== undefined) {
      if (!large.isPartial) large.pooled.truncate(this.size);
      large.complete();
      return large.pooled;
    }
    return PooledBuffer.of(this.#chunks.join());
  }

  /** Discards the body. A partial one belongs to its reader. */
  release(): void {
    if (this.partial === undefined) this.#large?.release();
    this.#large = undefined;
    this.#chunks.clear();
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
    for (let chunk = this.#chunks.shift(); chunk !== undefined; chunk = this.#chunks.shift()) {
      pooled.bytes.set(chunk, offset);
      offset += chunk.length;
    }
    this.#large = new ArrivingBody(pooled, this.#sizes, undefined, this.#source);
  }
}
