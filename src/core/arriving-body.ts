import { type BodySizes, bodySizes } from './body-sizes.ts';
import { discard, type PooledBuffer } from './buffer-pool.ts';
import { ChunkQueue } from './chunk-queue.ts';

/** A reader of a body that is kept is woken for this part of the body at least. */
const WAKE_SHARE = 1 / 16;

/** How a body is used: all of it is kept, a part of it is kept, or it passes to the client. */
export type BodyUse = 'kept' | 'skimmed' | 'passing';

/** Who fills a body of which perhaps only a part is held. */
export interface BodySource {
  /** After so many bytes it waits until its reader has decided whether all of them are kept. */
  readonly holdBytes: number;
  /** The reader has decided. */
  decided(): void;
  /** Reserves memory for more bytes at once. Resolves when it is granted; undefined: at once. Rejects with a RestError. */
  grow(bytes: number): Promise<void> | undefined;
  /** The chunks that were ahead of the reader are in its memory. */
  drained(): void;
  /** Its memory has only so many bytes now. */
  shrunk(length: number): void;
  /** Nobody reads it any more. */
  released(): void;
}

/** Who reads a large body while it arrives. */
export interface LargeBodyReader {
  /** Gets the body when its first bytes are there. */
  readonly onLargeBody: (body: ArrivingBody) => void;
  /**
   * Whether it may drop what it has read: because its client gets it meanwhile, or because nobody needs it. Undefined if it
   * keeps everything.
   */
  readonly mayDrop: 'what was sent' | 'what is not needed' | undefined;
}

/**
 * The body of a response while it arrives. One side appends to its memory, and tells how far it is. The other side reads
 * what is there, and waits for more.
 *
 * The reader of a body with a source may drop what it has read, and the memory does not grow with the body. It then moves only
 * while the reader waits, so that what is made of it may be written with pauses. Such a body is skimmed for a part of it, or it
 * passes to the client.
 */
export class ArrivingBody {
  /** Its memory. It may move while the body grows. */
  readonly pooled: PooledBuffer;
  /** Its whole length in bytes, if the service announced it. */
  readonly expectedLength: number | undefined;
  readonly sizes: BodySizes;
  readonly #source: BodySource | undefined;
  #use: 'undecided' | BodyUse;
  #size = 0;
  #isComplete = false;
  /** The chunks of a partial body that are not in its memory yet. */
  readonly #ahead = new ChunkQueue();
  /** Whether no more chunks will come. */
  #hasEnded = false;
  #failure: unknown;
  #isGrowing = false;
  #isReleased = false;
  /** The size when the reader was woken last. */
  #wokenAt = 0;
  #waiting: PromiseWithResolvers<void> | undefined;

  /** @param source for a body that may pass */
  constructor(pooled: PooledBuffer, sizes: BodySizes, expectedLength?: number, source?: BodySource) {
    this.pooled = pooled;
    this.sizes = sizes;
    this.expectedLength = expectedLength;
    this.#source = source;
    this.#use = source === undefined ? 'kept' : 'undecided';
  }

  /** A body that has arrived. */
  static complete(pooled: PooledBuffer): ArrivingBody {
    const { length } = pooled.bytes;
    const body = new ArrivingBody(pooled, bodySizes, length);
    body.arrived(length);
    body.complete();
    return body;
  }

