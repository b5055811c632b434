import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { releaseChunk } from '../core/chunk-pool.ts';
import { EventLoopYielder } from '../core/event-loop-yielder.ts';
import { onResponseClosed } from './response-closed.ts';

/** The most characters of a text that are written at once. */
const CHUNK_CHARACTERS = 1 << 16;

/** A body that is written while it is sent. */
export interface WrittenBody {
  /** What each stretch of writing has filled. */
  readonly chunks: Iterable<readonly Buffer[]>;
  /** Is called when all of it is written, if not yet sent. */
  readonly whenWritten: () => void;
  /** Is told of what has gone wrong when it was too late to say so in the answer. */
  readonly reportInternal: (error: unknown) => void;
}

/**
 * Sends a body that is written while it is sent. One of a single piece gets a content-length; a longer one goes out in
 * chunks (RFC 9112, section 7.1), no faster than the caller takes them. When the caller leaves, no more is written.
 */
export async function sendChunks(reply: FastifyReply, body: WrittenBody): Promise<FastifyReply> {
  const chunks = paced(body);
  const first = await chunks.next();
  const second = await chunks.next();
  if (first.done) return reply.send('');
  if (second.done) {
    onResponseClosed(reply.raw, () => {
      if (reply.raw.writableFinished) releaseChunk(first.value);
    });
    return reply.send(first.value);
  }
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(reply.statusCode, reply.getHeaders() as Record<string, string>);
  const send = senderOf(raw);
  try {
    let sending = send(first.value);
    for (let next: IteratorResult<Buffer> = second; !next.done; next = await chunks.next()) {
      // The next piece is written while the one before it is under way.
      const before = sending;
      sending = send(next.value);
      if (!(await before)) return reply;
    }
    if (await sending) raw.end();
  } catch (error) {
    body.reportInternal(error);
    // An answer that ends short must not look complete.
    raw.destroy();
  }
  return reply;
}

/** Sends a text, a long one piece by piece, so that a client that takes it slowly can be told from one that does not. */
export async function sendText(
  reply: FastifyReply,
  text: string,
  reportInternal: WrittenBody['reportInternal'],
): Promise<FastifyReply> {
  if (text.length <= CHUNK_CHARACTERS) return reply.send(text);
  reply.header('content-length', Buffer.byteLength(text));
  return sendChunks(reply, { chunks: chunksOf(text), whenWritten: () => {}, reportInternal });
}

/** Private. */
function* chunksOf(text: string): Iterable<readonly Buffer[]> {
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = Math.min(start + CHUNK_CHARACTERS, text.length);
    // The two halves of a surrogate pair stay together.
    if (end < text.length && (text.codePointAt(end - 1) ?? 0) > 0xffff) end += 1;
    yield [Buffer.from(text.slice(start, end))];
  }
}

async function* paced({ chunks, whenWritten }: WrittenBody): AsyncGenerator<Buffer, void> {
  const yielder = new EventLoopYielder();
  for (const filled of chunks) {
    yield* filled;
    if (yielder.isDue()) await yielder.pause();
  }
  whenWritten();
}

/** Private. Sends pieces; says of each whether it could be sent, once it is, or once the response is over. */
function senderOf(raw: ServerResponse): (chunk: Buffer) => Promise<boolean> {
  const waiting = new Set<(sent: boolean) => void>();
  // What waits behind another response on a connection that closes is never called back.
  onResponseClosed(raw, () => {
    for (const settle of waiting) settle(false);
  });
  return (chunk) =>
    new Promise((resolve) => {
      waiting.add(resolve);
      raw.write(chunk, (error) => {
        waiting.delete(resolve);
        // A piece that could not be sent may still be in use.
        if (!error) releaseChunk(chunk);
        resolve(!error);
      });
    });
}
