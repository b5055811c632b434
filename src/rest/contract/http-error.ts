import type { IncomingHttpHeaders } from 'node:http';
import { findLabel } from './labels.ts';
import { RestError, type RestOperation } from './rest-error.ts';

/** The statuses of a service, or of a proxy before it, that is down. */
export const downStatuses: ReadonlySet<number> = new Set([502, 503, 504]);

/** The error for a response with a status other than 200. */
export function httpError(
  operation: RestOperation,
  status: number,
  headers: IncomingHttpHeaders,
  body: Uint8Array,
  mayRetry: boolean,
): RestError {
  if (status < 400) return new RestError(operation, 'invalidResponse', { status });
  const retryAfterMs = status === 429 ? retryDelay(headers['retry-after']) : undefined;
  return new RestError(operation, 'httpError', {
    status,
    ...findLabel(status, body),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    // With a Retry-After header, the service decides when to retry.
    canRetry: mayRetry && downStatuses.has(status) && headers['retry-after'] === undefined,
  });
}

const MAX_WAIT_MS = 24 * 60 * 60 * 1000;

/** A Retry-After header (RFC 9110, section 10.2.3) in milliseconds; undefined if it is more than a day. */
function retryDelay(retryAfter: string | undefined): number | undefined {
  if (retryAfter === undefined) return undefined;
  const wait = /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - Date.now();
  return wait >= 0 && wait <= MAX_WAIT_MS ? wait : undefined;
}
