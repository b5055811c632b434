import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { downStatuses } from './breaker.ts';
import { RestError, type RestOperation } from './errors.ts';
import { findLabel, LABEL_SEARCH_BYTES } from './labels.ts';

/** The failure that an answer is which is no 200: an error status, or one that section 4 does not declare. */
export function httpError(
  operation: RestOperation,
  status: number,
  headers: IncomingHttpHeaders,
  body: Uint8Array,
  mayRetry: boolean,
): RestError {
  if (status < 400) return new RestError(operation, 'invalidResponse', { status });
  const retryAfterMs = status === 429 ? waitingTime(headers['retry-after']) : undefined;
  return new RestError(operation, 'httpError', {
    status,
    ...findLabel(status, body),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    // A service that says when to come again gets no call before.
    canRetry: mayRetry && downStatuses.has(status) && headers['retry-after'] === undefined,
  });
}

const MAX_WAIT_MS = 24 * 60 * 60 * 1000;

/** Private. A Retry-After header (RFC 9110, section 10.2.3) in milliseconds, if it names a time within a day. */
function waitingTime(retryAfter: string | undefined): number | undefined {
  if (retryAfter === undefined) return undefined;
  const wait = /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - Date.now();
  return wait >= 0 && wait <= MAX_WAIT_MS ? wait : undefined;
}

/**
 * What is needed of the body of an error answer, whose status says enough, whatever becomes of its body; it is not
 * waited for longer than so many milliseconds.
 */
export async function firstBytes(body: Readable, timeoutMs: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  const timer = setTimeout(() => body.destroy(), timeoutMs);
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= LABEL_SEARCH_BYTES) break;
    }
  } catch {
    // What has come is all there is.
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks, size).subarray(0, LABEL_SEARCH_BYTES);
}
