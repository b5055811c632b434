import type { LabelSource, RestLabel } from './labels.ts';

/** The three operations of the REST service (REST specification, section 4). */
export type RestOperation = 'getDatasetMetadata' | 'downloadStaticDataset' | 'getDatasetResults';

/**
 * Why a REST operation gave no usable answer:
 * - `httpError`: the service answered with an error status (section 7, or one that it does not list);
 * - `noToken`: the caller brought no usable bearer token, so no call was made;
 * - `unavailable`: no connection, or one that broke before the answer was complete;
 * - `timeout`: the answer's head, its body or the operation as a whole took too long;
 * - `invalidResponse`: an answer that is not what section 4 declares;
 * - `responseTooLarge`: more bytes than are accepted;
 * - `callBudgetExceeded`: the GraphQL operation has caused as many calls as it may, so no call was made;
 * - `queueFull`: as many calls wait for a connection as may, so no call was made;
 * - `memoryBudget`: other answers took up the memory for this one for too long;
 * - `circuitOpen`: so many calls have failed just now that none are made for a while;
 * - `cancelled`: nobody waits for the answer any more.
 */
export type RestFailure =
  | 'httpError'
  | 'noToken'
  | 'unavailable'
  | 'timeout'
  | 'invalidResponse'
  | 'responseTooLarge'
  | 'callBudgetExceeded'
  | 'queueFull'
  | 'memoryBudget'
  | 'circuitOpen'
  | 'cancelled';

/** What is known of a failure besides its kind; a status of the service, its label, and how long it asks to wait. */
export interface RestErrorDetails {
  status?: number | null;
  label?: RestLabel | null;
  labelSource?: LabelSource | null;
  /** Milliseconds, from a Retry-After header (RFC 9110, section 10.2.3). */
  retryAfterMs?: number;
  /** The setting that was exceeded, where that is the failure. */
  limit?: Limit;
  /** Whether the same call may be made once more; not unless given. */
  canRetry?: boolean;
  /** Whether that may be done at once, because the service was not at fault. */
  canRetryAtOnce?: boolean;
  /** For the log only. */
  cause?: unknown;
}

/** A setting that bounds something, and its value. */
export interface Limit {
  readonly name: string;
  readonly value: number;
}

/**
 * A REST operation that failed. Holds nothing that came from the service but its status, a label of the
 * specification and a waiting time: never a URL, a header, a body or a token.
 */
export class RestError extends Error {
  readonly operation: RestOperation;
  readonly failure: RestFailure;
  readonly status: number | null;
  readonly label: RestLabel | null;
  readonly labelSource: LabelSource | null;
  readonly retryAfterMs: number | undefined;
  readonly limit: Limit | undefined;
  readonly canRetry: boolean;
  readonly canRetryAtOnce: boolean;

  constructor(operation: RestOperation, failure: RestFailure, details: RestErrorDetails = {}) {
    super(`${operation}: ${failure}`, { cause: details.cause });
    this.name = 'RestError';
    this.operation = operation;
    this.failure = failure;
    this.status = details.status ?? null;
    this.label = details.label ?? null;
    this.labelSource = details.labelSource ?? null;
    this.retryAfterMs = details.retryAfterMs;
    this.limit = details.limit;
    this.canRetry = details.canRetry ?? false;
    this.canRetryAtOnce = details.canRetryAtOnce ?? false;
  }

  /** Whether the service says that there is nothing for this caller: 404, or 401 (also without a usable token). */
  get isNotFoundOrUnauthenticated(): boolean {
    return this.failure === 'noToken' || (this.failure === 'httpError' && (this.status === 401 || this.status === 404));
  }

  /** Whether the service refused the request itself, so that another request may fare better: a 4xx but 401 and 429. */
  get concernsRequest(): boolean {
    const { failure, status } = this;
    return (
      failure === 'httpError' && status !== null && status >= 400 && status < 500 && status !== 401 && status !== 429
    );
  }
}
