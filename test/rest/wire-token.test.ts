import { describe, expect, it } from 'vitest';
import { errorAt } from '../support/expected-errors.ts';
import {
  assetReference,
  assetResult,
  DATASET_ID,
  dataset,
  datasetReference,
  getSummary,
  listen,
  ofDataset,
  ofEntities,
  outline,
  postResults,
  start,
  startService,
  type TestBed,
  TOKEN,
} from '../support/harness.ts';

const okay = (body: string) => `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
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
 * `Authorization` header: `Bearer` in any case, spaces, which become one, and 1 to 12,000 visible ASCII characters. Without one, no call
 * is made, and whatever needs REST behaves as if the service had responded with 401. Everything else works.
 */
describe("3.6 The client's bearer token", () => {
  const visible = Array.from({ length: 94 }, (_, index) => String.fromCharCode(0x21 + index)).join('');
  const longest = 'x'.repeat(12_000);

  it.each<[title: string, given: string, sent?: string]>([
    ['as it is', 'Bearer token-of-anna'],
    ['with the scheme in small letters', 'bearer token-of-anna'],
    ['with the scheme in capitals', 'BEARER token-of-anna'],
    ['of one character', 'Bearer x'],
    ['of every visible character', `Bearer ${visible}`],
    ['of 12,000 characters', `Bearer ${longest}`],
    ['with one space of several', `bearer${' '.repeat(9)}token`, 'bearer token'],
  ])('is forwarded byte for byte: %s', async (_title, authorization, sent = authorization) => {
    const bed = await start();
    trustEveryone(bed);
    expect((await bed.query(BOTH, { headers: { authorization } })).body).toEqual(bothAnswered);
    expect(bed.simulator.requests.map(({ headers }) => headers.authorization)).toEqual([[sent], [sent]]);
  });

  it('of more characters is refused without a call: the message has the limit', async () => {
    const bed = await start();
    const headers = { authorization: `Bearer ${longest}x` };
    const { body } = await bed.query(BOTH, { headers });
    const message =
      'The dataset service needs a valid bearer token in the Authorization header (the most characters of a token is 12000).';
    expect(body.errors).toMatchObject([{ path: ['dataset'], message, extensions: { code: 'UNAUTHENTICATED' } }]);
    const files = [`/download/dataset/${DATASET_ID}`, `/download/results/${DATASET_ID}?format=csv`];
    for (const path of files) {
      expect(await bed.http(path, { headers })).toMatchObject({ status: 401, body: { errors: [{ message }] } });
    }
    expect(bed.calls()).toEqual([]);
  });

  it("goes with no other header of the client's", async () => {
    const bed = await start();
    const { body } = await bed.query(BOTH, {
      headers: {
        accept: 'application/graphql-response+json, application/json;q=0.9',
        'accept-encoding': 'zstd',
        'accept-language': 'de',
        baggage: 'user=anna',
        cookie: 'session=secret',
        origin: 'https://studio.apollographql.com',
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

  it('goes to nobody else: redirects are not followed', async () => {
    const bed = await start();
    const elsewhere = await startService();
    for (const status of [301, 302, 303, 307, 308]) {
      bed.simulator.clear();
      bed.simulator.intercept(({ target }) => {
        const location = `${elsewhere.url}${target}`;
        return { status, headers: { location, refresh: `0; url=${location}` } };
      });
      expect(outline(await bed.query(BOTH))).toEqual({
        data: { dataset: { name: null, results: null } },
        errors: ['dataset.name UPSTREAM_INVALID_RESPONSE', 'dataset.results UPSTREAM_INVALID_RESPONSE'],
      });
      expect(bed.calls().toSorted()).toEqual([getSummary(), postResults({})]);
    }
    expect(elsewhere.requests).toEqual([]);
  });

  const unusable = [
    { title: 'no header', authorization: [] },
    { title: 'an empty header', authorization: '' },
    { title: 'the scheme alone', authorization: 'Bearer' },
    { title: 'the scheme and a space', authorization: 'Bearer ' },
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
    { title: 'two headers', authorization: [`Bearer ${TOKEN}`, 'Bearer another'] },
    { title: 'two headers of the same value', authorization: [`Bearer ${TOKEN}`, `Bearer ${TOKEN}`] },
    { title: 'two headers, the first of them empty', authorization: ['', `Bearer ${TOKEN}`] },
  ];

  it('is not usable otherwise: then no call is made', async () => {
    const bed = await start();
    trustEveryone(bed);
    for (const { title, authorization } of unusable) {
      const request = { token: null, headers: { authorization } };
      const { body } = await bed.query(ofDataset('id results { processingId }'), request);
      const expected = {
        data: { dataset: { id: DATASET_ID, results: null } },
        errors: [errorAt(['dataset', 'results'], 'UNAUTHENTICATED', { operation: 'getDatasetResults' })],
      };
      expect([title, body]).toEqual([title, expected]);
    }
    expect(bed.calls()).toEqual([]);
  });

  it('is not needed for what needs no call', async () => {
    const bed = await start();
    const ask = async (document: string, variables = {}) =>
      (await bed.query(document, { token: null, variables })).body;
    expect(await ask('{ __schema { queryType { name } } __type(name: "Asset") { name } }')).toEqual({
      data: { __schema: { queryType: { name: 'Query' } }, __type: { name: 'Asset' } },
    });
    const references = [datasetReference(), assetReference('a')];
    expect(
      await ask(ofEntities('__typename ... on Dataset { id } ... on Asset { datasetId assetId }'), { references }),
    ).toEqual({ data: { _entities: references } });
    expect(bed.calls()).toEqual([]);
  });
});

describe('3.7 Nothing is shared between clients', () => {
  it('a hundred operations of two clients at the same time: each sees its own data only', async () => {
    const bed = await start({ env: { UPSTREAM_CONNECTIONS: '4' } });
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
    await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        const token = ['anna', 'bert'][index % 2] ?? '';
        const name = `Bearer ${token}`;
        const asset = { name, series: { asset: { name } } };
        const { body } = await bed.query(document, { token });
        expect(body).toEqual({ data: { dataset: { name, results: { processingId: name }, asset } } });
      }),
    );
    expect(bed.calls()).toHaveLength(300);
  });
});

describe('3.7 Connections that are kept', () => {
  it('have no response of nobody: bytes that were not asked for close their connection', async () => {
    const tokens: string[] = [];
    let connections = 0;
    const serviceUrl = await listen((socket) => {
      connections += 1;
      socket.on('data', (bytes) => {
        const [, token = ''] = /authorization: Bearer (\S+)/i.exec(bytes.toString()) ?? [];
        tokens.push(token);
        // The answer that was asked for, and at once another one, for whoever comes next.
        socket.write(`${okay(`{"name":"of ${token}"}`)}${okay(`{"name":"of ${token}, again"}`)}`);
      });
    });
    const { query } = await start({ serviceUrl, env: { UPSTREAM_CONNECTIONS: '1' } });
    const names: unknown[] = [];
    for (let index = 0; index < 20; index += 1) {
      names.push((await query(ofDataset('name'), { token: `token-${index}` })).body.data.dataset.name);
    }
    expect(names).toEqual(tokens.map((token) => `of ${token}`));
    expect(tokens).toEqual(Array.from({ length: 20 }, (_, index) => `token-${index}`));
    expect(connections).toBe(20);
  });
});
