import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Fault } from '../../simulator/src/simulator.ts';
import { errorAt } from '../support/expected-errors.ts';
import { dataset, ofDataset, start } from '../support/harness.ts';

const NAME = ofDataset('name');
const named = { data: { dataset: { name: 'Soil moisture' } } };

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

  it.each<[title: string, encoding: string | string[], body: Buffer]>([
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
  ])('are decoded, up to UPSTREAM_MAX_BYTES of decoded bytes: %s', async (_title, encoding, body) => {
    for (const [most, expected] of [
      [plain.length, named],
      [plain.length - 1, tooLarge(`UPSTREAM_MAX_BYTES is ${plain.length - 1}`)],
    ] as const) {
      const bed = await start({ env: { UPSTREAM_MAX_BYTES: String(most) } });
      for (const respond of bothWays(body, { 'content-encoding': encoding })) {
        bed.simulator.intercept(respond);
        expect((await bed.query(NAME)).body).toEqual(expected);
      }
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

  it('changes none of their values, nor what is invalid', async () => {
    const bed = await start();
    const fields = ofDataset('name description assetCount startDate stopDate');
    const bodies = [
      ...['{}', '{"x":1}', '[]', '{"name":"a",}', '{"name":"a"} 1', '{"name":"a","name":"b","name":null}'],
      '{"n\\u0061me":"\\u00e9\\ud83d\\ude00é\\n","x":[1,[{"name":"inner"}]],"description":{"name":1},"asset_count":-0}',
      '{"start_date":9007199254740993,"stop_date":9223372036854775808,"asset_count":1e3}',
      '\ufeff{"name":5,"start_date":"1","stop_date":1.0,"asset_count":2147483648}',
    ];
    for (const body of [...bodies.map((text) => Buffer.from(text)), Buffer.from('{"name":"\xe9"}', 'latin1')]) {
      // It is read in slices.
      const long = Buffer.concat([body, Buffer.alloc(600_000, ' ')]);
      const responses: unknown[] = [];
      for (const sent of [body, long]) {
        bed.simulator.intercept(() => ({ status: 200, body: sent }));
        responses.push((await bed.query(fields, { headers: { 'x-request-id': 'r' } })).body);
      }
      expect([body.toString(), responses[1]]).toEqual([body.toString(), responses[0]]);
    }
  });
});
