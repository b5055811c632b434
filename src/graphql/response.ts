import type { FormattedExecutionResult, GraphQLError, GraphQLFormattedError } from 'graphql';
import type { OperationContext } from './context.ts';
import type { FormatError } from './errors/errors.ts';
import { omittedErrors } from './errors/operation-errors.ts';

/** Completes a response of graphql-js when its operation is done: errors, request ids and markers. */
export function completeResponse(
  response: FormattedExecutionResult,
  context: OperationContext,
  format: FormatError,
): void {
  const errors = completeErrors(response.errors ?? [], context, format);
  const extensions = context.extensions();
  Object.assign(response, { errors: errors.length > 0 ? errors : undefined, ...(extensions && { extensions }) });
  context.raw.insertMarkers(response.data);
}

/**
 * Completes the errors of a response when its operation is done.
 *
 * @param errors the errors of execution
 * @returns the errors before the data; the others follow it
 */
export function completeErrors(
  errors: readonly GraphQLFormattedError[],
  { partialErrors, requestId, raw, errors: counted, observer }: OperationContext,
  format: FormatError,
): readonly GraphQLFormattedError[] {
  const complete = (error: GraphQLFormattedError) => {
    observer.error(String(error.extensions?.code));
    return addRequestId(error, requestId);
  };
  const toFormatted = (error: GraphQLError) => complete(format(error.toJSON(), error, observer));
  for (const error of errors) complete(error);
  const admitted = (list: readonly GraphQLError[]) =>
    list.filter(({ message, path = [] }) => counted.admit(message, path));
  const all = [...errors, ...admitted(partialErrors.errorsWithData()).map(toFormatted)];
  if (!raw.isEmpty) {
    raw.takeErrors(all, toFormatted, () => admitted(partialErrors.omissions()));
    return [];
  }
  const omitted = omittedErrors(counted);
  if (omitted !== undefined) all.push(toFormatted(omitted));
  return all;
}

function addRequestId(error: GraphQLFormattedError, requestId: string): GraphQLFormattedError {
  const rest = error.extensions?.rest;
  if (typeof rest === 'object' && rest !== null) Object.assign(rest, { requestId });
  return error;
}
