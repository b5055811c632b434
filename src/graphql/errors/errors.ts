import { unwrapResolverError } from '@apollo/server/errors';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import type { ErrorCode } from '../../core/error-codes.ts';
import { describeRestError } from '../../rest/contract/error-description.ts';
import { RestError } from '../../rest/contract/rest-error.ts';

/** Observes one GraphQL operation. */
export interface OperationObserver {
  /** The type of the operation, such as `query`. Undefined until it is known. */
  operationType: string | undefined;
  /** The response has an error. @param code `extensions.code` */
  error(code: string): void;
}

/** The most characters that a message quotes, and of a message. */
const MAX_QUOTED_CHARACTERS = 200;
const MAX_MESSAGE_CHARACTERS = 1000;
/** The most locations of an error. Fields that conflict may be hundreds. */
const MAX_LOCATIONS = 10;
const quoted = /"[^"]*"/g;

/** Invalid input that the schema cannot rule out. Reported without a REST call. */
export function badUserInput(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' satisfies ErrorCode } });
}

/** Something that is not enabled in this subgraph. */
export function forbidden(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'FORBIDDEN' satisfies ErrorCode } });
}

/**
 * A limit of this subgraph is exceeded. The message names the limit.
 *
 * @param status the HTTP status, if the error rejects the whole request
 */
export function limitExceeded(message: string, status?: number): GraphQLError {
  const code: ErrorCode = 'REQUEST_LIMIT_EXCEEDED';
  return new GraphQLError(message, { extensions: { code, ...(status !== undefined && { http: { status } }) } });
}

/** How a client gets results that are too large for a response. */
const AS_FILE = 'select less, or get the results as a file (such as `rowsFile`)';

/** The operation exceeds its work budget. */
export function workExceeded(limit: number): GraphQLError {
  return limitExceeded(`The operation exceeds its work limit (MAX_OPERATION_WORK is ${limit}): ${AS_FILE}.`);
}

/** Whether the service found nothing for this client (404 or 401), so that the object itself is null. */
export function isNotFoundOrUnauthenticated(error: unknown): boolean {
  return error instanceof RestError && error.isNotFoundOrUnauthenticated;
}

/** The code of an error that a client or the service causes. Undefined for a bug of this program. */
export function codeOf(error: unknown): string | undefined {
  if (error instanceof RestError) return describeRestError(error).extensions.code;
  return error instanceof GraphQLError ? String(error.extensions.code) : undefined;
}

/** A value of the metadata has the right type, but this schema cannot represent it. Reported at its field. */
export function invalidMetadata(): Error {
  return new RestError('getDatasetMetadata', 'invalidResponse', { status: 200 });
}

/** Reports an error that is a bug of this program. */
export type ReportInternal = (error: unknown) => void;

/** Maps a thrown error to an error of the response. `report` is that of its operation, if it is known. */
export type FormatError = (
  formatted: GraphQLFormattedError,
  error: unknown,
  report?: ReportInternal,
) => GraphQLFormattedError;

/**
 * The error mapper: every thrown error passes through it. It keeps the messages and codes of this project, and those of
 * GraphQL itself for invalid requests. It masks everything else.
 *
 * @param reportInternal reports errors whose operation is not known
 * @param suggestions whether GraphQL's messages may suggest names of the schema
 */
export function createFormatError(reportInternal: ReportInternal, suggestions: boolean): FormatError {
  return (unlimited, error, report = reportInternal) => {
    const formatted = withFewLocations(unlimited);
    const cause = unwrapResolverError(error);
    if (cause instanceof RestError) return { ...formatted, ...describeRestError(cause, AS_FILE) };
    const code = isInvalidArgument(cause) ? 'BAD_USER_INPUT' : formatted.extensions?.code;
    if (code !== undefined && code !== 'INTERNAL_SERVER_ERROR') {
      const message = suggestions ? formatted.message : withoutSuggestion(formatted.message);
      return { ...formatted, message: withShortQuotes(message), extensions: { code } };
    }
    report(cause);
    return { ...formatted, message: 'The subgraph failed.', extensions: { code: 'INTERNAL_SERVER_ERROR' } };
  };
}

/**
 * Whether GraphQL execution found an argument invalid, of a field or of `@skip` and `@include`: null from a variable that
 * has a default value, which validation allows (GraphQL specification, section 5.8.5).
 */
function isInvalidArgument(cause: unknown): boolean {
  return cause instanceof GraphQLError && cause.nodes !== undefined && cause.extensions.code === undefined;
}

/** An error of a field with its first location, and one of a document with some. */
function withFewLocations(error: GraphQLFormattedError): GraphQLFormattedError {
  const { locations, path } = error;
  const most = path === undefined ? MAX_LOCATIONS : 1;
  return locations === undefined || locations.length <= most
    ? error
    : { ...error, locations: locations.slice(0, most) };
}

/** A message whose quoted parts are cut: a name in a document can be as long as a request. */
function withShortQuotes(message: string): string {
  if (message.length <= MAX_QUOTED_CHARACTERS) return message;
  const short = message.replace(quoted, (quote) =>
    quote.length - 2 > MAX_QUOTED_CHARACTERS ? `${quote.slice(0, MAX_QUOTED_CHARACTERS + 1)}…"` : quote,
  );
  // What is quoted without quotation marks, or has some.
  return short.length > MAX_MESSAGE_CHARACTERS ? `${short.slice(0, MAX_MESSAGE_CHARACTERS)}…` : short;
}

/** Uses no regular expression: a message may quote a value as long as a request. */
function withoutSuggestion(message: string): string {
  const start = message.endsWith('?') ? message.lastIndexOf('Did you mean ') : -1;
  return start === -1 ? message : message.slice(0, start).trimEnd();
}
