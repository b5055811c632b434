import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { type Answer, DATASET_ID, type HttpOptions, start, TOKEN } from '../support/harness.ts';
import {
  crossSite,
  expectRefusal,
  framed,
  json,
  notJson,
  ONE_MB,
  post,
  refusal,
  sendRaw,
  typename,
  typenameData,
  typenameUrl,
} from '../support/http.ts';
import { errorOf, open } from '../support/overload.ts';

const notThisType = refusal(
  'The request body must be application/json in UTF-8, uncompressed or in one of gzip, deflate, br, zstd.',
  'UNSUPPORTED_MEDIA_TYPE',
);
const tooLarge = refusal('The request body is larger than 1 MB.', 'PAYLOAD_TOO_LARGE');
const nothingThere = refusal('This path does not exist. The endpoint is /graphql.', 'NOT_FOUND');
const noObject = refusal('POST body missing, invalid Content-Type, or JSON object has no keys.');
const noBatches = refusal('Operation batching disabled.');
const otherMethod = refusal('Apollo Server supports only GET/POST requests.');
const notHttp = refusal('The request is not valid HTTP.');

function readRaw(text: string): Answer {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(lines.map((line) => [line.split(': ')[0]?.toLowerCase(), line.split(': ')[1]]));
  return { status: Number(statusLine.split(' ')[1]), headers, text: body, body: JSON.parse(body) };
}

/*
 * Clause 3.20 of docs/contract.md in detail.
 * HTTP. `POST /graphql` accepts JSON in UTF-8 of at most 1 MB (1,048,576 bytes). `GET /graphql` is for browsers, and
 * for queries that pass CSRF prevention. Every error body is JSON. `GET /health/live` and `GET /health/ready` respond
 * with 200 and JSON.
 */
describe('3.20 Bodies of POST /graphql', () => {
  it('are taken', async () => {
    const { http } = await start();
    for (const options of [
      post(typename),
      post(typename, { 'content-type': 'Application/JSON' }),
      post(typename, { 'content-type': 'application/json; charset=utf-8' }),
      post(typename, { 'content-type': 'application/json;charset="UTF-8"' }),
      post(typename, { ...json, 'content-encoding': 'identity' }),
      post(`\ufeff${typename}`),
      post('{"query":"{ __typename } # 雪 😀"}'),
      post(typename, { ...json, 'transfer-encoding': 'chunked' }),
    ]) {
      const { status, headers, body } = await http('/graphql', options);
      const expected = [options, 200, typenameData, 'application/json; charset=utf-8'];
      expect([options, status, body, headers['content-type']]).toEqual(expected);
    }
  });

  const refused: [string, HttpOptions, number, object][] = [
    ['text/plain', post(typename, { 'content-type': 'text/plain' }), 415, notThisType],
    ['multipart', post(typename, { 'content-type': 'multipart/form-data; boundary=x' }), 415, notThisType],
    ['application/graphql', post('{ __typename }', { 'content-type': 'application/graphql' }), 415, notThisType],
    ['no content type', post(typename, {}), 415, notThisType],
    [
      'utf-16',
      post(Buffer.from(typename, 'utf16le'), { 'content-type': 'application/json; charset=utf-16' }),
      415,
      notThisType,
    ],
    ['an empty charset', post(typename, { 'content-type': 'application/json; charset=' }), 415, notThisType],
    ['bytes that are no UTF-8', post(Buffer.from([0x22, 0xff, 0x22])), 400, notJson],
    ['nothing', post(''), 400, notJson],
    ['truncated JSON', post('{"query":"{ __typename }"'), 400, notJson],
    ['two values', post(`${typename}${typename}`), 400, notJson],
    ['a __proto__ key', post('{"query":"{ __typename }","__proto__":{"polluted":true}}'), 400, notJson],
    [
      'a __proto__ variable',
      post('{"query":"{ __typename }","variables":{"__proto__":{"polluted":true}}}'),
      400,
      notJson,
    ],
    ['null', post('null'), 400, noObject],
    ['an object without keys', post('{}'), 400, noObject],
    ['a batch', post(`[${typename},${typename}]`), 400, noBatches],
    ['a query that is no string', post('{"query":1}'), 400, refusal('GraphQL queries must be strings.')],
    ['a method other than GET and POST: PUT', { ...post(typename), method: 'PUT' }, 405, otherMethod],
    ['a method other than GET and POST: DELETE', { ...post(typename, framed), method: 'DELETE' }, 405, otherMethod],
  ];

  it('are refused with a JSON body, and without a REST call', async () => {
    const { http, calls } = await start();
    for (const [title, options, status, body] of refused) {
      const answer = await http('/graphql', options);
      expect([title, answer.body]).toEqual([title, body]);
      expectRefusal(answer, status, body);
    }
    expect({}).not.toHaveProperty('polluted');
    expect(calls()).toEqual([]);
  });

  it('may be as large as 1 MB, whether their length is announced or not', async () => {
    const { http } = await start();
    const body = typename.padEnd(ONE_MB);
    expect((await http('/graphql', post(body))).body).toEqual(typenameData);
    expect((await http('/graphql', post(body, { ...json, 'transfer-encoding': 'chunked' }))).body).toEqual(
      typenameData,
    );
  });

  it('may not be a byte larger', async () => {
    const bed = await start();
    const chunked = post(typename.padEnd(ONE_MB + 1), { ...json, 'transfer-encoding': 'chunked' });
    expectRefusal(await bed.http('/graphql', chunked), 413, tooLarge);
    // The head alone: the answer comes without waiting for the body.
    const head = `POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${ONE_MB + 1}\r\n\r\n`;
    expectRefusal(readRaw(await sendRaw(bed, head)), 413, tooLarge);
  });
});

