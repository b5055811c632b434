import { acquirePiece, keepIdle, PIECE_BYTES, pieceInUse } from '../core/piece-pool.ts';

/** Up to this length texts and values are copied, so that they are joined with what is near them. */
const CHUNK_BYTES = 1 << 16;
/** What is shorter is sent in memory of its own: it would keep a piece. */
const SHORT_BYTES = 1 << 12;

/** Whether bytes are copied when they are added, so that their memory is free again. */
export function isCopied({ length }: Buffer): boolean {
  return length <= CHUNK_BYTES;
}

/** What is written and has not left: chunks that are long enough to be sent. */
export class Chunks {
  #all: Buffer[] = [];
  #bytes = 0;
  /** What is joined behind them, in a piece. */
  #joined: Buffer | undefined;
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
    if (this.#joined !== undefined) keepIdle(this.#joined);
    this.#joined = undefined;
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
    this.#joined ??= acquirePiece() ?? Buffer.allocUnsafeSlow(PIECE_BYTES);
    return this.#joined;
  }

  #endJoined(): void {
    if (this.#joined === undefined || this.#length === 0) return;
    const bytes = this.#joined.subarray(0, this.#length);
    this.#length = 0;
    if (bytes.length < SHORT_BYTES) {
      this.#all.push(Buffer.from(bytes));
      return;
    }
    this.#all.push(bytes);
    pieceInUse(bytes);
    this.#joined = undefined;
  }
}
