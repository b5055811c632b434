import { countOf, FieldError } from './errors.ts';
import type { Limits } from './limits.ts';

const workExceeded = new FieldError('workExceeded');
const memoryExceeded = new FieldError('memoryExceeded');

/** The most bytes of a piece, unless one write is longer. */
export const PIECE_BYTES: number = 1 << 18;
export const SHORT_PIECE_BYTES: number = 1 << 15;
const MAX_PART = 1 << 20;
/** The most pieces that wait to be used again, and of those that had left. */
const MAX_SPARE = 8;
const MAX_GIVEN = 2;
/** The most metrics that all fields together keep something for. */
const MAX_METRICS = 1 << 18;
const tooManyMetrics = FieldError.ofLimit(
  `All fields together have at most ${countOf(MAX_METRICS)} metrics. Name fewer.`,
);
/** So many bytes more are reserved at once. */
const RESERVED_AT_ONCE = 1 << 20;

/** What a reader uses: the one place where work counts, and memory that is used again. */
export class Memory {
  /** The bytes that were written and the values that were computed. */
  work = 0;
  /** The bytes of memory in use. */
  bytes = 0;
  readonly maxPart: number;
  readonly #maxWork: number;
  readonly #maxBytes: number;
  readonly #spare: Buffer[] = [];
  #reserved: number;
  #metrics = 0;

  constructor({
    work,
    memory = Number.POSITIVE_INFINITY,
    reserved = Number.POSITIVE_INFINITY,
    part = MAX_PART,
  }: Limits) {
    this.#maxWork = work;
    this.#maxBytes = memory;
    this.#reserved = reserved;
    this.maxPart = part;
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
    const spare = bytes === PIECE_BYTES ? this.#spare.pop() : undefined;
    if (spare !== undefined) return spare;
    if (isOfField) this.holdForField(bytes);
    else this.hold(bytes);
    // Node cuts short ones out of memory that it has.
    return bytes < SHORT_PIECE_BYTES ? Buffer.allocUnsafe(bytes) : Buffer.allocUnsafeSlow(bytes);
  }

  /** Takes back memory, or a part of it. */
  give(piece: Buffer): void {
    const isPiece = piece.buffer.byteLength === PIECE_BYTES;
    if (isPiece && this.#spare.length < MAX_SPARE) this.#spare.push(Buffer.from(piece.buffer));
    else this.hold(-sizeOf(piece));
  }

  /** Takes back a piece that had left the reader. Returns whether it needs it. */
  reuse(piece: Buffer): boolean {
    if (piece.buffer.byteLength !== PIECE_BYTES || this.#spare.length >= MAX_GIVEN) return false;
    this.hold(PIECE_BYTES);
    this.give(piece);
    return true;
  }
}

/** The bytes of memory that a piece of Node's or of its own takes. */
export function sizeOf({ buffer, length }: Buffer): number {
  return buffer.byteLength === Buffer.poolSize ? length : buffer.byteLength;
}