  /**
   * The bytes so far; of a partial body those that were not dropped.
   *
   * @throws Error after the release of its memory
   */
  get bytes(): Buffer {
    return this.pooled.bytes.subarray(0, this.#size);
  }

  /** Whether no more bytes will come. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Whether it waits for `decide`. */
  get isUndecided(): boolean {
    return this.#use === 'undecided' && !this.#isComplete && this.#size > (this.#source?.holdBytes ?? 0);
  }

  get isPassing(): boolean {
    return this.#use === 'passing';
  }

  /** Whether only a part of it is held: it is skimmed, or it passes. */
  get isPartial(): boolean {
    return this.#use === 'skimmed' || this.#use === 'passing';
  }

  /** The bytes ahead of what its reader may see. */
  get aheadBytes(): number {
    return this.#ahead.bytes;
  }

  /** Decides how it is used: from now on the reader of a partial body drops what it has read, or what nobody needs. */
  decide(use: BodyUse): void {
    this.#use = use;
    this.#source?.decided();
  }

  /** Drops bytes of a partial body. */
  drop(start: number, end: number): void {
    this.pooled.bytes.copyWithin(start, end, this.#size);
    this.#size -= end - start;
    this.#wokenAt = this.#size;
    const { passing } = this.sizes;
    if (this.isPassing && this.#size <= passing / 2) this.#shrinkTo(passing);
  }

  /** The reader of a body that is skimmed is done, and only the first bytes are needed. */
  shrink(length: number): void {
    this.#size = length;
    this.#shrinkTo(length);
  }

  /**
   * Resolves when many more bytes have arrived, when the body is complete or waits for `decide`, and when its memory was released.
   * Rejects when a partial body fails. What has happened before counts, so nothing can be missed.
   */
  more(): Promise<void> {
    this.#waiting ??= Promise.withResolvers();
    const { promise } = this.#waiting;
    // Perhaps nobody waits for it any more when it rejects.
    promise.catch(() => {});
    if (this.#failure !== undefined) this.#waiting.reject(this.#failure);
    else if (this.isPartial) this.#takeAhead();
    else this.#wakeIfReady();
    return promise;
  }

  /** So many bytes of the body are in its memory. */
  arrived(size: number): void {
    this.#size = size;
    this.#wakeIfReady();
  }

  /** A chunk of a partial body has arrived. From now on the body owns it. */
  offer(chunk: Buffer): void {
    this.#ahead.push(chunk);
    this.#takeAhead();
  }

  /** All of it is there. */
  complete(): void {
    this.#hasEnded = true;
    if (this.isPartial) this.#takeAhead();
    else {
      this.#isComplete = true;
      this.#wakeIfReady();
    }
  }

  /** The rest of a partial body will not come. */
  fail(error: unknown): void {
    this.#failure ??= error;
    this.#waiting?.reject(error);
  }

  /** Discards it: its call failed, or its reader is done. */
  release(): void {
    this.pooled.release();
    for (let chunk = this.#ahead.shift(); chunk !== undefined; chunk = this.#ahead.shift()) discard(chunk);
    if (this.isPartial) this.#source?.released();
    this.#isReleased = true;
    this.#wakeIfReady();
  }

  #shrinkTo(length: number): void {
    if (this.pooled.shrink(length)) this.#source?.shrunk(length);
  }

  /** Moves chunks to the memory while the reader waits: otherwise it may be reading there. */
  #takeAhead(): void {
    if (this.#waiting === undefined || this.#isGrowing) return;
    const { bytes } = this.pooled;
    let { first } = this.#ahead;
    while (first !== undefined && this.#size + first.length <= bytes.length) {
      bytes.set(first, this.#size);
      this.#size += first.length;
      this.#ahead.shift();
      discard(first);
      first = this.#ahead.first;
    }
    this.#isComplete = this.#hasEnded && first === undefined;
    if (!this.#wakeIfReady() && first !== undefined) this.#grow();
    if (first === undefined && !this.#hasEnded) this.#source?.drained();
  }

  /** Makes room for an asset that is larger than the memory. */
  #grow(): void {
    const { length } = this.pooled.bytes;
    const grown = () => {
      this.#isGrowing = false;
      this.pooled.grow(2 * length, this.#size);
      this.#takeAhead();
    };
    const memory = this.#source?.grow(length);
    if (memory === undefined) {
      grown();
      return;
    }
    this.#isGrowing = true;
    memory.then(grown).catch((error) => this.fail(error));
  }

  /** Wakes the reader if it waits and has a reason to go on. Returns whether it has one. */
  #wakeIfReady(): boolean {
    const share = this.isPartial ? 0 : this.#size * WAKE_SHARE;
    const hasMore = this.#size - this.#wokenAt >= Math.max(this.sizes.wake, share);
    if (!hasMore && !this.#isComplete && !this.isUndecided && !this.#isReleased) return false;
    if (this.#waiting !== undefined) this.#wokenAt = this.#size;
    this.#waiting?.resolve();
    this.#waiting = undefined;
    return true;
  }
}
