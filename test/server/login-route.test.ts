import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Fault } from '../../simulator/src/simulator.ts';
import { eventually } from '../support/eventually.ts';
import { gate, type HttpOptions, start, startService, TOKEN } from '../support/harness.ts';
import { json, notJson, post, refusal, sendRaw } from '../support/http.ts';

const EMAIL = 'anna@example.com';
const PASSWORD = 'correct horse battery';
const PATH = '/graphiql/login';

/** The headers that a browser sends for the pages of the server. */
const own = { ...json, 'sec-fetch-site': 'same-origin' };
const logIn = (headers: HttpOptions['headers'] = own, password = PASSWORD) =>
  post(JSON.stringify({ email: EMAIL, password }), headers);

/** A subgraph with the explorer's pages, and a login service of its own. */
async function startWithLogin(env: Record<string, string> = {}) {
  const auth = await startService({ accounts: [{ email: EMAIL, password: PASSWORD, token: TOKEN }] });
  const bed = await start({ env: { EXPLORER: 'graphiql', AUTH_SERVICE_URL: auth.url, LOG_LEVEL: 'trace', ...env } });
  return { ...bed, auth };
}

/** The headers of every response: nothing of it is kept, and its type is not guessed. */
const headers = {
  'content-type': 'application/json; charset=utf-8',
  'content-length': expect.any(String),
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-request-id': expect.any(String),
  date: expect.any(String),
  connection: 'close',
};
const foreign = refusal('A login is accepted only from the pages of this server.', 'FORBIDDEN');

/*
 * Clause 3.47 of docs/contract.md in detail.
 * With the explorer's pages (`EXPLORER=graphiql`) and `AUTH_SERVICE_URL`, `POST /graphiql/login` passes `email` and `password`
 * on to the login service. The response has the token and nothing else, or an error as JSON: 401 if the login service rejects
 * them, and otherwise the status of the code in docs/errors.md. Browsers say which page sends a request: by `Sec-Fetch-Site`, and
 * over plain HTTP by `Origin` alone, whose host must be `Host`. Requests without these headers, or of other sites, are a 403
 * before the body is read. A body has at most 4096 bytes, and at most 16 logins run at the same time. No response but that with the
 * token may have a secret, none is kept in a cache, and no log line has the e-mail address, the password or the token.
 */
describe('3.47 The login of the pages', () => {
  it('gives the token, and the login service nothing but the account', async () => {
    const { http, auth, calls } = await startWithLogin();
    const response = await http(
      PATH,
      logIn({ ...own, authorization: 'Bearer other', cookie: 'a=b', 'x-request-id': 'r' }),
    );
    expect(response).toMatchObject({ status: 200, text: JSON.stringify({ token: TOKEN }) });
    expect(response.headers).toEqual({ ...headers, 'x-request-id': 'r' });
    expect(auth.requests.map(({ method, target, body }) => [method, target, JSON.parse(body)])).toEqual([
      ['POST', '/v3/login', { email: EMAIL, password: PASSWORD }],
    ]);
    expect(Object.keys(auth.requests[0]?.headers ?? {}).toSorted()).toEqual([
      'accept',
      'connection',
      'content-length',
      'content-type',
      'host',
    ]);
    expect(calls()).toEqual([]);
    expect((await http('/graphiql/settings.json')).body).toMatchObject({ token: '', login: PATH });
  });

  it.each<[string, Record<string, string>]>([
    ['EXPLORER is off', { EXPLORER: 'off' }],
    ['only Sandbox is on', { EXPLORER: 'sandbox' }],
    ['INTROSPECTION is off', { INTROSPECTION: 'off' }],
    ['AUTH_SERVICE_URL is not set', { AUTH_SERVICE_URL: '' }],
  ])('is not there where %s', async (_title, env) => {
    const { http, auth } = await startWithLogin(env);
    const { status, body } = await http(PATH, logIn());
    expect([status, body]).toEqual([404, refusal('This path does not exist. The endpoint is /graphql.', 'NOT_FOUND')]);
    expect((await http('/graphiql/settings.json')).body).not.toHaveProperty('login');
    expect(auth.requests).toEqual([]);
  });
});

describe('3.47 A login of another site', () => {
  it('is refused', async () => {
    const { http, auth } = await startWithLogin({ CORS_ORIGINS: 'https://elsewhere.example' });
    for (const site of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { 'sec-fetch-site': 'cross-site', origin: 'http://here', host: 'here' },
      { origin: 'https://elsewhere.example' },
      { origin: 'http://here:1', host: 'here:2' },
      { origin: 'null' },
      {},
    ]) {
      const response = await http(PATH, logIn({ ...json, ...site }));
      expect([site, response.status, response.body]).toEqual([site, 403, foreign]);
      expect(response.headers).toMatchObject(headers);
    }
    expect(auth.requests).toEqual([]);
  });

  it('is refused before the body has come', async () => {
    const bed = await startWithLogin();
    const head = `POST ${PATH} HTTP/1.1\r\nhost: here\r\nconnection: close\r\ncontent-length: 9\r\n\r\n`;
    expect(await sendRaw(bed, head)).toMatch(/^HTTP\/1\.1 403 .*"FORBIDDEN"/s);
  });

  it.each([
    ['over plain HTTP', { origin: 'http://here:4000', host: 'here:4000' }],
    ['behind a proxy that ends TLS', { origin: 'https://here', host: 'here' }],
    [
      'behind a proxy that names another host',
      { origin: 'https://here', host: 'pod', 'sec-fetch-site': 'same-origin' },
    ],
  ])('is none %s', async (_title, site) => {
    const { http } = await startWithLogin();
    expect((await http(PATH, logIn({ ...json, ...site }))).status).toBe(200);
  });
});

