import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SimulatedDataset } from '../src/simulator/simulator.ts';
import {
  assetReference,
  assetResult,
  DATASET_ID,
  dataset,
  datasetReference,
  errorAt,
  getSummary,
  ofDataset,
  ofEntities,
  outline,
  postResults,
  start,
  startService,
  type TestBed,
  TOKEN,
} from './harness.ts';

const BOTH = ofDataset('name results { processingId }');
const bothAnswered = { data: { dataset: { name: 'Soil moisture', results: { processingId: 'p-1' } } } };

/** Takes any token for a good one. */
function trustEveryone({ simulator }: TestBed): void {
  simulator.intercept(({ operation }) => ({
    status: 200,
    body: JSON.stringify(operation === 'getDatasetMetadata' ? dataset.metadata : dataset.results),
  }));
}

describe("3.6 The caller's bearer token", () => {
  const visible = Array.from({ length: 94 }, (_, index) => String.fromCharCode(0x21 + index)).join('');
  const longest = 'x'.repeat(8000);

  it.each([
    { title: 'as it is', authorization: 'Bearer token-of-anna' },
    { title: 'with the scheme in small letters', authorization: 'bearer token-of-anna' },
    { title: 'with the scheme in capitals', authorization: 'BEARER token-of-anna' },
    { title: 'of one character', authorization: 'Bearer x' },
    { title: 'of every visible character', authorization: `Bearer ${visible}` },
    { title: 'of 8000 characters', authorization: `Bearer ${longest}` },
  ])('is forwarded byte for byte: $title', async ({ authorization }) => {
    const bed = await start();
    trustEveryone(bed);
    const { body } = await bed.query(BOTH, { headers: { authorization } });
    expect(body).toEqual(bothAnswered);
    expect(bed.simulator.requests.map(({ headers }) => headers.authorization)).toEqual([
      [authorization],
      [authorization],
    ]);
  });

  it("goes with no other header of the caller's", async () => {
    const bed = await start();
    const { body } = await bed.query(BOTH, {
      headers: {
        accept: 'application/graphql-response+json, application/json;q=0.9',
        'accept-encoding': 'zstd',
        'accept-language': 'de',
        'apollo-require-preflight': 'true',
        baggage: 'user=anna',
        cookie: 'session=secret',
        'content-language': 'de',
        forwarded: 'for=192.0.2.1',
        origin: 'https://studio.apollographql.com',
        'proxy-authorization': 'Basic eDp5',
        referer: 'https://example.com/secret',
        traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
        'user-agent': 'caller',
        'x-foo': 'bar',
        'x-forwarded-for': '192.0.2.1',
        'x-request-id': 'request-1',
      },
    });
    expect(body).toEqual(bothAnswered);
    const own = {
      accept: ['application/json'],
      'accept-encoding': ['gzip, deflate, br'],
      authorization: [`Bearer ${TOKEN}`],
      connection: ['keep-alive'],
      host: [new URL(bed.simulator.url).host],
    };
    const { requests } = bed.simulator;
    const headersOf = (sent: string) => requests.find(({ method }) => method === sent)?.headers;
    expect(headersOf('GET')).toEqual(own);
    expect(headersOf('POST')).toEqual({ ...own, 'content-type': ['application/json'], 'content-length': ['2'] });
  });

  it.each([301, 302, 303, 307, 308])('follows no redirect: %i', async (status) => {
    const bed = await start();
    const elsewhere = await startService();
    bed.simulator.intercept(({ target }) => ({ status, headers: { location: `${elsewhere.url}${target}` } }));
    const { body } = await bed.query(BOTH);
    const rest = { status };
    expect(body).toEqual({
      data: { dataset: { name: null, results: null } },
      errors: expect.arrayContaining([
        errorAt(['dataset', 'name'], 'UPSTREAM_INVALID_RESPONSE', { ...rest, operation: 'getDatasetMetadata' }),
        errorAt(['dataset', 'results'], 'UPSTREAM_INVALID_RESPONSE', { ...rest, operation: 'getDatasetResults' }),
      ]),
    });
    expect(bed.calls().toSorted()).toEqual([getSummary(), postResults({})]);
    expect(elsewhere.requests).toEqual([]);
  });

  const unusable = [
    { title: 'no header', authorization: [] },
    { title: 'an empty header', authorization: '' },
    { title: 'the scheme alone', authorization: 'Bearer' },
    { title: 'the scheme and a space', authorization: 'Bearer ' },
    { title: 'two spaces', authorization: `Bearer  ${TOKEN}` },
    { title: 'a tab', authorization: `Bearer\t${TOKEN}` },
    { title: 'no space', authorization: `Bearer${TOKEN}` },
    { title: 'the token alone', authorization: TOKEN },
    { title: 'another scheme', authorization: `Basic ${TOKEN}` },
    { title: 'a scheme that ends alike', authorization: `XBearer ${TOKEN}` },
    { title: 'a scheme that begins alike', authorization: `BearerX ${TOKEN}` },
    { title: 'a space in the token', authorization: `Bearer ${TOKEN} x` },
    { title: 'a tab in the token', authorization: `Bearer ${TOKEN}\tx` },
    { title: 'a letter beyond ASCII', authorization: `Bearer ${TOKEN}é` },
    { title: 'a control character beyond ASCII', authorization: `Bearer ${TOKEN}\u0080` },
    { title: '8001 characters', authorization: `Bearer ${longest}x` },
    { title: 'two headers', authorization: [`Bearer ${TOKEN}`, 'Bearer another'] },
    { title: 'two headers of the same value', authorization: [`Bearer ${TOKEN}`, `Bearer ${TOKEN}`] },
    { title: 'two headers, the first of them empty', authorization: ['', `Bearer ${TOKEN}`] },
  ];

  it.each(unusable)('is not usable with $title: then no call is made', async ({ authorization }) => {
    const bed = await start();
    trustEveryone(bed);
    const { body } = await bed.query(ofDataset('id results { processingId }'), {
      token: null,
      headers: { authorization },
    });
    expect(body).toEqual({
      data: { dataset: { id: DATASET_ID, results: null } },
      errors: [errorAt(['dataset', 'results'], 'UNAUTHENTICATED', { operation: 'getDatasetResults' })],
    });
    expect(bed.calls()).toEqual([]);
  });

  const control = Array.from({ length: 32 }, (_, code) => code).concat(0x7f);

  it('is not usable with a control character: then no call is made', async () => {
    const bed = await start();
    trustEveryone(bed);
    for (const code of control) {
      const answer = await sendRaw(bed, `Bearer ${TOKEN}${String.fromCharCode(code)}x`);
      // What is no HTTP at all does not get as far as GraphQL.
      expect(answer, `0x${code.toString(16)}`).toMatch(/^HTTP\/1.1 400 |"code":"UNAUTHENTICATED"/);
    }
    expect(bed.calls()).toEqual([]);
    expect(await sendRaw(bed, `Bearer ${TOKEN}x`)).toContain('{"data":{"dataset":{"name":"Soil moisture"}}}');
  });

  it('behaves, where it is missing, as if the service had answered 401', async () => {
    const bed = await start();
    const everything = ofEntities(`
      ... on Dataset { id name results { processingId } asset(assetId: "a") { name } }
      ... on Asset { assetId name series { version } }`);
    const withoutMetadata = ofDataset('id download { method } results { processingId } asset(assetId: "a") { name }');
    const variables = { references: [datasetReference(), assetReference('a')] };
    const without = [
      await bed.query(everything, { token: null, variables }),
      await bed.query(withoutMetadata, { token: null }),
    ];
    expect(bed.calls()).toEqual([]);
    bed.simulator.intercept(() => ({ status: 401 }));
    const refused = [await bed.query(everything, { variables }), await bed.query(withoutMetadata)];
    expect(bed.calls()).not.toEqual([]);
    expect(without.map(outline)).toEqual(refused.map(outline));
    expect(without.map(outline)).toEqual([
      { data: { _entities: [null, null] }, errors: ['_entities.0 UNAUTHENTICATED', '_entities.1 UNAUTHENTICATED'] },
      {
        data: { dataset: { id: DATASET_ID, download: { method: 'GET' }, results: null, asset: null } },
        errors: ['dataset.asset UNAUTHENTICATED', 'dataset.results UNAUTHENTICATED'],
      },
    ]);
  });

  it('is not needed for what needs no call', async () => {
    const bed = await start();
    const ask = async (document: string, variables = {}) =>
      (await bed.query(document, { token: null, variables })).body;
    expect(await ask('{ __typename }')).toEqual({ data: { __typename: 'Query' } });
    expect(await ask('{ __schema { queryType { name } } __type(name: "Asset") { name } }')).toEqual({
      data: { __schema: { queryType: { name: 'Query' } }, __type: { name: 'Asset' } },
    });
    expect(await ask('{ _service { sdl } }')).toEqual({
      data: { _service: { sdl: expect.stringContaining('type Dataset') } },
    });
    expect(await ask(ofDataset('__typename id download { url } asset(assetId: "a") { assetId }'))).toEqual({
      data: {
        dataset: {
          ...datasetReference(),
          download: { url: `${bed.simulator.url}/v1/collection/staticdataset/${DATASET_ID}/download` },
          asset: { assetId: 'a' },
        },
      },
    });
    const references = [datasetReference(), assetReference('a')];
    expect(
      await ask(ofEntities('__typename ... on Dataset { id } ... on Asset { datasetId assetId }'), { references }),
    ).toEqual({ data: { _entities: references } });
    for (const path of ['/health/live', '/health/ready']) expect((await bed.http(path)).status).toBe(200);
    expect(bed.calls()).toEqual([]);
  });
});

