import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import cors from '@fastify/cors';
import { type FastifyInstance, fastify } from 'fastify';
import type { Config } from '../config.ts';
import { ConfigError } from '../core/error-codes.ts';
import { packageVersion } from '../core/package.ts';
import { Tickets } from '../downloads/tickets.ts';
import { type ApolloOptions, createGraphQLServer } from '../graphql/apollo.ts';
import { createSchema } from '../graphql/executable-schema.ts';
import { readOperations } from '../graphql/operation-files.ts';
import { CallMerging } from '../loaders/call-merging.ts';
import { ResultsPassing } from '../loaders/results-passing.ts';
import { RestClient } from '../rest/client.ts';
import { defaultMemoryBudget } from '../rest/memory-budget.ts';
import { type FastPathCounts, ResultsReader } from '../results/results.ts';
import { createLog, type LogStream, Telemetry } from '../telemetry/telemetry.ts';
import { MAX_PATH_PART_LENGTH, serveDownloads } from './download-route.ts';
import { DownloadSlots } from './download-slots.ts';
import { chooseExplorers, type ExplorerPreset, GRAPHIQL_PATH, sandboxPreset, serveExplorers } from './explorers.ts';
import { GRAPHQL_PATH, serveGraphQL } from './graphql-route.ts';
import { httpOrigin, httpServer } from './http-server.ts';
import { acceptOnlyJson } from './json-body.ts';
import { respondToBadPath, respondToClientError, useJsonErrors } from './json-errors.ts';
import { type MetricsServer, serveMetrics } from './metrics-server.ts';
import { observeRequests } from './observe-requests.ts';
import { Operations, operationDeadlineMs } from './operations.ts';
import { MAX_REQUEST_BYTES } from './request-coding.ts';
import { fileLinks, serveResultsFiles } from './results-file-route.ts';
import { isExposed, requireRouterSecret } from './router-only.ts';
import { drain, RunningRequests } from './shutdown.ts';
import { startReadCache } from './start-cache.ts';
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
  /** How often results took the fast path, and how often and why they did not. */
  readonly fastPath: { read(): FastPathCounts };
  /**
   * Stops. The readiness check fails at once. Running requests may complete within a little more than the time of an
   * operation. Then every connection is closed. A second call waits for the first.
   */
  stop(): Promise<void>;
}

