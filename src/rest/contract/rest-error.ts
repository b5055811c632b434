import { type ClientAuthorization, MAX_TOKEN_LENGTH } from '../../core/bearer-token.ts';
import type { LabelSource, RestLabel } from './labels.ts';

/** The three operations of the REST service (REST specification, section 4). */
export type RestOperation = 'getDatasetMetadata' | 'downloadStaticDataset' | 'getDatasetResults';

/**
 * Why a REST operation failed:
 * - `httpError`: an error status (section 7, or one that it does not list);
 * - `noToken`: the client sent no valid bearer token, so no call was made;
 * - `unavailable`: no connection, or one that broke before the response was complete;
 * - `timeout`: the headers, the body or the whole operation took too long;
 * - `invalidResponse`: the response does not match section 4;
 * - `responseTooLarge`: the response has more bytes than the limit;
 * - `callBudgetExceeded`: the GraphQL operation has made its maximum number of calls, so no call was made;
 * - `queueFull`: the queue for connections is full, so no call was made;
 * - `memoryBudget`: other responses used the memory for too long;
 * - `circuitOpen`: the circuit is open because calls were failing, so no call was made;
 * - `cancelled`: the response is no longer needed.
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

export interface RestErrorDetails {
  status?: number | null;
  label?: RestLabel | null;
  labelSource?: LabelSource | null;
  /** Milliseconds, from a Retry-After header (RFC 9110, section 10.2.3). */
  retryAfterMs?: number;
  /** The setting that was exceeded, if that caused the failure. */
  limit?: Limit;
  /** What is invalid in a response, as the end of a sentence. It has no text of the service. */
  problem?: string;
  /** Whether the call may be retried; false by default. */
  canRetry?: boolean;
  /** Whether it may be retried without a delay, because the service did not fail; false by default. */
  canRetryAtOnce?: boolean;
  /** For the log only. */
  cause?: unknown;
}

/** A setting that is a limit, and its value. */
export interface Limit {
  readonly name: string;
  readonly value: number;
  /** How to stay within it, if that is known: the end of a sentence. It may change until the operation is over. */
  readonly advice?: string;
}

/**
 * A failed REST operation. From the service it holds only the status, a label of the specification and a delay: never a
 * URL, a header, a body or a token.
 */
export class RestError extends Error {
  readonly operation: RestOperation;
  readonly failure: RestFailure;
  readonly status: number | null;
  readonly label: RestLabel | null;
  readonly labelSource: LabelSource | null;
  readonly retryAfterMs: number | undefined;
  readonly limit: Limit | undefined;
  readonly problem: string | undefined;
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
    this.problem = details.problem;
    this.canRetry = details.canRetry ?? false;
    this.canRetryAtOnce = details.canRetryAtOnce ?? false;
  }

  /** Status 404 or 401, or no valid token. */
  get isNotFoundOrUnauthenticated(): boolean {
    return this.failure === 'noToken' || (this.failure === 'httpError' && (this.status === 401 || this.status === 404));
  }

  /** Whether a limit of one GraphQL operation was reached, so the same call may succeed for another one. */
  get isOperationLimit(): boolean {
    const { failure, limit } = this;
    if (failure === 'responseTooLarge') return limit?.name === 'MEMORY_BUDGET';
    return failure === 'callBudgetExceeded' || failure === 'memoryBudget';
  }

  /** Whether the service rejected the request itself, so another request may succeed: a 4xx other than 401 and 429. */
  get concernsRequest(): boolean {
    const { failure, status } = this;
    return (
      failure === 'httpError' && status !== null && status >= 400 && status < 500 && status !== 401 && status !== 429
    );
  }
}

const tokenLimit: Limit = { name: 'the most characters of a token', value: MAX_TOKEN_LENGTH };

/** The error of a call for which the client has sent no token that can be used. */
export function noToken(operation: RestOperation, given: ClientAuthorization): RestError {
  return new RestError(operation, 'noToken', given === 'too long' ? { limit: tokenLimit } : {});
}
