import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

/** The content codings that are asked for and decoded (RFC 9110, section 8.4.1). */
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br';

/** How many bytes a decoder gives at a time. */
const DECODED = { chunkSize: 131_072 };

/** Undoes a content coding. */
export type Decoder = ReturnType<typeof createGunzip | typeof createInflate | typeof createBrotliDecompress>;

const decoders: ReadonlyMap<string, () => Decoder> = new Map<string, () => Decoder>([
  ['gzip', () => createGunzip(DECODED)],
  ['x-gzip', () => createGunzip(DECODED)],
  ['deflate', () => createInflate(DECODED)],
  ['br', () => createBrotliDecompress(DECODED)],
]);

/**
 * What decodes a body.
 *
 * @param header the `content-encoding`; a list where it was sent several times
 * @returns null where there is nothing to decode, undefined for a coding that is not known
 */
export function decoderOf(header: string | string[] | undefined): Decoder | null | undefined {
  const encoding = String(header ?? '')
    .trim()
    .toLowerCase();
  return encoding === '' || encoding === 'identity' ? null : decoders.get(encoding)?.();
}
