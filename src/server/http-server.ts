import { createServer, type RequestListener, type Server } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { MAX_TIMER_MS } from '../config.ts';
import { Connections } from './connections.ts';
import { publicPaths, sendUnavailable } from './json-errors.ts';
import { SlowClients, type StallLimit } from './slow-clients.ts';
import { stopListening } from './stop-listening.ts';

/** The longest time for a request's head. */
const MAX_HEADERS_MS = 10_000;

/** How long it takes at most until a request that is too slow is noticed. */
const MAX_CHECK_MS = 1000;

/** How much later than it says the server closes an idle connection, so that a request on its way still arrives. */
const KEEP_ALIVE_GRACE_MS = 1000;

/** What connections and requests may take. */
export interface HttpLimits {
  /** Milliseconds for a request to arrive, from the first byte of its head to the last of its body. */
  readonly requestTimeoutMs: number;
  /** Milliseconds for which a connection stays open between two requests. */
  readonly keepAliveMs: number;
  readonly connections: number;
  /** With clients that do not take their responses. */
  readonly stallLimit: StallLimit;
}

/** The HTTP server of a subgraph, and what it knows of its connections. */
export interface HttpServer {
  /** Makes the server for fastify. */
  create(handler: RequestListener): Server;
  /** Refuses requests on connections beyond the limit, but for the health checks. */
  shedLoad(app: FastifyInstance): void;
  /** Accepts no more connections, and waits until those that were made just now have sent what they were made for. */
  stopListening(): Promise<void>;
}

/**
 * An HTTP server that waits for requests no longer than it must, and lets no more connections in than it may. A few
 * beyond the limit get one answer each.
 */
export function httpServer({ requestTimeoutMs, keepAliveMs, connections: max, stallLimit }: HttpLimits): HttpServer {
  const slowClients = new SlowClients(stallLimit);
  const connections = new Connections(max);
  const servers: Server[] = [];
  return {
    create: (handler) => {
      const server = createServer(
        {
          headersTimeout: Math.min(MAX_HEADERS_MS, requestTimeoutMs),
          requestTimeout: requestTimeoutMs,
          connectionsCheckingInterval: Math.min(MAX_CHECK_MS, requestTimeoutMs),
          keepAliveTimeout: Math.min(keepAliveMs, MAX_TIMER_MS - KEEP_ALIVE_GRACE_MS),
          keepAliveTimeoutBuffer: KEEP_ALIVE_GRACE_MS,
          // Answered by json-errors.ts.
          requireHostHeader: false,
        },
        (request, response) => {
          connections.begin(response);
          handler(request, response);
        },
      );
      // More than one where a host name has several addresses.
      servers.push(server);
      server.on('connection', (socket) => connections.add(socket));
      server.on('listening', () => slowClients.start(() => connections.busy()));
      // When the last connection has ended.
      server.on('close', () => slowClients.stop());
      return server;
    },
    stopListening: async () => {
      await Promise.all(servers.map(stopListening));
      await connections.haveBegun();
    },
    shedLoad: (app) =>
      void app.addHook('onRequest', (request, reply, done) => {
        if (!connections.isSurplus(request.socket)) return done();
        reply.header('connection', 'close');
        if (publicPaths.test(request.url)) return done();
        const message = `The subgraph has ${max} connections (MAX_CONNECTIONS) and takes no more.`;
        return void sendUnavailable(reply, message, 'OVERLOADED');
      }),
  };
}
