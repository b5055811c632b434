import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

// Below the ports that Linux, macOS and Windows give to listeners and connections which do not choose one.
const FIRST = 20_000;
const END = 32_768;

/**
 * A free port of the loopback host, for programs that must be told theirs. It stays free until they listen, since the
 * system gives it to nobody who asks for any port.
 */
export async function freePort(): Promise<string> {
  for (;;) {
    const port = randomInt(FIRST, END);
    if (await isFree(port)) return String(port);
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const { promise, resolve } = Promise.withResolvers<boolean>();
  server.once('error', () => resolve(false));
  server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  return promise;
}
