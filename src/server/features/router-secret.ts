import { hash, timingSafeEqual } from 'node:crypto';
import { type AddressInfo, BlockList } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { errorBody, publicPaths } from '../responses/json-errors.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether a request needs no secret of the router. Without it, each one does. */
    readonly isPublic?: (request: FastifyRequest) => boolean;
  }
}

/**
 * Rejects requests without one of the router's secrets in the header `router-authorization`, before their body is read. Unknown paths
 * are protected too. Health checks need no secret, nor do requests that their route calls public.
 */
export function requireRouterSecret(app: FastifyInstance, secrets: readonly string[]): void {
  const expected = secrets.map(digest);
  app.addHook('onRequest', async (request, reply) => {
    const { url = '', config } = request.routeOptions;
    if (publicPaths.test(url) || config.isPublic?.(request)) return undefined;
    const { 'router-authorization': given } = request.headers;
    // Digests have the same length, so the time does not reveal the length of the secret.
    const digestGiven = digest(typeof given === 'string' ? given : '');
    if (expected.some((each) => timingSafeEqual(digestGiven, each))) return undefined;
    app.telemetry.metrics?.requestRejected('router_secret');
    return reply.status(403).send(errorBody('This subgraph accepts requests only from its router.', 'FORBIDDEN'));
  });
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

/** Whether other hosts can reach a listening app. */
export function isExposed(app: FastifyInstance): boolean {
  const addresses = app.addresses() as AddressInfo[];
  return addresses.some(({ address, family }) => !loopback.check(address, family === 'IPv6' ? 'ipv6' : 'ipv4'));
}
