import { describe, expect, it } from 'vitest';
import {
  ask,
  decode,
  expectCoded,
  NAME,
  ROWS,
  ROWS_SELECTION,
  rowsOf,
  startCompressing,
} from '../support/compression.ts';
import { eventually } from '../support/eventually.ts';
import { assetReference, DATASET_ID, ofDataset, ofEntities, respondWith, start, TOKEN } from '../support/harness.ts';
import { readSample, startMeasured } from '../support/metrics.ts';

const introspection = '{ __schema { types { name description fields { name description } } } }';
const zstd = 'gzip, deflate, br, zstd';
const nameOf = (bytes: number) => ({
  metadata: { name: 'x'.repeat(bytes - '{"data":{"dataset":{"name":""}}}\n'.length) },
});

/*
 * Clause 3.42 of docs/contract.md in detail.
 * `COMPRESSION=on` compresses the responses of GraphQL operations for clients whose `Accept-Encoding` accepts `zstd` or
 * `gzip` (RFC 9110, section 12.5.3). The one with the higher quality value is used, and Zstandard if both have the
 * same; none if the client prefers `identity`. `*` is gzip. If a client accepts nothing that there is, not even
 * `identity`, it gets the response as it is. Without `Accept-Encoding` nothing is compressed.
 * - The decoded response is the same, byte for byte. A response of less than 1 kB (1024 bytes) is not compressed.
 * - A response with a ticket or with a URL that has the token is never compressed, nor is anything that is not a
 *   GraphQL response: the pages of explorers, errors of HTTP (as 415 and 503) and of the deadline (clause 29), files of
 *   static datasets, health checks. (Files of results are compressed whatever the setting: clause 43.) The response to
 *   a document that is rejected (400: it is invalid, or exceeds a limit) may be compressed. It has no secret: it says
 *   only what the document says.
 * - A response that may be compressed says `Vary: accept-encoding`, beside what else it varies by, also if it is small
 *   or its client accepts no coding.
 * - A large response is compressed while it is written and sent, no faster than the client reads it, with a bounded
 *   amount of memory. What 28 says about slow clients counts compressed bytes. A client that leaves ends the
 *   compression. A response that cannot be completed breaks the connection, before the end of the compressed data.
 * - Its bytes in metrics and in the log are those before compression.
 * - With `off`, the default, nothing of this happens, and no header is added.
 */
