import { type Server, Server as TcpServer } from 'node:net';
import { setImmediate } from 'node:timers/promises';

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

/** Calls listen(2) again, for which Node.js has no public API. Without it, a few more connections are lost. */
function shrinkBacklog(server: Server): void {
  const { _handle: handle } = server as { _handle?: { listen?: (backlog: number) => number } };
  handle?.listen?.(0);
}
