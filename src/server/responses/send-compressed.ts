import { Readable } from 'node:stream';
import { constants } from 'node:zlib';
import compress from '@fastify/compress';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { releaseChunk } from '../../core/buffer-pool.ts';
import { breakOff, onResponseClosed } from '../connections/response-closed.ts';
import { varyBy } from './content-negotiation.ts';

/** A body of at most so many bytes is compressed at once. A larger one is compressed by the thread pool. */
const MAX_SYNC_BYTES = 32_768;

/** The size of compressed chunks. */
const CHUNK_BYTES = 65_536;

/** Level 1: higher ones take much longer, and make JSON hardly smaller. The window of Zstandard bounds the memory of a stream. */
const ZLIB_OPTIONS = {
  level: 1,
  chunkSize: CHUNK_BYTES,
  params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_windowLog]: 18 },
};

/** Chunks of a body that are made while they are sent. */
export interface SentChunks {
  readonly first: readonly Buffer[];
  /** Makes the next chunks; undefined after the last ones. */
  readonly next: () => Promise<readonly Buffer[] | undefined> | readonly Buffer[] | undefined;
  /** Whether the memory of chunks is used again when the next ones are made. */
  readonly isReused?: boolean;
  /** Is called with the bytes of each chunk, before compression, when it was sent or is compressed. */
  readonly whenSent?: ((bytes: number) => void) | undefined;
}

/**
 * Gives replies of the routes the method `compress`: with Zstandard (RFC 8878) or gzip (RFC 1952) as `Accept-Encoding` prefers, and
 * with the first if it prefers none.
 */
export async function useCompression(routes: FastifyInstance): Promise<void> {
  await routes.register(compress, {
    global: false,
    encodings: ['zstd', 'gzip', 'identity'],
    customTypes: () => true,
    syncThreshold: MAX_SYNC_BYTES,
    zlibOptions: ZLIB_OPTIONS,
  });
}

/** Whether the client may accept a coding of a response, which varies by that. Otherwise the response is sent faster without it. */
export function mayCompress({ headers }: FastifyRequest, reply: FastifyReply): boolean {
  // As @fastify/compress writes it.
  varyBy(reply, 'accept-encoding');
  return /zstd|gzip|\*/i.test(headers['accept-encoding'] ?? '');
}

/**
 * Sends chunks compressed, no faster than the client takes them. Resolves when the response is over. If a chunk cannot be made, the
 * connection breaks: a truncated response must not look complete.
 */
export function sendCompressed(
  reply: FastifyReply,
  sent: SentChunks,
  reportFailure: (error: unknown) => void,
): Promise<void> {
  const stream = Readable.from(copiesOf(sent));
  stream.once('error', (error) => {
    reportFailure(error);
    breakOff(reply.raw);
  });
  reply.compress(stream);
  return new Promise((resolve) => {
    onResponseClosed(reply.raw, () => {
      stream.destroy();
      resolve();
    });
  });
}

/** Chunks are made anew in the same memory, while other threads compress the copies. */
async function* copiesOf({ first, next, whenSent }: SentChunks): AsyncGenerator<Buffer, void> {
  for (let chunks: readonly Buffer[] | undefined = first; chunks !== undefined; chunks = await next()) {
    for (const chunk of chunks) {
      const copy = Buffer.from(chunk);
      releaseChunk(chunk);
      whenSent?.(copy.length);
      yield copy;
    }
  }
}
