import { connect, type Socket } from 'node:net';
import type { Fault } from '../../simulator/src/simulator.ts';
import { listen, ofDataset, start, startService } from '../support/harness.ts';

/** One row: how the service misbehaves, and what becomes of it. */
export interface Row {
  /** How an HTTP server misbehaves. */
  readonly fault?: () => Fault;
  /** What is sent in place of HTTP when a request has come. */
  readonly raw?: (socket: Socket) => void;
  /** The error's code; none where the answer is as if nothing had happened. */
  readonly code?: string;
  readonly status?: number | null;
  readonly rest?: Record<string, unknown>;
}

/** One and a half seconds for the head, three for everything; a megabyte. */
export const env = { UPSTREAM_TIMEOUT_MS: '1500', OPERATION_TIMEOUT_MS: '3000', UPSTREAM_MAX_BYTES: '1000000' };

export const operations = {
  getDatasetMetadata: { document: ofDataset('name'), field: 'name', value: 'Soil moisture' },
  getDatasetResults: {
    document: ofDataset('results { processingId }'),
    field: 'results',
    value: { processingId: 'p-1' },
  },
} as const;

export const encoded = (encoding: string | string[], body: Uint8Array): Fault => ({
  headers: { 'content-encoding': encoding },
  body,
});
export const head = (lines: string, body: string) => `HTTP/1.1 200 OK\r\n${lines}\r\n\r\n${body}`;

/** The service behind a relay that counts its connections, and can speak in raw bytes in its place. */
export async function startRelayed(settings: Record<string, string> = {}) {
  const service = await startService();
  const open = new Set<Socket>();
  let raw: Row['raw'];
  const serviceUrl = await listen((socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    if (raw !== undefined) {
      const response = raw;
      socket.once('data', () => response(socket));
      return;
    }
    const behind = connect(Number(new URL(service.url).port), '127.0.0.1');
    socket.pipe(behind).pipe(socket);
    behind.on('error', () => socket.destroy()).once('close', () => socket.destroySoon());
    socket.once('close', () => behind.destroy());
  });
  const bed = await start({ serviceUrl, env: { ...env, ...settings } });
  return {
    ...bed,
    service,
    open,
    misbehave(row: Row | undefined) {
      raw = row?.raw;
      service.intercept(row?.fault && (() => row.fault?.()));
    },
  };
}
