import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { recycle } from '../results/byte-writer.ts';
import { Pacer } from '../results/pacer.ts';

/** A body that is written while it is sent. */
export interface WrittenBody {
  /** What each stretch of writing has filled. */
  readonly pieces: Iterable<readonly Buffer[]>;
  /** Is called when all of it is written, if not yet sent. */
  readonly whenWritten: () => void;
  /** Is told of what has gone wrong when it was too late to say so in the answer. */
  readonly reportInternal: (error: unknown) => void;
}

/**
 * Sends a body that is written while it is sent. One of a single piece gets a content-length; a longer one goes out in
 * chunks (RFC 9112, section 7.1), no faster than the caller takes them. When the caller leaves, no more is written.
 */
export async function sendPieces(reply: FastifyReply, body: WrittenBody): Promise<FastifyReply> {
  const pieces = paced(body);
  const first = await pieces.next();
  const second = await pieces.next();
  if (first.done) return reply.send('');
  if (second.done) {
    reply.raw.once('close', () => {
      if (reply.raw.writableFinished) recycle(first.value);
    });
    return reply.send(first.value);
  }
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(reply.statusCode, reply.getHeaders() as Record<string, string>);
  try {
    let sending = send(raw, first.value);
    for (let next: IteratorResult<Buffer> = second; !next.done; next = await pieces.next()) {
      // The next piece is written while the one before it is under way.
      const before = sending;
      sending = send(raw, next.value);
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

async function* paced({ pieces, whenWritten }: WrittenBody): AsyncGenerator<Buffer, void> {
  const pacer = new Pacer();
  for (const filled of pieces) {
    yield* filled;
    if (pacer.isDue()) await pacer.pause();
  }
  whenWritten();
}

/** Whether the piece could be sent, once it is. */
function send(raw: ServerResponse, piece: Buffer): Promise<boolean> {
  return new Promise((resolve) => {
    raw.write(piece, (error) => {
      // A piece that could not be sent may still be in use.
      if (!error) recycle(piece);
      resolve(!error);
    });
  });
}
