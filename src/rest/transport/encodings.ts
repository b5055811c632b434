import type { IncomingHttpHeaders } from 'node:http';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

/** The supported content codings (RFC 9110, section 8.4.1). */
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br';

/** The size of decoded chunks, in bytes. */
const OPTIONS = { chunkSize: 131_072 };

/** Decodes a content coding. */
export type Decoder = ReturnType<typeof createGunzip | typeof createInflate | typeof createBrotliDecompress>;

const decoders: ReadonlyMap<string, () => Decoder> = new Map<string, () => Decoder>([
  ['gzip', () => createGunzip(OPTIONS)],
  ['x-gzip', () => createGunzip(OPTIONS)],
  ['deflate', () => createInflate(OPTIONS)],
  ['br', () => createBrotliDecompress(OPTIONS)],
]);

/**
 * The decoder for a body.
 *
 * @param header the `content-encoding`; a list if it was sent several times, contrary to its type in undici
 * @returns null if there is nothing to decode, undefined for an unknown coding
 */
export function decoderOf(header: string | string[]): Decoder | null | undefined {
  const encoding = String(header).trim().toLowerCase();
  return encoding === '' || encoding === 'identity' ? null : decoders.get(encoding)?.();
}

/** The maximum of encoded bytes: a coding adds a header, and a few bytes for each block that it cannot compress. */
export function maxEncodedBytes(maxBytes: number): number {
  return maxBytes + Math.floor(maxBytes / 256) + 1024;
}

/** Whether a body has chunked transfer coding (RFC 9112, section 7.1), so that its end is known. */
export function isChunked({ 'transfer-encoding': coding }: IncomingHttpHeaders): boolean {
  return coding?.trim().toLowerCase() === 'chunked';
}
