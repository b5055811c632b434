import type { PooledBuffer } from './buffer-pool.ts';

/**
 * A reader is woken for this part of the body at least, and for so many bytes: waking it for each chunk costs more than
 * reading the chunk.
 */
const WAKE_SHARE = 1 / 16;
const MIN_WAKE_BYTES = 1 << 18;

/**
 * The body of a response while it arrives. One side appends to its memory, and tells how far it is. The other side reads
 * what is there, and waits for more.
 */
export class ArrivingBody {
  /** Its memory. It may move while the body grows. */
  readonly pooled: PooledBuffer;
  /** Its whole length in bytes, if the service announced it. */
  readonly expectedLength: number | undefined;
  #size = 0;
  #isComplete = false;
  /** The size when the reader was woken last. */
  #wokenAt = 0;
  #waiting: PromiseWithResolvers<void> | undefined;

  constructor(pooled: PooledBuffer, expectedLength?: number) {
    this.pooled = pooled;
    this.expectedLength = expectedLength;
  }

  /** A body that has arrived. */
  static complete(pooled: PooledBuffer): ArrivingBody {
    const { length } = pooled.bytes;
    const body = new ArrivingBody(pooled, length);
    body.arrived(length);
    body.complete();
    return body;
  }

  /**
   * The bytes so far.
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

  /** Resolves when many more bytes have arrived, when the body is complete, and when its memory was released. */
  more(): Promise<void> {
    this.#waiting ??= Promise.withResolvers();
    return this.#waiting.promise;
  }

  /** So many bytes of the body are in its memory. */
  arrived(size: number): void {
    this.#size = size;
    if (size - this.#wokenAt >= Math.max(MIN_WAKE_BYTES, size * WAKE_SHARE)) this.#wake();
  }

  /** All of it is there. */
  complete(): void {
    this.#isComplete = true;
    this.#wake();
  }

  /** Discards it, because its call failed. */
  release(): void {
    this.pooled.release();
    this.#wake();
  }

  #wake(): void {
    this.#wokenAt = this.#size;
    this.#waiting?.resolve();
    this.#waiting = undefined;
  }
}
