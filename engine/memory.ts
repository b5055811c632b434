import { countOf, FieldError } from './errors.ts';
import type { Limits } from './limits.ts';

const workExceeded = new FieldError('workExceeded');
const memoryExceeded = new FieldError('memoryExceeded');

/** The most bytes of a piece, unless one write is longer. */
export const PIECE_BYTES: number = 1 << 18;
export const SHORT_PIECE_BYTES: number = 1 << 15;
const MAX_PART = 1 << 20;
/** Pieces of these sizes are used again: the most that wait for it, of each, and so many of those that had left. */
const SIZES = [1 << 14, SHORT_PIECE_BYTES, PIECE_BYTES] as const;
const MAX_SPARE = 8;
const MAX_GIVEN = [8, 8, 2] as const;
/** The most metrics that all fields together keep something for. */
const MAX_METRICS = 1 << 18;
const tooManyMetrics = FieldError.ofLimit(
  `All fields together have at most ${countOf(MAX_METRICS)} metrics. Name fewer.`,
);
/** So many bytes more are reserved at once. */
const RESERVED_AT_ONCE = 1 << 20;

/** Where pieces of `PIECE_BYTES` wait that nobody needs. */
export interface IdlePieces {
  /** Undefined if there is none. */
  acquire(): Buffer | undefined;
  release(piece: Buffer): void;
}

/** What a reader uses: the one place where work counts, and memory that is used again. */
export class Memory {
  /** The bytes that were written and the values that were computed. */
  work = 0;
  /** The bytes of memory in use. */
  bytes = 0;
  maxPart: number = MAX_PART;
  #maxWork = Number.POSITIVE_INFINITY;
  #maxBytes = Number.POSITIVE_INFINITY;
  #reserved = Number.POSITIVE_INFINITY;
  #metrics = 0;
  /** The pieces that wait to be used again, of each size. */
  readonly #spare: readonly Buffer[][] = SIZES.map(() => []);
  readonly #idle: IdlePieces | undefined;

  /** @param idle where pieces wait. Absent: here */
  constructor(idle?: IdlePieces) {
    this.#idle = idle;
  }

  /** The next reader begins. @param bytes those of memory that is not of this reader alone */
  begin(
    { work, memory = Number.POSITIVE_INFINITY, reserved = Number.POSITIVE_INFINITY, part = MAX_PART }: Limits,
    bytes = 0,
  ): void {
    this.work = 0;
    this.bytes = bytes + this.spareBytes;
    this.maxPart = part;
    this.#maxWork = work;
    this.#maxBytes = memory;
    this.#reserved = reserved;
    this.#metrics = 0;
  }

  /** The bytes of the pieces that wait to be used again. */
  get spareBytes(): number {
    return this.#spare.reduce((sum, pieces, index) => sum + pieces.length * (SIZES[index] as number), 0);
  }

  /** Counts work. @throws FieldError beyond the limit: the field is null, and so are those behind it */
  count(units: number): void {
    this.work += units;
    if (this.work > this.#maxWork) throw workExceeded;
  }

  /** Counts work that is done anyway. */
  add(units: number): void {
    this.work += units;
  }

  /** Whether the limit of work is reached, so that no further value is written. */
  get isSpent(): boolean {
    return this.work > this.#maxWork;
  }

  /** Whether what cannot be null has reached it once more, so that nothing more is written at all. */
  get isExceeded(): boolean {
    return this.work > 2 * this.#maxWork;
  }

  /** Notes memory that is taken, or less than 0 that is given back. */
  hold(bytes: number): void {
    this.bytes += bytes;
  }

  /** The same for memory that a field is about to take. @throws FieldError beyond the limit */
  holdForField(bytes: number): void {
    if (this.bytes + bytes > this.#maxBytes) throw memoryExceeded;
    this.bytes += bytes;
  }

  /** How many bytes have to be reserved before it goes on. */
  get wants(): number {
    return this.bytes > this.#reserved ? this.bytes - this.#reserved + RESERVED_AT_ONCE : 0;
  }

  reserved(bytes: number): void {
    this.#reserved += bytes;
  }

  /** Counts metrics that a field keeps something for; less than 0 for those that it gives up. @throws FieldError */
  keepMetrics(count: number): void {
    this.#metrics += count;
    if (this.#metrics > MAX_METRICS) throw tooManyMetrics;
  }

  /** Memory of so many bytes, which count from now on. @param isOfField whether a field needs it @throws FieldError only for a field */
  take(bytes: number, isOfField: boolean): Buffer {
    const spare = this.#spareOf(bytes)?.pop();
    if (spare !== undefined) return spare;
    if (isOfField) this.holdForField(bytes);
    else this.hold(bytes);
    const idle = bytes === PIECE_BYTES ? this.#idle?.acquire() : undefined;
    if (idle !== undefined) return idle;
    // Node cuts short ones out of memory that it has.
    return bytes < SIZES[0] ? Buffer.allocUnsafe(bytes) : Buffer.allocUnsafeSlow(bytes);
  }

  /** Takes back memory, or a part of it. */
  give(piece: Buffer): void {
    const { buffer } = piece;
    const spare = this.#spareOf(buffer.byteLength);
    const isIdle = buffer.byteLength === PIECE_BYTES && this.#idle !== undefined;
    if (spare !== undefined && !isIdle && spare.length < MAX_SPARE) {
      spare.push(Buffer.from(buffer));
      return;
    }
    this.hold(-sizeOf(piece));
    if (isIdle) this.#idle?.release(Buffer.from(buffer));
  }

  /** Takes back a piece that had left the reader. Returns whether it needs it. */
  reuse(piece: Buffer): boolean {
    const { byteLength } = piece.buffer;
    const index = SIZES.indexOf(byteLength);
    if (index < 0 || (this.#spare[index] as Buffer[]).length >= (MAX_GIVEN[index] as number)) return false;
    this.hold(byteLength);
    this.give(piece);
    return true;
  }

  #spareOf(bytes: number): Buffer[] | undefined {
    return this.#spare[SIZES.indexOf(bytes)];
  }
}

/** The bytes of memory that a piece of Node's or of its own takes. */
export function sizeOf({ buffer, length }: Buffer): number {
  return buffer.byteLength === Buffer.poolSize ? length : buffer.byteLength;
}