describe('3.7 Nothing is shared between callers', () => {
  it('a thousand operations of two callers, mixed: each sees its own data only', async () => {
    const bed = await start();
    // What the service knows of the one dataset depends on who asks.
    bed.simulator.intercept(({ operation, headers }) => {
      const caller = headers.authorization?.join();
      const body =
        operation === 'getDatasetMetadata'
          ? { name: caller }
          : { processing_id: caller, assets: [{ ...assetResult('a'), asset_name: caller }] };
      return { status: 200, body: JSON.stringify(body) };
    });
    const document = ofDataset(
      'name results { processingId } asset(assetId: "a") { name series(timeRange: { start: 0 }) { asset { name } } }',
    );
    const expectOwn = async (index: number) => {
      const token = ['anna', 'bert'][index % 2] ?? '';
      const name = `Bearer ${token}`;
      const { body } = await bed.query(document, { token });
      expect(body).toEqual({
        data: { dataset: { name, results: { processingId: name }, asset: { name, series: { asset: { name } } } } },
      });
    };
    let next = 0;
    const worker = async () => {
      while (next < 1000) await expectOwn(next++);
    };
    await Promise.all(Array.from({ length: 50 }, worker));
    const tokens = Object.groupBy(bed.simulator.requests, ({ headers }) => headers.authorization?.join() ?? '');
    expect(Object.keys(tokens).toSorted()).toEqual(['Bearer anna', 'Bearer bert']);
    expect(Object.values(tokens).map((requests) => requests?.length)).toEqual([1500, 1500]);
  });
});

