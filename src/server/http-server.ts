import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { openPaths, sendUnavailable } from './json-errors.ts';

/** The longest time for a request's head. */
const MOST_HEAD_MS = 10_000;

/** How long it takes at most until a request that is too slow is noticed. */
const LONGEST_CHECK_MS = 1000;

/** Connections beyond the limit that are let in to be told so; and so that the health checks get through. */
const RESERVED_CONNECTIONS = 100;

/** What connections and requests may take. */
export interface HttpLimits {
  /** Milliseconds for a request to arrive, from the first byte of its head to the last of its body. */
  readonly requestTimeoutMs: number;
  readonly connections: number;
}

/** The HTTP server of a subgraph, and what it knows of its connections. */
export interface HttpServer {
  /** Makes the server for fastify. */
  create(handler: RequestListener): Server;
  /** Refuses requests on connections beyond the limit, but for the health checks. */
  refuseSurplus(app: FastifyInstance): void;
}

/**
 * An HTTP server that waits for requests no longer than it must, and lets no more connections in than it may. A few
 * beyond the limit get one answer each, and the others are closed at once.
 */
export function httpServer({ requestTimeoutMs, connections }: HttpLimits): HttpServer {
  const surplus = new Set<Socket>();
  let open = 0;

  const count = (socket: Socket) => {
    open += 1;
    if (open > connections) surplus.add(socket);
    socket.once('close', () => {
      open -= 1;
      surplus.delete(socket);
    });
  };

  return {
    create: (handler) => {
      const server = createServer(
        {
          headersTimeout: Math.min(MOST_HEAD_MS, requestTimeoutMs),
          requestTimeout: requestTimeoutMs,
          connectionsCheckingInterval: Math.min(LONGEST_CHECK_MS, requestTimeoutMs),
          // Answered by json-errors.ts.
          requireHostHeader: false,
        },
        handler,
      );
      server.maxConnections = connections + RESERVED_CONNECTIONS;
      server.on('connection', count);
      return server;
    },
    refuseSurplus: (app) =>
      void app.addHook('onRequest', (request, reply, done) => {
        if (surplus.size === 0 || !surplus.has(request.socket)) return done();
        reply.header('connection', 'close');
        if (openPaths.test(request.url)) return done();
        const message = `The subgraph has ${connections} connections (MAX_CONNECTIONS) and takes no more.`;
        return void sendUnavailable(reply, message, 'OVERLOADED');
      }),
  };
}
