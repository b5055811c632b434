import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { finished, pipeline, type Readable, Transform } from 'node:stream';
import type { Pool } from 'undici';
import { connectionFailure } from '../contract/exchange-error.ts';
import { firstBytes, httpError } from '../contract/http-error.ts';
import { RestError, type RestFailure } from '../contract/rest-error.ts';
import { type OnRejected, reportRejection } from './call.ts';
import { decoderOf } from './encodings.ts';
import type { ClientIdentity } from './rest-call.ts';

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

/** A download of a dataset's file (REST specification, section 4.2). */
export interface Download {
  readonly datasetId: string;
  readonly path: string;
  readonly identity: ClientIdentity;
  /** Aborts it. */
  readonly signal: AbortSignal;
  /** For how many milliseconds the body of an error is read. */
  readonly headersTimeoutMs: number;
  readonly onRejected: OnRejected;
}

/** Downloads a file. Resolves when its first bytes have arrived. @throws RestError if there is no file for the client */
export async function downloadFile(pool: Pool, download: Download): Promise<DownloadedFile> {
  const { datasetId, path, identity, signal, headersTimeoutMs, onRejected } = download;
  const { authorization, observer } = identity;
  const operation = 'downloadStaticDataset';
  if (signal.aborted) throw new RestError(operation, 'cancelled');
  const started = performance.now();
  const request = { operation, datasetId, filter: undefined } as const;
  const traced = observer.callSent(request, 0, 0);
  const record = (bytes: number, status: number | null, error?: RestError) => {
    const milliseconds = performance.now() - started;
    const sent = { operation, request, waited: 0, resends: 0, traced } as const;
    observer.callEnded({ ...sent, status, error, milliseconds, bytes });
  };
  const fail = (error: RestError, bytes: number) => {
    record(bytes, error.status, error);
    return error;
  };
  const failed = (failure: RestFailure, status: number | null, cause: unknown, bytes = 0) =>
    fail(new RestError(operation, signal.aborted ? 'cancelled' : failure, { status, cause }), bytes);
  const headers = ['authorization', authorization, 'accept-encoding', 'identity', ...(traced?.headers ?? [])];
  // A new connection: such calls are not retried, and the service may have closed an old one meanwhile.
  const response = await pool.request({ method: 'GET', path, headers, signal, reset: true }).catch((thrown) => {
    throw failed(connectionFailure(thrown, false), null, thrown);
  });
  const { statusCode: status, body } = response;
  if (status !== 200) {
    reportRejection(status, authorization, datasetId, onRejected);
    const bytes = await firstBytes(body, headersTimeoutMs);
    throw fail(httpError(operation, status, response.headers, bytes, false), bytes.length);
  }
  let ended: RestError | undefined;
  const file = receiveFile(response.headers, body, (bytes, end) => {
    if (end === undefined) record(bytes, status);
    else ended = failed(end.failure, status, end.cause, bytes);
  });
  if (file === undefined) {
    body.on('error', () => {}).destroy();
    throw failed('invalidResponse', status, undefined);
  }
  await once(file.body, 'readable').catch((thrown) => {
    throw ended ?? thrown;
  });
  return file;
}

/** Reports the end of a file's body: the bytes received, before decoding, and the failure if there was one. */
type FileEnd = (bytes: number, failed?: { failure: RestFailure; cause: unknown }) => void;

/**
 * The file in a response, decoded from its content coding.
 *
 * @param onEnd is called once, at the end of the body
 * @returns undefined for an unknown content coding, and for a body that ends with its connection: a truncated one would look
 *   complete (RFC 9112, section 8)
 */
function receiveFile(headers: IncomingHttpHeaders, body: Readable, onEnd: FileEnd): DownloadedFile | undefined {
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
function failureOf(error: NodeJS.ErrnoException): RestFailure {
  if (error.code === 'ERR_STREAM_PREMATURE_CLOSE') return 'cancelled';
  // Error codes of zlib and brotli: the bytes are invalid.
  return /^(Z|ERR_)_/.test(error.code ?? '') ? 'invalidResponse' : connectionFailure(error, true);
}
