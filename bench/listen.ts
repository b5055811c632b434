import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Longer than any run, so that no closed connection causes an error in the benchmark. */
const KEEP_ALIVE_MS = 3_600_000;

/** Listens on a free port of the loopback host, and prints its address. */
export function listen(handler: RequestListener): void {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, handler);
  server.listen(0, '127.0.0.1', () => {
    process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
  });
}
