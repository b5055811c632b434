import { type Memory, PIECE_BYTES, SHORT_PIECE_BYTES, sizeOf } from './memory.ts';
import { viewOf } from './scanner.ts';

/** Bytes that are copied word by word may be followed by so many others. */
const SPARE = 8;
/** The longest copy for which a loop over words is faster than a call into native code. */
const MAX_WORD_LOOP = 448;

const nothing = { buffer: Buffer.alloc(SPARE), view: new DataView(new ArrayBuffer(SPARE)) } as const;

/** Bytes that are written one after another. They are one piece, or several when they are many: so none is ever copied to larger memory that is long. */
export class Bytes {
  /** The last piece. */
  buffer: Buffer = nothing.buffer;
  view: DataView = nothing.view;
  /** The number of bytes in it. */
  length = 0;
  /** How many bytes were adopted so far. */
  adopted = 0;
  readonly #memory: Memory;
  readonly #counts: boolean;
  #capacity: number;
  /** The pieces before it, and their bytes. */
  #full: Buffer[] = [];
  #before = 0;

  /** @param capacity that it gets at first. @param counts whether what is written counts as work */
  constructor(memory: Memory, capacity: number, counts = true) {
    this.#memory = memory;
    this.#counts = counts;
    this.#capacity = capacity;
  }

  /** The number of bytes so far. */
  get position(): number {
    return this.#before + this.length;
  }

