import type { Body } from './body.ts';
import { discard, PooledBuffer } from './buffer-pool.ts';

/** All bytes of a body, which belong to the caller. Rejects with a RestError. */
export async function readAll(body: Body): Promise<PooledBuffer> {
  let held: HeldBytes | undefined;
  try {
    const short = await takeShort(body);
    if (short !== undefined) return short;
    held = new HeldBytes(body);
    while (!held.take()) await body.more();
    return held.pooled;
  } catch (error) {
    held?.release();
    body.release();
    throw error;
  }
}

/** All bytes of a short body when they are there. Undefined for any other one, when some of it is there. Rejects with a RestError. */
async function takeShort(body: Body): Promise<PooledBuffer | undefined> {
  await body.more(body.sizes.large);
  return body.whole === undefined && body.isShort ? PooledBuffer.of(body.takeAll()) : undefined;
}

/** What its reader holds of a body, in one buffer. */
export class HeldBytes {
  readonly #body: Body;
  #pooled: PooledBuffer | undefined;
  /** The number of bytes. Only it changes the number. */
  size = 0;

  constructor(body: Body) {
    this.#body = body;
    this.#pooled = body.whole;
    this.size = body.whole?.bytes.length ?? 0;
  }

  /** Takes all of a short body when it is there; waits for some of any other one. Rejects with a RestError. */
  async begin(): Promise<void> {
    const short = await takeShort(this.#body);
    if (short === undefined) return;
    this.#pooled = short;
    this.size = short.bytes.length;
  }

  /** Takes what is there, but not much at once. Returns whether all is there. */
  take(): boolean {
    const most = this.size + this.#body.sizes.large;
    while (this.size < most) {
      const chunk = this.#body.take();
      if (chunk === undefined) break;
      this.#add(chunk);
    }
    return this.#body.isComplete;
  }

  /** They may be in other memory when more was taken, or some were dropped. @throws Error before `begin` */
  get bytes(): Buffer {
    return this.#memory.bytes.subarray(0, this.size);
  }

  /** The bytes in their buffer, which belongs to the caller from now on. */
  get pooled(): PooledBuffer {
    const pooled = this.#memory;
    if (this.size < pooled.bytes.length) pooled.truncate(this.size);
    return pooled;
  }

  /** Drops bytes. */
  drop(start: number, end: number): void {
    this.#memory.bytes.copyWithin(start, end, this.size);
    this.size -= end - start;
    this.#body.drop(end - start);
  }

  /** Keeps only the first bytes, in memory for no more. */
  shrink(length: number): void {
    const dropped = this.size - length;
    this.size = length;
    this.#memory.shrink(length);
    this.#body.drop(dropped);
  }

  release(): void {
    this.#pooled?.release();
  }

  get #memory(): PooledBuffer {
    if (this.#pooled === undefined) throw new Error('Nothing of a body is held yet.');
    return this.#pooled;
  }

  #add(chunk: Buffer): void {
    const used = this.size;
    const { length, reserved } = this.#body;
    this.size += chunk.length;
    const capacity = Math.max(this.size, Math.min(length ?? 2 * this.size, reserved));
    if (this.#pooled === undefined) {
      this.#pooled = length === undefined ? PooledBuffer.acquireAtLeast(capacity) : PooledBuffer.acquire(capacity);
    } else if (this.size > this.#pooled.bytes.length) this.#pooled.grow(capacity, used);
    this.#pooled.bytes.set(chunk, used);
    discard(chunk);
  }
}
