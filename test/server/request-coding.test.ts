import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { DATASET_ID, dataset, getSummary, type HttpOptions, start, TOKEN } from '../support/harness.ts';
import { expectRefusal, json, notJson, ONE_MB, post, refusal, typename, typenameData } from '../support/http.ts';

const tooLarge = refusal('The request body is larger than 1 MB.', 'PAYLOAD_TOO_LARGE');
const notThisCoding = refusal(
  'The request body must be application/json in UTF-8, uncompressed or in one of gzip, deflate, br, zstd.',
  'UNSUPPORTED_MEDIA_TYPE',
);

const CODINGS = 'gzip, deflate, br, zstd';
const encoders: Record<string, (body: string | Uint8Array) => Buffer> = {
  gzip: gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
  zstd: zstdCompressSync,
};
const codings = Object.entries(encoders).map(([coding, encode]) => ({ coding, encode }));

/** A request with a body in a coding. Without a length it is sent in chunks. */
const encoded = (coding: string, body: Uint8Array, chunked = false): HttpOptions =>
  post(body, { ...json, 'content-encoding': coding, ...(chunked && { 'transfer-encoding': 'chunked' }) });

/*
 * Clause 3.20 of docs/contract.md in detail: encoded bodies.
 * A body may be encoded, by one of the content codings gzip, deflate, br and zstd: routers can be told to. It has 1 MB
 * at most as received, and 1 MB decoded; more is a 413 with `PAYLOAD_TOO_LARGE`, without decoding the rest. A body that
 * is cut off, corrupt, followed by other bytes, or needs a window of more than 8 MB is a 400 with `BAD_REQUEST`.
 * Another coding, or more than one, is a 415 with `UNSUPPORTED_MEDIA_TYPE`, and the header `Accept-Encoding` lists
 * those that are accepted.
 */
describe('3.20 Encoded bodies of POST /graphql', () => {
  it.each(codings)('are decoded: $coding', async ({ coding, encode }) => {
    const bed = await start();
    const document = `query ($id: ID!) { dataset(id: $id) { name } } # 雪 😀`;
    const body = encode(JSON.stringify({ query: document, variables: { id: DATASET_ID } }));
    for (const chunked of [false, true]) {
      const { headers, ...request } = encoded(coding, body, chunked);
      const response = await bed.http('/graphql', {
        ...request,
        headers: { ...headers, authorization: `Bearer ${TOKEN}` },
      });
      expect(response.body).toEqual({ data: { dataset: { name: dataset.metadata.name } } });
    }
    expect(bed.calls()).toEqual([getSummary(), getSummary()]);
  });

  it('are decoded, however their coding is written', async () => {
    const { http } = await start();
    const members = Buffer.concat([gzipSync(typename.slice(0, 9)), gzipSync(typename.slice(9))]);
    for (const request of [
      encoded('GZIP', gzipSync(typename)),
      encoded('x-gzip', gzipSync(typename)),
      encoded('gzip', members),
      encoded('Identity', Buffer.from(typename)),
    ]) {
      expect((await http('/graphql', request)).body).toEqual(typenameData);
    }
  });

  it.each(codings)('may have 1 MB when decoded, and not a byte more: $coding', async ({ coding, encode }) => {
    const { http } = await start();
    for (const chunked of [false, true]) {
      const largest = encoded(coding, encode(typename.padEnd(ONE_MB)), chunked);
      expect((await http('/graphql', largest)).body).toEqual(typenameData);
      const larger = encoded(coding, encode(typename.padEnd(ONE_MB + 1)), chunked);
      expectRefusal(await http('/graphql', larger), 413, tooLarge);
    }
  });

  it.each(codings)('are no bombs: $coding', async ({ coding, encode }) => {
    const { http, calls } = await start();
    const bomb = encode(Buffer.alloc(20 * ONE_MB, 0x20));
    expect(bomb.length).toBeLessThan(ONE_MB);
    const answers = await Promise.all(Array.from({ length: 10 }, () => http('/graphql', encoded(coding, bomb))));
    for (const answer of answers) expectRefusal(answer, 413, tooLarge);
    expect(calls()).toEqual([]);
  });

  it('of Zstandard need no window of more than 8 MB', async () => {
    const { http } = await start();
    // A frame with one raw block, and a window of 2^exponent bytes (RFC 8878, section 3.1.1).
    const frame = (exponent: number) => {
      const header = [0x28, 0xb5, 0x2f, 0xfd, 0x00, (exponent - 10) << 3];
      const block = (typename.length << 3) | 1;
      return Buffer.concat([Buffer.from([...header, block & 0xff, block >> 8, 0]), Buffer.from(typename)]);
    };
    expect((await http('/graphql', encoded('zstd', frame(23)))).body).toEqual(typenameData);
    expectRefusal(await http('/graphql', encoded('zstd', frame(24))), 400, notJson);
  });

  it.each(codings)('are refused wherever they are cut off: $coding', async ({ coding, encode }) => {
    const { http, calls } = await start();
    const body = encode(typename);
    for (let length = 0; length < body.length; length += 1) {
      expectRefusal(await http('/graphql', encoded(coding, body.subarray(0, length))), 400, notJson);
    }
    expect(calls()).toEqual([]);
  });

  it('are refused if they are not what they say', async () => {
    const { http } = await start();
    for (const request of [
      encoded('gzip', Buffer.from(typename)),
      encoded('br', gzipSync(typename)),
      encoded('deflate', deflateRawSync(typename)),
      encoded('gzip', Buffer.from(gzipSync(typename).with(-8, 0))),
      encoded('deflate', Buffer.from(deflateSync(typename).with(-1, 0))),
      encoded('gzip', gzipSync('')),
      encoded('gzip', gzipSync(typename.slice(0, -1))),
      encoded('gzip', gzipSync(Buffer.from([0x22, 0xff, 0x22]))),
      encoded('gzip', gzipSync(gzipSync(typename))),
    ]) {
      expectRefusal(await http('/graphql', request), 400, notJson);
    }
  });

  it('are refused unread in an unknown coding, or in several', async () => {
    const { http } = await start();
    for (const coding of ['compress', 'gzip, gzip', 'gzip, identity', 'gzip;q=1', 'constructor']) {
      const response = await http('/graphql', encoded(coding, gzipSync(typename)));
      expectRefusal(response, 415, notThisCoding);
      expect(response.headers['accept-encoding']).toBe(CODINGS);
    }
  });
});
