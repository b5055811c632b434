import type { FastifyReply } from 'fastify';

/** Adds request headers to those by which a response varies (RFC 9110, section 12.5.5). */
export function varyBy(reply: FastifyReply, ...names: readonly string[]): void {
  const varies = reply.getHeader('vary');
  reply.header('vary', [...(varies === undefined ? [] : [varies]), ...names].join(', '));
}
