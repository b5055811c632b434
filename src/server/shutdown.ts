import { type Server, Server as TcpServer } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { RunningRequests } from './connections/connection.ts';
import { operationDeadlineMs, RESPONSE_GRACE_MS } from './requests/operations.ts';

/**
 * The maximum time for which new connections are accepted during a shutdown while requests run, so that routers notice the
 * failing readiness check. Stopping to listen then takes up to a second more.
 */
const MAX_NOTICE_MS = 4000;

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
  stopListening: () => Promise<void>,
  timeoutMs: number,
): Promise<void> {
  running.stop();
  await running.idleWithin(Math.min(MAX_NOTICE_MS, timeoutMs));
  await stopListening();
  const closed = app.close();
  if (!(await running.idleWithin(operationDeadlineMs(timeoutMs)))) {
    running.abortOperations();
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
