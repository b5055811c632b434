import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { errorAt } from '../support/expected-errors.ts';
import {
  assetReference,
  assetResult,
  DATASET_ID,
  dataset,
  datasetReference,
  getSummary,
  ofDataset,
  ofEntities,
  outline,
  postResults,
  start,
  startService,
  type TestBed,
  TOKEN,
} from '../support/harness.ts';

const BOTH = ofDataset('name results { processingId }');
const bothAnswered = { data: { dataset: { name: 'Soil moisture', results: { processingId: 'p-1' } } } };

/** Takes any token for a good one. */
function trustEveryone({ simulator }: TestBed): void {
  simulator.intercept(({ operation }) => ({
    status: 200,
    body: JSON.stringify(operation === 'getDatasetMetadata' ? dataset.metadata : dataset.results),
  }));
}

/*
 * Clause 3.6 of docs/contract.md in detail.
 * The token is the client's own. It is forwarded byte for byte as the `Authorization` header, to `DATASET_SERVICE_URL`
 * only and with no other header of the client. Redirects are not followed. A usable token comes in exactly one
 * `Authorization` header: `Bearer` in any case, one space, and 1 to 8000 visible ASCII characters. Without one, no call
 * is made, and whatever needs REST behaves as if the service had responded with 401. Everything else works.
 */
describe("3.6 The client's bearer token", () => {
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

  it("goes with no other header of the client's", async () => {
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

describe('3.7 Nothing is shared between clients', () => {
  it('three hundred operations of two clients, fifty at a time: each sees its own data only', async () => {
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
      'name results { processingId } asset(assetId: "a") { name series(filter: { timeRange: { start: 0 } }) { asset { name } } }',
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
      while (next < 300) await expectOwn(next++);
    };
    await Promise.all(Array.from({ length: 50 }, worker));
    const tokens = Object.groupBy(bed.simulator.requests, ({ headers }) => headers.authorization?.join() ?? '');
    expect(Object.keys(tokens).toSorted()).toEqual(['Bearer anna', 'Bearer bert']);
    expect(Object.values(tokens).map((requests) => requests?.length)).toEqual([450, 450]);
  });
});

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
