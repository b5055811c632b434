import { createServer, type RequestListener, type Server } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { type Config, MAX_TIMER_MS } from '../config.ts';
import type { Usage } from '../core/usage.ts';
import { connectionOf, disconnect, isWriting, type RunningRequests } from './connections/connection.ts';
import { Connections } from './connections/connections.ts';
import { SlowClients, type StallLimit } from './connections/slow-clients.ts';
import { operationDeadlineMs } from './requests/operations.ts';
import { publicPaths, sendOverloaded } from './responses/json-errors.ts';
import { stopListening } from './shutdown.ts';

/** The maximum time for the headers of a request. */
const MAX_HEADERS_MS = 10_000;

/** The most bytes of the headers of a request: a token or a ticket as long as they may be, and what browsers and proxies add. */
export const MAX_HEADER_BYTES = 32_768;

/** The maximum interval of the checks for slow requests. */
const MAX_CHECK_INTERVAL_MS = 1000;

/** The server closes an idle connection this much later than announced, so that a request on its way still arrives. */
const KEEP_ALIVE_GRACE_MS = 1000;

/** The HTTP server of a subgraph, with its connections. */
export interface HttpServer {
  /** Gives the server to fastify. */
  serve(handler: RequestListener): Server;
  /** The connections of clients, and how many there may be. */
  readonly connections: { readonly usage: Usage };
  /** Rejects requests on connections above the limit, except for health checks. */
  shedLoad(app: FastifyInstance): void;
  /** Stops accepting connections, and waits for the first requests of new connections. */
  stopListening(): Promise<void>;
}

/**
 * Creates an HTTP server that limits the time of requests and the number of connections. A few connections above the limit get
 * one response each.
 *
 * @param running gets every request
 * @param isContended whether others wait for what slow clients hold
 */
export function httpServer(
  running: RunningRequests,
  {
    REQUEST_TIMEOUT_MS: requestTimeoutMs,
    KEEP_ALIVE_MS: keepAliveMs,
    MAX_CONNECTIONS: max,
    OPERATION_TIMEOUT_MS: timeoutMs,
  }: Config,
  isContended: StallLimit['isContended'],
): HttpServer {
  const slowClients = new SlowClients({ maxPauseMs: operationDeadlineMs(timeoutMs), isContended });
  const connections = new Connections(max, running);
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: Math.min(MAX_HEADERS_MS, requestTimeoutMs),
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: Math.min(MAX_CHECK_INTERVAL_MS, requestTimeoutMs),
    keepAliveTimeout: Math.min(keepAliveMs, MAX_TIMER_MS - KEEP_ALIVE_GRACE_MS),
    keepAliveTimeoutBuffer: KEEP_ALIVE_GRACE_MS,
    // json-errors.ts checks it.
    requireHostHeader: false,
  });
  server.on('connection', (socket) => {
    connections.add(socket);
    // The client has closed its side. Node.js then closes this side, after what is written by now.
    socket.prependOnceListener('end', () => {
      if (isWriting(socket)) disconnect(socket);
    });
  });
  server.on('listening', () => slowClients.start(running));
  server.on('close', () => slowClients.stop());
  return {
    serve: (handler) =>
      server.on('request', (request, response) => {
        connections.begin(response);
        handler(request, response);
      }),
    stopListening: async () => {
      await stopListening(server);
      await connections.firstRequests();
    },
    connections,
    shedLoad: (app) =>
      void app.addHook('onRequest', (request, reply, done) => {
        if (connections.aboveLimit === 0 || connectionOf(request.socket)?.isAboveLimit !== true) return done();
        reply.header('connection', 'close');
        if (publicPaths.test(request.url)) return done();
        const message = `The subgraph is at its limit of ${max} connections (MAX_CONNECTIONS).`;
        return void sendOverloaded(reply, 'max_connections', message);
      }),
  };
}
