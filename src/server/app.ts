import type { ExplorerPreset, Explorers } from '../../explorer/server/explorers.ts';
import { createFiles, type FilesOptions } from '../../files/files.ts';
import type { Config } from '../config.ts';
import { ConfigError } from '../core/error-codes.ts';
import { packageVersion } from '../core/package.ts';
import { type ApolloOptions, createGraphQLServer } from '../graphql/apollo.ts';
import { readOperations } from '../graphql/documents/operation-files.ts';
import { createSchema } from '../graphql/schema/executable-schema.ts';
import { CallMerging, ResultsPassing } from '../loaders/suspensions.ts';
import { defaultMemoryBudget } from '../rest/admission/memory.ts';
import { ReadCache } from '../rest/cache/read-cache.ts';
import { CachedSession } from '../rest/cached-session.ts';
import { RestClient } from '../rest/client.ts';
import { type RestAccess, RestSession } from '../rest/session.ts';
import { OddRowCounter } from '../results/results.ts';
import { createLog, type LogStream, Telemetry } from '../telemetry/telemetry.ts';
import { origin, publicUrl, requirePublicUrl } from './addresses.ts';
import { createHttpApp } from './http-app.ts';
import { httpServer } from './http-server.ts';
import { type MetricsServer, serveMetrics } from './metrics-server.ts';
import { Operations, operationDeadlineMs } from './requests/operations.ts';
import { RunningRequests } from './requests/running-requests.ts';
import type { RouterCacheOptions } from './responses/response-caching.ts';
import { GRAPHQL_PATH, serveGraphQL } from './routes/graphql-route.ts';
import { isExposed } from './routes/router-only.ts';
import { drain } from './shutdown.ts';
import { startTraces } from './traces.ts';

export interface SubgraphOptions {
  readonly config: Config;
  /** {base_url} of the REST service. */
  readonly serviceUrl: URL;
  /** Origins whose pages may send queries from a browser. */
  readonly corsOrigins: readonly string[];
  /** The initial content of the explorers. If it is given, they are on by default. */
  readonly explorerPreset?: ExplorerPreset;
  /** Whether all clients are on this host, so that download links may point to `localhost`. */
  readonly isLocal?: boolean;
  /** Replaces the schema of this project: test suites bring their own. */
  readonly makeSchema?: () => ApolloOptions['schema'];
  /** Receives the log, line by line. The default is standard output. */
  readonly logStream?: LogStream;
}

/** A running subgraph. */
export interface Subgraph {
  /** The GraphQL endpoint. */
  readonly url: string;
  /** Where the metrics are. Undefined if there are none. */
  readonly metricsUrl: string | undefined;
  /** The URLs of the explorers that are on, and of the start page, which leads into GraphiQL. */
  readonly explorers: {
    readonly sandbox: string | undefined;
    readonly graphiql: string | undefined;
    readonly start: string | undefined;
  };
  /** How many rows of results could not be copied as they are. */
  readonly oddRows: { readonly count: number };
  /**
   * Stops. The readiness check fails at once. Running requests may complete within a little more than the time of an
   * operation. Then every connection is closed. A second call waits for the first.
   */
  stop(): Promise<void>;
}

