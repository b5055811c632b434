import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { GraphQLNonNull, GraphQLObjectType, GraphQLSchema, GraphQLString } from 'graphql';
import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { dataset, ofDataset, type Setup, start, type TestBed, TOKEN } from '../support/harness.ts';
import { json, post } from '../support/http.ts';

const NAME = ofDataset('name');
const ROWS = ofDataset('results { series { nodes { rows { valueDate metrics { name value } } } } }');
const headers = { 'x-request-id': 'my-id' };

function startLogging({ env, ...setup }: Setup = {}): Promise<TestBed> {
  return start({ ...setup, env: { LOG_OPERATIONS: 'on', ...env } });
}

/** The lines of operations, once there are so many. */
async function operationsOf({ log }: TestBed, count = 1) {
  return eventually(() => {
    const lines = log.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'operation');
    expect(lines).toHaveLength(count);
    return lines;
  });
}

/** A line, whole. */
const line = (fields: object) => ({
  level: 30,
  time: expect.any(Number),
  pid: process.pid,
  hostname: expect.any(String),
  requestId: 'my-id',
  milliseconds: expect.any(Number),
  outcome: 'success',
  errors: {},
  restCalls: 0,
  restBytes: 0,
  oddRows: 0,
  msg: 'operation',
  ...fields,
});

const sizeOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/*
 * Clause 3.22 of docs/contract.md in detail: operations.
 * With `LOG_OPERATIONS=on` it also has one line for each GraphQL operation, when its response is over: the request id,
 * the outcome as in clause 37, milliseconds, the number of errors by code, the REST calls that were sent and the bytes
 * of their bodies, the bytes of the response, and how many rows of results could not be copied as they are. If the client
 * leaves before the end, the bytes are those of a large response that were sent, or absent. The line never has the
 * document, its name or its variables. A request that is rejected before it is executed has none, nor has a page for a
 * browser.
 */
