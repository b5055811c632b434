import { describe, expect, it } from 'vitest';
import { bearer, begin, download, PATH } from '../support/download-route.ts';
import { eventually } from '../support/eventually.ts';
import { DATASET_ID, gate, ofDataset, type TestBed } from '../support/harness.ts';
import { json, post, sendRaw, typename } from '../support/http.ts';
import { counts, readSample, samples, scrape, startMeasured } from '../support/metrics.ts';
import { open } from '../support/overload.ts';

const NAME = ofDataset('name');
const SECRET = 'canary-of-the-router';

const complete = (method: string, route: string, status: number, count = 1) => ({
  [`http_server_request_duration_seconds_count{http_request_method="${method}",http_route="${route}",http_response_status_code="${status}"}`]:
    count,
});
const rejected = (reason: string, count = 1) => ({
  [`http_server_requests_rejected_total{reason="${reason}"}`]: count,
});
const aborted = (route: string, count = 1) => ({
  [`http_server_requests_aborted_total{http_route="${route}"}`]: count,
});

/** The counters of requests that are not 0. */
async function requestsOf(bed: TestBed): Promise<Record<string, number>> {
  const all = Object.entries(await counts(bed));
  return Object.fromEntries(all.filter(([name]) => name.startsWith('http_server_')));
}

describe('3.37 Metrics of requests', () => {
  it('have the route and the method, and no path', async () => {
    const bed = await startMeasured({ env: { EXPLORER: 'graphiql', DOWNLOAD_TICKET_SECRET: 'x'.repeat(32) } });
    const expected: [path: string, method: string, labels: Record<string, number>][] = [
      ['/health/live', 'GET', complete('GET', '/health/live', 200)],
      ['/health/ready', 'HEAD', complete('HEAD', '/health/ready', 200)],
      ['/graphql', 'OPTIONS', complete('OPTIONS', '/graphql', 400)],
      ['/graphql', 'PROPFIND', complete('_OTHER', 'none', 404)],
      ['/graphql', 'DELETE', complete('_OTHER', '/graphql', 400)],
      ['/download/eyJ', 'GET', complete('GET', '/download/:ticket', 401)],
      ['/download/dataset/nowhere', 'GET', complete('GET', '/download/dataset/:id', 401)],
      ['/', 'GET', complete('GET', 'explorer', 302)],
      ['/graphiql/settings.json', 'GET', complete('GET', 'explorer', 200)],
      ['/graphql/', 'GET', complete('GET', 'none', 404)],
      ['/any/path?of=a#client', 'GET', complete('GET', 'none', 404)],
    ];
    for (const [path, method] of expected) await bed.http(path, { method });
    const sum: Record<string, number> = {};
    for (const [, , labels] of expected) {
      for (const [name, count] of Object.entries(labels)) sum[name] = (sum[name] ?? 0) + count;
    }
    expect(await requestsOf(bed)).toEqual(sum);
  });

  it('have requests whose connection broke, by route', async () => {
    const bed = await startMeasured();
    bed.simulator.intercept(() => ({ hang: true }));
    const leaving = new AbortController();
    const left = begin(bed, leaving.signal).catch((error) => error.code);
    await eventually(() => expect(bed.calls()).toHaveLength(1));
    expect(await readSample(bed, 'http_server_active_requests')).toBe(1);
    leaving.abort();
    expect(await left).toBe('ABORT_ERR');
    expect(await requestsOf(bed)).toEqual(aborted('/download/dataset/:id'));
  });

  it('have a file that does not come to its end as aborted', async () => {
    const bed = await startMeasured();
    bed.simulator.intercept(() => ({ cutAfterBytes: 5 }));
    expect((await download(bed)).complete).toBe(false);
    expect(await requestsOf(bed)).toEqual(aborted('/download/dataset/:id'));
  });

  it('have open connections and their limit', async () => {
    const bed = await startMeasured({ env: { MAX_CONNECTIONS: '7' } });
    await Promise.all([open(bed), open(bed)]);
    await eventually(async () => expect(await readSample(bed, 'http_server_open_connections')).toBe(2));
    expect(await readSample(bed, 'http_server_connections_limit')).toBe(7);
    expect(await readSample(bed, 'graphql_operations_limit')).toBe(500);
  });
});

