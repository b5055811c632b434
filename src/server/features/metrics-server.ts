import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Config } from '../../config.ts';
import { ConfigError } from '../../core/error-codes.ts';
import type { Log, Metrics } from '../../telemetry/telemetry.ts';
import { httpOrigin } from '../addresses.ts';

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

/**
 * Serves the metrics on an address of their own, so that they stay reachable under overload, and need no ROUTER_SECRET.
 *
 * @throws ConfigError if it cannot listen
 */
export async function serveMetrics(
  { registry }: Metrics,
  { METRICS_HOST: host, METRICS_PORT: port }: Config,
  log: Log,
): Promise<MetricsServer> {
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
      log.internalError(error);
      response.writeHead(500).end();
    }
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(`The metrics cannot be served on METRICS_HOST and METRICS_PORT (${code}).`);
  }
  return {
    url: `${httpOrigin(server.address() as AddressInfo)}${METRICS_PATH}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
