import type { FastifyReply } from 'fastify';

/**
 * Whether a client accepts `application/json` at least as much as `application/graphql-response+json`. Routers name both
 * with the same quality value. A client that prefers the latter expects its status codes, such as 400.
 */
export function prefersJson(accept: string | undefined): boolean {
  if (accept === undefined) return true;
  const ranges = accept.split(',').map(parseRange);
  const json = qualityOf('application/json', ranges);
  return json > 0 && json >= qualityOf('application/graphql-response+json', ranges);
}

interface MediaRange {
  readonly name: string;
  readonly quality: number;
}

/** RFC 9110, section 12.5.1. */
function parseRange(range: string): MediaRange {
  const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith('q='));
  return { name, quality: quality === undefined ? 1 : Number(quality.slice('q='.length)) };
}

function qualityOf(type: string, ranges: readonly MediaRange[]): number {
  for (const name of [type, 'application/*', '*/*']) {
    const range = ranges.find((candidate) => candidate.name === name);
    if (range !== undefined) return range.quality;
  }
  return 0;
}

/** Adds request headers to those by which a response varies (RFC 9110, section 12.5.5). */
export function varyBy(reply: FastifyReply, ...names: readonly string[]): void {
  const varies = reply.getHeader('vary');
  reply.header('vary', [...(varies === undefined ? [] : [varies]), ...names].join(', '));
}
