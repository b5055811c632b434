import { takeBuffer } from '../rest/memory.ts';

/** The size of pieces whose memory is given back. */
export const CHUNK_BYTES = 1 << 20;
/** Most answers fit into this; they are written here and copied out, because memory of its own for each is dear. */
const SCRATCH_BYTES = 1 << 16;
/** Up to this length a loop copies faster than a call into native code. */
const SHORT = 16;

const MOST_IDLE = 64;

/** Scratch memory that no writer uses now. */
const idle: Buffer[] = [];

/** Bytes written one after another, into pieces that are never joined. */
export class ByteWriter {
  readonly #pieces: Buffer[] = [];
  readonly #scratch = idle.pop() ?? Buffer.allocUnsafeSlow(SCRATCH_BYTES);
  #piece = this.#scratch;
  #at = 0;

  /** Writes the bytes from `start` up to, but without, `end`. */
  copy(bytes: Buffer, start = 0, end = bytes.length): void {
    const length = end - start;
    if (this.#at + length > this.#piece.length) this.#newPiece(length);
    const piece = this.#piece;
    let at = this.#at;
    if (length > SHORT) {
      bytes.copy(piece, at, start, end);
    } else {
      for (let from = start; from < end; from += 1) {
        piece[at] = bytes[from] as number;
        at += 1;
      }
    }
    this.#at += length;
  }

  /** Writes a text as UTF-8. */
  text(text: string): void {
    const longest = text.length * 3;
    if (this.#at + longest > this.#piece.length) this.#newPiece(longest);
    this.#at += this.#piece.write(text, this.#at);
  }

  /** All that was written. The writer is at its end. */
  finish(): Buffer[] {
    this.#endPiece();
    if (idle.length < MOST_IDLE) idle.push(this.#scratch);
    return this.#pieces;
  }

  #newPiece(length: number): void {
    this.#endPiece();
    this.#piece = takeBuffer(Math.max(CHUNK_BYTES, length));
    this.#at = 0;
  }

  #endPiece(): void {
    const written = this.#piece.subarray(0, this.#at);
    this.#pieces.push(this.#piece === this.#scratch ? Buffer.from(written) : written);
  }
}