/** Puts the layers together and listens. */
export async function startSubgraph(options: SubgraphOptions): Promise<Subgraph> {
  const { config, serviceUrl, corsOrigins } = options;
  const schema = schemaOf(options);
  const log = createLog({ level: config.LOG_LEVEL, format: config.LOG_FORMAT, stream: options.logStream });
  const telemetry = new Telemetry({
    log,
    metrics: config.METRICS_PORT !== undefined,
    traces: await startTraces(config, packageVersion, log),
    logOperations: config.LOG_OPERATIONS === 'on',
    version: packageVersion,
  });
  const cache = readCacheOf(config);
  const client = restClientOf(config, serviceUrl, cache, telemetry);
  const running = new RunningRequests();
  const server = httpServer(running, {
    requestTimeoutMs: config.REQUEST_TIMEOUT_MS,
    keepAliveMs: config.KEEP_ALIVE_MS,
    connections: config.MAX_CONNECTIONS,
    stallLimit: {
      maxPauseMs: operationDeadlineMs(config.OPERATION_TIMEOUT_MS),
      isContended: () => client.isContended || files.slots.isContended,
    },
  });
  const explorers = await loadExplorers(options, schema);
  const graphql = await startGraphQL(options, schema, explorers?.sandbox, log);

  const onOverload = () => telemetry.rejected('max_operations');
  const operations = new Operations(config.MAX_OPERATIONS, config.OPERATION_TIMEOUT_MS, onOverload);
  const app = await createHttpApp({ config, server, telemetry, running, corsOrigins, onOverload });
  if (explorers?.pages !== undefined) await app.register(explorers.pages.plugin);
  else app.get('/', (_request, reply) => reply.redirect(GRAPHQL_PATH));
  const rest = restAccessOf(config, client, cache);
  const files = createFiles({
    rest,
    tickets: ticketsOf(config),
    maxRunning: config.MAX_DOWNLOADS,
    onReject: () => telemetry.rejected('max_downloads'),
    publicUrl: () => publicUrl(config, app),
  });
  await app.register(files.plugin);
  const oddRows = new OddRowCounter();
  const merging = new CallMerging(log.mergingSuspended);
  serveGraphQL(app, {
    ...graphql,
    operations,
    rest,
    oddRows,
    loaders: { merging, passing: new ResultsPassing(), assetIdsPerCall: config.ASSET_IDS_PER_CALL },
    routerCache: routerCacheOf(config),
    tokenInUrlAllowed: config.DOWNLOAD_TOKEN_IN_URL === 'allow',
    extensions: {
      printsPlans: config.OPERATION_PLAN === 'on',
      listsCalls: explorers !== undefined,
    },
    files: files.links,
  });
  telemetry.watch(() => ({
    activeRequests: running.size,
    connections: server.connections.usage,
    operations: operations.usage,
    downloads: { used: files.slots.running, limit: config.MAX_DOWNLOADS },
    mergingSuspensions: merging.suspensions,
    oddRows: oddRows.count,
    rest: client,
    cache,
  }));

  let metrics: MetricsServer | undefined;
  const close = async () => {
    const { apollo, tracing } = graphql;
    cache?.close();
    await Promise.all([apollo.stop(), tracing?.stop(), client.close(), metrics?.close()]);
    await telemetry.stop();
  };
  try {
    metrics = await listenForMetrics(telemetry, config);
    await app.listen({ host: config.HOST, port: config.PORT });
    if (files.links.ticketUrl !== undefined && options.isLocal !== true) requirePublicUrl(config, app);
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

function schemaOf({ makeSchema, config }: SubgraphOptions): ApolloOptions['schema'] {
  const { SCHEMA_NAMES, DATE_UNIT } = config;
  return makeSchema === undefined ? createSchema(SCHEMA_NAMES, DATE_UNIT) : makeSchema();
}

/**
 * The explorers that are on. By default both are on if there is a preset. Undefined if none is on: then their code is not even
 * read.
 */
async function loadExplorers(
  { config, explorerPreset: preset }: SubgraphOptions,
  schema: ApolloOptions['schema'],
): Promise<Explorers | undefined> {
  const { EXPLORER, INTROSPECTION, AUTH_SERVICE_URL: authUrl } = config;
  const byDefault = EXPLORER === undefined && preset !== undefined;
  const [sandbox, graphiql] = [byDefault || EXPLORER === 'sandbox', byDefault || EXPLORER === 'graphiql'];
  if (INTROSPECTION === 'off' || (!sandbox && !graphiql)) return undefined;
  const { createExplorers } = await import('../../explorer/server/explorers.ts');
  const operations = readOperations(schema);
  return createExplorers({ sandbox, graphiql, preset, authUrl, operations, endpoint: GRAPHQL_PATH });
}

/** The cache of REST responses. Undefined if there is none. */
function readCacheOf(config: Config): ReadCache | undefined {
  if (config.CACHE === 'off') return undefined;
  return new ReadCache({
    seconds: { getDatasetMetadata: config.CACHE_METADATA_SECONDS, getDatasetResults: config.CACHE_RESULTS_SECONDS },
    staleSeconds: config.CACHE_STALE_SECONDS,
    maxBytes: config.CACHE_MAX_BYTES,
  });
}

/** How operations read the service: through the cache, if there is one. */
function restAccessOf(config: Config, client: RestClient, cache: ReadCache | undefined): RestAccess {
  const { UPSTREAM_MAX_CALLS: maxCalls, OPERATION_TIMEOUT_MS: timeoutMs } = config;
  return {
    client,
    open: (authorization, observer) => {
      const options = { client, authorization, observer, maxCalls, timeoutMs };
      return cache === undefined ? new RestSession(options) : new CachedSession(options, cache);
    },
    timeoutMs,
  };
}

function restClientOf(config: Config, baseUrl: URL, cache: ReadCache | undefined, telemetry: Telemetry): RestClient {
  return new RestClient({
    baseUrl,
    headersTimeoutMs: config.UPSTREAM_TIMEOUT_MS,
    connections: config.UPSTREAM_CONNECTIONS,
    keepAliveMs: config.UPSTREAM_KEEP_ALIVE_MS,
    downloads: config.MAX_DOWNLOADS,
    queue: config.UPSTREAM_QUEUE,
    maxBytes: config.UPSTREAM_MAX_BYTES,
    holdBytes: config.RESULTS_HOLD_BYTES,
    memoryBytes: config.MEMORY_BUDGET ?? defaultMemoryBudget(),
    retry: config.UPSTREAM_RETRY === 'on',
    circuitOpenMs: config.UPSTREAM_OUTAGE_MS,
    onRejected: (authorization, datasetId) => cache?.invalidate(authorization, datasetId),
    onCircuitChange: (operation, isOpen) => telemetry.circuitChanged(operation, isOpen),
  });
}

/** Starts Apollo Server, and a second one for operations that a gateway wants traced. */
async function startGraphQL(
  options: SubgraphOptions,
  schema: ApolloOptions['schema'],
  sandbox: ApolloOptions['sandbox'],
  log: Telemetry['log'],
) {
  const { config } = options;
  const limits = {
    tokens: config.MAX_DOCUMENT_TOKENS,
    aliases: config.MAX_ALIASES,
    representations: config.MAX_REPRESENTATIONS,
    work: config.MAX_OPERATION_WORK,
  };
  const common = {
    introspection: config.INTROSPECTION === 'on',
    sandbox,
    limits,
    logger: log.library,
    reportInternal: log.internalError,
  };
  const { apollo, known } = createGraphQLServer({ ...common, schema });
  const tracing =
    config.FEDERATED_TRACING === 'on'
      ? createGraphQLServer({ ...common, schema: schemaOf(options), traced: true }).apollo
      : undefined;
  await Promise.all([apollo.start(), tracing?.start()]);
  return { apollo, known, tracing, limits };
}

/** @throws ConfigError if it cannot listen */
async function listenForMetrics({ metrics, log }: Telemetry, config: Config): Promise<MetricsServer | undefined> {
  const { METRICS_HOST: host, METRICS_PORT: port } = config;
  if (metrics === undefined || port === undefined) return undefined;
  try {
    return await serveMetrics(metrics, { host, port, reportInternal: log.internalError });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(`The metrics cannot be served on METRICS_HOST and METRICS_PORT (${code}).`);
  }
}

/** Undefined if no response may be reused. */
function routerCacheOf(config: Config): RouterCacheOptions | undefined {
  const metadataSeconds = config.ROUTER_CACHE_METADATA_SECONDS;
  const resultsSeconds = config.ROUTER_CACHE_RESULTS_SECONDS;
  if (metadataSeconds <= 0 && resultsSeconds <= 0) return undefined;
  return { metadataSeconds, resultsSeconds, tags: config.ROUTER_CACHE_TAGS === 'on' };
}

function ticketsOf(config: Config): FilesOptions['tickets'] {
  const { DOWNLOAD_TICKET_SECRET: secrets, DOWNLOAD_TICKET_SECONDS: seconds } = config;
  return secrets && { secrets, seconds };
}
