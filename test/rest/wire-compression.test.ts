import { randomBytes } from 'node:crypto';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { errorAt } from '../support/expected-errors.ts';
import { dataset, ofDataset, start } from '../support/harness.ts';

const BOTH = ofDataset('name results { processingId }');
const bothAnswered = { data: { dataset: { name: 'Soil moisture', results: { processingId: 'p-1' } } } };

/*
 * Clause 3.9 of docs/contract.md in detail.
 * Compressed responses are decoded; the subgraph accepts gzip, deflate and br. `UPSTREAM_MAX_BYTES` counts decoded
 * bytes. An encoded body may have 1/256 and 1 kB (1024 bytes) more, because an encoding can add bytes. Another content
 * coding, or more than one, is `UPSTREAM_INVALID_RESPONSE`.
 */
describe('3.9 Compressed responses', () => {
  const json = JSON.stringify(dataset.metadata);
  const plain = Buffer.from(json);
  const NAME = ofDataset('name');
  const named = { data: { dataset: { name: 'Soil moisture' } } };
  const failed = (code: string, rest: object = {}) => ({
    data: { dataset: { name: null } },
    errors: [errorAt(['dataset', 'name'], code, { operation: 'getDatasetMetadata', status: 200, ...rest })],
  });

  const encodings = [
    { title: 'gzip', encoding: 'gzip', body: gzipSync(plain) },
    { title: 'x-gzip, its other name', encoding: 'x-gzip', body: gzipSync(plain) },
    { title: 'gzip in capitals', encoding: 'GZIP', body: gzipSync(plain) },
    { title: 'gzip that makes it larger', encoding: 'gzip', body: gzipSync(plain, { level: 0 }) },
    {
      title: 'gzip in two members',
      encoding: 'gzip',
      body: Buffer.concat([gzipSync(plain.subarray(0, 9)), gzipSync(plain.subarray(9))]),
    },
    { title: 'deflate', encoding: 'deflate', body: deflateSync(plain) },
    { title: 'br', encoding: 'br', body: brotliCompressSync(plain) },
    { title: 'identity', encoding: 'identity', body: plain },
    { title: 'none', encoding: [], body: plain },
  ];

  describe.each(encodings)('$title', ({ encoding, body }) => {
    const headers = { 'content-encoding': encoding };

    it('is decoded', async () => {
      const bed = await start();
      bed.simulator.intercept(({ operation }) => (operation === 'getDatasetMetadata' ? { headers, body } : undefined));
      expect((await bed.query(BOTH)).body).toEqual(bothAnswered);
    });

    it('is decoded from pieces, of unknown length', async () => {
      const bed = await start();
      bed.simulator.intercept(() => ({ headers: { ...headers, 'content-length': [] }, body: chunksOf(body) }));
      expect((await bed.query(NAME)).body).toEqual(named);
    });

    it.each([
      { title: 'at UPSTREAM_MAX_BYTES is accepted', spare: 0, expected: named },
      { title: 'over UPSTREAM_MAX_BYTES is refused', spare: -1, expected: failed('UPSTREAM_RESPONSE_TOO_LARGE') },
    ])('$title, counted decoded', async ({ spare, expected }) => {
      const bed = await start({ env: { UPSTREAM_MAX_BYTES: String(plain.length + spare) } });
      bed.simulator.intercept(() => ({ headers, body }));
      expect((await bed.query(NAME)).body).toEqual(expected);
      bed.simulator.intercept(() => ({ headers: { ...headers, 'content-length': [] }, body: chunksOf(body) }));
      expect((await bed.query(NAME)).body).toEqual(expected);
    });
  });

  it.each([
    { encoding: 'gzip', compress: gzipSync },
    { encoding: 'deflate', compress: deflateSync },
    { encoding: 'br', compress: brotliCompressSync },
  ])('may be long: $encoding', async ({ encoding, compress }) => {
    const bed = await start();
    const name = randomBytes(500_000).toString('base64');
    const body = compress(JSON.stringify({ name }));
    bed.simulator.intercept(() => ({ headers: { 'content-encoding': encoding }, body }));
    expect((await bed.query(NAME)).body).toEqual({ data: { dataset: { name } } });
  });

  it.each([
    { title: 'zstd', encoding: 'zstd' },
    { title: 'compress', encoding: 'compress' },
    { title: 'an unknown one', encoding: 'foo' },
    { title: 'one that every object has', encoding: 'constructor' },
    { title: 'gzip twice', encoding: 'gzip, gzip' },
    { title: 'gzip after deflate', encoding: 'deflate, gzip' },
    { title: 'two headers', encoding: ['gzip', 'gzip'] },
  ])('of another encoding are UPSTREAM_INVALID_RESPONSE: $title', async ({ encoding }) => {
    const bed = await start();
    const headers = { 'content-encoding': encoding };
    bed.simulator.intercept(() => ({ headers, body: gzipSync(gzipSync(plain)) }));
    expect((await bed.query(NAME)).body).toEqual(failed('UPSTREAM_INVALID_RESPONSE'));
    bed.simulator.intercept(() => ({ headers, body: plain }));
    expect((await bed.query(NAME)).body).toEqual(failed('UPSTREAM_INVALID_RESPONSE'));
  });

  const broken = gzipSync(plain);
  broken.fill(0xff, 20, 40);

  it.each([
    { title: 'gzip with wrong bytes', encoding: 'gzip', body: broken },
    {
      title: 'gzip with a wrong checksum',
      encoding: 'gzip',
      body: Buffer.concat([gzipSync(plain).subarray(0, -8), Buffer.alloc(8)]),
    },
    { title: 'gzip that ends too early', encoding: 'gzip', body: gzipSync(plain).subarray(0, -9) },
    { title: 'gzip that is none', encoding: 'gzip', body: plain },
    { title: 'deflate that is none', encoding: 'deflate', body: plain },
    { title: 'br that is none', encoding: 'br', body: plain },
    { title: 'br that ends too early', encoding: 'br', body: brotliCompressSync(plain).subarray(0, -5) },
    { title: 'nothing at all', encoding: 'gzip', body: Buffer.alloc(0) },
  ])('that do not decode are UPSTREAM_INVALID_RESPONSE: $title', async ({ encoding, body }) => {
    const bed = await start();
    bed.simulator.intercept(() => ({ headers: { 'content-encoding': encoding }, body }));
    expect((await bed.query(NAME)).body).toEqual(failed('UPSTREAM_INVALID_RESPONSE'));
  });

  it('that would never end are read as far as UPSTREAM_MAX_BYTES', async () => {
    const bed = await start({ env: { UPSTREAM_MAX_BYTES: '1000000' } });
    const zeros = gzipSync(Buffer.alloc(100_000));
    async function* bomb() {
      for (;;) yield zeros;
    }
    bed.simulator.intercept(() => ({ headers: { 'content-encoding': 'gzip', 'content-length': [] }, body: bomb() }));
    expect((await bed.query(NAME)).body).toEqual(failed('UPSTREAM_RESPONSE_TOO_LARGE'));
    expect(await bed.simulator.requests[0]?.outcome).toBe('aborted');
  });

  it('of an error are decoded too', async () => {
    const bed = await start();
    const body = gzipSync('{"error":"VALIDATION_EXCEPTION"}');
    bed.simulator.intercept(() => ({ status: 400, headers: { 'content-encoding': 'gzip' }, body }));
    expect((await bed.query(NAME)).body).toEqual(
      failed('BAD_USER_INPUT', { status: 400, label: 'VALIDATION_EXCEPTION', labelSource: 'body' }),
    );
  });

  describe('a content-length that is not true', () => {
    it('is refused by itself where it is over UPSTREAM_MAX_BYTES', async () => {
      const bed = await start({ env: { UPSTREAM_MAX_BYTES: '1000' } });
      // Nothing is read of it.
      async function* unending() {
        yield Buffer.from('{}');
        await new Promise(() => {});
      }
      bed.simulator.intercept(() => ({ headers: { 'content-length': '1001' }, body: unending() }));
      expect((await bed.query(NAME)).body).toEqual(failed('UPSTREAM_RESPONSE_TOO_LARGE'));
      expect(await bed.simulator.requests[0]?.outcome).toBe('aborted');
    });

    it('and too large is a broken connection', async () => {
      const bed = await start();
      bed.simulator.intercept(() => ({ cutAfterBytes: plain.length - 1 }));
      expect((await bed.query(NAME)).body).toEqual(failed('UPSTREAM_UNAVAILABLE', { retryable: true }));
    });

    it('and too small cuts the response, and never becomes the beginning of another', async () => {
      const bed = await start({ env: { UPSTREAM_CONNECTIONS: '1' } });
      bed.simulator.intercept(() => ({ headers: { 'content-length': '10' }, body: json }));
      expect((await bed.query(NAME)).body).toEqual(failed('UPSTREAM_INVALID_RESPONSE'));
      bed.simulator.intercept(undefined);
      expect((await bed.query(NAME)).body).toEqual(named);
    });
  });
});

async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += 50) yield bytes.subarray(start, start + 50);
}
