import { BodyError, open, type Page, type PathError, type Reader, type Selection } from '../../engine/index.ts';
import { acquirePiece, keepIdle, pieceInUse, releasePiece } from '../core/piece-pool.ts';
import { RestError } from '../rest/contract/rest-error.ts';
import { invalidResults } from '../rest/contract/results-errors.ts';
import { MAX_PART_BYTES } from '../rest/contract/wire.ts';
import type { Output, ReaderMemory, Writing, Written } from './output.ts';
import type { WorkBudget } from './work-budget.ts';

/** What a reader may take, for what is computed and what is written of one entry and has not left. */
const MAX_READER_BYTES = 1 << 28;
/** So many bytes are read at once: a reader copies them to memory of its own. */
const SLICE_BYTES = 1 << 14;
/** Texts are joined with what is near them, up to this length. */
const CHUNK_BYTES = 1 << 16;

/** The chunks of a body, and promises that have to be waited for. A chunk is there until the next one is asked for. */
export type BodyChunks = Iterable<Buffer | Promise<void>>;

/** What is read, and how. */
export interface Reading {
  readonly selection: Selection;
  readonly bodies: readonly BodyChunks[];
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
  );
  try {
    for (const [index, body] of bodies.entries()) {
      for (const chunk of body) {
        if (!Buffer.isBuffer(chunk)) yield chunk;
        else
          for (let at = 0; at < chunk.length && !reader.isDone; at += SLICE_BYTES) {
            reader.push(chunk.subarray(at, at + SLICE_BYTES));
            yield* workOn(reader, memory);
          }
        if (reader.isDone) break;
      }
      reader.end(index < bodies.length - 1);
      yield* workOn(reader, memory);
    }
    yield taken(reader, 1);
  } catch (error) {
    if (!(error instanceof BodyError)) throw error;
    failed?.(error);
    throw errorOfBody(error, work);
  } finally {
    work.charge(reader.spent);
    oddRows.add(reader.oddRows);
  }
  ended?.(reader);
  for (const error of reader.errors) {
    const path = pathOf(error.path);
    if (path !== undefined) errors.add(error, path);
  }
  errors.omit(reader.omittedErrors);
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
    yield taken(reader, 3 * CHUNK_BYTES);
  }
}

/** Takes what was written, once it is so much. For each piece the reader gets one that was sent. */
function taken(reader: Reader, least: number): Buffer[] {
  const pieces = reader.take(least);
  for (const piece of pieces) {
    pieceInUse(piece);
    const idle = acquirePiece();
    if (idle !== undefined && !reader.give(idle)) keepIdle(idle);
  }
  return pieces;
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
      filled.add(Buffer.from(part));
      continue;
    }
    filled.begin();
    try {
      yield* writeInto(filled, part);
    } catch (error) {
      if (!filled.undo() || !part.output.errors.fail(error)) throw error;
      filled.add(Buffer.from('null'));
    }
  }
  yield filled.take();
}

/** Writes a value. What fails while it waits is thrown where it waits. */
function* writeInto(filled: Chunks, { write, output }: WrittenPart): Generator<Written, void> {
  const writing: Iterator<string | Written> & { throw?(error: unknown): IteratorResult<string | Written> } =
    write(output)[Symbol.iterator]();
  try {
    for (let next = writing.next(); next.done !== true; ) {
      const { value } = next;
      if (typeof value === 'string') filled.add(Buffer.from(value));
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

/** What is written and has not left. */
class Chunks {
  #all: Buffer[] = [];
  #bytes = 0;
  /** What there was before the value that is written; undefined if a part of this has left. */
  #before: { readonly count: number; readonly bytes: number } | undefined;

  add(chunk: Buffer): void {
    this.#all.push(chunk);
    this.#bytes += chunk.length;
  }

  get isEnough(): boolean {
    return this.#bytes >= CHUNK_BYTES;
  }

  /** Takes all of it. Short ones are joined. */
  take(): Buffer[] {
    const all = this.#all;
    const isJoined = all.length > 1 && this.#bytes <= 2 * CHUNK_BYTES;
    const taken = isJoined ? [Buffer.concat(all)] : all;
    if (isJoined) for (const chunk of all) releasePiece(chunk);
    this.#all = [];
    this.#bytes = 0;
    this.#before = undefined;
    return taken;
  }

  /** A value begins. */
  begin(): void {
    this.#before = { count: this.#all.length, bytes: this.#bytes };
  }

  /** Drops what there is of the value. Returns false if a part of it has left. */
  undo(): boolean {
    const before = this.#before;
    if (before === undefined) return false;
    this.#all.length = before.count;
    this.#bytes = before.bytes;
    return true;
  }
}
