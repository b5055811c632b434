import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../config.ts';
import { ConfigError } from '../core/error-codes.ts';

/** The URL of a listening app as clients see it, without a trailing slash. */
export function publicUrl({ PUBLIC_URL: url }: Config, app: FastifyInstance): string {
  return url === undefined ? origin(app) : `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** The addresses for all interfaces of a host. Clients cannot connect to them. */
const unspecified: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/** Requires PUBLIC_URL if links to the listening address would not work. */
export function requirePublicUrl({ HOST: host, PUBLIC_URL: url }: Config, app: FastifyInstance): void {
  if (url !== undefined || !unspecified.has((app.server.address() as AddressInfo).address)) return;
  throw new ConfigError(
    `PUBLIC_URL must be set to the URL that browsers use, because DOWNLOAD_TICKET_SECRET is set and HOST is ${host}.`,
  );
}

/** The origin of a listening app, as in a URL. */
export function origin(app: FastifyInstance): string {
  const listening = app.server.address() as AddressInfo;
  return unspecified.has(listening.address) ? `http://localhost:${listening.port}` : httpOrigin(listening);
}

/** The origin of a listening address, as in a URL. */
export function httpOrigin({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
