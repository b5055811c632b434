import { unwrapResolverError } from '@apollo/server/errors';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { RestError } from '../rest/errors.ts';

/** The codes of errors that concern the REST service or this schema's own rules. */
export type ErrorCode =
  | 'BAD_USER_INPUT'
  | 'CONFLICT'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'RATE_LIMITED'
  | 'REQUEST_LIMIT_EXCEEDED'
  | 'UNAUTHENTICATED'
  | 'UPSTREAM_CONTRACT_ERROR'
  | 'UPSTREAM_ERROR'
  | 'UPSTREAM_INVALID_RESPONSE'
  | 'UPSTREAM_REJECTED'
  | 'UPSTREAM_RESPONSE_TOO_LARGE'
  | 'UPSTREAM_TIMEOUT'
  | 'UPSTREAM_UNAVAILABLE';

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

/** Input that the schema allows but its meaning does not; reported without a REST call. */
export function badUserInput(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' satisfies ErrorCode } });
}

/** Something that the operator of this subgraph does not allow. */
export function forbidden(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'FORBIDDEN' satisfies ErrorCode } });
}

/**
 * More than a limit of this subgraph allows; the message names the limit.
 *
 * @param status of the answer, where it refuses the whole request
 */
export function limitExceeded(message: string, status?: number): GraphQLError {
  const code: ErrorCode = 'REQUEST_LIMIT_EXCEEDED';
  return new GraphQLError(message, { extensions: { code, ...(status !== undefined && { http: { status } }) } });
}

/** More work than one operation may cause. */
export function workExceeded(limit: number): GraphQLError {
  return limitExceeded(`The operation asks for more than it may (MAX_OPERATION_WORK is ${limit}).`);
}

/** Whether an error says that there is nothing for this caller, so that the object itself is null. */
export function isNotFoundOrUnauthenticated(error: unknown): boolean {
  return error instanceof RestError && error.isNotFoundOrUnauthenticated;
}

/** A value of an answer that has the right type but no meaning in this schema; reported at the field that selects it. */
export function unusableMetadata(): Error {
  return new RestError('getDatasetMetadata', 'invalidResponse', { status: 200 });
}

/** Makes an error of the response of an error that was thrown. */
export type FormatError = (formatted: GraphQLFormattedError, error: unknown) => GraphQLFormattedError;

/**
 * The one door through which everything thrown becomes an error of the answer. What it lets through: the messages and
 * codes of this project, and those with which GraphQL itself refuses a request. Anything else is masked.
 *
 * @param reportInternal is told of errors that are faults of this program
 * @param suggestions whether GraphQL's messages may name what the schema has instead
 */
export function createFormatError(reportInternal: (error: unknown) => void, suggestions: boolean): FormatError {
  return (formatted, error) => {
    const cause = unwrapResolverError(error);
    if (cause instanceof RestError) return { ...formatted, ...describeRestError(cause) };
    const code = formatted.extensions?.code;
    if (code !== undefined && code !== 'INTERNAL_SERVER_ERROR') {
      const message = suggestions ? formatted.message : withoutSuggestion(formatted.message);
      return { ...formatted, message, extensions: { code } };
    }
    reportInternal(cause);
    return { ...formatted, message: 'The subgraph failed.', extensions: { code: 'INTERNAL_SERVER_ERROR' } };
  };
}

/** Private. No regular expression: a message may quote a value of the caller, as long as a request may be. */
function withoutSuggestion(message: string): string {
  const start = message.endsWith('?') ? message.lastIndexOf('Did you mean ') : -1;
  return start === -1 ? message : message.slice(0, start).trimEnd();
}

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
        retryable: code === 'RATE_LIMITED' || code === 'UPSTREAM_UNAVAILABLE' || code === 'UPSTREAM_TIMEOUT',
        ...(retryAfterMs !== undefined && { retryAfterMs }),
      },
    },
  };
}

/** Private. What is said in place of the code's message. */
const messagesOfFailures: Readonly<Partial<Record<RestError['failure'], string>>> = {
  queueFull: 'Too many calls wait for the dataset service.',
  memoryBudget: 'Other answers of the dataset service take up the memory for this one.',
};

/** Private. Names the setting that was exceeded, where one was. */
function messageOf({ failure, limit }: RestError, code: ErrorCode): string {
  if (failure === 'outage') return 'The dataset service has been failing, and is not asked for a few seconds.';
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
    case 'outage':
    case 'cancelled':
      return 'UPSTREAM_UNAVAILABLE';
    case 'responseTooLarge':
      return 'UPSTREAM_RESPONSE_TOO_LARGE';
    case 'invalidResponse':
      return 'UPSTREAM_INVALID_RESPONSE';
    case 'refused':
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