describe('3.37 Metrics of rejected requests, on both sides of each limit', () => {
  /** A subgraph whose REST calls wait until they are let go. */
  async function startHeld(env: Record<string, string>) {
    const bed = await startMeasured({ env });
    const held = gate();
    bed.simulator.intercept(() => held.opened.then(() => undefined));
    return { ...bed, release: held.open };
  }

  it('max_operations', async () => {
    const bed = await startHeld({ MAX_OPERATIONS: '1' });
    const first = bed.query(NAME);
    await eventually(() => expect(bed.calls()).toHaveLength(1));
    expect((await bed.query(NAME)).status).toBe(503);
    bed.release();
    await first;
    const all = {
      ...complete('POST', '/graphql', 200),
      ...complete('POST', '/graphql', 503),
      ...rejected('max_operations'),
    };
    expect(await requestsOf(bed)).toEqual(all);
    expect(await counts(bed)).toMatchObject({ 'graphql_operation_duration_seconds_count{outcome="success"}': 1 });
  });

  it('max_connections, but for health checks', async () => {
    const bed = await startHeld({ MAX_CONNECTIONS: '1' });
    const first = bed.query(NAME);
    await eventually(() => expect(bed.calls()).toHaveLength(1));
    expect((await bed.query(NAME)).status).toBe(503);
    expect((await bed.http('/health/live')).status).toBe(200);
    expect((await scrape(bed)).status).toBe(200);
    bed.release();
    await first;
    expect(await requestsOf(bed)).toEqual({
      ...complete('POST', '/graphql', 200),
      ...complete('POST', '/graphql', 503),
      ...complete('GET', '/health/live', 200),
      ...rejected('max_connections'),
    });
  });

  it('max_downloads', async () => {
    const bed = await startHeld({ MAX_DOWNLOADS: '1' });
    const first = download(bed);
    await eventually(async () => expect(await readSample(bed, 'downloads_in_flight')).toBe(1));
    expect((await download(bed)).status).toBe(503);
    bed.release();
    expect((await first).status).toBe(200);
    expect(await requestsOf(bed)).toEqual({
      ...complete('GET', '/download/dataset/:id', 200),
      ...complete('GET', '/download/dataset/:id', 503),
      ...rejected('max_downloads'),
    });
  });

  it('router_secret; the metrics need none', async () => {
    const bed = await startMeasured({ env: { ROUTER_SECRET: SECRET } });
    expect((await bed.query(NAME)).status).toBe(403);
    expect((await bed.query(NAME, { headers: { 'router-authorization': SECRET } })).status).toBe(200);
    expect((await bed.http('/nowhere')).status).toBe(403);
    expect(await requestsOf(bed)).toEqual({
      ...complete('POST', '/graphql', 403),
      ...complete('POST', '/graphql', 200),
      ...complete('GET', 'none', 403),
      ...rejected('router_secret', 2),
    });
  });

  it.each([
    ['what is not HTTP', 'canary\r\n\r\n'],
    ['headers that are too large', `GET / HTTP/1.1\r\nhost: x\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`],
    ['a path that cannot be decoded', 'GET /%E0%A4%A HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'],
    ['an unknown expectation', 'GET /health/live HTTP/1.1\r\nhost: x\r\nexpect: tea\r\n\r\n'],
    ['headers that do not come to their end', 'GET /health/live HTTP/1.1\r\nhost: x\r\n'],
  ])('invalid_http, and nothing else: %s', async (_what, text) => {
    const bed = await startMeasured({ env: { REQUEST_TIMEOUT_MS: '100' } });
    expect(await sendRaw(bed, text)).toMatch(/^HTTP\/1.1 4/);
    expect(await counts(bed)).toEqual(rejected('invalid_http'));
  });

  it('invalid_http, and as aborted, where the body does not come to its end', async () => {
    const bed = await startMeasured({ env: { REQUEST_TIMEOUT_MS: '100' } });
    const text = 'POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{';
    expect(await sendRaw(bed, text)).toMatch(/^HTTP\/1.1 408/);
    expect(await counts(bed)).toEqual({ ...rejected('invalid_http'), ...aborted('/graphql') });
  });
});

