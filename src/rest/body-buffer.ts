import { acquire, acquireAtLeast, discard, free, release } from './buffer-pool.ts';

/** Up to this size a body mostly comes in one chunk, or is quickly joined; a larger one gets memory that is given back. */
const JOINED_BYTES = 1_048_576;

/** The bytes of a body, in their order, as they come. */
export class BodyBuffer {
  size = 0;
  readonly #chunks: Buffer[] = [];
  /** Where a large body goes as it comes: joining it afterwards would take long. */
  #whole: Buffer | undefined;

  /** Says how long the body will be, where that is known. */
  expect(length: number): void {
    if (length > JOINED_BYTES) this.#whole = acquire(length);
  }

  /**
   * Adds a chunk, which belongs to the body from now on.
   *
   * @param most how many bytes may be taken for the body, the chunk included
   */
  add(chunk: Buffer, most: number): void {
    const at = this.size;
    this.size += chunk.length;
    if (this.size > JOINED_BYTES) this.#makeRoom(at, most);
    if (this.#whole === undefined) {
      this.#chunks.push(chunk);
    } else {
      this.#whole.set(chunk, at);
      // Into the last one undici may look again, for what follows the body.
      if (this.size < this.#whole.length) discard(chunk);
    }
  }

  /** All of it in one buffer. */
  join(): Buffer {
    if (this.#whole !== undefined) return this.#whole.subarray(0, this.size);
    const [only] = this.#chunks;
    return this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks, this.size);
  }

  /** Nobody needs it. */
  drop(): void {
    if (this.#whole !== undefined) release(this.#whole);
    this.#whole = undefined;
    this.#chunks.length = 0;
  }

  /** Gets memory for all that has come by now, and for as much again where it is not known how much will come. */
  #makeRoom(used: number, most: number): void {
    const before = this.#whole;
    if (before !== undefined && this.size <= before.length) return;
    this.#whole = acquireAtLeast(Math.max(this.size, Math.min(2 * this.size, most)));
    let at = 0;
    for (const chunk of before === undefined ? this.#chunks : [before.subarray(0, used)]) {
      this.#whole.set(chunk, at);
      at += chunk.length;
    }
    this.#chunks.length = 0;
    if (before !== undefined) free(before);
  }
}
