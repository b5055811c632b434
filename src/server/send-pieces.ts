import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { recycle } from '../results/byte-writer.ts';
import { Pacer } from '../results/pacer.ts';

/**
 * Sends a body that is written while it is sent. One of a single piece gets a content-length; a longer one goes out in
 * chunks (RFC 9112, section 7.1), no faster than the caller takes them. When the caller leaves, no more is written.
 *
 * @param body what each stretch of writing has filled
 * @param whenWritten is called when all of the body is written, if not yet sent
 */
export async function sendPieces(
  reply: FastifyReply,
  body: Iterable<readonly Buffer[]>,
  whenWritten: () => void,
): Promise<FastifyReply> {
  const pieces = paced(body, whenWritten);
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
  let sending = send(raw, first.value);
  for (let next: IteratorResult<Buffer> = second; !next.done; next = await pieces.next()) {
    // The next piece is written while the one before it is under way.
    const before = sending;
    sending = send(raw, next.value);
    if (!(await before)) return reply;
  }
  if (await sending) raw.end();
  return reply;
}

async function* paced(body: Iterable<readonly Buffer[]>, whenWritten: () => void): AsyncGenerator<Buffer, void> {
  const pacer = new Pacer();
  for (const pieces of body) {
    yield* pieces;
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
