import { describe, expect, it } from 'vitest';
import { download } from '../support/download-route.ts';
import { eventually } from '../support/eventually.ts';
import { DATASET_ID, gate, NAME, type TestBed } from '../support/harness.ts';
import { json, post, sendRaw, typename } from '../support/http.ts';
import { counts, readSample, samples, scrape, startMeasured } from '../support/metrics.ts';
import { open } from '../support/overload.ts';

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

  it.each<[reason: string, limit: string, method: string, route: string]>([
    ['max_operations', 'MAX_OPERATIONS', 'POST', '/graphql'],
    ['max_connections', 'MAX_CONNECTIONS', 'POST', '/graphql'],
    ['max_downloads', 'MAX_DOWNLOADS', 'GET', '/download/dataset/:id'],
  ])('%s, but for health checks', async (reason, limit, method, route) => {
    const bed = await startHeld({ [limit]: '1' });
    const ask = () => (route === '/graphql' ? bed.query(NAME) : download(bed));
    const first = ask();
    await eventually(() => expect(bed.calls()).toHaveLength(1));
    expect((await ask()).status).toBe(503);
    expect((await bed.http('/health/live')).status).toBe(200);
    expect((await scrape(bed)).status).toBe(200);
    bed.release();
    expect((await first).status).toBe(200);
    expect(await requestsOf(bed)).toEqual({
      ...complete(method, route, 200),
      ...complete(method, route, 503),
      ...complete('GET', '/health/live', 200),
      ...rejected(reason),
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

  it('invalid_http, and nothing else', async () => {
    const bed = await startMeasured({ env: { REQUEST_TIMEOUT_MS: '100' } });
    const texts = [
      'canary\r\n\r\n',
      `GET / HTTP/1.1\r\nhost: x\r\nx: ${'x'.repeat(40_000)}\r\n\r\n`,
      'GET /%E0%A4%A HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
      'GET /health/live HTTP/1.1\r\nhost: x\r\nexpect: tea\r\n\r\n',
      'GET /health/live HTTP/1.1\r\nhost: x\r\n',
    ];
    for (const [index, text] of texts.entries()) {
      expect(await sendRaw(bed, text)).toMatch(/^HTTP\/1.1 4/);
      expect([text, await counts(bed)]).toEqual([text, rejected('invalid_http', index + 1)]);
    }
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
  const strange = ['canary', 'x'.repeat(900), '__proto__', '"', '\\', '\n', '\u2028', '{le="1"}', '%00'];

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
});