describe('3.22 The log of operations', () => {
  it('has one line for each, with its REST calls and bytes, behind those of its calls', async () => {
    const bed = await startLogging();
    for (const count of [1, 2]) {
      const { text } = await bed.query(ofDataset('name results { series { nodes { rowCount } } }'), { headers });
      const [last] = (await operationsOf(bed, count)).slice(-1);
      expect(last).toEqual(
        line({
          restCalls: 2,
          restBytes: sizeOf(dataset.metadata) + sizeOf(dataset.results),
          bytes: Buffer.byteLength(text),
        }),
      );
      expect(JSON.parse(bed.log.at(-1) ?? '').msg).toBe('operation');
    }
    expect(bed.log).toHaveLength(6);
  });

  it('says how many rows are odd', async () => {
    const bed = await startLogging();
    bed.simulator.intercept(() => ({ body: '{"assets":[{"asset_id":"a","results":[{"value_date":5},{}]}]}' }));
    await bed.query(ROWS);
    expect(await operationsOf(bed)).toMatchObject([{ oddRows: 1 }]);
  });

  it.each<[what: string, send: (bed: TestBed) => Promise<{ text: string }>, fields: object]>([
    [
      'an error of the client',
      (bed) => bed.query('{ a: dataset(id: "") { name } b: dataset(id: "") { name } }', { headers }),
      { outcome: 'client_error', errors: { BAD_USER_INPUT: 2 } },
    ],
    [
      'a document that is not valid',
      (bed) => bed.query('{ nothing }', { headers }),
      { outcome: 'client_error', errors: { GRAPHQL_VALIDATION_FAILED: 1 } },
    ],
    [
      'a document that exceeds a limit',
      (bed) => bed.query(`{ ${'a: __typename '.repeat(10_001)} }`, { headers }),
      { outcome: 'client_error', errors: { REQUEST_LIMIT_EXCEEDED: 1 } },
    ],
    [
      'a request without a document',
      (bed) => bed.http('/graphql', post('{}', { ...json, ...headers })),
      { outcome: 'client_error', errors: { BAD_REQUEST: 1 } },
    ],
    [
      'a failure of the service',
      (bed) => {
        bed.simulator.intercept(() => ({ status: 500, body: 'no' }));
        return bed.query(NAME, { headers });
      },
      { outcome: 'service_error', errors: { UPSTREAM_ERROR: 1 }, restCalls: 1, restBytes: 2 },
    ],
  ])('has the codes of errors: %s', async (_what, send, fields) => {
    const bed = await startLogging();
    const { text } = await send(bed);
    expect(await operationsOf(bed)).toEqual([line({ ...fields, bytes: Buffer.byteLength(text) })]);
  });

  it('has no line for what is no operation', async () => {
    const bed = await startLogging({ env: { EXPLORER: 'sandbox', MAX_OPERATIONS: '1' } });
    expect((await bed.http('/graphql', { headers: { accept: 'text/html' } })).status).toBe(200);
    expect((await bed.http('/graphql', post('{'))).status).toBe(400);
    for (const path of ['/health/live', '/nowhere', '/download/dataset/a']) await bed.http(path);
    bed.simulator.intercept(() => ({ hang: true }));
    const leaving = new AbortController();
    const left = bed.query(NAME, { signal: leaving.signal }).catch((error) => error.code);
    await eventually(() => expect(bed.calls()).toHaveLength(1));
    expect((await bed.query(NAME)).status).toBe(503);
    expect(bed.log).toEqual([]);
    leaving.abort();
    await left;
    await operationsOf(bed);
  });

  it('has the time of an operation that takes too long, and the one error that is sent', async () => {
    const forever = new GraphQLObjectType({
      name: 'Query',
      fields: { forever: { type: new GraphQLNonNull(GraphQLString), resolve: () => new Promise(() => {}) } },
    });
    const makeSchema = () => new GraphQLSchema({ query: forever });
    const bed = await startLogging({ env: { OPERATION_TIMEOUT_MS: '1' }, makeSchema });
    const { text } = await bed.query('{ forever }', { headers });
    const [found] = await operationsOf(bed);
    expect(found).toEqual(
      line({ outcome: 'timeout', errors: { UPSTREAM_TIMEOUT: 1 }, bytes: Buffer.byteLength(text) }),
    );
    expect(found.milliseconds).toBeGreaterThanOrEqual(1000);
  });

  it('has the calls that end because the client leaves, and neither bytes nor errors', async () => {
    const bed = await startLogging();
    bed.simulator.intercept(() => ({ hang: true }));
    const leaving = new AbortController();
    const left = bed.query(ofDataset('name results { sourceId }'), { headers, signal: leaving.signal });
    left.catch(() => {});
    await eventually(() => expect(bed.calls()).toHaveLength(2));
    leaving.abort();
    expect(await operationsOf(bed)).toEqual([line({ outcome: 'cancelled', restCalls: 2 })]);
    expect(bed.log.map((text) => JSON.parse(text).msg)).toEqual(['REST call', 'REST call', 'operation']);
  });

  it('has the bytes of a large response, of one that the client leaves those that were sent', async () => {
    const bed = await startLogging();
    const row = '{"value_date":"2024-01-01","metrics":[{"name":"moisture","value":0.5}]}';
    const body = `{"assets":[{"asset_id":"a","results":[${Array(400_000).fill(row).join()}]}]}`;
    bed.simulator.intercept(() => ({ body }));
    let bytes = 0;
    for await (const chunk of await ask(bed)) bytes += chunk.length;
    const rest = { restCalls: 1, restBytes: Buffer.byteLength(body) };
    expect(await operationsOf(bed)).toEqual([line({ ...rest, bytes })]);
    expect(bytes).toBeGreaterThan(2 ** 24);
    const response = await ask(bed);
    await once(response, 'readable');
    response.destroy();
    const [, found] = await operationsOf(bed, 2);
    expect(found).toEqual(line({ ...rest, outcome: 'cancelled', bytes: expect.any(Number) }));
    expect(found.bytes).toBeLessThan(bytes);
  });

  it.each([
    [{}, 1],
    [{ LOG_OPERATIONS: 'off' }, 1],
    [{ LOG_OPERATIONS: 'on' }, 2],
    [{ LOG_OPERATIONS: 'on', LOG_LEVEL: 'warn' }, 0],
  ])('with %o has %i lines for an operation of one call', async (env, lines) => {
    const bed = await start({ env });
    await bed.query(NAME);
    await bed.subgraph.stop();
    expect(bed.log).toHaveLength(lines);
  });

  it('never has the document, its name, its variables, or anything else of the client or the service', async () => {
    const bed = await startLogging({ env: { LOG_LEVEL: 'trace' } });
    const document =
      'query canary($canary: ID!) { canary: dataset(id: $canary) { canary: name results { sourceId } } }';
    for (const _ of ['new', 'known']) {
      await bed.query(document, { variables: { canary: 'canary' }, token: 'canary', operationName: 'canary' });
      await bed.query('{ canary }', { token: 'canary' });
      await bed.query(document, { operationName: 'canary-2' });
    }
    expect((await operationsOf(bed, 6)).length).toBe(6);
    expect(bed.log.filter((text) => text.includes('canary'))).toEqual([]);
  });
});

/** Begins a large response. */
function ask({ subgraph }: TestBed): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const all = { ...json, ...headers, authorization: `Bearer ${TOKEN}` };
    httpRequest(subgraph.url, { method: 'POST', headers: all, agent: false }, resolve)
      .on('error', reject)
      .end(JSON.stringify({ query: ROWS }));
  });
}
