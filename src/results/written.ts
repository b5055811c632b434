import {
  BodyError,
  type HeldPart,
  open,
  type Page,
  type PathError,
  type Reader,
  type Selection,
} from '../../engine/index.ts';
import { acquirePiece, keepPiece, PIECE_BYTES, pieceInUse } from '../core/buffer-pool.ts';
import { RestError } from '../rest/contract/rest-error.ts';
import { invalidResults } from '../rest/contract/results-errors.ts';
import { MAX_PART_BYTES } from '../rest/contract/wire.ts';
import type { Output, ReaderMemory, WorkBudget, Writing, Written } from './output.ts';
import { SLICE_BYTES } from './response.ts';

/** What a reader may take, for what is computed and what is written of one entry and has not left. */
const MAX_READER_BYTES = 1 << 28;
/** So much is taken of what a reader has written, as long as it writes. */
const LEAST_TAKEN = 3 << 16;

/** The parts of a body, and promises that have to be waited for. A part is there until the next one is asked for. */
export type BodyParts = Iterable<HeldPart | Promise<void>>;

/** What is read, and how. */
export interface Reading {
  readonly selection: Selection;
  readonly bodies: readonly BodyParts[];
  readonly page?: Page;
  /** Is called when all was read, before the errors are added. */
  readonly ended?: ((reader: Reader) => void) | undefined;
  /** Is called if the body is not what it must be. */
  readonly failed?: (error: BodyError) => void;
}

/**
 * Reads bodies, and yields what is written of them. Returns the reader.
 *
 * @param pathOf where an error is, by its path in what is written. Undefined if it is not reported
 * @throws RestError `invalidResponse`
 */
export function* readInto(
  { selection, bodies, page, ended, failed }: Reading,
  { errors, work, memory, oddRows }: Output,
  pathOf: (path: PathError['path']) => PathError['path'] | undefined,
): Generator<Written, Reader> {
  const reader = open(
    selection,
    { work: work.limit - work.spent, memory: MAX_READER_BYTES, reserved: memory.bytes, part: MAX_PART_BYTES },
    page,
    memory.workspace,
  );
  try {
    for (const [index, body] of bodies.entries()) {
      for (const chunk of body) {
        if (chunk instanceof Promise) yield chunk;
        else if (!Buffer.isBuffer(chunk)) {
          reader.readHeld(chunk);
          yield* workOn(reader, memory);
        } else
          for (let at = 0; at < chunk.length && !reader.isDone; at += SLICE_BYTES) {
            reader.push(chunk.subarray(at, at + SLICE_BYTES));
            yield* workOn(reader, memory);
          }
        if (reader.isDone) break;
      }
      reader.end(index < bodies.length - 1);
      yield* workOn(reader, memory);
    }
    yield* taken(reader, 1);
  } catch (error) {
    if (!(error instanceof BodyError)) throw error;
    failed?.(error);
    throw errorOfBody(error, work);
  } finally {
    work.charge(reader.spent);
    if (reader.oddRows > 0) oddRows.add(reader.oddRows);
    reader.close();
  }
  ended?.(reader);
  for (const error of reader.errors) {
    const path = pathOf(error.path);
    if (path !== undefined) errors.add(error, path);
  }
  if (reader.omittedErrors > 0) errors.omit(reader.omittedErrors);
  return reader;
}

function errorOfBody(error: BodyError, { limit }: WorkBudget): Error {
  if (error.kind !== 'workExceeded') return invalidResults({ cause: error });
  const setting = { name: 'MAX_OPERATION_WORK', value: limit };
  return new RestError('getDatasetResults', 'responseTooLarge', { status: 200, limit: setting });
}

/** Works as long as there is something to do. */
function* workOn(reader: Reader, memory: ReaderMemory): Generator<Written, void> {
  for (let isMore = true; isMore; ) {
    const { wants } = reader;
    if (wants > 0) {
      const reserving = memory.grow(wants);
      if (reserving !== undefined) yield reserving;
      reader.reserve(wants);
    }
    isMore = reader.work();
    // Other work may run, also where nothing was written.
    yield* taken(reader, LEAST_TAKEN);
  }
}

/** Takes what was written, once it is so much. */
function* taken(reader: Reader, least: number): Generator<Written, void> {
  const pieces = reader.take(least);
  for (const piece of pieces) if (!isCopied(piece)) pieceInUse(piece);
  yield pieces;
  for (const piece of pieces) if (isCopied(piece)) reader.give(piece);
}

/** A part of a response: text, or a value with what it is written with. */
export interface WrittenPart {
  readonly write: Writing;
  readonly output: Output;
}

/**
 * Writes texts and values one after another. Each step yields the chunks that it filled, if any, so that they can be sent and other work
 * can run, or a promise that has to be waited for. It writes on demand: nothing happens before the next step is requested. A value that
 * cannot be written is null, as long as no part of it has left.
 */
export function* writeChunks(parts: Iterable<string | WrittenPart>): Generator<Written, void> {
  const filled = new Chunks();
  for (const part of parts) {
    if (typeof part === 'string') {
      filled.addText(part);
      continue;
    }
    filled.begin();
    try {
      yield* writeInto(filled, part);
    } catch (error) {
      if (!filled.undo() || !part.output.errors.fail(error)) throw error;
      filled.addText('null');
    }
  }
  yield filled.take();
  filled.end();
}

/** Writes a value. What fails while it waits is thrown where it waits. */
function* writeInto(filled: Chunks, { write, output }: WrittenPart): Generator<Written, void> {
  const writing: Iterator<string | Written> & { throw?(error: unknown): IteratorResult<string | Written> } =
    write(output)[Symbol.iterator]();
  try {
    for (let next = writing.next(); next.done !== true; ) {
      const { value } = next;
      if (typeof value === 'string') filled.addText(value);
      // It may reject while the chunks are sent, and nobody waits for it yet.
      else if (value instanceof Promise) value.catch(() => {});
      else for (const piece of value) filled.add(piece);
      try {
        if (typeof value !== 'string') yield filled.isEnough ? filled.take() : [];
        if (value instanceof Promise) yield value;
      } catch (error) {
        if (writing.throw === undefined) throw error;
        next = writing.throw(error);
        continue;
      }
      next = writing.next();
    }
  } finally {
    writing.return?.();
  }
}

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
    if (this.#joined.length === PIECE_BYTES) keepPiece(this.#joined);
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
