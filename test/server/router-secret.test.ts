import { describe, expect, it } from 'vitest';
import { DATASET_ID, getSummary, type HttpOptions, NAME, named, ofDataset, start, TOKEN } from '../support/harness.ts';
import { sendRaw } from '../support/http.ts';

const SECRET = 'canary-of-the-router';
const refusal = {
  errors: [{ message: 'This subgraph accepts requests only from its router.', extensions: { code: 'FORBIDDEN' } }],
};
const JSON_TYPE = 'application/json; charset=utf-8';

const startGuarded = (env: Record<string, string> = {}) =>
  start({ env: { LOG_LEVEL: 'trace', ROUTER_SECRET: SECRET, EXPLORER: 'graphiql', ...env } });

/*
 * Clause 3.25 of docs/contract.md in detail.
 * `ROUTER_SECRET`. If it is set, a request whose header `router-authorization` is not exactly the secret gets 403 with
 * `FORBIDDEN`, as JSON and before the body is read. This protects every path except the health checks,
 * `/download/{ticket}` and `/download/results/{ticket}`. The time of the comparison reveals nothing about the secret.
 * CORS preflights of `CORS_ORIGINS` are answered. The secret is not sent on and not logged. If it is not set and other
 * hosts can reach the subgraph, the start logs one warning.
 */
describe('3.25 ROUTER_SECRET', () => {
  it('lets a request with it pass, which the service is not told', async () => {
    const { query, calls, simulator, log } = await startGuarded();
    const { status, body } = await query(NAME, { headers: { 'router-authorization': SECRET } });
    expect({ status, body }).toEqual({ status: 200, body: named });
    expect(calls()).toEqual([getSummary()]);
    expect(JSON.stringify(simulator.requests)).not.toContain(SECRET);
    expect(JSON.stringify(simulator.requests)).not.toContain('router-authorization');
    expect(log.join()).not.toContain(SECRET);
  });

  it('lets a request with either of two pass, while it is rotated', async () => {
    const next = 'the-next-of-the-router';
    const { query } = await startGuarded({ ROUTER_SECRET: `${next},${SECRET}` });
    const statusWith = async (secret: string) =>
      (await query(NAME, { headers: { 'router-authorization': secret } })).status;
    expect(await Promise.all([SECRET, next, `${next},${SECRET}`, 'x'.repeat(20)].map(statusWith))).toEqual([
      200, 200, 403, 403,
    ]);
  });

  it('refuses a request without it, or with anything else, without a call', async () => {
    const { query, calls, log } = await startGuarded();
    const authorizations = ['', 'x'.repeat(SECRET.length), SECRET.slice(0, -1), `${SECRET}x`, SECRET.toUpperCase()];
    const all: Record<string, string | string[]>[] = [
      {},
      ...[...authorizations, `Bearer ${SECRET}`, [SECRET, SECRET]].map((text) => ({ 'router-authorization': text })),
      { authorization: `Bearer ${SECRET}` },
    ];
    for (const headers of all) {
      for (const document of [NAME, '{ _service { sdl } }', '{ __schema { types { name } } }', '{ __typename }', '{']) {
        const response = await query(document, { token: null, headers });
        expect(response).toMatchObject({ status: 403, body: refusal, headers: { 'content-type': JSON_TYPE } });
        expect(response.headers['x-request-id']).toBeDefined();
        expect(JSON.stringify(response)).not.toContain(SECRET);
      }
    }
    expect(calls()).toEqual([]);
    expect(log.join()).not.toContain(SECRET);
  });

  it('keeps every path from others but the health checks', async () => {
    const { http } = await startGuarded();
    const paths: [path: string, options?: HttpOptions][] = [
      ['/graphql', { headers: { accept: 'text/html' } }],
      ['/graphql?query={__typename}', { headers: { 'apollo-require-preflight': '1' } }],
      ['/%67raphql', { method: 'POST', body: '{}' }],
      ['/graphql', { method: 'DELETE' }],
      ...['/graphiql', '/datasets/a', '/graphiql/settings.json', '/graphiql/assets/index.js'].map(
        (path) => [path] as [string],
      ),
      ...['/', '/nothing', '/health/nothing'].map((path) => [path] as [string]),
    ];
    for (const [path, options = {}] of paths) {
      expect([path, await http(path, options)]).toMatchObject([path, { status: 403, body: refusal }]);
      const headers = { ...options.headers, 'router-authorization': SECRET };
      expect([path, (await http(path, { ...options, headers })).status]).not.toEqual([path, 403]);
    }
    for (const path of ['/health/live', '/health/ready']) expect((await http(path)).status).toBe(200);
  });

  it('refuses before the body has come', async () => {
    const head = 'POST /graphql HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 9\r\n\r\n';
    expect(await sendRaw(await startGuarded(), head)).toMatch(
      /^HTTP\/1\.1 403 .*\r\n\r\n\{"errors":\[.*"FORBIDDEN".*\]\}$/s,
    );
  });
});

describe('3.25 The warning at the start', () => {
  const WARNING =
    'The subgraph accepts requests from other hosts, and ROUTER_SECRET is not set. Any client that reaches it can send queries.';
  const warnings = (log: string[]) =>
    log.map((line) => JSON.parse(line)).filter(({ level }: { level: number }) => level === 40);

  it.each(['0.0.0.0', '::'])('is logged once, bound to %s', async (HOST) => {
    const { log, query } = await start({ env: { HOST } });
    await query(NAME);
    expect(warnings(log)).toEqual([expect.objectContaining({ msg: WARNING })]);
  });

  it('is not logged with a secret, nor bound to this host alone', async () => {
    const hosts = ['127.0.0.1', '127.8.9.10', '::1', 'localhost'].map((HOST) => ({ HOST }));
    for (const env of [{ HOST: '0.0.0.0', ROUTER_SECRET: SECRET }, ...hosts]) {
      const { log } = await start({ env });
      expect([env, log]).toEqual([env, []]);
    }
  });
});

describe('3.34 ROUTER_SECRET and downloads', () => {
  const guarded = { DOWNLOAD_TICKET_SECRET: 'a-secret-of-this-subgraph-of-32-c', ROUTER_SECRET: SECRET };
  const header = { 'router-authorization': SECRET };

  it.each(['GET', 'HEAD'])('leave downloads and results by ticket open: %s', async (method) => {
    const bed = await start({ env: guarded });
    const selection = 'download { ticketUrl } results { rowsFile(format: NDJSON) { ticketUrl } }';
    const { download, results } = (await bed.query(ofDataset(selection), { headers: header })).body.data.dataset;
    for (const url of [download.ticketUrl, results.rowsFile.ticketUrl]) {
      expect((await bed.http(url, { method })).status).toBe(200);
    }
    for (const path of ['/download/x', '/download/results/x']) {
      expect((await bed.http(path, { method })).status).toBe(401);
    }
  });

  it('keep a download by id, and what is beside these paths, from others', async () => {
    const bed = await start({ env: guarded });
    const headers = { authorization: `Bearer ${TOKEN}` };
    const results = `/download/results/${DATASET_ID}?format=ndjson`;
    for (const path of [`/download/dataset/${DATASET_ID}`, results, '/download', '/download/a/b']) {
      expect((await bed.http(path, { headers })).status).toBe(403);
    }
    expect((await bed.http('/download/x', { method: 'POST', headers })).status).toBe(403);
    expect(bed.calls()).toEqual([]);
    for (const path of [`/download/dataset/${DATASET_ID}`, results]) {
      expect((await bed.http(path, { headers: { ...headers, ...header } })).status).toBe(200);
    }
  });
});
