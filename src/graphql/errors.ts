import { unwrapResolverError } from '@apollo/server/errors';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import type { ErrorCode } from '../core/error-codes.ts';
import { describeRestError } from '../rest/error-description.ts';
import { RestError } from '../rest/errors.ts';

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
