import type { Limit, RestFailure } from './rest-error.ts';

/** Classifies an error of undici or of the connection, before or after the headers of the response. */
export function connectionFailure(error: Error & { code?: unknown }, hasHeaders: boolean): RestFailure {
  const code = typeof error.code === 'string' ? error.code : '';
  if (code.startsWith('UND_ERR_') && code.endsWith('_TIMEOUT')) return 'timeout';
  // Bytes that are not HTTP; the error has no code in undici 8. An unexpected EOF within a body is a lost connection.
  if (error.name === 'HTTPParserError' && !error.message.includes('EOF')) return 'invalidResponse';
  // In the headers: they state two different lengths. In the body: the connection was lost.
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' && !hasHeaders) return 'invalidResponse';
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return 'invalidResponse';
  return 'unavailable';
}

/** Why there is no response. `cause` is for the log only. */
export class ExchangeError extends Error {
  readonly failure: RestFailure;
  readonly status: number | null;
  /** Whether the subgraph aborted it, so it says nothing about the service. */
  readonly abortedLocally: boolean;
  /** Whether a reused connection closed before any byte of the response: the service had just closed it. */
  readonly isStale: boolean;
  /** The setting that was exceeded, if that caused the failure. */
  readonly limit: Limit | undefined;

  constructor(failure: RestFailure, status: number | null, details: ExchangeErrorDetails = {}) {
    const { abortedLocally = false, isStale = false, limit, cause } = details;
    super(failure, { cause });
    this.name = 'ExchangeError';
    this.failure = failure;
    this.status = status;
    this.abortedLocally = abortedLocally;
    this.isStale = isStale;
    this.limit = limit;
  }
}

export interface ExchangeErrorDetails {
  abortedLocally?: boolean;
  isStale?: boolean;
  limit?: Limit | undefined;
  cause?: unknown;
}
