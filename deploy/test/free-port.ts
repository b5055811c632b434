import { createServer } from 'node:net';

/** A free port of the loopback host, for programs that cannot report the port they chose. */
export async function freePort(): Promise<string> {
  const server = createServer();
  const listening = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', listening.resolve);
  await listening.promise;
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  return String(typeof address === 'object' ? address?.port : address);
}
