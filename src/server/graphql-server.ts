import type { Config } from '../config.ts';
import { type ApolloOptions, createGraphQLServer, type GraphQLServer } from '../graphql/apollo.ts';
import type { OperationLimits } from '../graphql/limits.ts';
import type { Log } from '../telemetry/telemetry.ts';

/** The GraphQL server, started. */
export interface StartedGraphQL extends GraphQLServer {
  /** Executes the operations that a gateway wants traced. Undefined if there are no traces for gateways. */
  readonly tracing: GraphQLServer['apollo'] | undefined;
  readonly limits: OperationLimits;
  stop(): Promise<void>;
}

/**
 * Starts Apollo Server, and a second one for operations that a gateway wants traced.
 *
 * @param schema the executable schema
 * @param tracedSchema that of the second server, which needs one of its own. Undefined if there are no traces for gateways
 * @param sandbox the preset of Apollo Sandbox; undefined if it is off
 */
export async function startGraphQL(
  config: Config,
  schema: ApolloOptions['schema'],
  tracedSchema: ApolloOptions['schema'] | undefined,
  sandbox: ApolloOptions['sandbox'],
  log: Log,
): Promise<StartedGraphQL> {
  const limits = {
    tokens: config.MAX_DOCUMENT_TOKENS,
    aliases: config.MAX_ALIASES,
    representations: config.MAX_REPRESENTATIONS,
    work: config.MAX_OPERATION_WORK,
  };
  const create = (own: ApolloOptions['schema'], traced: boolean) =>
    createGraphQLServer({
      schema: own,
      traced,
      introspection: config.INTROSPECTION === 'on',
      sandbox,
      limits,
      logger: log.library,
      reportInternal: (error) => log.internalError(error),
    });
  const server = create(schema, false);
  const tracing = tracedSchema && create(tracedSchema, true).apollo;
  const all = [server.apollo, ...(tracing === undefined ? [] : [tracing])];
  await Promise.all(all.map((apollo) => apollo.start()));
  const stop = async () => void (await Promise.all(all.map((apollo) => apollo.stop())));
  return { ...server, tracing, limits, stop };
}
