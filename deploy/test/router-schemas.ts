import * as z from 'zod';

/*
 * The routers publish the schemas of their configurations with their sources, and not on npm. So these are the parts of them that the
 * files in deploy/ use, with the same names, types and required members. Like the routers, they reject unknown members.
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

const cacheOfSubgraph = z.strictObject({
  enabled: z.boolean().optional(),
  ttl: duration.optional(),
  private_id: z.string().optional(),
  redis: z.strictObject({ urls: z.array(z.string()).min(1) }).optional(),
});

const staticEstimated = z.strictObject({
  list_size: z.int().min(0),
  max: z.number().min(0),
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
  demand_control: z
    .strictObject({
      enabled: z.boolean(),
      mode: z.enum(['measure', 'enforce']),
      strategy: z.strictObject({ static_estimated: staticEstimated }),
    })
    .optional(),
  rhai: z.strictObject({ scripts: z.string() }).optional(),
  response_cache: z
    .strictObject({
      enabled: z.boolean(),
      subgraph: z.strictObject({ all: cacheOfSubgraph, subgraphs: z.record(z.string(), cacheOfSubgraph) }),
    })
    .optional(),
});

const headerRule = z.union([
  z.strictObject({ op: z.literal('propagate'), named: z.string() }),
  z.strictObject({ op: z.literal('set'), name: z.string(), value: z.string() }),
]);

/**
 * The configuration of Cosmo Router, version "1" of its format:
 * https://github.com/wundergraph/cosmo/blob/main/router/pkg/config/config.schema.json.
 */
export const cosmoRouter = z.strictObject({
  version: z.literal('1'),
  listen_addr: address,
  execution_config: z.strictObject({ file: z.strictObject({ path: z.string() }) }),
  headers: z.strictObject({
    subgraphs: z.record(z.string(), z.strictObject({ request: z.array(headerRule) })),
  }),
  subgraph_error_propagation: z.strictObject({
    enabled: z.boolean(),
    mode: z.enum(['pass-through', 'wrapped']),
    rewrite_paths: z.boolean(),
    omit_locations: z.boolean(),
    omit_extensions: z.boolean(),
    allowed_extension_fields: z.array(z.string()),
  }),
  traffic_shaping: z.strictObject({
    router: z.strictObject({ max_request_body_size: size }),
    subgraphs: z.record(z.string(), z.strictObject({ request_timeout: duration })),
  }),
});
