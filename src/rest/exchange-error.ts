import type { Limit, RestFailure } from './errors.ts';

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
