import { defineConfig } from '@graphql-hive/gateway';

/**
 * Hive Gateway for this subgraph. Environment: `ROUTER_SECRET`, the same as the subgraph's.
 *
 *     hive-gateway supergraph --config-path gateway.config.ts
 *
 * Copy the file to where `@graphql-hive/gateway` is installed: it is imported from here.
 */
export const gatewayConfig = defineConfig({
  supergraph: process.env.SUPERGRAPH ?? 'supergraph.graphql',
  propagateHeaders: {
    fromClientToSubgraphs: ({ request, subgraphName }) => {
      if (subgraphName !== 'dataset') return {};
      // The only client header to forward: the subgraph sends it to the REST service.
      const authorization = request.headers.get('authorization');
      return {
        ...(authorization !== null && { authorization }),
        'router-authorization': process.env.ROUTER_SECRET ?? '',
      };
    },
  },
  // Ends the requests to subgraphs when the client disconnects. Without it they run on.
  upstreamCancellation: true,
  // Longer than the subgraph's OPERATION_TIMEOUT_MS (28 s).
  upstreamTimeout: 30_000,
  // Longer than the timeout of a subgraph, so that its error reaches the client.
  requestDeadline: 35_000,
});