describe('3.8 The path parameter is encoded', () => {
  const datasetOf = (id: string): SimulatedDataset => ({ ...dataset, metadata: { ...dataset.metadata, id } });
  const longest = 'x'.repeat(200);

  it.each([
    { id: '%2e%2e', segment: '%252e%252e' },
    { id: '%2f', segment: '%252f' },
    { id: '%', segment: '%25' },
    { id: '%00', segment: '%2500' },
    { id: '../../x', segment: '..%2F..%2Fx' },
    { id: '../', segment: '..%2F' },
    { id: './x', segment: '.%2Fx' },
    { id: '...', segment: '...' },
    { id: '..;', segment: '..%3B' },
    { id: '.. ', segment: '..%20' },
    { id: 'a/b', segment: 'a%2Fb' },
    { id: 'a\\b', segment: 'a%5Cb' },
    { id: 'a?b', segment: 'a%3Fb' },
    { id: 'a#b', segment: 'a%23b' },
    { id: 'a?authToken=x&y=z', segment: 'a%3FauthToken%3Dx%26y%3Dz' },
    { id: '/', segment: '%2F' },
    { id: '//evil.test/x', segment: '%2F%2Fevil.test%2Fx' },
    { id: 'https://evil.test/', segment: 'https%3A%2F%2Fevil.test%2F' },
    { id: 'user@evil.test:80', segment: 'user%40evil.test%3A80' },
    { id: ' ', segment: '%20' },
    { id: 'a+b', segment: 'a%2Bb' },
    { id: 'é😀\u2028', segment: '%C3%A9%F0%9F%98%80%E2%80%A8' },
    { id: "-_.!~*'()", segment: "-_.!~*'()" },
    { id: longest, segment: longest },
  ])('exactly once: $id', async ({ id, segment }) => {
    const bed = await start({ datasets: [datasetOf(id)] });
    const { body } = await bed.query(ofDataset('id name results { processingId } download { url }'), {
      variables: { id },
    });
    const url = `${bed.simulator.url}/v1/collection/staticdataset/${segment}/download`;
    expect(body).toEqual({ data: { dataset: { id, ...bothAnswered.data.dataset, download: { url } } } });
    expect(bed.calls().toSorted()).toEqual([getSummary(segment), postResults({}, segment)]);
    expect(new URL(url).href).toBe(url);
  });

  const control = Array.from({ length: 65 }, (_, index) => String.fromCharCode(index < 32 ? index : 0x5f + index));

  it.each([
    { title: 'an empty one', id: '' },
    { title: 'a dot', id: '.' },
    { title: 'two dots', id: '..' },
    { title: 'one of 201 characters', id: `${longest}x` },
    { title: 'the first half of a surrogate pair', id: 'a\ud83d' },
    { title: 'the second half of a surrogate pair', id: '\ude00a' },
    { title: 'surrogates in the wrong order', id: '\ude00\ud83d' },
    { title: 'a line break', id: 'a\r\nX-Injected: y' },
  ])('or refused, with or without a call to make: $title', async ({ id }) => {
    const bed = await start({ datasets: [datasetOf(id)] });
    const refused = { data: { dataset: null }, errors: [errorAt(['dataset'], 'BAD_USER_INPUT')] };
    for (const selection of [
      '__typename',
      'id',
      'download { url }',
      'name results { processingId } asset(assetId: "a") { name }',
    ]) {
      expect((await bed.query(ofDataset(selection), { variables: { id } })).body).toEqual(refused);
    }
    expect((await bed.query(ofDataset('name'), { variables: { id }, token: null })).body).toEqual(refused);

    for (const selection of ['__typename', '... on Dataset { id name } ... on Asset { assetId name }']) {
      for (const reference of [datasetReference(id), assetReference('a', id)]) {
        const { body } = await bed.query(ofEntities(selection), { variables: { references: [reference] } });
        expect(body).toEqual({
          data: { _entities: [null] },
          errors: [errorAt(['_entities', 0], 'BAD_USER_INPUT')],
        });
      }
    }
    expect(bed.calls()).toEqual([]);
  });

  it('or refused: every control character', async () => {
    const bed = await start();
    expect(new Set(control).size).toBe(65);
    const { body } = await bed.query('query ($ids: [ID!]!) { datasets(ids: $ids) { id name } }', {
      variables: { ids: control.map((character) => `a${character}b`) },
    });
    expect(body).toEqual({
      data: { datasets: control.map(() => null) },
      errors: control.map((_, index) => errorAt(['datasets', index], 'BAD_USER_INPUT')),
    });
    expect(bed.calls()).toEqual([]);
  });

  it('so that no text changes the path', async () => {
    const bed = await start();
    const prefix = '/v1/collection/dataset/summary/';
    const character = fc.oneof(
      fc.constantFrom(...'./\\%?#:@;&=+ 2eEfF\r\n\0'),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
      fc.integer({ min: 0xd800, max: 0xdfff }).map((unit) => String.fromCharCode(unit)),
    );
    const text = fc.oneof(
      fc.array(character, { maxLength: 8 }).map((characters) => characters.join('')),
      fc.integer({ min: 195, max: 205 }).map((length) => '%'.repeat(length)),
    );
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(text, { minLength: 1, maxLength: 20 }), async (ids) => {
        bed.simulator.clear();
        const { body } = await bed.query('query ($ids: [ID!]!) { datasets(ids: $ids) { name } }', {
          variables: { ids },
        });
        const refused = new Set(
          body.errors
            .filter((error: { extensions: { code: string } }) => error.extensions.code === 'BAD_USER_INPUT')
            .map((error: { path: [string, number] }) => ids[error.path[1]]),
        );
        for (const { method, target } of bed.simulator.requests) {
          expect(`${method} ${target.slice(0, prefix.length)}`).toBe(`GET ${prefix}`);
          expect(target.slice(prefix.length)).toMatch(/^[^/\\?#]+$/);
          expect(new URL(target, bed.simulator.url).pathname).toBe(target);
        }
        const asked = bed.simulator.requests.map(({ target }) => decodeURIComponent(target.slice(prefix.length)));
        expect(asked.toSorted()).toEqual(ids.filter((id) => !refused.has(id)).toSorted());
      }),
      { numRuns: 150 },
    );
  });
});

