const CHUNK_BYTES = 1 << 20;
/** Up to this length a loop copies faster than a call into native code. */
const SHORT = 48;

/** Bytes written one after another, into pieces that are never joined. */
export class ByteWriter {
  readonly #pieces: Buffer[] = [];
  #piece = Buffer.alloc(0);
  #at = 0;

  /** Writes the bytes from `start` up to, but without, `end`. */
  copy(bytes: Uint8Array, start = 0, end = bytes.length): void {
    const length = end - start;
    if (this.#at + length > this.#piece.length) this.#newPiece(length);
    const piece = this.#piece;
    let at = this.#at;
    if (length > SHORT) {
      piece.set(bytes.subarray(start, end), at);
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
    this.copy(Buffer.from(text));
  }

  /** All that was written. */
  finish(): Buffer[] {
    this.#pieces.push(this.#piece.subarray(0, this.#at));
    this.#piece = Buffer.alloc(0);
    this.#at = 0;
    return this.#pieces;
  }

  #newPiece(length: number): void {
    if (this.#at > 0) this.#pieces.push(this.#piece.subarray(0, this.#at));
    // The first piece is small: most answers are.
    const wanted = this.#pieces.length === 0 ? 16_384 : CHUNK_BYTES;
    this.#piece = Buffer.allocUnsafeSlow(Math.max(wanted, length));
    this.#at = 0;
  }
}
