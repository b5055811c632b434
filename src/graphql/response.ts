import type { FormattedExecutionResult, GraphQLError, GraphQLFormattedError } from 'graphql';
import type { OperationContext } from './context.ts';
import type { FormatError } from './errors.ts';
import { omittedErrors } from './limits.ts';

/** Completes a response when its operation is done: partial errors, request ids and markers. */
export function completeResponse(
  response: FormattedExecutionResult,
  { partialErrors, requestId, raw, errors }: OperationContext,
  format: FormatError,
): void {
  const toFormatted = (error: GraphQLError) => addRequestId(format(error.toJSON(), error), requestId);
  for (const error of response.errors ?? []) addRequestId(error, requestId);
  addErrors(response, partialErrors.incompleteErrors().map(toFormatted));
  if (raw === undefined || raw.isEmpty) {
    const omitted = omittedErrors(errors);
    if (omitted !== undefined) addErrors(response, [toFormatted(omitted)]);
  } else {
    raw.insertMarkers(response, toFormatted);
  }
}

function addErrors(response: FormattedExecutionResult, errors: readonly GraphQLFormattedError[]): void {
  if (errors.length > 0) Object.assign(response, { errors: [...(response.errors ?? []), ...errors] });
}

function addRequestId(error: GraphQLFormattedError, requestId: string): GraphQLFormattedError {
  const rest = error.extensions?.rest;
  if (typeof rest === 'object' && rest !== null) Object.assign(rest, { requestId });
  return error;
}
