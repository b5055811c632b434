import { acquireChunk, CHUNK_BYTES } from '../../core/buffer-pool.ts';

/** Bytes of JSON. */
export const NULL: Buffer = Buffer.from('null');
export const EMPTY_OBJECT: Buffer = Buffer.from('{}');
export const CLOSE_OBJECT: Buffer = Buffer.from('}');
export const COMMA = 0x2c;
export const OPEN_LIST = 0x5b;
export const CLOSE_LIST = 0x5d;
export const QUOTE = 0x22;

/** The longest copies, in bytes, for which a loop over bytes, or over words, is faster than a call into native code. */
const MAX_BYTE_LOOP = 16;
const MAX_WORD_LOOP = 128;
const WORD_BYTES = 8;
/** The most bytes of a UTF-16 code unit in UTF-8. */
const MAX_CHARACTER_LENGTH = 3;

/** Bytes that are written often. */
export interface Part {
  readonly bytes: Buffer;
  /** The same bytes and a word behind them, for `copyWords`. */
  readonly view: DataView;
}

/** A copy of bytes that are written often. */
export function partOf(bytes: Buffer): Part {
  const padded = Buffer.concat([bytes, Buffer.alloc(WORD_BYTES)]);
  return { bytes: padded.subarray(0, bytes.length), view: viewOf(padded) };
}

/** Writes bytes into chunks. */
export class ByteWriter {
  #filled: Buffer[] = [];
  #chunk: Buffer = acquireChunk();
  #view = viewOf(this.#chunk);
  #at = 0;
  /** The number of bytes in full chunks. */
  #before = 0;

  /** The number of bytes written so far. */
  get written(): number {
    return this.#before + this.#at;
  }

  /** Writes the bytes from `start` to `end` (exclusive). */
  copy(bytes: Buffer, start = 0, end = bytes.length): void {
    const length = end - start;
    if (this.#at + length > this.#chunk.length) this.#newChunk(length);
    const at = this.#at;
    if (length > MAX_BYTE_LOOP) {
      bytes.copy(this.#chunk, at, start, end);
    } else {
      const chunk = this.#chunk;
      const shift = at - start;
      for (let from = start; from < end; from += 1) chunk[from + shift] = bytes[from] as number;
    }
    this.#at = at + length;
  }

  /** Does the same word by word, which is faster for a few dozen bytes. The last word may go on behind the end. */
  copyWords(bytes: Buffer, view: DataView, start: number, end: number): void {
    const length = end - start;
    const more = length + WORD_BYTES;
    if (length > MAX_WORD_LOOP || start + more > view.byteLength || this.#at + more > this.#chunk.length) {
      this.copy(bytes, start, end);
      return;
    }
    const chunk = this.#view;
    const shift = this.#at - start;
    // V8 compiles this to moves of registers, without a BigInt.
    for (let from = start; from < end; from += WORD_BYTES) {
      chunk.setBigInt64(from + shift, view.getBigInt64(from, true), true);
    }
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

  /** Whether there are full chunks to take. */
  get hasFilled(): boolean {
    return this.#filled.length > 0;
  }

  /** Takes the full chunks, in their order. */
  takeFilled(): Buffer[] {
    const filled = this.#filled;
    this.#filled = [];
    return filled;
  }

  /** Takes all remaining chunks. Ends the writer. */
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
