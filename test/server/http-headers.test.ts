import { describe, expect, it } from 'vitest';
import { type Answer, DATASET_ID, type HttpOptions, start } from '../support/harness.ts';
import { crossSite, expectRefusal, framed, json, ONE_MB, post, typename, typenameData } from '../support/http.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe('1 CORS_ORIGINS', () => {
  const LISTED = 'https://listed.example';
  const ALSO_LISTED = 'http://localhost:3000';
  const env = { CORS_ORIGINS: `${LISTED}, ${ALSO_LISTED}` };
  const preflight = (origin: string): HttpOptions => ({
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,x-request-id',
    },
  });
  const query = (origin: string) => post(typename, { ...json, origin });
  const corsOf = ({ headers }: Answer) =>
    Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control-')));

  it('lets no origin in by default', async () => {
    const { http } = await start();
    const refused = await http('/graphql', preflight(LISTED));
    expectRefusal(refused, 400, crossSite);
    expect(corsOf(refused)).toEqual({});
    expect(corsOf(await http('/graphql', query(LISTED)))).toEqual({});
  });

  it.each([LISTED, ALSO_LISTED])('lets %s in when it is listed', async (origin) => {
    const { http } = await start({ env });
    const allowed = await http('/graphql', preflight(origin));
    expect([allowed.status, allowed.text]).toEqual([204, '']);
    expect(corsOf(allowed)).toEqual({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'GET, POST',
      'access-control-allow-headers': 'authorization,content-type,x-request-id',
      'access-control-expose-headers': 'x-request-id',
      'access-control-max-age': '600',
    });
    const response = await http('/graphql', query(origin));
    expect(response.body).toEqual(typenameData);
    expect(corsOf(response)).toEqual({
      'access-control-allow-origin': origin,
      'access-control-expose-headers': 'x-request-id',
    });
    expect(response.headers.vary).toMatch(/\bOrigin\b/i);
  });

  it.each(['https://other.example', 'http://listed.example', 'https://listed.example.evil.example', 'null'])(
    'does not let %s in beside those that are listed',
    async (origin) => {
      const { http } = await start({ env });
      expect((await http('/graphql', preflight(origin))).headers).not.toHaveProperty('access-control-allow-origin');
      expect((await http('/graphql', query(origin))).headers).not.toHaveProperty('access-control-allow-origin');
    },
  );
});

/*
 * Clause 3.21 of docs/contract.md in detail.
 * `x-request-id` is adopted if it is 1 to 128 characters of `A-Za-z0-9._-`, and generated otherwise. It is in the
 * headers of every response, in `extensions.rest.requestId` and in the log, and is not sent to the REST service.
 */
describe('3.21 x-request-id', () => {
  const named = (value: string | string[], options: HttpOptions = post(typename)): HttpOptions => ({
    ...options,
    headers: { ...options.headers, 'x-request-id': value },
  });

  it('is adopted', async () => {
    const { http } = await start();
    for (const id of ['a', '0', '.', '_-.', 'Az09._-', 'x'.repeat(128)]) {
      expect((await http('/graphql', named(id))).headers['x-request-id']).toBe(id);
    }
  });

  it('is generated in place of what cannot be one', async () => {
    const { http } = await start();
    const made = new Set<unknown>();
    for (const id of ['x'.repeat(129), '', 'a b', 'a:b', 'a/b', 'caf\u00e9', ['a', 'b']]) {
      const generated = (await http('/graphql', named(id))).headers['x-request-id'];
      expect([id, generated]).toEqual([id, expect.stringMatching(UUID)]);
      made.add(generated);
    }
    expect(made.size).toBe(7);
  });

  it.each<[string, number, string, HttpOptions]>([
    ['data', 200, '/graphql', post(typename)],
    ['a path that cannot be decoded', 400, '/%E0%A4%A', {}],
    ['an unknown path', 404, '/nope', {}],
    ['another method', 405, '/graphql', { ...post(typename, framed), method: 'DELETE' }],
    [
      'a body that is too large',
      413,
      '/graphql',
      post(' '.repeat(ONE_MB + 1), { ...json, 'transfer-encoding': 'chunked' }),
    ],
    ['health', 200, '/health/ready', {}],
    ['Sandbox', 200, '/graphql', { headers: { accept: 'text/html' } }],
    [
      'a preflight',
      204,
      '/graphql',
      { method: 'OPTIONS', headers: { origin: 'https://a.example', 'access-control-request-method': 'POST' } },
    ],
  ])('is echoed with %s (%i)', async (_title, status, path, options) => {
    const { http } = await start({ env: { CORS_ORIGINS: 'https://a.example', EXPLORER: 'sandbox' } });
    const response = await http(path, named('my-id', options));
    expect(response.status).toBe(status);
    expect(response.headers['x-request-id']).toBe('my-id');
  });

  it.each<[string, Record<string, string>, unknown]>([
    ['taken over', { 'x-request-id': 'my-id' }, 'my-id'],
    ['made', {}, expect.stringMatching(UUID)],
  ])('is in the errors and in the log when it is %s, and is not sent to REST', async (_title, headers, id) => {
    const { query, simulator, log } = await start();
    simulator.intercept(() => ({ status: 500 }));
    const response = await query(`{ dataset(id: "${DATASET_ID}") { name results { sourceId } } }`, { headers });
    const echoed = response.headers['x-request-id'];
    expect(echoed).toEqual(id);
    const rests = response.body.errors.map((error: { extensions: { rest: object } }) => error.extensions.rest);
    expect(rests).toEqual([
      expect.objectContaining({ requestId: echoed }),
      expect.objectContaining({ requestId: echoed }),
    ]);
    expect(log.map((line) => JSON.parse(line).requestId)).toEqual([echoed, echoed]);
    expect(simulator.requests).toHaveLength(2);
    for (const request of simulator.requests) expect(JSON.stringify(request)).not.toContain(echoed);
  });
});
