import type { FastifyReply } from 'fastify';
import { releasePiece } from '../../core/buffer-pool.ts';
import { EventLoopYielder } from '../../core/event-loop.ts';
import { breakOff } from '../connections/connection.ts';
import { plainSink, sendWhileMade } from './chunk-sinks.ts';

/** The maximum number of characters of a text in one chunk. */
const CHUNK_CHARACTERS = 1 << 16;

/** So much is written before the first chunk is sent, if the headers depend on whether it is all. */
const HELD_BYTES = 3_500_000;

/** A body that is written while it is sent. */
export interface WrittenBody {
  /** The chunks that each time slice has filled, and promises that have to be waited for: where one rejects, its error is thrown. */
  readonly chunks: Generator<readonly Buffer[] | Promise<void>, void>;
  /** Is called with the bytes of each chunk that was sent, unless the body is one chunk. */
  readonly whenSent?: ((bytes: number) => void) | undefined;
  /** Is called when the body is written, but perhaps not yet sent. */
  readonly whenWritten: () => void;
  /** Reports why the body could not be written to its end. */
  readonly reportFailure: (error: unknown) => void;
  /**
   * Is called before the headers are sent, if the whole body is written by then. To make that likelier, some chunks are held
   * back.
   */
  readonly beforeHeaders?: (() => void) | undefined;
}

/**
 * Sends a body while it is written, with backpressure. A body of one chunk gets a content-length; a longer one uses chunked
 * transfer coding (RFC 9112, section 7.1). Writing stops when the client disconnects.
 */
export async function sendChunks(reply: FastifyReply, body: WrittenBody): Promise<void> {
  const writer = new BodyWriter(body);
  const early: Buffer[] = [];
  const heldBytes = body.beforeHeaders === undefined ? 0 : HELD_BYTES;
  let bytes = 0;
  try {
    while (!writer.isDone && (early.length < 2 || bytes < heldBytes)) {
      const chunks = await writer.next();
      for (const { length } of chunks) bytes += length;
      early.push(...chunks);
    }
  } catch (error) {
    breakOffBegun(reply, body, error);
    return;
  }
  if (writer.isDone) body.beforeHeaders?.();
  if (writer.isDone && early.length <= 1) {
    const [only = Buffer.alloc(0)] = early;
    reply.raw.once('finish', () => releasePiece(only));
    reply.send(only);
    return;
  }
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(reply.statusCode, reply.getHeaders() as Record<string, string>);
  try {
    await sendWhileMade(plainSink(raw, body.whenSent), early, () => (writer.isDone ? undefined : writer.next()));
  } catch (error) {
    breakOffBegun(reply, body, error);
  }
}

/** Breaks a response off. A truncated one must not look complete. */
function breakOffBegun(reply: FastifyReply, { reportFailure }: WrittenBody, error: unknown): void {
  reportFailure(error);
  if (!reply.sent) reply.hijack();
  breakOff(reply.raw);
}

/** Sends a text, a long one in chunks, so that slow-clients.ts can measure the progress of the client. */
export async function sendText(
  reply: FastifyReply,
  text: string,
  reportFailure: WrittenBody['reportFailure'],
): Promise<void> {
  if (text.length <= CHUNK_CHARACTERS) {
    reply.send(text);
    return;
  }
  reply.header('content-length', Buffer.byteLength(text));
  await sendChunks(reply, { chunks: chunksOf(text), whenWritten: () => {}, reportFailure });
}

function* chunksOf(text: string): Generator<readonly Buffer[], void> {
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = Math.min(start + CHUNK_CHARACTERS, text.length);
    // Does not split surrogate pairs.
    if (end < text.length && (text.codePointAt(end - 1) ?? 0) > 0xffff) end += 1;
    yield [Buffer.from(text.slice(start, end))];
  }
}

/** Writes a body in time slices. */
class BodyWriter {
  /** Whether everything is written. */
  isDone = false;
  readonly #steps: WrittenBody['chunks'];
  readonly #whenWritten: () => void;
  readonly #yielder = new EventLoopYielder();

  constructor({ chunks, whenWritten }: WrittenBody) {
    this.#steps = chunks;
    this.#whenWritten = whenWritten;
  }

  /** The next full chunks; the last one may be partly full. None when everything is written. */
  next(step = this.#steps.next()): readonly Buffer[] | Promise<readonly Buffer[]> {
    for (let { value: filled, done } = step; ; { value: filled, done } = this.#steps.next()) {
      if (done === true) {
        this.isDone = true;
        this.#whenWritten();
        return [];
      }
      if (filled instanceof Promise) return this.#nextAfter(filled);
      if (this.#yielder.isDue()) return this.#pauseAfter(filled as readonly Buffer[]);
      if (filled !== undefined && filled.length > 0) return filled;
    }
  }

  async #nextAfter(waiting: Promise<void>): Promise<readonly Buffer[]> {
    try {
      await waiting;
    } catch (error) {
      return this.next(this.#steps.throw(error));
    }
    await this.#yielder.goOn();
    return this.next();
  }

  async #pauseAfter(filled: readonly Buffer[]): Promise<readonly Buffer[]> {
    await this.#yielder.pause();
    return filled.length > 0 ? filled : this.next();
  }
}