describe('3.42 The coding of a response', () => {
  it.each<[acceptEncoding: string | string[] | undefined, coding: string | undefined]>([
    [undefined, undefined],
    ['', undefined],
    ['gzip', 'gzip'],
    ['zstd', 'zstd'],
    ['x-gzip', 'gzip'],
    ['GZip', 'gzip'],
    // Browsers; Apollo Router; Hive Router; Apollo Gateway.
    ['gzip, deflate, br, zstd', 'zstd'],
    ['gzip, br, deflate', 'gzip'],
    ['zstd, gzip', 'zstd'],
    ['gzip,deflate', 'gzip'],
    ['br, deflate', undefined],
    [['gzip', 'zstd;q=0.5'], 'gzip'],
    ['gzip;q=1.0, zstd;q=0.9', 'gzip'],
    ['gzip;q=0.5, zstd;q=0.501', 'zstd'],
    ['gzip ; q=0.5 , zstd;\tQ=0.5', 'zstd'],
    ['zstd;q=0.001', 'zstd'],
    ['zstd;q=0, gzip;q=0.000', undefined],
    ['zstd;q=0, gzip', 'gzip'],
    ['*', 'gzip'],
    ['*;q=0', undefined],
    ['identity', undefined],
    ['identity, gzip;q=0.9', undefined],
    ['identity;q=0.5, gzip;q=0.9', 'gzip'],
    ['identity;q=0, gzip;q=0.1', 'gzip'],
    ['identity;q=0', undefined],
    ['identity;q=0, br', undefined],
    ['gzip;q=-1', undefined],
    ['gzip;q=', undefined],
    [`${'a,'.repeat(5000)}gzip`, 'gzip'],
  ])('is chosen by the client: %j gives %s', async (acceptEncoding, coding) => {
    const bed = await startCompressing();
    respondWith(bed.simulator, nameOf(2000));
    const plain = await ask(bed, NAME, undefined);
    const answer = await ask(bed, NAME, acceptEncoding);
    expect(answer.headers.vary).toBe('accept-encoding');
    if (coding === undefined)
      expect([answer.headers['content-encoding'], answer.bytes]).toEqual([undefined, plain.bytes]);
    else expectCoded(answer, coding, plain);
    expect(answer.headers['content-length']).toBe(String(answer.bytes.length));
  });

  it('is none below 1 kB, whoever asks for it', async () => {
    const bed = await startCompressing();
    for (const [bytes, coding] of [
      [1023, undefined],
      [1024, 'gzip'],
    ] as const) {
      respondWith(bed.simulator, nameOf(bytes));
      const answer = await ask(bed, NAME, 'gzip');
      expect([decode(answer).length, answer.headers['content-encoding']]).toEqual([bytes, coding]);
      expect(answer.headers.vary).toBe('accept-encoding');
    }
  });

  it('is chosen by the bytes of a response, not by its characters', async () => {
    const bed = await startCompressing();
    respondWith(bed.simulator, { metadata: { name: '\u{1f30d}'.repeat(250) } });
    const answer = await ask(bed, NAME, 'gzip');
    expect(answer.headers['content-encoding']).toBe('gzip');
    expect(JSON.parse(decode(answer)).data.dataset.name).toBe('\u{1f30d}'.repeat(250));
  });

  it.each<[string, Record<string, string>]>([
    ['without the setting', {}],
    ['with COMPRESSION=off', { COMPRESSION: 'off' }],
  ])('is none %s, and no header is added', async (_title, env) => {
    const bed = await start({ env });
    for (const count of [50, 10_000]) {
      respondWith(bed.simulator, { results: rowsOf(count) });
      const plain = await ask(bed, ROWS, undefined);
      const answer = await ask(bed, ROWS, zstd);
      expect(answer.bytes.equals(plain.bytes)).toBe(true);
      const names = ['content-type', 'x-request-id', 'cache-control', 'date', 'connection'];
      const framing = count === 50 ? 'content-length' : 'transfer-encoding';
      expect(Object.keys(answer.headers).toSorted()).toEqual([...names, framing].toSorted());
    }
  });
});