describe('3.37 Metrics know nothing of clients', () => {
  const canary = 'canary';
  const strange = [
    'canary',
    'x'.repeat(900),
    '',
    '__proto__',
    'constructor',
    '"',
    '\\',
    '\n',
    '\u2028',
    '{le="1"}',
    '%00',
  ];

  it('whatever they send: the names and labels stay the same', async () => {
    const bed = await startMeasured({
      env: { ROUTER_SECRET: SECRET, DOWNLOAD_TICKET_SECRET: 'canary'.repeat(6), DOWNLOAD_TOKEN_IN_URL: 'allow' },
    });
    const headers = { 'router-authorization': SECRET };
    const everything = async (word: string) => {
      const text = JSON.stringify(word);
      const encoded = encodeURIComponent(word);
      const safe = /^[\w-]+$/.test(word) ? word : 'canary';
      const all = {
        ...headers,
        'x-request-id': safe,
        authorization: `Bearer ${safe}`,
        'user-agent': safe,
        [`x-${safe}`]: safe,
      };
      const selection = 'name results(filter: { assetIds: ["canary"] }) { sourceId } download { ticketUrl }';
      await bed.query(`query ${/^\w+$/.test(word) ? word : 'canary'} { dataset(id: ${text}) { ${selection} } }`, {
        headers: all,
      });
      await bed.query(`{ dataset(id: "canary") { ${selection} } }`, { headers: all, operationName: word });
      await bed.query(`{ ${word} }`, { headers: all });
      await bed.http(`/${encoded}?${encoded}=${encoded}`, { headers: all });
      await bed.http(`/download/${encoded}`, { headers: all });
      await bed.http(`/download/dataset/${encoded}`, { headers: all });
      await bed.http('/graphql', {
        ...post(JSON.stringify({ query: word, extensions: { [word]: word } })),
        headers: { ...all, ...json },
      });
      await bed.http('/graphql', { ...post(typename), headers: { ...json, accept: safe, ...headers } });
      for (const method of ['PURGE', 'PATCH', 'TRACE', 'M-SEARCH'])
        await bed.http('/graphql', { method, headers: all });
      await sendRaw(bed, `CANARY /${encoded} HTTP/1.1\r\nhost: ${safe}\r\n\r\n`);
      bed.simulator.intercept(() => ({ status: 404, body: word, headers: { 'x-canary': 'canary' } }));
      await bed.query(NAME, { headers: all });
      bed.simulator.intercept(undefined);
    };
    // An empty one has paths of its own.
    for (const word of ['plain', '']) await everything(word);
    await counts(bed);
    const names = new Set((await samples(bed)).keys());
    for (const word of strange) await everything(word);
    await counts(bed);
    const { text } = await scrape(bed);
    const added = [...(await samples(bed)).keys()].filter((name) => !names.has(name));
    // Garbage is collected at any time.
    expect(added.filter((name) => !name.startsWith('nodejs_gc_'))).toEqual([]);
    for (const secret of [canary, 'CANARY', DATASET_ID, 'token-of-anna', bed.simulator.url, 'x'.repeat(20)]) {
      expect(text.includes(secret)).toBe(false);
    }
  });

  it('have only values of labels that the specification of this project lists', async () => {
    const bed = await startMeasured({ env: { EXPLORER: 'graphiql' } });
    for (const path of ['/graphql', '/nowhere', '/', PATH]) await bed.http(path, { headers: bearer });
    await bed.query(ofDataset('name results { sourceId }'));
    await counts(bed);
    const values: Record<string, Set<string>> = {};
    for (const name of (await samples(bed)).keys()) {
      for (const [, label = '', value = ''] of name.matchAll(/([a-z_]+)="([^"]*)"/g)) {
        values[label] ??= new Set();
        values[label].add(value);
      }
    }
    const { le: _le, version: _version, node_version: _node, kind: _kind, code, ...others } = values;
    expect(Object.fromEntries(Object.entries(others).map(([label, found]) => [label, [...found].sort()]))).toEqual({
      http_request_method: ['GET', 'POST'],
      http_route: ['/download/dataset/:id', '/graphql', 'explorer', 'none'],
      http_response_status_code: ['200', '302', '400', '404'],
      reason: expect.arrayContaining(['circuitOpen', 'max_operations']),
      outcome: ['cancelled', 'client_error', 'service_error', 'shutting_down', 'success', 'timeout'],
      operation: ['downloadStaticDataset', 'getDatasetMetadata', 'getDatasetResults'],
      status_class: ['2xx'],
      failure: ['none'],
      cause: ['dns', 'other', 'refused', 'reset', 'timeout', 'tls'],
      pool: ['calls', 'downloads'],
      state: ['active', 'free', 'idle', 'pending', 'running'],
      use: ['files', 'read_ahead', 'responses'],
    });
    for (const each of code ?? []) expect(each).toMatch(/^[A-Z_]+$/);
  });
});
