import { type ErrorCode, errorCodes } from '../core/error-codes.ts';
import type { RestError } from './errors.ts';

/** What is said of a REST operation that failed, by GraphQL and without. */
export interface RestErrorDescription {
  readonly message: string;
  readonly extensions: {
    readonly code: ErrorCode;
    readonly rest: {
      readonly operation: string;
      readonly status: number | null;
      readonly label: string | null;
      readonly labelSource: string | null;
      readonly requestId: string | null;
      readonly retryable: boolean;
      readonly retryAfterMs?: number;
    };
  };
}

/** Describes a failure. `requestId` is put in when the answer is complete: a thrown error does not know its request. */
export function describeRestError(error: RestError): RestErrorDescription {
  const code = codeOf(error);
  const { operation, status, label, labelSource, retryAfterMs } = error;
  return {
    message: messageOf(error, code),
    extensions: {
      code,
      rest: {
        operation,
        status,
        label,
        labelSource,
        requestId: null,
        retryable: errorCodes[code].retryable,
        ...(retryAfterMs !== undefined && { retryAfterMs }),
      },
    },
  };
}

/** Private. */
const messages: Readonly<Record<ErrorCode, string>> = {
  BAD_USER_INPUT: 'The dataset service did not accept the input.',
  CONFLICT: 'The dataset service reports a duplicate entity.',
  FORBIDDEN: 'The caller may not read this from the dataset service.',
  NOT_FOUND: 'The dataset service has nothing under this id.',
  RATE_LIMITED: 'The dataset service asks for fewer requests.',
  REQUEST_LIMIT_EXCEEDED: 'The operation needs more calls to the dataset service than it may make.',
  UNAUTHENTICATED: 'The dataset service needs a valid bearer token in the Authorization header.',
  UPSTREAM_CONTRACT_ERROR: 'The dataset service does not offer this operation.',
  UPSTREAM_ERROR: 'The dataset service failed.',
  UPSTREAM_INVALID_RESPONSE: 'The dataset service sent an answer that cannot be read.',
  UPSTREAM_REJECTED: 'The dataset service rejected the request.',
  UPSTREAM_RESPONSE_TOO_LARGE: 'The dataset service sent a larger answer than is accepted.',
  UPSTREAM_TIMEOUT: 'The dataset service took too long to answer.',
  UPSTREAM_UNAVAILABLE: 'The dataset service cannot be reached.',
};

/** Private. What is said in place of the code's message. */
const messagesOfFailures: Readonly<Partial<Record<RestError['failure'], string>>> = {
  queueFull: 'Too many calls wait for the dataset service.',
  memoryBudget: 'Other answers of the dataset service take up the memory for this one.',
};

/** Private. Names the setting that was exceeded, where one was. */
function messageOf({ failure, limit }: RestError, code: ErrorCode): string {
  if (failure === 'circuitOpen') return 'The dataset service has been failing, and is not asked for a few seconds.';
  const message = messagesOfFailures[failure] ?? messages[code];
  return limit === undefined ? message : `${message.slice(0, -1)} (${limit.name} is ${limit.value}).`;
}

/** Private. The status decides; only within 400 does the label choose (REST specification, section 7). */
function codeOf(error: RestError): ErrorCode {
  switch (error.failure) {
    case 'noToken':
      return 'UNAUTHENTICATED';
    case 'callBudgetExceeded':
      return 'REQUEST_LIMIT_EXCEEDED';
    case 'timeout':
      return 'UPSTREAM_TIMEOUT';
    case 'unavailable':
    case 'queueFull':
    case 'memoryBudget':
    case 'circuitOpen':
    case 'cancelled':
      return 'UPSTREAM_UNAVAILABLE';
    case 'responseTooLarge':
      return 'UPSTREAM_RESPONSE_TOO_LARGE';
    case 'invalidResponse':
      return 'UPSTREAM_INVALID_RESPONSE';
    case 'httpError':
      return codeOfStatus(error);
  }
}

function codeOfStatus({ status, label }: RestError): ErrorCode {
  switch (status) {
    case 400:
      return label === 'BAD_REQUEST' || label === 'VALIDATION_EXCEPTION' ? 'BAD_USER_INPUT' : 'UPSTREAM_REJECTED';
    case 401:
      return 'UNAUTHENTICATED';
    case 403:
      return 'FORBIDDEN';
    case 404:
      return 'NOT_FOUND';
    case 405:
      return 'UPSTREAM_CONTRACT_ERROR';
    case 409:
      return 'CONFLICT';
    case 429:
      return 'RATE_LIMITED';
    case 502:
    case 503:
    case 504:
      return 'UPSTREAM_UNAVAILABLE';
    default:
      return status !== null && status >= 500 ? 'UPSTREAM_ERROR' : 'UPSTREAM_INVALID_RESPONSE';
  }
}
