import type { Limit, RestFailure } from './errors.ts';

/** Why there is no answer. `cause` is for the log only. */
export class ExchangeError extends Error {
  readonly failure: RestFailure;
  readonly status: number | null;
  /** Whether it was ended from this side, and so tells nothing of the service. */
  readonly abortedLocally: boolean;
  /** Whether a connection that was in use before ended before any byte of the answer: the service had closed it just then. */
  readonly isStale: boolean;
  /** The setting that was exceeded, where that is the failure. */
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

/** What is known of it besides its kind and the answer's status. */
export interface ExchangeErrorDetails {
  abortedLocally?: boolean;
  isStale?: boolean;
  limit?: Limit | undefined;
  cause?: unknown;
}
