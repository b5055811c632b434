import { type Server, Server as TcpServer } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** How many turns of the event loop without a new connection show that none waits to be accepted. */
const QUIET_TURNS = 5;

/** How long connections are accepted that were made before. */
const MAX_ACCEPTING_MS = 500;

/**
 * Stops listening so that as few connections as possible are lost. The kernel makes connections before the program
 * accepts them, one in each turn of the event loop, and resets those that wait when the program stops listening. So first
 * the kernel is told to make no more of them: whoever comes now is refused, and has sent nothing. Then those that wait
 * are accepted. Connections stay open.
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
    await nextTurn();
  }
  server.off('connection', accepted);
  // That of an HTTP server would close connections, too, whose first request is on its way.
  TcpServer.prototype.close.call(server);
}

/** Private. What Node.js has no public way for: listen(2) once more. Without it a few more connections are lost. */
function shrinkBacklog(server: Server): void {
  const { _handle: handle } = server as { _handle?: { listen?: (backlog: number) => number } };
  handle?.listen?.(0);
}
