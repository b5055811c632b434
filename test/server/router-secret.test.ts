import { connect } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import {
  DATASET_ID,
  dataset,
  getSummary,
  type HttpOptions,
  ofDataset,
  start,
  startService,
  TOKEN,
} from '../support/harness.ts';
import { endpointOf, startEntry } from '../support/process.ts';

const SECRET = 'canary-of-the-router';
const NAME = `{ dataset(id: "${DATASET_ID}") { name } }`;
const nameData = { data: { dataset: { name: dataset.metadata.name } } };
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
    expect({ status, body }).toEqual({ status: 200, body: nameData });
    expect(calls()).toEqual([getSummary()]);
    expect(JSON.stringify(simulator.requests)).not.toContain(SECRET);
    expect(JSON.stringify(simulator.requests)).not.toContain('router-authorization');
    expect(log.join()).not.toContain(SECRET);
  });

  it.each<[string, Record<string, string | string[]>]>([
    ['no header', {}],
    ['an empty one', { 'router-authorization': '' }],
    ['another one', { 'router-authorization': 'x'.repeat(SECRET.length) }],
    ['one that begins like it', { 'router-authorization': SECRET.slice(0, -1) }],
    ['one that goes on', { 'router-authorization': `${SECRET}x` }],
    ['one in another case', { 'router-authorization': SECRET.toUpperCase() }],
    ['one after a scheme', { 'router-authorization': `Bearer ${SECRET}` }],
    ['it twice', { 'router-authorization': [SECRET, SECRET] }],
    ['it in place of the token', { authorization: `Bearer ${SECRET}` }],
  ])('refuses a request with %s, without a call', async (_title, headers) => {
    const { query, calls, log } = await startGuarded();
    for (const document of [NAME, '{ _service { sdl } }', '{ __schema { types { name } } }', '{ __typename }', '{']) {
      const response = await query(document, { token: null, headers });
      expect(response).toMatchObject({ status: 403, body: refusal, headers: { 'content-type': JSON_TYPE } });
      expect(response.headers['x-request-id']).toBeDefined();
      expect(JSON.stringify(response)).not.toContain(SECRET);
    }
    expect(calls()).toEqual([]);
    expect(log.join()).not.toContain(SECRET);
  });

  it.each<[string, string, HttpOptions]>([
    ['a page of Sandbox', '/graphql', { headers: { accept: 'text/html' } }],
    ['a query by GET', '/graphql?query={__typename}', { headers: { 'apollo-require-preflight': '1' } }],
    ['a path that means the same', '/%67raphql', { method: 'POST', body: '{}' }],
    ['GraphiQL', '/graphiql', {}],
    ['the page of a dataset', '/datasets/a', {}],
    ['what GraphiQL begins with', '/graphiql/settings.json', {}],
    ['the scripts of GraphiQL', '/graphiql/assets/index.js', {}],
    ['another method', '/graphql', { method: 'DELETE' }],
    ['the way to the endpoint', '/', {}],
    ['an unknown path', '/nothing', {}],
    ['a path beside health', '/health/nothing', {}],
  ])('keeps %s from others', async (_title, path, options) => {
    const { http } = await startGuarded();
    expect(await http(path, options)).toMatchObject({ status: 403, body: refusal });
    const { headers } = options;
    const { status } = await http(path, { ...options, headers: { ...headers, 'router-authorization': SECRET } });
    expect(status).not.toBe(403);
  });

  it.each(['/health/live', '/health/ready'])('leaves %s open', async (path) => {
    const { http } = await startGuarded();
    expect((await http(path)).status).toBe(200);
  });

  it('refuses before the body has come', async () => {
    const { subgraph } = await startGuarded();
    const socket = connect(Number(new URL(subgraph.url).port), '127.0.0.1');
    socket.write('POST /graphql HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 9\r\n\r\n');
    expect(await readText(socket)).toMatch(/^HTTP\/1\.1 403 .*\r\n\r\n\{"errors":\[.*"FORBIDDEN".*\]\}$/s);
  });

  it('lets the pages of CORS_ORIGINS ask beforehand, and read that they are refused', async () => {
    const origin = 'https://a.example';
    const { http, query } = await startGuarded({ CORS_ORIGINS: origin });
    const asked = { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' };
    const allowed = { 'access-control-allow-origin': origin };
    expect(await http('/graphql', { method: 'OPTIONS', headers: asked })).toMatchObject({
      status: 204,
      headers: allowed,
    });
    expect(await query(NAME, { headers: { origin } })).toMatchObject({ status: 403, headers: allowed });
  });

  it('is asked of nobody where it is not set', async () => {
    const { query } = await start();
    expect((await query(NAME, { headers: { 'router-authorization': 'anything' } })).body).toEqual(nameData);
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

  it.each<[string, Record<string, string>]>([
    ['a secret', { HOST: '0.0.0.0', ROUTER_SECRET: SECRET }],
    ['the host 127.0.0.1', { HOST: '127.0.0.1' }],
    ['the host 127.8.9.10', { HOST: '127.8.9.10' }],
    ['the host ::1', { HOST: '::1' }],
    ['the host localhost', { HOST: 'localhost' }],
  ])('is not logged with %s', async (_title, env) => {
    const { log } = await start({ env });
    expect(log).toEqual([]);
  });

  it('is a line of the log that npm start writes', async () => {
    const { url } = await startService();
    const program = startEntry('main', { DATASET_SERVICE_URL: url, HOST: '0.0.0.0', PORT: '0' });
    await endpointOf(program);
    program.kill('SIGTERM');
    const { stdout } = await program.ended;
    expect(stdout.split('\n').filter((line) => line.includes(WARNING))).toHaveLength(1);
  });
});

describe('3.34 ROUTER_SECRET and downloads', () => {
  const guarded = { DOWNLOAD_TICKET_SECRET: 'a-secret-of-this-subgraph-of-32-c', ROUTER_SECRET: SECRET };
  const header = { 'router-authorization': SECRET };

  it.each(['GET', 'HEAD'])('leave a download by ticket open: %s', async (method) => {
    const bed = await start({ env: guarded });
    const { body } = await bed.query(ofDataset('download { ticketUrl }'), { headers: header });
    expect((await bed.http(body.data.dataset.download.ticketUrl, { method })).status).toBe(200);
    expect((await bed.http('/download/x', { method })).status).toBe(401);
  });

  it.each(['GET', 'HEAD'])('leave results by ticket open: %s', async (method) => {
    const bed = await start({ env: guarded });
    const selection = 'results { rowsFile(format: NDJSON) { ticketUrl } }';
    const { body } = await bed.query(ofDataset(selection), { headers: header });
    expect((await bed.http(body.data.dataset.results.rowsFile.ticketUrl, { method })).status).toBe(200);
    expect((await bed.http('/download/results/x', { method })).status).toBe(401);
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
