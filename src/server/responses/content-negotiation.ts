import type { Transform } from 'node:stream';
import { constants, createGzip, createZstdCompress } from 'node:zlib';
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

/** A content coding of a response: Zstandard (RFC 8878) or gzip (RFC 1952). */
export type Coding = 'zstd' | 'gzip';

/** The size of encoded chunks. */
const CHUNK_BYTES = 65_536;

/** Level 1: higher ones take much longer, and make JSON hardly smaller. The window bounds the memory of a stream. */
const ZSTD_PARAMS = { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_windowLog]: 18 };
const GZIP_LEVEL = 1;

/**
 * The coding that a client prefers (RFC 9110, section 12.5.3). Undefined if the body is to be sent as it is: also if the client
 * rejects that, but accepts no coding that there is, because it would get nothing otherwise.
 *
 * @param acceptEncoding the header; undefined if there is none
 */
export function chooseCoding(acceptEncoding: string | undefined): Coding | undefined {
  if (acceptEncoding === undefined) return undefined;
  const qualities = parseQualities(acceptEncoding);
  const others = qualities.get('*') ?? 0;
  const zstd = qualities.get('zstd') ?? others;
  const gzip = qualities.get('gzip') ?? others;
  const best = Math.max(zstd, gzip);
  if (best === 0 || best < (qualities.get('identity') ?? others)) return undefined;
  return zstd === best ? 'zstd' : 'gzip';
}

/**
 * A stream that encodes what is written to it. Call `end` only when the last write has called back: otherwise Node.js may append
 * an empty frame of Zstandard (nodejs/node#66078), which some clients do not read. Destroy it if it is not ended.
 */
export function createEncoder(coding: Coding): Transform {
  return coding === 'zstd'
    ? createZstdCompress({ params: ZSTD_PARAMS, chunkSize: CHUNK_BYTES })
    : createGzip({ level: GZIP_LEVEL, chunkSize: CHUNK_BYTES });
}

/** The quality values of codings. What is malformed is not accepted, and what is listed twice has the lower value. */
function parseQualities(acceptEncoding: string): ReadonlyMap<string, number> {
  const qualities = new Map<string, number>();
  for (const option of acceptEncoding.toLowerCase().split(',')) {
    const [coding = '', weight = 'q=1', ...parameters] = option.split(';').map((part) => part.trim());
    // RFC 9110, section 8.4.1.3.
    const name = coding === 'x-gzip' ? 'gzip' : coding;
    const quality =
      parameters.length === 0 && /^q=(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(weight) ? Number(weight.slice(2)) : 0;
    qualities.set(name, Math.min(quality, qualities.get(name) ?? 1));
  }
  return qualities;
}
