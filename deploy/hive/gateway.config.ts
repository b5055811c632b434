import { defineConfig } from '@graphql-hive/gateway';

/**
 * Hive Gateway before this subgraph. Environment: `ROUTER_SECRET`, the same as the subgraph's.
 *
 *     hive-gateway supergraph --config-path deploy/hive/gateway.config.ts
 */
export const gatewayConfig = defineConfig({
  supergraph: process.env.SUPERGRAPH ?? 'supergraph.graphql',
  propagateHeaders: {
    fromClientToSubgraphs: ({ request, subgraphName }) => {
      if (subgraphName !== 'dataset') return {};
      // Of the client's headers this one alone: the subgraph asks the REST service with it.
      const authorization = request.headers.get('authorization');
      return {
        ...(authorization !== null && { authorization }),
        'router-authorization': process.env.ROUTER_SECRET ?? '',
      };
    },
  },
  // Longer than the subgraph's OPERATION_TIMEOUT_MS (28 s).
  upstreamTimeout: 30_000,
  // Longer than a subgraph may take, so that its error reaches the client.
  requestDeadline: 35_000,
});
