import type { IncomingHttpHeaders } from 'node:http';
import { finished, pipeline, type Readable, Transform } from 'node:stream';
import { connectionFailure } from './connection-failure.ts';
import { decoderOf } from './encodings.ts';
import type { RestFailure } from './errors.ts';

/** A file that is being downloaded. Read its body to the end, or destroy it. */
export interface DownloadedFile {
  /** As received; undefined if the service sent none, or several. */
  readonly contentType: string | undefined;
  /** As received, one character for each byte; undefined if the service sent none, or several. */
  readonly contentDisposition: string | undefined;
  /** Bytes; undefined if it is unknown. */
  readonly contentLength: number | undefined;
  /** Fails if the connection breaks before the end, or if no data arrives for too long. */
  readonly body: Readable;
}

/** Reports the end of a file's body: the bytes received, before decoding, and the failure if there was one. */
export type FileEnd = (bytes: number, failed?: { failure: RestFailure; cause: unknown }) => void;

/**
 * The file in a response, decoded from its content coding.
 *
 * @param onEnd is called once, at the end of the body
 * @returns undefined for an unknown content coding, and for a body that ends with its connection: a truncated one would look
 *   complete (RFC 9112, section 8)
 */
export function receiveFile(headers: IncomingHttpHeaders, body: Readable, onEnd: FileEnd): DownloadedFile | undefined {
  const length = single(headers['content-length']);
  const isChunked = single(headers['transfer-encoding'])?.trim().toLowerCase() === 'chunked';
  const decoder = decoderOf(headers['content-encoding']);
  if (decoder === undefined || (length === undefined && !isChunked)) return undefined;
  let bytes = 0;
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  // The failure of any stream becomes the failure of the last one, where `finished` reports it.
  const last = decoder === null ? pipeline(body, counter, ignore) : pipeline(body, counter, decoder, ignore);
  finished(last, (error) => onEnd(bytes, error ? { failure: failureOf(error), cause: error } : undefined));
  return {
    contentType: single(headers['content-type']),
    contentDisposition: single(headers['content-disposition']),
    contentLength: decoder === null && length !== undefined ? Number(length) : undefined,
    body: last,
  };
}

function ignore(): void {}

/** undici returns a list if a header was sent several times, contrary to its type. */
function single(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined;
}

/** Why a body broke off. */
export function failureOf(error: NodeJS.ErrnoException): RestFailure {
  if (error.code === 'ERR_STREAM_PREMATURE_CLOSE') return 'cancelled';
  // Error codes of zlib and brotli: the bytes are invalid.
  return /^(Z|ERR_)_/.test(error.code ?? '') ? 'invalidResponse' : connectionFailure(error, true);
}
