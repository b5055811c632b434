/** The size of a piece. Most answers fit into one. */
const PIECE_BYTES = 1 << 18;
/** Up to this length a loop over bytes copies faster than a call into native code, and up to that one over words. */
const SHORT = 16;
const FEW = 48;
/** The bytes of a UTF-16 code unit in UTF-8, at most. */
const MAX_CHARACTER_LENGTH = 3;
/** How many pieces are kept for the next answers. */
const MAX_IDLE = 64;

/** Memory of pieces that nobody uses now: memory of its own for each answer is dear. */
const idle: Buffer[] = [];

/** Bytes written one after another, into pieces that are never joined. */
export class ByteWriter {
  #filled: Buffer[] = [];
  #piece: Buffer = idle.pop() ?? Buffer.allocUnsafeSlow(PIECE_BYTES);
  #view = viewOf(this.#piece);
  #at = 0;
  /** Bytes in pieces that are full. */
  #before = 0;

  /** The number of bytes written so far. */
  get written(): number {
    return this.#before + this.#at;
  }

  /** Writes the bytes from `start` up to, but without, `end`. */
  copy(bytes: Buffer, start = 0, end = bytes.length): void {
    const length = end - start;
    if (this.#at + length > this.#piece.length) this.#newPiece(length);
    const at = this.#at;
    if (length > SHORT) {
      bytes.copy(this.#piece, at, start, end);
    } else {
      const piece = this.#piece;
      const shift = at - start;
      for (let from = start; from < end; from += 1) piece[from + shift] = bytes[from] as number;
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
    if (this.#at + length > this.#piece.length) this.#newPiece(length);
    const piece = this.#view;
    const shift = this.#at - start;
    const last = end - 4;
    for (let from = start; from < last; from += 4) piece.setInt32(from + shift, view.getInt32(from, true), true);
    // The last word may overlap the one before it.
    piece.setInt32(last + shift, view.getInt32(last, true), true);
    this.#at += length;
  }

  /** Writes one byte. */
  byte(byte: number): void {
    if (this.#at === this.#piece.length) this.#newPiece(1);
    this.#piece[this.#at] = byte;
    this.#at += 1;
  }

  /** Writes a text as UTF-8. */
  text(text: string): void {
    if (this.#at + text.length * MAX_CHARACTER_LENGTH > this.#piece.length) this.copy(Buffer.from(text));
    else this.#at += this.#piece.write(text, this.#at);
  }

  /** Whether a piece has been filled, so that it is time to take it. */
  get hasFilled(): boolean {
    return this.#filled.length > 0;
  }

  /** The pieces filled so far, in their order. */
  takeFilled(): Buffer[] {
    const filled = this.#filled;
    this.#filled = [];
    return filled;
  }

  /** The pieces that are left. Nothing can be written any more. */
  finish(): Buffer[] {
    return [...this.takeFilled(), this.#piece.subarray(0, this.#at)];
  }

  #newPiece(length: number): void {
    this.#before += this.#at;
    this.#filled.push(this.#piece.subarray(0, this.#at));
    this.#piece =
      length <= PIECE_BYTES ? (idle.pop() ?? Buffer.allocUnsafeSlow(PIECE_BYTES)) : Buffer.allocUnsafeSlow(length);
    this.#view = viewOf(this.#piece);
    this.#at = 0;
  }
}

function viewOf({ buffer, byteOffset, length }: Buffer): DataView {
  return new DataView(buffer, byteOffset, length);
}

/** Hands over a piece that has been sent, to be written to again. */
export function release({ buffer }: Buffer): void {
  if (buffer.byteLength === PIECE_BYTES && idle.length < MAX_IDLE) idle.push(Buffer.from(buffer as ArrayBuffer));
}