describe('3.42 A compressed response', () => {
  it.each([
    ['of one chunk', ROWS, { results: rowsOf(50) }, false],
    ['of one chunk, which is large', ROWS, { results: rowsOf(1500) }, true],
    ['of several chunks', ROWS, { results: rowsOf(12_000) }, true],
    ['of one text', NAME, nameOf(5000), false],
    ['of a text that is cut', NAME, nameOf(800_000), true],
  ])('is the same when it is decoded: %s', async (_title, document, bodies, isStreamed) => {
    const bed = await startCompressing();
    respondWith(bed.simulator, bodies);
    const plain = await ask(bed, document, undefined);
    for (const coding of ['zstd', 'gzip']) {
      // The second time it is executed another way.
      for (let times = 0; times < 2; times += 1) {
        const answer = await ask(bed, document, coding);
        expectCoded(answer, coding, plain);
        expect(answer.headers.vary).toBe('accept-encoding');
        expect(answer.headers['content-length']).toBe(isStreamed ? undefined : String(answer.bytes.length));
      }
    }
    expect(bed.log.filter((line) => line.includes('rror'))).toEqual([]);
  });

  it('never has bytes of another one, among many at the same time', async () => {
    const bed = await startCompressing();
    // Of one chunk, which is small or large, and of several chunks.
    const counts = [1500, 300, 1500, 8000];
    bed.simulator.intercept(({ datasetId }) => {
      const number = Number(datasetId);
      return { status: 200, body: rowsOf(counts[number % 4] ?? 0, number) };
    });
    const ofNumber = (number: number, coding: string) =>
      ask(bed, ROWS, coding, { variables: { id: String(number) } }).then(decode);
    const numbers = Array.from({ length: 64 }, (_, number) => number);
    const plain = await Promise.all(numbers.map((number) => ofNumber(number, 'identity')));
    expect(new Set(plain).size).toBe(64);
    for (const coding of ['zstd', 'gzip']) {
      const answers = await Promise.all(numbers.map((number) => ofNumber(number, coding)));
      expect(answers.map((text, number) => text === plain[number])).toEqual(numbers.map(() => true));
    }
  });

  it('of Zstandard is one frame', async () => {
    const bed = await startCompressing();
    for (const rows of [50, 1500, 12_000]) {
      respondWith(bed.simulator, { results: rowsOf(rows) });
      const { bytes } = await ask(bed, ROWS, 'zstd');
      // RFC 8878, section 3.1.1: the magic number of each frame.
      const frames = bytes.toString('latin1').split('\x28\xb5\x2f\xfd').length - 1;
      expect(frames).toBe(1);
    }
  });

  it('may have errors before the data, after the data, or instead of data', async () => {
    const bed = await startCompressing();
    respondWith(bed.simulator, { results: rowsOf(12_000, 'much') });
    const unknown = Array.from({ length: 20 }, (_, index) => `unknown${index}`);
    const documents = [
      ofDataset(`${ROWS_SELECTION} download { ticketUrl }`),
      ROWS,
      `{ dataset(id: "${DATASET_ID}") { ${unknown.join(' ')} } }`,
    ];
    for (const [index, document] of documents.entries()) {
      const plain = await ask(bed, document, undefined);
      expect(JSON.parse(plain.bytes.toString()).errors.length).toBeGreaterThan(0);
      expect(plain.status).toBe(index === 2 ? 400 : 200);
      const answer = await ask(bed, document, 'gzip');
      expectCoded(answer, 'gzip', plain);
    }
  });

  it.each([
    ['introspection', introspection],
    ['entities', ofEntities('... on Asset { name series { rows { valueDate metrics { name value } } } }')],
  ])('may be of any operation: %s', async (_title, document) => {
    const bed = await startCompressing();
    const variables = { references: Array(20).fill(assetReference('a')) };
    const plain = await ask(bed, document, 'identity', { variables });
    expectCoded(await ask(bed, document, 'zstd', { variables }), 'zstd', plain);
  });

  it('may be of a GET', async () => {
    const bed = await startCompressing();
    respondWith(bed.simulator, nameOf(5000));
    const url = `/graphql?query=${encodeURIComponent(NAME)}`;
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
    const plain = await bed.http(url, { headers });
    const { headers: coded } = await bed.http(url, { headers: { ...headers, 'accept-encoding': 'gzip' } });
    expect([plain.headers['content-encoding'], coded['content-encoding']]).toEqual([undefined, 'gzip']);
  });

  it('varies by what else it varies by', async () => {
    const bed = await startCompressing({
      env: { ROUTER_CACHE_RESULTS_SECONDS: '30', CORS_ORIGINS: 'https://example.com' },
    });
    for (const rows of [50, 5000]) {
      respondWith(bed.simulator, { results: rowsOf(rows) });
      const { headers } = await ask(bed, ROWS, zstd, { headers: { origin: 'https://example.com' } });
      expect(headers).toMatchObject({
        'content-encoding': 'zstd',
        'cache-control': 'private, max-age=30',
        vary: 'Origin, accept-encoding, Accept, Authorization',
      });
    }
  });

  it('counts with its bytes before compression in metrics and in the log', async () => {
    const bed = await startMeasured({ env: { COMPRESSION: 'on', LOG_OPERATIONS: 'on' } });
    const sizes: number[] = [];
    for (const rows of [50, 1500, 12_000]) {
      respondWith(bed.simulator, { results: rowsOf(rows) });
      sizes.push(decode(await ask(bed, ROWS, 'zstd')).length);
    }
    await eventually(() => {
      const lines = bed.log.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'operation');
      expect(lines.map(({ bytes }) => bytes)).toEqual(sizes);
    });
    expect(await readSample(bed, 'graphql_streamed_response_bytes_total')).toBe(
      sizes.reduce((sum, bytes) => sum + bytes),
    );
  });
});
