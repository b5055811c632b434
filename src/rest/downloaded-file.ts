import type { IncomingHttpHeaders } from 'node:http';
import { finished, pipeline, type Readable, Transform } from 'node:stream';
import { connectionFailure } from './connection-failure.ts';
import { decoderOf } from './encodings.ts';
import type { RestFailure } from './errors.ts';

/** A file that is being downloaded. Whoever takes it must read its body to the end or destroy it. */
export interface DownloadedFile {
  /** As the service sent it; undefined where it sent none, or several. */
  readonly contentType: string | undefined;
  /** As the service sent it, a character for each byte; undefined where it sent none, or several. */
  readonly contentDisposition: string | undefined;
  /** Bytes; undefined where it is not known before the end. */
  readonly contentLength: number | undefined;
  /** Fails where the service ends it short, or falls silent. */
  readonly body: Readable;
}

/** How the body of a file has ended: how many bytes came, before decoding, and what went wrong, if anything did. */
export type FileEnd = (bytes: number, failed?: { failure: RestFailure; cause: unknown }) => void;

/**
 * The file that an answer brings, decoded from its content coding.
 *
 * @param onEnd is told once of the body's end
 * @returns undefined for an answer that cannot be passed on safely: one in a coding that is not known, and one that
 *   ends where its connection does, so that what has been cut off would look complete (RFC 9112, section 8)
 */
export function receiveFile(headers: IncomingHttpHeaders, body: Readable, onEnd: FileEnd): DownloadedFile | undefined {
  const length = single(headers['content-length']);
  const isChunked = single(headers['transfer-encoding'])?.trim().toLowerCase() === 'chunked';
  const decoder = decoderOf(headers['content-encoding']);
  if (decoder === undefined || (length === undefined && !isChunked)) return undefined;
  let bytes = 0;
  const meter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  // Each stream's failure is the last one's.
  const last = decoder === null ? pipeline(body, meter, noted) : pipeline(body, meter, decoder, noted);
  finished(last, (error) => onEnd(bytes, error ? { failure: failureOf(error), cause: error } : undefined));
  return {
    contentType: single(headers['content-type']),
    contentDisposition: single(headers['content-disposition']),
    contentLength: decoder === null && length !== undefined ? Number(length) : undefined,
    body: last,
  };
}

/** Private. How the body ends is told by its last stream, which ends when all of it is taken. */
function noted(): void {}

/** Private. undici gives a list where a header was sent several times, whatever its type says. */
function single(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined;
}

function failureOf(error: NodeJS.ErrnoException): RestFailure {
  if (error.code === 'ERR_STREAM_PREMATURE_CLOSE') return 'cancelled';
  // The codes of zlib, and of brotli within it: the connection was well, and its bytes were not.
  return /^(Z|ERR_)_/.test(error.code ?? '') ? 'invalidResponse' : connectionFailure(error, true);
}
