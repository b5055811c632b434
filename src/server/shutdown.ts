import type { ServerResponse } from 'node:http';
import { type Server, Server as TcpServer } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { LinkedList } from '../core/linked-list.ts';
import { breakOff, onResponseClosed } from './connections/response-closed.ts';
import { type Operations, operationDeadlineMs, RESPONSE_GRACE_MS } from './requests/operations.ts';

/**
 * The maximum time for which new connections are accepted during a shutdown while requests run, so that routers notice the
 * failing readiness check. Stopping to listen then takes up to a second more.
 */
const MAX_NOTICE_MS = 4000;

/** The running requests, from their headers to the end of their response. */
export class RunningRequests {
  readonly #responses = new LinkedList<ServerResponse>();
  #idle: PromiseWithResolvers<void> | undefined;
  /** Whether the shutdown has begun. */
  stopping = false;

  /** The number of running requests. */
  get size(): number {
    return this.#responses.size;
  }

  /** Tracks every request of an app. During the shutdown, each is the last one of its connection. */
  watch(app: FastifyInstance): void {
    app.addHook('onRequest', (_request, reply, done) => {
      const response = reply.raw;
      const entry = this.#responses.add(response);
      if (this.stopping) reply.header('connection', 'close');
      onResponseClosed(response, () => {
        entry.remove();
        if (this.#responses.size === 0) this.#idle?.resolve();
      });
      done();
    });
  }

  /** Begins the shutdown: every connection is closed after its current response. */
  stop(): void {
    this.stopping = true;
    for (const response of this.#responses) if (!response.headersSent) response.setHeader('connection', 'close');
  }

  /** Breaks off what still runs. */
  breakOff(): void {
    for (const response of this.#responses) breakOff(response);
  }

  /** Waits until no request runs, at most this long. Returns whether no request runs. */
  async idleWithin(milliseconds: number): Promise<boolean> {
    const timeout = Promise.withResolvers<void>();
    const timer = setTimeout(timeout.resolve, milliseconds);
    let timedOut = false;
    timeout.promise.then(() => {
      timedOut = true;
    });
    while (!timedOut) {
      if (this.#responses.size > 0) {
        this.#idle = Promise.withResolvers();
        await Promise.race([this.#idle.promise, timeout.promise]);
      }
      // Received requests are read within two turns of the event loop.
      await setImmediate();
      await setImmediate();
      if (this.#responses.size === 0) break;
    }
    clearTimeout(timer);
    return this.#responses.size === 0;
  }
}

/**
 * Shuts an app down without losing accepted requests:
 * 1. While requests run, it accepts new ones, and each response closes its connection.
 * 2. It stops accepting connections, and running requests may complete.
 * 3. It aborts the remaining operations, which respond with an error.
 * 4. It closes the remaining connections.
 *
 * @param stopListening stops accepting connections
 * @param timeoutMs milliseconds for the REST calls of an operation
 */
export async function drain(
  app: FastifyInstance,
  running: RunningRequests,
  operations: Operations,
  stopListening: () => Promise<void>,
  timeoutMs: number,
): Promise<void> {
  running.stop();
  await running.idleWithin(Math.min(MAX_NOTICE_MS, timeoutMs));
  await stopListening();
  const closed = app.close();
  if (!(await running.idleWithin(operationDeadlineMs(timeoutMs)))) {
    operations.abortAll();
    await running.idleWithin(RESPONSE_GRACE_MS);
    running.breakOff();
  }
  app.server.closeAllConnections();
  await closed;
}

/** After this many turns of the event loop without a new connection, none waits to be accepted. */
const QUIET_TURNS = 5;

/** The maximum time for accepting the waiting connections. */
const MAX_ACCEPTING_MS = 500;

/**
 * Stops listening and loses as few connections as possible. The kernel establishes connections before the program accepts
 * them, one in each turn of the event loop, and resets the waiting ones when the program stops listening. So this first shrinks
 * the backlog: the kernel refuses new connections, whose clients have sent nothing. Then it accepts the waiting connections.
 * Connections stay open.
 */
export async function stopListening(server: Server): Promise<void> {
  let quietTurns = 0;
  const accepted = () => {
    quietTurns = 0;
  };
  server.on('connection', accepted);
  shrinkBacklog(server);
  const end = performance.now() + MAX_ACCEPTING_MS;
  while (quietTurns < QUIET_TURNS && performance.now() < end) {
    quietTurns += 1;
    await setImmediate();
  }
  server.off('connection', accepted);
  // `close` of the HTTP server would also close connections whose first request is on its way.
  TcpServer.prototype.close.call(server);
}

/**
 * Calls listen(2) again, for which Node.js has no public API. Without it, one of seven stops under a storm of new connections
 * loses 48 of its 50 clients (shutdown-load.test.ts, which allows two).
 */
function shrinkBacklog(server: Server): void {
  const { _handle: handle } = server as { _handle?: { listen?: (backlog: number) => number } };
  handle?.listen?.(0);
}
