import * as z from 'zod';

/*
 * Apollo publishes the schema of the router's configuration with its sources, and not on npm. So this is the part of it that
 * deploy/router.yaml uses, with the same names, types and required members. Like the router, it rejects unknown members.
 */

const address = z.string().regex(/^[\w.]+:\d+$/);
const duration = z.string().regex(/^\d+(ms|s|m|h)$/);
const size = z.string().regex(/^\d+(B|kB|KB|MB|GB|KiB|MiB|GiB)$/);

const propagateOrInsert = z.union([
  z.strictObject({ propagate: z.strictObject({ named: z.string() }) }),
  z.strictObject({ insert: z.strictObject({ name: z.string(), value: z.string() }) }),
]);

const errorsOfSubgraph = z.strictObject({
  redact_message: z.boolean().optional(),
  allow_extensions_keys: z.array(z.string()).optional(),
});

/** The configuration of Apollo Router 2.15: https://www.apollographql.com/docs/graphos/routing/configuration/yaml. */
export const apolloRouter = z.strictObject({
  supergraph: z.strictObject({ listen: address }),
  health_check: z.strictObject({ listen: address }),
  headers: z.strictObject({
    subgraphs: z.record(z.string(), z.strictObject({ request: z.array(propagateOrInsert) })),
  }),
  include_subgraph_errors: z.strictObject({
    all: errorsOfSubgraph,
    subgraphs: z.record(z.string(), errorsOfSubgraph),
  }),
  traffic_shaping: z.strictObject({
    router: z.strictObject({ timeout: duration }),
    subgraphs: z.record(
      z.string(),
      z.strictObject({ timeout: duration, compression: z.enum(['gzip', 'deflate', 'br', 'identity']).optional() }),
    ),
  }),
  limits: z.strictObject({
    router: z.strictObject({ http_max_request_bytes: z.int().min(0) }),
    subgraph: z.strictObject({
      subgraphs: z.record(z.string(), z.strictObject({ http_max_response_size: size })),
    }),
  }),
});