  /** The bytes of its memory. */
  get capacity(): number {
    return this.#full.reduce(
      (sum, piece) => sum + sizeOf(piece),
      this.buffer === nothing.buffer ? 0 : sizeOf(this.buffer),
    );
  }

  /** Forgets what was written behind a position. */
  rewind(position: number): void {
    while (this.#before > position) {
      this.#give(this.buffer);
      const piece = this.#full.pop() as Buffer;
      this.#before -= piece.length;
      // What is cut would be copied to larger memory, and used again, while others read there.
      this.#use(wholeOf(piece));
    }
    this.length = position - this.#before;
  }

  /** Replaces the first byte. */
  replaceFirst(byte: number): void {
    (this.#full[0] ?? this.buffer)[0] = byte;
  }

  /** Makes room for so many bytes, for `put`. */
  makeRoom(bytes: number): void {
    if (this.length + bytes + SPARE > this.buffer.length) this.#grow(bytes);
  }

  #grow(bytes: number): void {
    const { buffer, length } = this;
    const needed = length + bytes + SPARE;
    if (needed <= PIECE_BYTES) {
      // After the bytes were taken there is nothing to copy, and as much room is likely to be needed again.
      const likely = Math.max(needed, length === 0 ? this.#capacity : 2 * this.#capacity);
      // Those of the same size can be used again.
      this.#capacity = likely > SHORT_PIECE_BYTES ? PIECE_BYTES : 2 ** Math.ceil(Math.log2(likely));
      this.#use(this.#memory.take(this.#capacity, this.#counts));
      buffer.copy(this.buffer, 0, 0, length);
      this.#give(buffer);
      return;
    }
    const larger = this.#memory.take(Math.max(bytes + SPARE, PIECE_BYTES), this.#counts);
    if (length === 0) this.#give(buffer);
    this.#finishPiece();
    this.#use(larger);
  }

  #use(memory: Buffer): void {
    this.buffer = memory;
    this.view = viewOf(memory);
  }

  #give(buffer: Buffer): void {
    if (buffer !== nothing.buffer) this.#memory.give(buffer);
  }

  #useNothing(): void {
    this.buffer = nothing.buffer;
    this.view = nothing.view;
  }

  #finishPiece(): void {
    if (this.length === 0) return;
    const piece = this.buffer.subarray(0, this.length);
    // Of Node's memory it takes what it has.
    this.#memory.hold(sizeOf(piece) - sizeOf(this.buffer));
    this.#full.push(piece);
    this.#before += this.length;
    this.length = 0;
  }

  /** Gives all memory back. */
  release(): void {
    this.rewind(0);
    this.#give(this.buffer);
    this.#useNothing();
  }

  /** Takes all that was written, which leaves the reader. */
  takeOut(): Buffer[] {
    const pieces = this.takeAll();
    for (const piece of pieces) this.#memory.hold(-sizeOf(piece));
    return pieces;
  }

  /** Takes all that was written, which belongs to the caller from now on. */
  takeAll(): Buffer[] {
    const isEmpty = this.length === 0;
    this.#finishPiece();
    const pieces = this.#full;
    this.#full = [];
    this.#before = 0;
    if (pieces.length === 0) return pieces;
    if (isEmpty) this.#give(this.buffer);
    this.#useNothing();
    return pieces;
  }

  /** Counts what was written with `put`. */
  count(bytes: number): void {
    if (this.#counts) this.#memory.count(bytes);
  }

  byte(byte: number): void {
    this.makeRoom(1);
    this.putByte(byte);
    this.count(1);
  }

  text(text: string): void {
    this.makeRoom(text.length * 3);
    const bytes = this.buffer.write(text, this.length);
    this.length += bytes;
    this.count(bytes);
  }

  /** Copies bytes, which must be followed by a word that may be read. */
  copy(bytes: Buffer, view: DataView, start: number, end: number): void {
    this.makeRoom(end - start);
    this.put(bytes, view, start, end);
    this.count(end - start);
  }

  putByte(byte: number): void {
    this.buffer[this.length] = byte;
    this.length += 1;
  }

  /** The same as `copy` where there is room. */
  put(bytes: Buffer, view: DataView, start: number, end: number): void {
    const { length } = this;
    const shift = length - start;
    if (end - start > MAX_WORD_LOOP) bytes.copy(this.buffer, length, start, end);
    else {
      const into = this.view;
      // V8 makes moves of registers of it, without a BigInt.
      for (let at = start; at < end; at += SPARE) into.setBigInt64(at + shift, view.getBigInt64(at, true), true);
    }
    this.length = end + shift;
  }

  literal({ bytes, view }: Literal): void {
    this.copy(bytes, view, 0, bytes.length);
  }

  /** What was written, piece by piece. Each may be followed by a word that may be read. */
  pieces(): Piece[] {
    let end = 0;
    return [...this.#full, this.buffer.subarray(0, this.length)].map((bytes) => {
      const start = end;
      end += bytes.length;
      return { start, end, bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length + SPARE) };
    });
  }

  /** Appends others. It does not count. */
  append(others: Bytes): void {
    for (const piece of others.#full) this.copyAll(piece);
    this.copyAll(others.buffer, others.length);
  }

  /** The same, but takes their pieces where there are several, and notes that they have counted already. */
  adopt(others: Bytes): void {
    this.adopted += others.position;
    if (others.#full.length === 0) {
      this.append(others);
      return;
    }
    if (this.length > 0) this.#finishPiece();
    else this.#give(this.buffer);
    for (const piece of others.takeAll()) {
      this.#full.push(piece);
      this.#before += piece.length;
    }
    this.#useNothing();
  }

  /** Copies many bytes, whatever follows them. It does not count. */
  copyAll(bytes: Buffer, length: number = bytes.length): void {
    this.makeRoom(length);
    bytes.copy(this.buffer, this.length, 0, length);
    this.length += length;
  }
}

/** The memory of a piece, unless Node has cut it out of its own. */
function wholeOf(piece: Buffer): Buffer {
  return sizeOf(piece) === piece.length ? piece : Buffer.from(piece.buffer);
}

/** A part of what was written, and the positions of its first byte and of the one behind it. */
export interface Piece {
  readonly start: number;
  readonly end: number;
  readonly bytes: Buffer;
  readonly view: DataView;
}

/** Bytes that are written often. */
export interface Literal {
  readonly text: string;
  readonly bytes: Buffer;
  readonly view: DataView;
}

export function literal(text: string): Literal {
  const padded = Buffer.alloc(Buffer.byteLength(text) + SPARE);
  const length = padded.write(text);
  return { text, bytes: padded.subarray(0, length), view: viewOf(padded) };
}

export const NULL: Literal = literal('null');
export const NOTHING: Literal = literal('');
