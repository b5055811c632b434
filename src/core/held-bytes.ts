import type { Body } from './body.ts';
import { discard, PooledBuffer } from './buffer-pool.ts';
import { ChunkQueue } from './chunk-queue.ts';

/** All bytes of a body, which belong to the caller. Rejects with a RestError. */
export async function readAll(body: Body): Promise<PooledBuffer> {
  const held = new HeldBytes(body);
  try {
    while (!held.take()) await body.more();
    return held.pooled;
  } catch (error) {
    held.release();
    body.release();
    throw error;
  }
}

/** What its reader holds of a body, in one buffer. */
export class HeldBytes {
  readonly #body: Body;
  readonly #small = new ChunkQueue();
  #pooled: PooledBuffer | undefined;
  #size = 0;

  constructor(body: Body) {
    this.#body = body;
    this.#pooled = body.whole;
    this.#size = body.whole?.bytes.length ?? 0;
  }

  /** Takes what is there, but not much at once. Returns whether all is there. */
  take(): boolean {
    const most = this.#size + this.#body.sizes.large;
    while (this.#size < most) {
      const chunk = this.#body.take();
      if (chunk === undefined) break;
      this.#add(chunk);
    }
    return this.#body.isComplete;
  }

  /** The number of bytes. */
  get size(): number {
    return this.#size;
  }

  /** Whether the body is large: a small one is joined from its chunks when all of them are there. */
  get isLarge(): boolean {
    return this.#pooled !== undefined;
  }

  /** They may be in other memory when more was taken, or some were dropped. */
  get bytes(): Buffer {
    return this.#joined().bytes.subarray(0, this.#size);
  }

  /** The bytes in their buffer, which belongs to the caller from now on. */
  get pooled(): PooledBuffer {
    const pooled = this.#joined();
    if (this.#size < pooled.bytes.length) pooled.truncate(this.#size);
    return pooled;
  }

  /** Drops bytes. */
  drop(start: number, end: number): void {
    this.#joined().bytes.copyWithin(start, end, this.#size);
    this.#size -= end - start;
    this.#body.drop(end - start);
  }

  /** Keeps only the first bytes, in memory for no more. */
  shrink(length: number): void {
    const dropped = this.#size - length;
    this.#size = length;
    this.#joined().shrink(length);
    this.#body.drop(dropped);
  }

  release(): void {
    this.#small.clear();
    this.#pooled?.release();
  }

  #joined(): PooledBuffer {
    this.#pooled ??= PooledBuffer.of(this.#small.join());
    return this.#pooled;
  }

  #add(chunk: Buffer): void {
    const used = this.#size;
    const { length, sizes, reserved } = this.#body;
    this.#size += chunk.length;
    if (this.#pooled === undefined && Math.max(this.#size, length ?? 0) <= sizes.large) {
      this.#small.push(chunk);
      return;
    }
    const capacity = Math.max(this.#size, Math.min(length ?? 2 * this.#size, reserved));
    if (this.#pooled === undefined) {
      this.#pooled = length === undefined ? PooledBuffer.acquireAtLeast(capacity) : PooledBuffer.acquire(capacity);
      let offset = 0;
      for (let small = this.#small.shift(); small !== undefined; small = this.#small.shift()) {
        this.#pooled.bytes.set(small, offset);
        offset += small.length;
      }
    } else if (this.#size > this.#pooled.bytes.length) this.#pooled.grow(capacity, used);
    this.#pooled.bytes.set(chunk, used);
    discard(chunk);
  }
}
