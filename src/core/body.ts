import { type BodySizes, bodySizes } from './body-sizes.ts';
import { discard, PooledBuffer } from './buffer-pool.ts';

/** Who fills a body: the call. It is told what its one reader does. */
export interface BodySource {
  /** The bytes of memory that are reserved for what is held of the body, and waits for its reader. */
  readonly reserved: number;
  /** Whether it waits until the reader takes what is there. */
  readonly isBlocked: boolean;
  /** The reader has taken a chunk. */
  taken(): void;
  /** The reader waits, and nothing is there for it. */
  waiting(): void;
  /** The reader holds so many bytes less of what it has taken. */
  dropped(bytes: number): void;
  /** The reader keeps all bytes. */
  holding(): void;
  /** The reader passes on what it reads, and takes as long as a client. */
  streaming(): void;
  /** Nobody reads it any more. */
  released(): void;
}

/**
 * The body of a response while it arrives. A call pushes its bytes, and one reader takes them. What the reader has taken is held until it
 * drops it, and counts for the call.
 */
export class Body {
  /** Its whole length in bytes, if the service announced it. */
  readonly length: number | undefined;
  readonly sizes: BodySizes;
  /** After so many bytes its reader decides whether it keeps all of them. Undefined: it keeps them. */
  readonly holdBytes: number | undefined;
  /** All of it, if it was there before it had a reader. */
  readonly whole: PooledBuffer | undefined;
  readonly #source: BodySource | undefined;
  readonly #ahead = new ChunkQueue();
  #hasEnded = false;
  #failure: unknown;
  #waiting: PromiseWithResolvers<void> | undefined;
  /** The bytes that the reader waits for. */
  #least = 0;

  constructor(
    source: BodySource | undefined,
    { length, sizes = bodySizes, holdBytes, whole }: Partial<Pick<Body, 'length' | 'sizes' | 'holdBytes' | 'whole'>>,
  ) {
    this.#source = source;
    this.length = length;
    this.sizes = sizes;
    this.holdBytes = holdBytes;
    this.whole = whole;
    this.#hasEnded = whole !== undefined;
  }

  /** A body that has arrived. */
  static of(whole: PooledBuffer): Body {
    return new Body(undefined, { length: whole.bytes.length, whole });
  }

  // For the call.

