import { createFiles } from '../../files/files.ts';
import { packageVersion } from '../core/package.ts';
import { createSchema } from '../graphql/schema/executable-schema.ts';
import { CallMerging, ResultsStreaming } from '../loaders/suspensions.ts';
import { OddRowCounter } from '../results/results.ts';
import { Log, startMetrics, type Telemetry } from '../telemetry/telemetry.ts';
import { origin, publicUrl, requirePublicUrl } from './addresses.ts';
import { RunningRequests } from './connections/connection.ts';
import { allowOrigins } from './features/cors.ts';
import { loadExplorers } from './features/explorers.ts';
import { type MetricsServer, serveMetrics } from './features/metrics-server.ts';
import { extensionOptionsOf } from './features/response-extensions.ts';
import { routerCacheOf } from './features/router-cache.ts';
import { isExposed, requireRouterSecret } from './features/router-secret.ts';
import { startTraces } from './features/traces.ts';
import { startGraphQL } from './graphql-server.ts';
import { createHttpApp } from './http-app.ts';
import { httpServer } from './http-server.ts';
import { Operations } from './requests/operations.ts';
import { readCacheOf, reportSettings, restAccessOf } from './rest-access.ts';
import { GRAPHQL_PATH, serveGraphQL } from './routes/graphql-route.ts';
import { drain } from './shutdown.ts';
import type { Subgraph, SubgraphOptions } from './subgraph.ts';

export type { Subgraph, SubgraphOptions } from './subgraph.ts';

/** Puts the layers together, registers the features that are on, and listens. */
export async function startSubgraph(options: SubgraphOptions): Promise<Subgraph> {
  const { config, serviceUrl, corsOrigins } = options;
  const makeSchema = options.makeSchema ?? (() => createSchema(config.SCHEMA_NAMES, config.DATE_UNIT));
  const schema = makeSchema();
  const log = new Log(config.LOG_LEVEL, options.logStream);
  reportSettings(config, serviceUrl, log);
  const telemetry: Telemetry = {
    log,
    traces: await startTraces(config, packageVersion, log),
    metrics: config.METRICS_PORT === undefined ? undefined : await startMetrics(packageVersion),
    logOperations: config.LOG_OPERATIONS === 'on',
  };
  const cache = readCacheOf(config);
  const rest = restAccessOf(config, serviceUrl, cache, telemetry);
  const running = new RunningRequests();
  const operations = new Operations(config.MAX_OPERATIONS, config.OPERATION_TIMEOUT_MS);
  const server = httpServer(running, config, () => rest.shared.client.isContended || files.slots.isContended);
  const app = createHttpApp({ config, server, telemetry, running });
  if (corsOrigins.length > 0) await allowOrigins(app, corsOrigins);
  if (config.ROUTER_SECRET !== undefined) requireRouterSecret(app, config.ROUTER_SECRET);
  const explorers = await loadExplorers(config, options.explorerPreset, schema);
  if (explorers?.pages !== undefined) await app.register(explorers.pages.plugin);
  else app.get('/', (_request, reply) => reply.redirect(GRAPHQL_PATH));
  const { DOWNLOAD_TICKET_SECRET: secrets, DOWNLOAD_TICKET_SECONDS: seconds, MAX_DOWNLOADS: maxRunning } = config;
  const tickets = secrets && { secrets, seconds };
  const files = createFiles({ rest, tickets, maxRunning, publicUrl: () => publicUrl(config, app) });
  await app.register(files.plugin);
  const tracedSchema = config.FEDERATED_TRACING === 'on' ? makeSchema() : undefined;
  const graphql = await startGraphQL(config, schema, tracedSchema, explorers?.sandbox, log);
  const routerCache = routerCacheOf(config);
  const oddRows = new OddRowCounter();
  const merging = new CallMerging(() => log.mergingSuspended());
  serveGraphQL(app, {
    ...{ ...graphql, operations, rest, oddRows, files: files.links },
    loaders: { merging, streaming: new ResultsStreaming(), assetIdsPerCall: config.ASSET_IDS_PER_CALL },
    routerCache,
    tokenInUrlAllowed: config.DOWNLOAD_TOKEN_IN_URL === 'allow',
    extensions: extensionOptionsOf(config, explorers !== undefined, routerCache !== undefined),
  });
  telemetry.metrics?.watch(() => ({
    ...{ activeRequests: running.size, connections: server.connections.usage, operations: operations.usage },
    downloads: { used: files.slots.running, limit: maxRunning },
    ...{ mergingSuspensions: merging.suspensions, oddRows: oddRows.count, rest: rest.shared.client, cache },
  }));

  let metrics: MetricsServer | undefined;
  const close = async () => {
    cache?.close();
    await Promise.all([graphql.stop(), rest.shared.client.close(), metrics?.close()]);
    telemetry.metrics?.stop();
    await telemetry.traces?.stop();
  };
  try {
    metrics = telemetry.metrics && (await serveMetrics(telemetry.metrics, config, log));
    await app.listen({ host: config.HOST, port: config.PORT });
    if (tickets !== undefined && options.isLocal !== true) requirePublicUrl(config, app);
  } catch (error) {
    await app.close();
    await close();
    throw error;
  }
  if (config.ROUTER_SECRET === undefined && isExposed(app)) log.exposed();
  let stopped: Promise<void> | undefined;
  const stop = async () => {
    await drain(app, running, server.stopListening, config.OPERATION_TIMEOUT_MS);
    await close();
    log.oddRows(oddRows.count);
  };
  const url = `${origin(app)}${GRAPHQL_PATH}`;
  return {
    url,
    metricsUrl: metrics?.url,
    explorers: {
      sandbox: explorers?.sandbox && url,
      graphiql: explorers?.pages && new URL(explorers.pages.graphiqlPath, url).href,
      start: explorers?.pages && new URL(explorers.pages.startPath, url).href,
    },
    oddRows,
    stop: () => (stopped ??= stop()),
  };
}