describe('3.47 The size of a login', () => {
  it.each<[string, Record<string, string>, (text: string) => string | Uint8Array]>([
    ['as it is', {}, (text) => text],
    ['encoded with gzip', { 'content-encoding': 'gzip' }, (text) => gzipSync(text)],
    ['encoded with zstd', { 'content-encoding': 'zstd' }, (text) => zstdCompressSync(text)],
  ])('is that of its text: %s', async (_title, coding, encode) => {
    const { http, auth } = await startWithLogin();
    const ofLength = (bytes: number) =>
      http(
        PATH,
        post(encode(JSON.stringify({ email: EMAIL, password: PASSWORD }).padEnd(bytes)), { ...own, ...coding }),
      );
    expect(await ofLength(4096)).toMatchObject({ status: 200, body: { token: TOKEN } });
    expect(await ofLength(4097)).toMatchObject({
      status: 413,
      body: refusal('The request body is larger than 4 kB.', 'PAYLOAD_TOO_LARGE'),
    });
    expect(auth.requests).toHaveLength(1);
  });
});

describe('3.47 A login that gives no token', () => {
  const incomplete = refusal('A login needs the texts "email" and "password".');
  const tooLarge = refusal('The request body is larger than 4 kB.', 'PAYLOAD_TOO_LARGE');

  it('gets an error if the request has none, without a word of the password', async () => {
    const { http, auth, log } = await startWithLogin();
    const form = post('email=a&password=b', { ...own, 'content-type': 'text/plain' });
    const noBody = { method: 'POST', headers: { 'sec-fetch-site': 'same-origin' } };
    const rows: [request: HttpOptions, status: number, body: object][] = [
      [form, 415, expect.anything()],
      [post(`{"password":"${PASSWORD}"`, own), 400, notJson],
      [post('null', own), 400, incomplete],
      [noBody, 400, incomplete],
      [post(JSON.stringify({ password: PASSWORD }), own), 400, incomplete],
      [post(JSON.stringify({ email: EMAIL, password: [PASSWORD] }), own), 400, incomplete],
      [logIn(own, 'x'.repeat(4096)), 413, tooLarge],
    ];
    for (const [request, status, body] of rows) {
      const response = await http(PATH, request);
      expect([request.body, response.status, response.body]).toEqual([request.body, status, body]);
      expect(response.headers).toEqual(headers);
      expect(response.text).not.toContain(PASSWORD);
    }
    expect(log.join()).not.toContain(PASSWORD);
    expect(auth.requests).toEqual([]);
  });

  const noToken = refusal('The login service sent a response without a token.', 'UPSTREAM_INVALID_RESPONSE');
  const echo = JSON.stringify({ email: EMAIL, password: PASSWORD });
  it.each<[string, Fault, number, object]>([
    [
      'is rejected',
      { status: 401, body: echo },
      401,
      refusal('The login service rejected the e-mail address or password.', 'UNAUTHENTICATED'),
    ],
    [
      'has another status',
      { status: 500, body: echo },
      502,
      refusal('The login service rejected the login with status 500.', 'UPSTREAM_REJECTED'),
    ],
    ['has no token', { body: echo }, 502, noToken],
    ['is endless', { body: endless(echo) }, 502, noToken],
    ['never comes', { reset: true }, 503, refusal('The login service cannot be reached.', 'UPSTREAM_UNAVAILABLE')],
  ])('says so where the response %s, and no more', async (_title, fault, status, body) => {
    const { http, auth, log } = await startWithLogin();
    auth.intercept(() => fault);
    const response = await http(PATH, logIn());
    expect([response.status, response.body]).toEqual([status, body]);
    expect(response.headers).toEqual(headers);
    for (const secret of [EMAIL, PASSWORD, new URL(auth.url).host]) expect(log.join()).not.toContain(secret);
  });

  it('is one of more than sixteen at the same time, and may come again', async () => {
    const { http, auth } = await startWithLogin();
    const { opened, open } = gate();
    auth.intercept(async () => {
      await opened;
      return undefined;
    });
    const running = Array.from({ length: 16 }, () => http(PATH, logIn()));
    await eventually(() => expect(auth.requests).toHaveLength(16));
    const { status, headers, body } = await http(PATH, logIn());
    expect([status, headers['retry-after'], body]).toEqual([
      503,
      '1',
      refusal('The subgraph is at its limit of 16 concurrent logins.', 'OVERLOADED'),
    ]);
    open();
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual(Array(16).fill(200));
    // However many have failed, and how, there are as many places again.
    for (const fault of [{ status: 401 }, { status: 500 }, { reset: true }, { body: '{}' }, undefined]) {
      auth.intercept(() => fault);
      const responses = await Promise.all(Array.from({ length: 16 }, () => http(PATH, logIn())));
      expect(responses.map(({ status }) => status)).not.toContain(fault === undefined ? 502 : 200);
      expect(responses.map(({ body }) => body.errors?.[0].extensions.code)).not.toContain('OVERLOADED');
    }
  });
});

/** A body that does not end while it is read. */
async function* endless(text: string): AsyncGenerator<string> {
  for (;;) yield text;
}
