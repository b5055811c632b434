import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Longer than any run: a connection closed at the wrong moment would be an error of the benchmark's own making. */
const KEEP_ALIVE_MS = 3_600_000;

/** Serves on a free port of the loopback host, and says its address on standard output. */
export function listen(handler: RequestListener): void {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, handler);
  server.listen(0, '127.0.0.1', () => {
    process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
  });
}
