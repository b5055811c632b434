import type { ApolloServerPlugin, GraphQLRequestExecutionListener, GraphQLRequestListener } from '@apollo/server';
import { ApolloServerPluginInlineTrace } from '@apollo/server/plugin/inlineTrace';
import type { OperationContext } from './context.ts';

/** The header by which a router asks for a trace of its operation, in this format. */
export const TRACE_HEADER = 'apollo-federation-include-trace';
export const TRACE_FORMAT = 'ftv1';

/** The most fields in a trace, and the most errors. Beyond them a trace is cut off; the response stays whole. */
const MAX_FIELDS = 10_000;
const MAX_ERRORS = 100;

/**
 * Apollo's inline traces, bounded, so that a trace never costs more memory than the response. Errors are masked: a trace
 * goes on to a service outside, and says which field has failed and not why.
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

/** Private. */
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
