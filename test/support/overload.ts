import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { TestBed } from './harness.ts';

/** A connection, open until the end of the test; `received` is all that has come on it. */
export async function open({ subgraph }: Pick<TestBed, 'subgraph'>, text: string | Uint8Array = '') {
  const { hostname, port } = new URL(subgraph.url);
  const socket: Socket = connect(Number(port), hostname);
  let received = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    received += chunk;
  });
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  if (text.length > 0) socket.write(text);
  return { socket, closed, isClosed: () => socket.closed, received: () => received };
}

export const errorOf = (text: string) => ({
  status: Number(text.split(' ')[1]),
  closes: /^connection: close$/im.test(text),
  code: JSON.parse(text.split('\r\n\r\n')[1] ?? '').errors[0].extensions.code,
});
