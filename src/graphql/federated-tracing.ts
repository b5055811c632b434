import type { ApolloServerPlugin, GraphQLRequestExecutionListener, GraphQLRequestListener } from '@apollo/server';
import { ApolloServerPluginInlineTrace } from '@apollo/server/plugin/inlineTrace';
import type { OperationContext } from './context.ts';

/** The request header that asks for a trace of the operation, and its value. */
export const TRACE_HEADER = 'apollo-federation-include-trace';
export const TRACE_FORMAT = 'ftv1';

/** The most fields and the most errors in a trace. A longer trace is truncated. The response is not. */
const MAX_FIELDS = 10_000;
const MAX_ERRORS = 100;

/**
 * Apollo's inline traces, bounded, so that a trace never needs more memory than the response. Errors are masked, because
 * routers send traces to an external service: a trace says which field failed, and not why.
 */
export function boundedInlineTrace(): ApolloServerPlugin<OperationContext> {
  const plugin: ApolloServerPlugin<OperationContext> = ApolloServerPluginInlineTrace({
    includeErrors: { masked: true },
  });
  return {
    ...plugin,
    requestDidStart: async (request) => {
      const listener = await plugin.requestDidStart?.(request);
      return listener && bounded(listener);
    },
  };
}

function bounded(listener: GraphQLRequestListener<OperationContext>): GraphQLRequestListener<OperationContext> {
  return {
    ...listener,
    executionDidStart: async (request) => {
      const execution = await listener.executionDidStart?.(request);
      return execution && boundedFields(execution);
    },
    didEncounterErrors: async (request) => {
      const errors = request.errors.slice(0, MAX_ERRORS);
      await listener.didEncounterErrors?.({ ...request, errors });
    },
  };
}

function boundedFields(
  execution: GraphQLRequestExecutionListener<OperationContext>,
): GraphQLRequestExecutionListener<OperationContext> {
  let fields = 0;
  return {
    ...execution,
    willResolveField: (field) => {
      fields += 1;
      return fields > MAX_FIELDS ? undefined : execution.willResolveField?.(field);
    },
  };
}
