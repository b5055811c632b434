import type { IncomingHttpHeaders } from 'node:http';
import { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';

/** The supported content codings (RFC 9110, section 8.4.1). */
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br';

/** The size of decoded chunks, in bytes. */
const OPTIONS = { chunkSize: 131_072 };

/** Decodes a content coding. */
export type Decoder = Transform;

const decoders: ReadonlyMap<string, () => Decoder> = new Map<string, () => Decoder>([
  ['gzip', () => createGunzip(OPTIONS)],
  ['x-gzip', () => createGunzip(OPTIONS)],
  ['deflate', () => new Inflate()],
  ['br', () => createBrotliDecompress(OPTIONS)],
]);

/** Not codings, but servers and stores send them as such. */
const identities: ReadonlySet<string> = new Set(['', 'identity', 'utf-8', 'none', 'aws-chunked']);

/**
 * The decoder for a body.
 *
 * @param header the `content-encoding`; a list if it was sent several times, contrary to its type in undici
 * @returns null if there is nothing to decode, undefined for an unknown coding, and for several
 */
export function decoderOf(header: string | string[]): Decoder | null | undefined {
  const codings = String(header).split(',');
  const [coding, ...others] = codings.map((each) => each.trim().toLowerCase()).filter((each) => !identities.has(each));
  if (coding === undefined) return null;
  return others.length === 0 ? decoders.get(coding)?.() : undefined;
}

/**
 * Decodes `deflate`, which is the zlib format. Some servers send its data without the header of zlib (RFC 9110, section 8.4.1.2), which
 * always begins with the method 8 (RFC 1950, section 2.2).
 */
class Inflate extends Transform {
  #inner: ReturnType<typeof createInflate> | undefined;

  override _transform(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    if (this.#inner === undefined) {
      const create = ((chunk[0] ?? 0) & 0x0f) === 8 ? createInflate : createInflateRaw;
      this.#inner = create(OPTIONS);
      this.#inner.on('data', (decoded: Buffer) => {
        if (!this.push(decoded)) this.#inner?.pause();
      });
      this.#inner.on('error', (error) => this.destroy(error));
    }
    this.#inner.write(chunk, done);
  }

  override _flush(done: (error?: Error | null) => void): void {
    if (this.#inner === undefined) done();
    else this.#inner.on('end', done).end();
  }

  override _read(size: number): void {
    this.#inner?.resume();
    super._read(size);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#inner?.destroy();
    done(error);
  }
}

/** The maximum of encoded bytes: a coding adds a header, and a few bytes for each block that it cannot compress. */
export function maxEncodedBytes(maxBytes: number): number {
  return maxBytes + Math.floor(maxBytes / 256) + 1024;
}

/** Whether a body has chunked transfer coding (RFC 9112, section 7.1), so that its end is known. */
export function isChunked({ 'transfer-encoding': coding }: IncomingHttpHeaders): boolean {
  return coding?.trim().toLowerCase() === 'chunked';
}
