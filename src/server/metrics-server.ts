import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Metrics } from '../telemetry/telemetry.ts';
import { httpOrigin } from './addresses.ts';

/** The path of the metrics. */
const METRICS_PATH = '/metrics';

/** Somebody who asks for metrics sends a few hundred bytes at once. */
const REQUEST_TIMEOUT_MS = 5000;
const MAX_CONNECTIONS = 50;

/** The listener for metrics. */
export interface MetricsServer {
  readonly url: string;
  close(): Promise<void>;
}

export interface MetricsServerOptions {
  readonly host: string;
  readonly port: number;
  /** Reports internal errors. */
  readonly reportInternal: (error: unknown) => void;
}

/**
 * Serves the metrics on an address of their own, so that they stay reachable under overload, and need no ROUTER_SECRET.
 *
 * @throws Error of `listen`
 */
export async function serveMetrics({ registry }: Metrics, options: MetricsServerOptions): Promise<MetricsServer> {
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, async (request, response) => {
    const [path] = (request.url ?? '').split('?');
    if (path !== METRICS_PATH) return void response.writeHead(404).end();
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return void response.writeHead(405, { allow: 'GET, HEAD' }).end();
    }
    try {
      const text = await registry.metrics();
      response.writeHead(200, { 'content-type': registry.contentType, 'cache-control': 'no-store' }).end(text);
    } catch (error) {
      options.reportInternal(error);
      response.writeHead(500).end();
    }
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.listen(options.port, options.host);
  await once(server, 'listening');
  return {
    url: `${httpOrigin(server.address() as AddressInfo)}${METRICS_PATH}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