  /** A chunk has arrived. From now on the body owns it. */
  push(chunk: Buffer): void {
    this.#ahead.push(chunk);
    if (this.#ahead.bytes >= this.#least) this.wake();
  }

  /** All of it is there. */
  end(): void {
    this.#hasEnded = true;
    this.wake();
  }

  /** The rest of it will not come. */
  fail(error: unknown): void {
    this.#failure ??= error;
    this.#waiting?.reject(error);
    this.#waiting = undefined;
  }

  /** The reader need not wait for more. */
  wake(): void {
    this.#waiting?.resolve();
    this.#waiting = undefined;
  }

  /** The bytes that wait for the reader. */
  get aheadBytes(): number {
    return this.#ahead.bytes;
  }

  // For the reader.

  /** Whether all of it is there, and so short that it needs no memory of the pool. */
  get isShort(): boolean {
    return this.#hasEnded && this.#ahead.bytes <= this.sizes.large;
  }

  /** Whether it has taken all there is, and no more will come. */
  get isComplete(): boolean {
    return this.#hasEnded && this.#ahead.bytes === 0;
  }

  /** The bytes of memory that it may take for what it holds. */
  get reserved(): number {
    return this.#source?.reserved ?? 0;
  }

  /** The next chunk, which belongs to the reader from now on. Undefined if it has to wait for `more`. */
  take(): Buffer | undefined {
    if (this.#failure !== undefined) return undefined;
    const chunk = this.#ahead.shift();
    if (chunk !== undefined) this.#source?.taken();
    return chunk;
  }

  /** All that is there, in one buffer, which belongs to the reader from now on. */
  takeAll(): Buffer {
    return this.#ahead.join();
  }

  /**
   * Resolves when so many bytes are there, or as many as the memory has room for, and when no more will come. Rejects with a RestError
   * if the call fails. @throws Error if another reader waits
   */
  waitForBytes(least: number = this.sizes.wake): Promise<void> {
    if (this.#waiting !== undefined) throw new Error('A body has one reader.');
    const { bytes } = this.#ahead;
    const isThere = this.#hasEnded || bytes >= least || (bytes > 0 && this.#source?.isBlocked === true);
    if (this.#failure === undefined && isThere) return Promise.resolve();
    this.#waiting = Promise.withResolvers();
    this.#least = least;
    const { promise, reject } = this.#waiting;
    // Perhaps nobody waits for it any more when it rejects.
    promise.catch(() => {});
    if (this.#failure !== undefined) {
      reject(this.#failure);
      this.#waiting = undefined;
    } else if (bytes === 0) this.#source?.waiting();
    return promise;
  }

  /** Keeps all bytes. */
  hold(): void {
    this.#source?.holding();
  }

  /** Passes on what it reads to a client, for any time. */
  stream(): void {
    this.#source?.streaming();
  }

  /** Holds so many bytes less. */
  drop(bytes: number): void {
    this.#source?.dropped(bytes);
  }

  /**
   * Takes the rest: its chunks, of which each is dropped when the next one is asked for, and promises that have to be waited for.
   *
   * @param least as for `more`
   */
  *chunks(least?: number): Generator<Buffer | Promise<void>, void> {
    while (!this.isComplete) {
      const chunk = this.take();
      if (chunk === undefined) {
        yield this.waitForBytes(least);
        continue;
      }
      const { length } = chunk;
      yield chunk;
      discard(chunk);
      this.drop(length);
    }
  }

  /** Takes the rest, and drops it. Rejects with a RestError. */
  async skipRest(): Promise<void> {
    for (const part of this.chunks()) if (part instanceof Promise) await part;
  }

  /** Nobody reads it any more. */
  release(): void {
    this.whole?.release();
    for (let chunk = this.#ahead.shift(); chunk !== undefined; chunk = this.#ahead.shift()) discard(chunk);
    this.fail(new Error('A body is read after its release.'));
    this.#source?.released();
  }
}

/** Chunks of fewer bytes are copied: each would take far more memory, and hold that of all bytes it was received with. */
const SMALL_BYTES = 1024;
const BLOCK_BYTES = 1 << 14;

/** The chunks of a body that were received and not yet read, in their order. Small ones are copied together. */
export class ChunkQueue {
  readonly #chunks: Buffer[] = [];
  /** The bytes of all of them. */
  bytes = 0;
  /** What is free of the memory of the last chunk, if it is made of small ones. */
  #free: Buffer | undefined;

  /** Adds a chunk. From now on the queue owns it. */
  push(chunk: Buffer): void {
    this.bytes += chunk.length;
    const last = this.#chunks.at(-1);
    const isAfterSmall = last !== undefined && (this.#free !== undefined || last.length < SMALL_BYTES);
    if (
      chunk.length >= SMALL_BYTES ||
      !isAfterSmall ||
      (this.#free !== undefined && this.#free.length < chunk.length)
    ) {
      this.#chunks.push(chunk);
      this.#free = undefined;
      return;
    }
    if (this.#free === undefined) {
      const block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
      block.set(last);
      this.#free = block.subarray(last.length);
    }
    this.#free.set(chunk);
    this.#chunks[this.#chunks.length - 1] = Buffer.from(this.#free.buffer, 0, last.length + chunk.length);
    this.#free = this.#free.subarray(chunk.length);
  }

  /** Removes the first chunk, and returns it to a new owner. */
  shift(): Buffer | undefined {
    const first = this.#chunks.shift();
    if (first === undefined) return undefined;
    this.bytes -= first.length;
    if (this.#chunks.length === 0) this.#free = undefined;
    return first;
  }

  /** Removes all of them, and returns their bytes in one buffer of its own, which may be the only chunk. */
  join(): Buffer {
    const [only] = this.#chunks;
    const isWhole = only !== undefined && this.#chunks.length === 1 && this.#free === undefined;
    const bytes = isWhole ? only : Buffer.concat(this.#chunks, this.bytes);
    this.clear();
    return bytes;
  }

  clear(): void {
    this.#chunks.length = 0;
    this.#free = undefined;
    this.bytes = 0;
  }
}

/** All bytes of a body, which belong to the caller. Rejects with a RestError. */
export async function readAll(body: Body): Promise<PooledBuffer> {
  let held: HeldBytes | undefined;
  try {
    const short = await takeShort(body);
    if (short !== undefined) return short;
    held = new HeldBytes(body);
    while (!held.take()) await body.waitForBytes();
    return held.pooled;
  } catch (error) {
    held?.release();
    body.release();
    throw error;
  }
}

/** All bytes of a short body when they are there. Undefined for any other one, when some of it is there. Rejects with a RestError. */
async function takeShort(body: Body): Promise<PooledBuffer | undefined> {
  await body.waitForBytes(body.sizes.large);
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
    } else if (this.size > this.#pooled.bytes.length) this.#pooled.grow(this.size, capacity, used);
    this.#pooled.bytes.set(chunk, used);
    discard(chunk);
  }
}
