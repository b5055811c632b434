import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { endlessSchema } from '../support/endless-schema.ts';
import { eventually } from '../support/eventually.ts';
import { DATASET_ID, dataset, NAME, ofDataset, type Setup, start, type TestBed } from '../support/harness.ts';
import { beginQuery, post } from '../support/http.ts';

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

  it('has the number of errors by code', async () => {
    const bed = await startLogging();
    const { text } = await bed.query('{ a: dataset(id: "") { name } b: dataset(id: "") { name } }', { headers });
    const fields = { outcome: 'client_error', errors: { BAD_USER_INPUT: 2 }, bytes: Buffer.byteLength(text) };
    expect(await operationsOf(bed)).toEqual([line(fields)]);
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
    const bed = await startLogging({ env: { OPERATION_TIMEOUT_MS: '1' }, makeSchema: endlessSchema });
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

  it('has the bytes of a large response that were sent before its client left', async () => {
    const bed = await startLogging();
    const row = '{"value_date":"2024-01-01","metrics":[{"name":"moisture","value":0.5}]}';
    const body = `{"assets":[{"asset_id":"a","results":[${Array(400_000).fill(row).join()}]}]}`;
    bed.simulator.intercept(() => ({ body }));
    const response = await beginQuery(bed, ROWS);
    await once(response, 'readable');
    response.destroy();
    const rest = { restCalls: 1, restBytes: Buffer.byteLength(body) };
    const [found] = await operationsOf(bed);
    expect(found).toEqual(line({ ...rest, outcome: 'cancelled', bytes: expect.any(Number) }));
    expect(found.bytes).toBeLessThan(body.length / 2);
    expect(bed.log.join()).not.toContain('internal error');
  });
});

/*
 * Clause 3.22 of docs/contract.md in detail.
 * The log has one structured line for each REST call: operation, status, label, milliseconds, bytes (of the body, as
 * received), and request id. For a failed call it also has the kind of failure and the connection's error code. It
 * never has a token, a URL or a body. `start` and `demo` print one line with the endpoint's URL, which says `localhost`
 * if `HOST` stands for all addresses, and one with the URL of the metrics, if there are any.
 */
describe('3.22 The log', () => {
  const lineOf = (call: object) => ({
    level: 30,
    time: expect.any(Number),
    pid: process.pid,
    hostname: expect.any(String),
    requestId: 'my-id',
    operation: 'getDatasetMetadata',
    label: null,
    milliseconds: expect.any(Number),
    msg: 'REST call',
    ...call,
  });
  const linesOf = ({ log }: TestBed) => log.map((text) => JSON.parse(text));

  it('has one line for each REST call', async () => {
    const bed = await start();
    await bed.query(`{ dataset(id: "${DATASET_ID}") { name } }`, { headers });
    const bytes = Buffer.byteLength(JSON.stringify(dataset.metadata));
    expect(linesOf(bed)).toEqual([lineOf({ status: 200, bytes })]);
    bed.log.length = 0;
    await bed.query(`{ dataset(id: "${DATASET_ID}") { results { sourceId } } }`, { headers });
    const resultsBytes = Buffer.byteLength(JSON.stringify(dataset.results));
    expect(linesOf(bed)).toEqual([lineOf({ operation: 'getDatasetResults', status: 200, bytes: resultsBytes })]);
  });

  it('says why there was no response', async () => {
    const late = await start({ env: { UPSTREAM_TIMEOUT_MS: '50' } });
    late.simulator.intercept(() => ({ hang: true }));
    await late.query(NAME, { headers });
    expect(linesOf(late)).toEqual([lineOf({ status: null, bytes: 0, failure: 'timeout' })]);
    expect(linesOf(late)[0].milliseconds).toBeGreaterThanOrEqual(50);
    const broken = await start();
    broken.simulator.intercept(() => ({ reset: true }));
    await broken.query(NAME, { headers });
    expect(linesOf(broken)).toEqual([
      lineOf({ status: null, bytes: 0, failure: 'unavailable', cause: expect.stringMatching(/^[A-Z_]+$/) }),
    ]);
  });
});