/** Puts the layers together and listens. */
export async function startSubgraph(options: SubgraphOptions): Promise<Subgraph> {
  const { config, serviceUrl, corsOrigins, logStream } = options;
  const makeSchema = options.makeSchema ?? (() => createSchema(config.TYPE_PREFIX, config.SCHEMA_NAMES));
  const schema = makeSchema();
  const log = createLog({ level: config.LOG_LEVEL, format: config.LOG_FORMAT, stream: logStream });
  const telemetry = new Telemetry({
    log,
    metrics: config.METRICS_PORT !== undefined,
    traces: await startTraces(config, packageVersion, log),
    logOperations: config.LOG_OPERATIONS === 'on',
    version: packageVersion,
  });
  const cache = await startReadCache(config, serviceUrl, log);
  const client = new RestClient({
    baseUrl: serviceUrl,
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
  const server = httpServer({
    requestTimeoutMs: config.REQUEST_TIMEOUT_MS,
    keepAliveMs: config.KEEP_ALIVE_MS,
    connections: config.MAX_CONNECTIONS,
    stallLimit: {
      windowMs: operationDeadlineMs(config.OPERATION_TIMEOUT_MS),
      isContended: () => client.memory.isContended,
    },
  });
  const onInvalidHttp = () => telemetry.rejected('invalid_http');
  const app: FastifyInstance = fastify({
    serverFactory: (handler) => server.serve(handler),
    // The log lines of fastify contain URLs, and so possibly queries.
    logger: false,
    bodyLimit: MAX_REQUEST_BYTES,
    clientErrorHandler: (error, socket) => respondToClientError(error, socket, onInvalidHttp),
    frameworkErrors: (error, request, reply) => {
      onInvalidHttp();
      respondToBadPath(error, request, reply);
    },
    requestIdHeader: false,
    genReqId: (request) => usableRequestId(request.headers['x-request-id']) ?? randomUUID(),
    // Requests on open connections are served during shutdown.
    return503OnClosing: false,
    routerOptions: { maxParamLength: MAX_PATH_PART_LENGTH },
  });
  const limits = {
    tokens: config.MAX_DOCUMENT_TOKENS,
    aliases: config.MAX_ALIASES,
    representations: config.MAX_REPRESENTATIONS,
    work: config.MAX_OPERATION_WORK,
  };
  const explorers = chooseExplorers(config, options.explorerPreset, () => readOperations(schema));
  const graphql = {
    introspection: config.INTROSPECTION === 'on',
    sandbox: explorers.sandbox ? sandboxPreset(explorers) : undefined,
    limits,
    logger: log.library,
    reportInternal: log.internalError,
  };
  const { apollo, known } = createGraphQLServer({ ...graphql, schema });
  const tracing =
    config.FEDERATED_TRACING === 'on'
      ? createGraphQLServer({ ...graphql, schema: makeSchema(), traced: true }).apollo
      : undefined;
  await Promise.all([apollo.start(), tracing?.start()]);
  const reader = new ResultsReader(config.RESULTS_FAST_PATH === 'on');

  const running = new RunningRequests();
  const onOverload = () => telemetry.rejected('max_operations');
  const operations = new Operations(config.MAX_OPERATIONS, config.OPERATION_TIMEOUT_MS, onOverload);
  observeRequests(app, telemetry);
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    done();
  });
  running.watch(app);
  server.shedLoad(app, () => telemetry.rejected('max_connections'));
  useJsonErrors(app, onInvalidHttp);
  acceptOnlyJson(app, config.MAX_OPERATIONS, onOverload);
  if (corsOrigins.length > 0) {
    await app.register(cors, {
      origin: [...corsOrigins],
      methods: ['GET', 'POST'],
      exposedHeaders: ['x-request-id'],
      maxAge: 600,
    });
  }
  if (config.ROUTER_SECRET !== undefined)
    requireRouterSecret(app, config.ROUTER_SECRET, () => telemetry.rejected('router_secret'));
  await serveExplorers(app, explorers);
  app.get('/health/live', () => ({ status: 'live' }));
  app.get('/health/ready', (_request, reply) =>
    running.stopping ? reply.status(503).send({ status: 'stopping' }) : { status: 'ready' },
  );
  const tickets = ticketsOf(config);
  const slots = new DownloadSlots({
    maxRunning: config.MAX_DOWNLOADS,
    onReject: () => telemetry.rejected('max_downloads'),
  });
  const rest = { client, cache, maxCalls: config.UPSTREAM_MAX_CALLS, timeoutMs: config.OPERATION_TIMEOUT_MS };
  serveDownloads(app, { client, tickets, slots });
  serveResultsFiles(app, { rest, tickets, slots, maxBytes: config.UPSTREAM_MAX_BYTES });
  const merging = new CallMerging(log.mergingSuspended);
  serveGraphQL(app, {
    apollo,
    known,
    tracing,
    operations,
    limits,
    rest,
    loaders: {
      reader,
      merging,
      passing: new ResultsPassing(),
      assetIdsPerCall: config.ASSET_IDS_PER_CALL,
    },
    routerCache: {
      metadataSeconds: config.ROUTER_CACHE_METADATA_SECONDS,
      resultsSeconds: config.ROUTER_CACHE_RESULTS_SECONDS,
      tags: config.ROUTER_CACHE_TAGS === 'on',
    },
    compression: config.COMPRESSION === 'on',
    tokenInUrlAllowed: config.DOWNLOAD_TOKEN_IN_URL === 'allow',
    files: fileLinks(tickets, () => publicUrl(config, app)),
  });
  telemetry.watch(() => ({
    activeRequests: running.size,
    connections: server.connections.usage,
    operations: operations.usage,
    downloads: { used: slots.running, limit: config.MAX_DOWNLOADS },
    mergingSuspensions: merging.suspensions,
    fastPath: reader.counts,
    rest: client,
    cache,
  }));

  let metrics: MetricsServer | undefined;
  try {
    metrics = await listenForMetrics(telemetry, config);
    await app.listen({ host: config.HOST, port: config.PORT });
    if (tickets !== undefined && options.isLocal !== true) requirePublicUrl(config, app);
  } catch (error) {
    await app.close();
    await Promise.all([apollo.stop(), tracing?.stop(), client.close(), cache?.close(), metrics?.close()]);
    await telemetry.stop();
    throw error;
  }
  if (config.ROUTER_SECRET === undefined && isExposed(app)) log.exposed();
  let stopped: Promise<void> | undefined;
  const stop = async () => {
    await drain(app, running, operations, server.stopListening, config.OPERATION_TIMEOUT_MS);
    await Promise.all([apollo.stop(), tracing?.stop(), client.close(), cache?.close(), metrics?.close()]);
    await telemetry.stop();
    log.fastPath(reader.counts);
  };
  const url = `${origin(app)}${GRAPHQL_PATH}`;
  const pages = {
    sandbox: explorers.sandbox ? url : undefined,
    graphiql: explorers.graphiql ? new URL(GRAPHIQL_PATH, url).href : undefined,
    start: explorers.graphiql ? new URL('/', url).href : undefined,
  };
  return {
    url,
    metricsUrl: metrics?.url,
    explorers: pages,
    fastPath: { read: () => reader.counts },
    stop: () => (stopped ??= stop()),
  };
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

function usableRequestId(given: string | string[] | undefined): string | undefined {
  return typeof given === 'string' && /^[\w.-]{1,128}$/.test(given) ? given : undefined;
}

function ticketsOf(config: Config): Tickets | undefined {
  const { DOWNLOAD_TICKET_SECRET: secrets, DOWNLOAD_TICKET_SECONDS: seconds } = config;
  return secrets && new Tickets({ secrets, seconds });
}

/** The URL of a listening app as clients see it, without a trailing slash. */
function publicUrl({ PUBLIC_URL: url }: Config, app: FastifyInstance): string {
  return url === undefined ? origin(app) : `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** The addresses for all interfaces of a host. Clients cannot connect to them. */
const unspecified: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/** Requires PUBLIC_URL if links to the listening address would not work. */
function requirePublicUrl({ HOST: host, PUBLIC_URL: url }: Config, app: FastifyInstance): void {
  if (url !== undefined || !unspecified.has((app.server.address() as AddressInfo).address)) return;
  throw new ConfigError(
    `PUBLIC_URL must be set to the URL that browsers use, because DOWNLOAD_TICKET_SECRET is set and HOST is ${host}.`,
  );
}

function origin(app: FastifyInstance): string {
  const listening = app.server.address() as AddressInfo;
  return unspecified.has(listening.address) ? `http://localhost:${listening.port}` : httpOrigin(listening);
}
