import { acquirePiece, keepIdle, PIECE_BYTES, pieceInUse } from '../core/writing-memory.ts';

/** Up to this length texts and values are copied, so that they are joined with what is near them. */
const CHUNK_BYTES = 1 << 16;
/** What is joined gets as much memory as it needs, up to this; then a piece. Of many small responses each would keep one. */
const SHORT_BYTES = 1 << 15;
const FIRST_BYTES = 1 << 12;
const nothing = Buffer.alloc(0);

/** Whether bytes are copied when they are added, so that their memory is free again. */
export function isCopied({ length }: Buffer): boolean {
  return length <= CHUNK_BYTES;
}

/** What is written and has not left: chunks that are long enough to be sent. */
export class Chunks {
  #all: Buffer[] = [];
  #bytes = 0;
  /** What is joined behind them. */
  #joined: Buffer = nothing;
  #length = 0;
  /** How many bytes there were before the value that is written; undefined if a part of this has left. */
  #before: number | undefined;

  add(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (isCopied(chunk)) {
      this.#length += chunk.copy(this.#roomFor(chunk.length), this.#length);
      return;
    }
    this.#endJoined();
    this.#all.push(chunk);
  }

  addText(text: string): void {
    if (text.length > CHUNK_BYTES / 3) {
      this.add(Buffer.from(text));
      return;
    }
    const bytes = this.#roomFor(text.length * 3).write(text, this.#length);
    this.#length += bytes;
    this.#bytes += bytes;
  }

  get isEnough(): boolean {
    return this.#bytes >= CHUNK_BYTES;
  }

  /** Takes all of it. */
  take(): Buffer[] {
    this.#endJoined();
    const all = this.#all;
    this.#all = [];
    this.#bytes = 0;
    this.#before = undefined;
    return all;
  }

  /** Nothing more is written. */
  end(): void {
    if (this.#joined.length === PIECE_BYTES) keepIdle(this.#joined);
    this.#joined = nothing;
  }

  /** A value begins. */
  begin(): void {
    this.#before = this.#bytes;
  }

  /** Drops what there is of the value. Returns false if a part of it has left. */
  undo(): boolean {
    if (this.#before === undefined) return false;
    const dropped = this.#bytes - this.#before;
    this.#bytes = this.#before;
    const ofJoined = Math.min(this.#length, dropped);
    this.#length -= ofJoined;
    for (let left = dropped - ofJoined; left > 0; ) {
      const last = this.#all.pop() as Buffer;
      if (last.length > left) this.#all.push(last.subarray(0, last.length - left));
      left -= last.length;
    }
    return true;
  }

  #roomFor(bytes: number): Buffer {
    if (this.#length + bytes > PIECE_BYTES) this.#endJoined();
    const needed = this.#length + bytes;
    if (needed > this.#joined.length) {
      const larger = memoryOf(needed);
      this.#joined.copy(larger, 0, 0, this.#length);
      this.#joined = larger;
    }
    return this.#joined;
  }

  #endJoined(): void {
    if (this.#length === 0) return;
    const bytes = this.#joined.subarray(0, this.#length);
    this.#length = 0;
    const isPiece = this.#joined.length === PIECE_BYTES;
    if (isPiece && bytes.length < SHORT_BYTES) {
      this.#all.push(Buffer.from(bytes));
      return;
    }
    this.#all.push(bytes);
    this.#joined = nothing;
    if (isPiece) pieceInUse(bytes);
  }
}

function memoryOf(bytes: number): Buffer {
  if (bytes <= SHORT_BYTES) return Buffer.allocUnsafe(Math.max(FIRST_BYTES, 2 ** Math.ceil(Math.log2(bytes))));
  return acquirePiece() ?? Buffer.allocUnsafeSlow(PIECE_BYTES);
}
