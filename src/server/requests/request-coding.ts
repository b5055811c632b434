import { promisify } from 'node:util';
import { brotliDecompress, constants, gunzip, inflate, type ZlibOptions, zstdDecompress } from 'node:zlib';

/** The maximum size of a request body, in bytes: as received, and decoded. */
export const MAX_REQUEST_BYTES = 1_048_576;

/** The content codings of requests that are supported, as `Accept-Encoding` lists them (RFC 9110, section 12.5.3). */
export const REQUEST_CODINGS = 'gzip, deflate, br, zstd';

/** A body that is not decoded: `invalid`, or `large` if it has too many bytes. */
export type Undecodable = 'invalid' | 'large';

/** Decodes a whole body, to at most so many bytes. It runs in the thread pool. */
export type RequestDecoder = (body: Buffer, maxBytes: number) => Promise<Buffer | Undecodable>;

/** What Node.js passes with the option `info`, which its types lack. */
interface Decoded {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

/** RFC 9659, section 3: a frame of Zstandard may need 8 MB at most. */
const zstd = { params: { [constants.ZSTD_d_windowLogMax]: 23 } };

const decoders: ReadonlyMap<string, RequestDecoder> = new Map([
  ['gzip', decoder(promisify<Buffer, ZlibOptions, unknown>(gunzip))],
  ['deflate', decoder(promisify<Buffer, ZlibOptions, unknown>(inflate))],
  ['br', decoder(promisify<Buffer, ZlibOptions, unknown>(brotliDecompress))],
  [
    'zstd',
    decoder((body, options) => promisify<Buffer, object, unknown>(zstdDecompress)(body, { ...options, ...zstd })),
  ],
]);

/**
 * The decoder for the body of a request.
 *
 * @param header the `content-encoding`
 * @returns null if there is nothing to decode, undefined for an unknown coding or several
 */
export function requestDecoder(header: string | undefined): RequestDecoder | null | undefined {
  const coding = (header ?? 'identity').trim().toLowerCase();
  // RFC 9110, section 8.4.1.3.
  return coding === 'identity' ? null : decoders.get(coding === 'x-gzip' ? 'gzip' : coding);
}

/** A decoder that also rejects bytes behind the end of the encoded data. Most of Node.js ignores them. */
function decoder(decode: (body: Buffer, options: ZlibOptions) => Promise<unknown>): RequestDecoder {
  return async (body, maxBytes) => {
    try {
      // Node.js stops at the first byte beyond the maximum. The engine tells how much of the body it has read.
      const { buffer, engine } = (await decode(body, { maxOutputLength: maxBytes, info: true })) as Decoded;
      return engine.bytesWritten === body.length ? buffer : 'invalid';
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? 'large' : 'invalid';
    }
  };
}