describe('3.9 Compressed answers', () => {
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
      bed.simulator.intercept(() => ({ headers: { 'content-length': '1001' }, body: '{}' }));
      expect((await bed.query(NAME)).body).toEqual(failed('UPSTREAM_RESPONSE_TOO_LARGE'));
      expect(await bed.simulator.requests[0]?.outcome).toBeDefined();
    });

    it('and too large is a broken connection', async () => {
      const bed = await start();
      bed.simulator.intercept(() => ({ cutAfterBytes: plain.length - 1 }));
      expect((await bed.query(NAME)).body).toEqual(failed('UPSTREAM_UNAVAILABLE', { retryable: true }));
    });

    it('and too small cuts the answer, and never becomes the beginning of another', async () => {
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

/** Sends a query with such a header, in bytes that a client library would not send. */
function sendRaw({ subgraph }: TestBed, authorization: string): Promise<string> {
  const { hostname, port, host, pathname } = new URL(subgraph.url);
  const body = JSON.stringify({ query: ofDataset('name') });
  const head = [
    `POST ${pathname} HTTP/1.1`,
    `host: ${host}`,
    'connection: close',
    'content-type: application/json',
    `content-length: ${body.length}`,
    `authorization: ${authorization}`,
  ];
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(port), hostname, () => socket.write(`${head.join('\r\n')}\r\n\r\n${body}`));
    socket.setEncoding('utf8');
    socket.on('data', (text) => {
      answer += text;
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(answer));
  });
}
