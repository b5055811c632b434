import { hash, timingSafeEqual } from 'node:crypto';
import { type AddressInfo, BlockList } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { TICKET_ROUTE } from './download-route.ts';
import { errorBody, publicPaths } from './json-errors.ts';

/**
 * Refuses every request that does not bring the router's secret in the header `router-authorization`; before its body is
 * read. But for the health checks, and for downloads by ticket: browsers follow these, and a ticket was made for a request
 * that came by the router.
 */
export function requireRouterSecret(app: FastifyInstance, secret: string): void {
  const expected = digest(secret);
  app.addHook('onRequest', async (request, reply) => {
    const { url = '' } = request.routeOptions;
    if (publicPaths.test(url) || url === TICKET_ROUTE) return undefined;
    const { 'router-authorization': given } = request.headers;
    // Digests have one length, so that the time tells nothing of the secret's.
    if (typeof given === 'string' && timingSafeEqual(digest(given), expected)) return undefined;
    return reply.status(403).send(errorBody('This subgraph answers to its router only.', 'FORBIDDEN'));
  });
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

/** Whether others than the programs of this host can reach an app that listens. */
export function isExposed(app: FastifyInstance): boolean {
  const addresses = app.addresses() as AddressInfo[];
  return addresses.some(({ address, family }) => !loopback.check(address, family === 'IPv6' ? 'ipv6' : 'ipv4'));
}
