import { type ErrorCode, errorCodes } from '../../core/error-codes.ts';
import type { RestError } from './rest-error.ts';

/** Message and extensions of a failed REST operation, for GraphQL errors and for downloads. */
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

/**
 * Describes a failure. `requestId` is set when the response is complete: a thrown error does not know its request.
 *
 * @param ofLargeResults how to get results that are too large, if the error does not say it: the end of a sentence
 */
export function describeRestError(error: RestError, ofLargeResults?: string): RestErrorDescription {
  const code = restErrorCode(error);
  const { operation, status, label, labelSource, retryAfterMs } = error;
  return {
    message: messageOf(error, code, ofLargeResults),
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

const messages: Readonly<Record<ErrorCode, string>> = {
  BAD_USER_INPUT: 'The dataset service rejected the input.',
  CONFLICT: 'The dataset service reports a duplicate entity.',
  FORBIDDEN: 'The dataset service denies access with this token.',
  NOT_FOUND: 'The dataset service has nothing under this id.',
  RATE_LIMITED: 'The dataset service limits the rate of requests.',
  REQUEST_LIMIT_EXCEEDED: 'The operation needs more calls to the dataset service than the limit allows.',
  UNAUTHENTICATED: 'The dataset service needs a valid bearer token in the Authorization header.',
  UPSTREAM_CONTRACT_ERROR: 'The dataset service does not support this operation.',
  UPSTREAM_ERROR: 'The dataset service failed.',
  UPSTREAM_INVALID_RESPONSE: 'The dataset service sent an invalid response.',
  UPSTREAM_REJECTED: 'The dataset service rejected the request.',
  UPSTREAM_RESPONSE_TOO_LARGE: 'The response of the dataset service is too large.',
  UPSTREAM_TIMEOUT: 'The dataset service took too long to respond.',
  UPSTREAM_UNAVAILABLE: 'The dataset service is unavailable.',
};

/** Messages of failures that need another one than their code. */
const messagesOfFailures: Readonly<Partial<Record<RestError['failure'], string>>> = {
  queueFull: 'Too many calls are waiting for the dataset service.',
  memoryBudget: 'Other responses use the memory that this response needs.',
  circuitOpen: 'The dataset service has been failing. Calls to it are paused for a few seconds.',
};

/** The message, with what is invalid, or the setting that was exceeded and what to do about it, if there is one. */
function messageOf(
  { operation, failure, limit, problem }: RestError,
  code: ErrorCode,
  ofLargeResults: string | undefined,
): string {
  const message = messagesOfFailures[failure] ?? messages[code];
  if (problem !== undefined) return `${message.slice(0, -1)}: ${problem}.`;
  if (limit === undefined) return message;
  const areLarge = failure === 'responseTooLarge' && operation === 'getDatasetResults';
  const { name, value, advice = areLarge ? ofLargeResults : undefined } = limit;
  return `${message.slice(0, -1)} (${name} is ${value})${advice === undefined ? '' : `: ${advice}`}.`;
}

/** The status decides. Only for 400 the label decides (REST specification, section 7). */
function restErrorCode(error: RestError): ErrorCode {
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
