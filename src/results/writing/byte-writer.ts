import { acquireChunk, CHUNK_BYTES } from '../../core/chunk-pool.ts';

/** Up to this length a loop over bytes copies faster than a call into native code, and up to that one over words. */
const SHORT = 16;
const FEW = 48;
/** The bytes of a UTF-16 code unit in UTF-8, at most. */
const MAX_CHARACTER_LENGTH = 3;
/** Bytes written one after another, into chunks that are never joined. */
export class ByteWriter {
  #filled: Buffer[] = [];
  #chunk: Buffer = acquireChunk();
  #view = viewOf(this.#chunk);
  #at = 0;
  /** Bytes in chunks that are full. */
  #before = 0;

  /** The number of bytes written so far. */
  get written(): number {
    return this.#before + this.#at;
  }

  /** Writes the bytes from `start` up to, but without, `end`. */
  copy(bytes: Buffer, start = 0, end = bytes.length): void {
    const length = end - start;
    if (this.#at + length > this.#chunk.length) this.#newChunk(length);
    const at = this.#at;
    if (length > SHORT) {
      bytes.copy(this.#chunk, at, start, end);
    } else {
      const chunk = this.#chunk;
      const shift = at - start;
      for (let from = start; from < end; from += 1) chunk[from + shift] = bytes[from] as number;
    }
    this.#at = at + length;
  }

  /** Does the same, faster for a few dozen bytes. */
  copyWords(bytes: Buffer, view: DataView, start: number, end: number): void {
    const length = end - start;
    if (length < 4 || length > FEW) {
      this.copy(bytes, start, end);
      return;
    }
    if (this.#at + length > this.#chunk.length) this.#newChunk(length);
    const chunk = this.#view;
    const shift = this.#at - start;
    const last = end - 4;
    for (let from = start; from < last; from += 4) chunk.setInt32(from + shift, view.getInt32(from, true), true);
    // The last word may overlap the one before it.
    chunk.setInt32(last + shift, view.getInt32(last, true), true);
    this.#at += length;
  }

  /** Writes one byte. */
  byte(byte: number): void {
    if (this.#at === this.#chunk.length) this.#newChunk(1);
    this.#chunk[this.#at] = byte;
    this.#at += 1;
  }

  /** Writes a text as UTF-8. */
  text(text: string): void {
    if (this.#at + text.length * MAX_CHARACTER_LENGTH > this.#chunk.length) this.copy(Buffer.from(text));
    else this.#at += this.#chunk.write(text, this.#at);
  }

  /** Whether a chunk has been filled, so that it is time to take it. */
  get hasFilled(): boolean {
    return this.#filled.length > 0;
  }

  /** The chunks filled so far, in their order. */
  takeFilled(): Buffer[] {
    const filled = this.#filled;
    this.#filled = [];
    return filled;
  }

  /** The chunks that are left. Nothing can be written any more. */
  finish(): Buffer[] {
    return [...this.takeFilled(), this.#chunk.subarray(0, this.#at)];
  }

  #newChunk(length: number): void {
    this.#before += this.#at;
    this.#filled.push(this.#chunk.subarray(0, this.#at));
    this.#chunk = length <= CHUNK_BYTES ? acquireChunk() : Buffer.allocUnsafeSlow(length);
    this.#view = viewOf(this.#chunk);
    this.#at = 0;
  }
}

function viewOf({ buffer, byteOffset, length }: Buffer): DataView {
  return new DataView(buffer, byteOffset, length);
}
