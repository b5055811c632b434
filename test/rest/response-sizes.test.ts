import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Fault } from '../../simulator/src/simulator.ts';
import { errorAt } from '../support/expected-errors.ts';
import { dataset, NAME, named, start } from '../support/harness.ts';

const tooLarge = (limit: string) => ({
  data: { dataset: { name: null } },
  errors: [
    {
      ...errorAt(['dataset', 'name'], 'UPSTREAM_RESPONSE_TOO_LARGE', { operation: 'getDatasetMetadata', status: 200 }),
      message: `The response of the dataset service is too large (${limit}).`,
    },
  ],
});

async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += 50) yield bytes.subarray(start, start + 50);
}

/** A body with its length, and in chunks. */
const bothWays = (body: Buffer, headers: Record<string, string | string[]> = {}): (() => Fault)[] => [
  () => ({ headers, body }),
  () => ({ headers: { ...headers, 'content-length': [] }, body: chunksOf(body) }),
];

/*
 * Clause 3.9 of docs/contract.md in detail.
 * Compressed responses are decoded; the subgraph accepts gzip, deflate (with or without the header of zlib) and br. `UPSTREAM_MAX_BYTES` counts decoded
 * bytes. An encoded body may have 1/256 and 1 kB (1024 bytes) more, because an encoding can add bytes. Another content
 * coding, or more than one, is `UPSTREAM_INVALID_RESPONSE`.
 */
describe('3.9 Compressed responses', () => {
  const plain = Buffer.from(JSON.stringify(dataset.metadata));
  const members = Buffer.concat([gzipSync(plain.subarray(0, 9)), gzipSync(plain.subarray(9))]);

  const encodings: [title: string, encoding: string | string[], body: Buffer][] = [
    ['gzip', 'gzip', gzipSync(plain)],
    ['x-gzip, its other name', 'x-gzip', gzipSync(plain)],
    ['gzip in capitals', 'GZIP', gzipSync(plain)],
    ['gzip that makes it larger', 'gzip', gzipSync(plain, { level: 0 })],
    ['gzip in two members', 'gzip', members],
    ['deflate', 'deflate', deflateSync(plain)],
    ['deflate without the header of zlib', 'deflate', deflateRawSync(plain)],
    ['br', 'br', brotliCompressSync(plain)],
    ['identity', 'identity', plain],
    ['the names of no coding', 'utf-8, None,aws-chunked', plain],
    ['a name of no coding, and gzip', 'aws-chunked, gzip', gzipSync(plain)],
    ['none', [], plain],
  ];

  it.each([
    [plain.length, named],
    [plain.length - 1, tooLarge(`UPSTREAM_MAX_BYTES is ${plain.length - 1}`)],
  ])('are decoded, up to UPSTREAM_MAX_BYTES of decoded bytes: %i', async (most, expected) => {
    const bed = await start({ env: { UPSTREAM_MAX_BYTES: String(most) } });
    for (const [title, encoding, body] of encodings)
      for (const respond of bothWays(body, { 'content-encoding': encoding })) {
        bed.simulator.intercept(respond);
        expect([title, (await bed.query(NAME)).body]).toEqual([title, expected]);
      }
  });

  it('may have 1/256 and 1 kB more than that encoded, and not a byte more', async () => {
    const most = 2000;
    /** A gzip that is so many bytes long: the name of a file in its head is of no other use. */
    const padded = (size: number) => {
      const encoded = gzipSync(plain);
      const name = Buffer.alloc(size - encoded.length, 'x');
      name[name.length - 1] = 0;
      const flags = Buffer.from(encoded.subarray(0, 10));
      flags[3] = 8;
      return Buffer.concat([flags, name, encoded.subarray(10)]);
    };
    const bed = await start({ env: { UPSTREAM_MAX_BYTES: `${most}` } });
    for (const [size, expected] of [
      [most + Math.floor(most / 256) + 1024, named],
      [most + Math.floor(most / 256) + 1025, tooLarge(`UPSTREAM_MAX_BYTES is ${most}`)],
    ] as const) {
      for (const respond of bothWays(padded(size), { 'content-encoding': 'gzip' })) {
        bed.simulator.intercept(respond);
        expect((await bed.query(NAME)).body).toEqual(expected);
      }
    }
  });
});

describe('4, 3.17 The size of metadata', () => {
  it('has a limit of its own, because metadata are decoded at once', async () => {
    const most = 4 * 2 ** 20;
    const body = (size: number) => `{"name":"${'x'.repeat(size - 11)}"}`;
    const bed = await start();
    bed.simulator.intercept(() => ({ body: body(most) }));
    expect((await bed.query(NAME)).body.data.dataset.name).toHaveLength(most - 11);
    bed.simulator.intercept(() => ({ body: body(most + 1) }));
    expect((await bed.query(NAME)).body).toEqual(tooLarge(`the limit for metadata is ${most}`));
  });
});
