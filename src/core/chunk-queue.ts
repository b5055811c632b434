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