describe('3.20 GET /graphql', () => {
  it.each<[string, Record<string, string>]>([
    ['a header that no page can send unasked', { 'apollo-require-preflight': 'true' }],
    ['an operation name header', { 'x-apollo-operation-name': 'A' }],
    ['the content type application/json', json],
  ])('answers a query that brings %s', async (_title, headers) => {
    const { http } = await start();
    const response = await http(typenameUrl, { headers });
    expect(response.body).toEqual(typenameData);
    expect(response.status).toBe(200);
  });

  it.each<[string, Record<string, string>]>([
    ['no header', {}],
    ['an empty one', { 'apollo-require-preflight': '' }],
    ['a content type that a form can send', { 'content-type': 'text/plain' }],
    ['a token alone', { authorization: `Bearer ${TOKEN}` }],
  ])('refuses a query that brings %s, which another site could have sent', async (_title, headers) => {
    const { http, calls } = await start();
    const query = encodeURIComponent(`{ dataset(id: "${DATASET_ID}") { name } }`);
    expectRefusal(await http(`/graphql?query=${query}`, { headers }), 400, crossSite);
    expect(calls()).toEqual([]);
  });

  it.each<Record<string, string>>([
    {},
    { EXPLORER: 'off' },
    { EXPLORER: 'graphiql' },
    { EXPLORER: 'sandbox', INTROSPECTION: 'off' },
  ])('shows no Sandbox with %o', async (env) => {
    const { http } = await start({ env });
    expectRefusal(await http('/graphql', { headers: { accept: 'text/html,*/*;q=0.8' } }), 400, crossSite);
  });
});

describe('3.20 Other paths', () => {
  it('have nothing', async () => {
    const { http } = await start();
    expectRefusal(await http('/nope'), 404, nothingThere);
    expectRefusal(await http('/graphql/'), 404, nothingThere);
    expectRefusal(await http('/', post(typename)), 404, nothingThere);
    expectRefusal(await http('/nope', post('x', { 'content-type': 'text/plain' })), 404, nothingThere);
    expectRefusal(await http('/health/ready', post('{}')), 404, nothingThere);
  });

  it('refuses a path that cannot be decoded, without repeating it', async () => {
    const { http } = await start();
    expectRefusal(await http('/%E0%A4%A'), 400, refusal('The path of the URL cannot be decoded.'));
  });

  it.each([
    ['live', 'live'],
    ['ready', 'ready'],
  ])('answers GET and HEAD /health/%s with 200, without a token and without a REST call', async (path, status) => {
    const { http, calls } = await start();
    const response = await http(`/health/${path}`);
    expect(response.body).toEqual({ status });
    expect(response.status).toBe(200);
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    const head = await http(`/health/${path}`, { method: 'HEAD' });
    expect([head.status, head.text]).toEqual([200, '']);
    expect(calls()).toEqual([]);
  });
});

describe('3.20 Requests that are no valid HTTP', () => {
  it.each<[string, string]>([
    ['no request line', 'hello\r\n\r\n'],
    ['an unknown method', 'BREW /graphql HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['a header without a name', 'GET /health/live HTTP/1.1\r\nhost: x\r\n: y\r\n\r\n'],
    ['a bare line feed in a header', 'GET /health/live HTTP/1.1\r\nhost: x\r\na: b\nc: d\r\n\r\n'],
    ['two lengths', 'POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n'],
    [
      'a length and chunks',
      'POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n',
    ],
    [
      'a chunk of no length',
      'POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nx\r\n',
    ],
  ])('get a JSON error and a closed connection: %s', async (_title, text) => {
    const response = readRaw(await sendRaw(await start(), text));
    expectRefusal(response, 400, notHttp);
    expect(response.headers.connection).toBe('close');
  });

  it('has room for headers of nearly 32 kB, and answers 431 to larger ones', async () => {
    const { http } = await start();
    const fitting = await http('/health/live', { headers: { 'x-long': 'a'.repeat(32_000) } });
    expect(fitting.status).toBe(200);
    const tooLong = await http('/health/live', { headers: { 'x-long': 'a'.repeat(32_768) } });
    expectRefusal(tooLong, 431, refusal('The request headers are larger than 32 kB.', 'REQUEST_HEADERS_TOO_LARGE'));
  });
});

describe('3.20 Requests that Node.js refuses by itself', () => {
  it.each<[string, string, { status: number; code: string }]>([
    ['without Host', 'GET /health/live HTTP/1.1\r\n\r\n', { status: 400, code: 'BAD_REQUEST' }],
    [
      'with an unknown Expect',
      'POST /graphql HTTP/1.1\r\nhost: x\r\nexpect: tea\r\ncontent-length: 0\r\n\r\n',
      { status: 417, code: 'EXPECTATION_FAILED' },
    ],
  ])('get a JSON error: %s', async (_title, text, expected) => {
    const { received } = await open(await start(), text);
    await eventually(() => expect(received()).toContain('"code"'));
    expect(errorOf(received())).toMatchObject(expected);
  });

  it('HTTP/1.0 needs no Host', async () => {
    const { received, closed } = await open(await start(), 'GET /health/live HTTP/1.0\r\n\r\n');
    await closed;
    expect(received()).toContain('{"status":"live"}');
  });
});
