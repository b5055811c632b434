import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { demoDatasetIds, loadDemoData } from '../src/simulator/demo-data.ts';
import {
  type Fault,
  type SimulatedAsset,
  type SimulatedDataset,
  type Simulator,
  type SimulatorOptions,
  startSimulator,
} from '../src/simulator/simulator.ts';

const disposals: (() => Promise<void>)[] = [];

afterEach(async () => {
  await Promise.all(disposals.splice(0).map((dispose) => dispose()));
});

const day = (text: string) => Date.parse(`${text}T00:00:00Z`);

function row(valueDate: string, value: number) {
  return { value_date: valueDate, metrics: [{ name: 'height', value }] };
}

const oak = { asset_id: 'oak', asset_version: 1, results: [row('2024-01-01', 1), row('2024-01-02', 2)] };
const olderOak = { asset_id: 'oak', asset_version: 0, results: [row('2023-12-31', 0)] };
const elm = { asset_id: 'elm', asset_version: 1, results: [row('2024-01-02', 3), row('2024-01-03', 4)] };

const trees: SimulatedDataset = {
  metadata: { id: 'trees', name: 'Trees', asset_count: 2, sharedOption: 'OWNED', description: null },
  results: { processing_id: 'growth', source_id: 'survey', assets: [oak, olderOak, elm] },
  file: { name: 'trees.csv', contentType: 'text/csv', bytes: Buffer.from('tree,height\noak,2\n') },
};
const secret: SimulatedDataset = { metadata: { id: 'secret' }, readers: ['token-b'] };

async function start(options: Partial<SimulatorOptions> = {}): Promise<Simulator> {
  const simulator = await startSimulator({
    accounts: [
      { email: 'a@example.com', password: 'pass-a', token: 'token-a' },
      { email: 'b@example.com', password: 'pass-b', token: 'token-b' },
    ],
    datasets: [trees, secret],
    ...options,
  });
  disposals.push(() => simulator.close());
  return simulator;
}

async function startWithFault(fault: Fault): Promise<Simulator> {
  const simulator = await start();
  simulator.intercept(() => fault);
  return simulator;
}

const metadataPath = (id: string) => `/v1/collection/dataset/summary/${id}`;
const downloadPath = (id: string) => `/v1/collection/staticdataset/${id}/download`;
const resultsPath = (id: string) => `/v1/processingresult/dataset/${id}`;

const bearer = { authorization: 'Bearer token-a' };
const json = { 'content-type': 'application/json' };

function get(simulator: Simulator, path: string, headers: Record<string, string> = bearer): Promise<Response> {
  return fetch(simulator.url + path, { headers });
}

function post(simulator: Simulator, path: string, body: string, headers: Record<string, string> = {}) {
  return fetch(simulator.url + path, { method: 'POST', headers: { ...bearer, ...json, ...headers }, body });
}

/** The results of `trees`; a filter that is text is sent as it is. */
function postFilter(simulator: Simulator, filter: unknown): Promise<Response> {
  return post(simulator, resultsPath('trees'), typeof filter === 'string' ? filter : JSON.stringify(filter));
}

async function assetsOf(response: Response): Promise<SimulatedAsset[]> {
  expect(response.status).toBe(200);
  return (await bodyOf<{ assets: SimulatedAsset[] }>(response)).assets;
}

async function bodyOf<T>(response: Response): Promise<T> {
  return (await response.json()) as T;
}

/** For what fetch would tidy up: the target, repeated headers, and connections in pieces. */
function open(
  simulator: Simulator,
  target: string,
  { method = 'GET', headers = {} as Record<string, string | string[]> } = {},
): ClientRequest {
  const { hostname, port } = new URL(simulator.url);
  const client = httpRequest({ hostname, port, path: target, method, headers, agent: false });
  // A test that drops its connection is told so here; the tests look at what the simulator made of it.
  client.on('error', () => {});
  return client;
}

function responseTo(client: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    client.once('response', resolve);
    client.once('error', reject);
  });
}

async function statusOf(client: ClientRequest): Promise<number | undefined> {
  client.end();
  const answer = await responseTo(client);
  answer.resume();
  return answer.statusCode;
}

async function expectRefusal(response: Response, status: number, label: string): Promise<void> {
  expect(response.status).toBe(status);
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(await response.json()).toEqual({ status, error: label, message: expect.any(String) });
}

function recordedBy(simulator: Simulator) {
  const recorded = simulator.requests.at(-1);
  if (recorded === undefined) {
    throw new Error('Nothing was recorded.');
  }
  return recorded;
}

/** Resolves with the first request the simulator is asked about, before it is answered by the fault. */
function nextRequest(simulator: Simulator, fault: Fault = {}) {
  return new Promise<ReturnType<typeof recordedBy>>((resolve) => {
    simulator.intercept((request) => {
      resolve(request);
      return fault;
    });
  });
}

describe('§4.1 get dataset metadata', () => {
  it('answers 200 with DatasetMetadata as JSON, nulls included', async () => {
    const response = await get(await start(), metadataPath('trees'));
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toEqual(trees.metadata);
  });

  it('decodes the path parameter', async () => {
    const simulator = await start({ datasets: [{ metadata: { id: 'a/b ü?' } }] });
    const response = await get(simulator, metadataPath(encodeURIComponent('a/b ü?')));
    expect(await response.json()).toEqual({ id: 'a/b ü?' });
    expect(recordedBy(simulator).datasetId).toBe('a/b ü?');
  });
});

describe('§4.2 download static dataset', () => {
  it('answers 200 with the bytes, their type, their length and the file name', async () => {
    const response = await get(await start(), downloadPath('trees'));
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/csv');
    expect(response.headers.get('content-length')).toBe('18');
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="trees.csv"');
    expect(await response.text()).toBe('tree,height\noak,2\n');
  });

  it.each([
    ['say "hi"\\.txt', 'attachment; filename="say \\"hi\\"\\\\.txt"'],
    ["größe (1)'*.csv", `attachment; filename="gr__e (1)'*.csv"; filename*=UTF-8''gr%C3%B6%C3%9Fe%20%281%29%27%2A.csv`],
    ['two\nlines', `attachment; filename="two_lines"; filename*=UTF-8''two%0Alines`],
    ['😀.txt', `attachment; filename="_.txt"; filename*=UTF-8''%F0%9F%98%80.txt`],
  ])('writes the file name %j by RFC 6266', async (name, expected) => {
    const file = { name, contentType: 'text/plain', bytes: Buffer.from('x') };
    const simulator = await start({ datasets: [{ metadata: { id: 'one' }, file }] });
    const response = await get(simulator, downloadPath('one'));
    expect(response.headers.get('content-disposition')).toBe(expected);
  });

  it('answers 404 NOT_FOUND when the dataset has no file', async () => {
    const simulator = await start({ datasets: [{ metadata: { id: 'one' } }] });
    await expectRefusal(await get(simulator, downloadPath('one')), 404, 'NOT_FOUND');
  });
});

describe('§4.2, §4.4 the query parameter authToken', () => {
  it('is enough for the download', async () => {
    const response = await get(await start(), `${downloadPath('trees')}?authToken=token-a`, {});
    expect(response.status).toBe(200);
  });

  it.each([
    ['unknown', '?authToken=wrong'],
    ['empty', '?authToken='],
    ['given twice', '?authToken=token-a&authToken=token-a'],
  ])('is refused with 401 WRONG_CREDENTIALS when %s', async (_case, query) => {
    const response = await get(await start(), downloadPath('trees') + query, {});
    await expectRefusal(response, 401, 'WRONG_CREDENTIALS');
  });

  it('does not make up for a wrong header', async () => {
    const path = `${downloadPath('trees')}?authToken=token-a`;
    const response = await get(await start(), path, { authorization: 'Bearer wrong' });
    await expectRefusal(response, 401, 'WRONG_CREDENTIALS');
  });

  it('is not accepted by the other operations', async () => {
    const response = await get(await start(), `${metadataPath('trees')}?authToken=token-a`, {});
    await expectRefusal(response, 401, 'WRONG_CREDENTIALS');
  });
});

describe('§4.3 get dataset results', () => {
  it.each([
    ['no body', ''],
    ['an empty filter', {}],
    ['an empty mo_ids', { mo_ids: [] }],
    ['an empty time_range', { time_range: {} }],
  ])('answers 200 with everything for %s', async (_case, filter) => {
    const response = await postFilter(await start(), filter);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toEqual(trees.results);
  });

  it('answers the same again', async () => {
    const simulator = await start();
    const first = await (await postFilter(simulator, {})).text();
    expect(await (await postFilter(simulator, {})).text()).toBe(first);
  });

  it('answers a dataset without results with no assets and no identifiers', async () => {
    const simulator = await start({ datasets: [{ metadata: { id: 'one' } }] });
    expect(await (await post(simulator, resultsPath('one'), '{}')).json()).toEqual({ assets: [] });
  });

  it('rule 1: mo_ids restricts the assets, in all versions, and keeps the identifiers', async () => {
    const response = await postFilter(await start(), { mo_ids: ['oak', 'oak', 'unknown'] });
    expect(await response.json()).toEqual({ ...trees.results, assets: [oak, olderOak] });
  });

  it('rule 1: unknown assets are simply not in the answer', async () => {
    expect(await assetsOf(await postFilter(await start(), { mo_ids: ['unknown'] }))).toEqual([]);
  });

  it('rule 2: time_range restricts the rows, both bounds inclusive, and leaves out assets without rows', async () => {
    const range = { start_date: day('2024-01-02'), stop_date: day('2024-01-02') };
    expect(await assetsOf(await postFilter(await start(), { time_range: range }))).toEqual([
      { ...oak, results: [row('2024-01-02', 2)] },
      { ...elm, results: [row('2024-01-02', 3)] },
    ]);
  });

  it.each([
    ['start_date', { start_date: day('2024-01-03') }, [{ ...elm, results: [row('2024-01-03', 4)] }]],
    ['stop_date', { stop_date: day('2024-01-01') - 1 }, [olderOak]],
  ])('rule 2: a range may have %s only', async (_bound, range, expected) => {
    expect(await assetsOf(await postFilter(await start(), { time_range: range }))).toEqual(expected);
  });

  it('applies both restrictions together', async () => {
    const filter = { mo_ids: ['elm'], time_range: { stop_date: day('2024-01-02') } };
    expect(await assetsOf(await postFilter(await start(), filter))).toEqual([
      { ...elm, results: [row('2024-01-02', 3)] },
    ]);
  });

  it.each([
    ['2024-01-01', true],
    ['2024-01', true],
    ['2024', true],
    ['2024-01-01T00:00:00', true],
    ['2024-01-01T00:00:00.000Z', true],
    ['2024-01-01T02:00:00+02:00', true],
    ['2024-01-01T02:00:00', false],
    ['2023-12-31T23:59:59.999Z', false],
    ['first of January', false],
    [null, false],
  ])('compares the value_date %s as a UTC instant', async (valueDate, inRange) => {
    const assets = [{ asset_id: 'one', results: [{ value_date: valueDate, metrics: [] }] }];
    const simulator = await start({ datasets: [{ metadata: { id: 'trees' }, results: { assets } }] });
    const range = { start_date: day('2024-01-01'), stop_date: day('2024-01-01') };
    expect(await assetsOf(await postFilter(simulator, { time_range: range }))).toEqual(inRange ? assets : []);
  });

  it('accepts the whole int64 range', async () => {
    const filter = '{"time_range":{"start_date":-9223372036854775808,"stop_date":9223372036854775807}}';
    expect(await assetsOf(await postFilter(await start(), filter))).toEqual([oak, olderOak, elm]);
  });

  it('ignores unknown fields of the filter', async () => {
    expect(await assetsOf(await postFilter(await start(), { moIds: ['elm'] }))).toHaveLength(3);
  });

  it.each(['{', 'oak', '\ufeff{}'])('answers 400 BAD_REQUEST to the body %j', async (body) => {
    await expectRefusal(await postFilter(await start(), body), 400, 'BAD_REQUEST');
  });

  it('answers 400 BAD_REQUEST to a body that is not application/json (§1)', async () => {
    const response = await post(await start(), resultsPath('trees'), '{}', { 'content-type': 'text/plain' });
    await expectRefusal(response, 400, 'BAD_REQUEST');
  });

  it.each([
    'null',
    '[]',
    '"oak"',
    '{"mo_ids":null}',
    '{"mo_ids":"oak"}',
    '{"mo_ids":["oak",1]}',
    '{"time_range":null}',
    '{"time_range":[]}',
    '{"time_range":{"start_date":null}}',
    '{"time_range":{"start_date":"2024-01-01"}}',
    '{"time_range":{"start_date":1.5}}',
    '{"time_range":{"start_date":-9223372036854775809}}',
    '{"time_range":{"stop_date":9223372036854775808}}',
    '{"time_range":{"start_date":2,"stop_date":1}}',
    '{"time_range":{"start_date":9007199254740993,"stop_date":9007199254740992}}',
  ])('answers 400 VALIDATION_EXCEPTION to the filter %s', async (filter) => {
    await expectRefusal(await postFilter(await start(), filter), 400, 'VALIDATION_EXCEPTION');
  });
});

describe('§5 authentication', () => {
  const login = (simulator: Simulator, body: string, headers = {}) => post(simulator, '/v3/login', body, headers);

  it('hands out the token of the account, and the token opens the operations', async () => {
    const simulator = await start();
    const response = await login(simulator, JSON.stringify({ email: 'b@example.com', password: 'pass-b' }));
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    const { token } = await bodyOf<{ token: string }>(response);
    expect(token).toBe('token-b');
    const metadata = await get(simulator, metadataPath('secret'), { authorization: `Bearer ${token}` });
    expect(await metadata.json()).toEqual(secret.metadata);
  });

  it.each([
    { email: 'a@example.com', password: 'pass-b' },
    { email: 'nobody@example.com', password: 'pass-a' },
  ])('answers 401 WRONG_CREDENTIALS to the login %o', async (credentials) => {
    await expectRefusal(await login(await start(), JSON.stringify(credentials)), 401, 'WRONG_CREDENTIALS');
  });

  it.each(['', '{', 'null', '[]', '{"email":"a@example.com"}', '{"email":"a@example.com","password":1}'])(
    'answers 400 BAD_REQUEST to the login body %j',
    async (body) => {
      await expectRefusal(await login(await start(), body), 400, 'BAD_REQUEST');
    },
  );

  it('answers 400 BAD_REQUEST to a login that is not application/json (§1)', async () => {
    const body = JSON.stringify({ email: 'a@example.com', password: 'pass-a' });
    const response = await login(await start(), body, { 'content-type': 'text/plain' });
    await expectRefusal(response, 400, 'BAD_REQUEST');
  });

  it.each([
    ['metadata', 'GET', metadataPath('trees')],
    ['download', 'GET', downloadPath('trees')],
    ['results', 'POST', resultsPath('trees')],
  ])('protects the %s operation', async (_operation, method, path) => {
    const response = await fetch((await start()).url + path, { method });
    await expectRefusal(response, 401, 'WRONG_CREDENTIALS');
  });

  it.each([
    ['unknown', 'Bearer wrong'],
    ['bare', 'token-a'],
    ['of another scheme', 'Basic token-a'],
    ['in another form', 'bearer token-a'],
    ['doubly prefixed', 'Bearer Bearer token-a'],
    ['empty', ''],
  ])('answers 401 WRONG_CREDENTIALS to a token that is %s', async (_case, authorization) => {
    await expectRefusal(await get(await start(), metadataPath('trees'), { authorization }), 401, 'WRONG_CREDENTIALS');
  });

  it('answers 401 to two Authorization headers', async () => {
    const authorization = ['Bearer token-a', 'Bearer token-a'];
    const simulator = await start();
    expect(await statusOf(open(simulator, metadataPath('trees'), { headers: { authorization } }))).toBe(401);
    expect(recordedBy(simulator).headers.authorization).toEqual(authorization);
  });
});

describe('§7 errors', () => {
  it.each([
    ['metadata', 'GET', metadataPath],
    ['download', 'GET', downloadPath],
    ['results', 'POST', resultsPath],
  ])('404 NOT_FOUND and 403 ACCESS_DENIED of the %s operation', async (_operation, method, path) => {
    const simulator = await start();
    const call = (id: string) => fetch(simulator.url + path(id), { method, headers: bearer });
    await expectRefusal(await call('unknown'), 404, 'NOT_FOUND');
    await expectRefusal(await call('secret'), 403, 'ACCESS_DENIED');
  });

  it.each([
    ['POST', metadataPath('trees'), 'GET', 'getDatasetMetadata'],
    ['POST', downloadPath('trees'), 'GET', 'downloadStaticDataset'],
    ['GET', resultsPath('trees'), 'POST', 'getDatasetResults'],
    ['GET', '/v3/login', 'POST', 'login'],
  ])('405 METHOD_NOT_ALLOWED to %s %s', async (method, path, allowed, operation) => {
    const simulator = await start();
    const response = await fetch(simulator.url + path, { method, headers: bearer });
    expect(response.headers.get('allow')).toBe(allowed);
    await expectRefusal(response, 405, 'METHOD_NOT_ALLOWED');
    expect(recordedBy(simulator)).toMatchObject({ operation, method });
  });

  it.each([
    '/',
    '/v1/collection/dataset/summary/',
    '/v1/collection/dataset/summary/trees/',
    '/v1/collection/dataset/summary/a/b',
    '/v2/collection/dataset/summary/trees',
    '/v1/collection/staticdataset/trees',
    '/v1/login',
  ])('404 NOT_FOUND to the unknown path %s', async (path) => {
    const simulator = await start();
    await expectRefusal(await get(simulator, path), 404, 'NOT_FOUND');
    expect(recordedBy(simulator).operation).toBeUndefined();
  });

  it('404 to a path with dot segments, which are not resolved', async () => {
    const target = '/v1/collection/dataset/summary/x/../trees';
    expect(await statusOf(open(await start(), target, { headers: bearer }))).toBe(404);
  });

  it.each(['%zz', '%', '%ff'])('400 BAD_REQUEST to the path parameter %s', async (parameter) => {
    const simulator = await start();
    await expectRefusal(await get(simulator, metadataPath(parameter)), 400, 'BAD_REQUEST');
    expect(recordedBy(simulator)).toMatchObject({ operation: 'getDatasetMetadata', datasetId: undefined });
  });
});

describe('recording', () => {
  it('keeps method, raw target, distinct headers, raw body and outcome', async () => {
    const simulator = await start();
    const target = `${resultsPath('tre%65s')}?x=%20%zz&x`;
    const headers = { ...bearer, 'Content-Type': 'application/json', 'X-Trace': ['1', '2'] };
    const client = open(simulator, target, { method: 'POST', headers });
    client.write('{ "mo_ids"');
    client.end(' : ["ölm"] }');
    expect((await responseTo(client)).statusCode).toBe(200);

    const recorded = recordedBy(simulator);
    expect(recorded).toMatchObject({
      operation: 'getDatasetResults',
      method: 'POST',
      target,
      headers: { authorization: ['Bearer token-a'], 'content-type': ['application/json'], 'x-trace': ['1', '2'] },
      body: '{ "mo_ids" : ["ölm"] }',
      datasetId: 'trees',
    });
    expect(await recorded.outcome).toBe('answered');
  });

  it('keeps the order of arrival, whatever the order of answers, and forgets on clear', async () => {
    const simulator = await start();
    const slow = open(simulator, resultsPath('slow'), { method: 'POST', headers: { ...bearer, ...json } });
    const slowAsked = nextRequest(simulator);
    // Expect: 100-continue makes the simulator say that the head has come.
    slow.setHeader('expect', '100-continue');
    slow.flushHeaders();
    await new Promise<void>((resolve) => slow.once('continue', resolve));
    await get(simulator, metadataPath('quick'));
    await slowAsked;
    expect(simulator.requests.map((request) => request.datasetId)).toEqual(['quick']);

    slow.end('{}');
    await responseTo(slow);
    expect(simulator.requests.map((request) => request.datasetId)).toEqual(['slow', 'quick']);

    simulator.clear();
    expect(simulator.requests).toEqual([]);
    await get(simulator, metadataPath('later'));
    expect(simulator.requests.map((request) => request.datasetId)).toEqual(['later']);
  });

  it('settles the outcome of each request on a kept connection', async () => {
    const simulator = await start();
    for (const _ of Array(3)) {
      const response = await get(simulator, metadataPath('trees'));
      expect(response.headers.get('connection')).toBe('keep-alive');
      await response.text();
    }
    const outcomes = await Promise.all(simulator.requests.map((request) => request.outcome));
    expect(outcomes).toEqual(['answered', 'answered', 'answered']);
  });

  it('records a request whose caller left while sending it', async () => {
    const simulator = await start();
    const client = open(simulator, resultsPath('trees'), { method: 'POST', headers: { expect: '100-continue' } });
    client.flushHeaders();
    await new Promise<void>((resolve) => client.once('continue', resolve));
    client.write('{"mo_ids"', () => client.destroy());
    await expect.poll(() => simulator.requests.length).toBe(1);
    expect(recordedBy(simulator).operation).toBe('getDatasetResults');
    expect(await recordedBy(simulator).outcome).toBe('aborted');
  });

  it('tells "aborted" when the caller leaves before the answer', async () => {
    const simulator = await start();
    const asked = nextRequest(simulator, { hang: true });
    const client = open(simulator, metadataPath('trees'), { headers: bearer });
    client.end();
    const recorded = await asked;
    client.destroy();
    expect(await recorded.outcome).toBe('aborted');
  });

  it('tells "aborted" when the caller leaves in the middle of the answer', async () => {
    const file = { name: 'big', contentType: 'text/plain', bytes: Buffer.alloc(64_000_000) };
    const simulator = await start({ datasets: [{ metadata: { id: 'big' }, file }] });
    const client = open(simulator, downloadPath('big'), { headers: bearer });
    client.end();
    const answer = await responseTo(client);
    answer.once('data', () => client.destroy());
    expect(await recordedBy(simulator).outcome).toBe('aborted');
  });
});

describe('faults', () => {
  it('are asked for per request, after it was recorded, and end with undefined', async () => {
    const simulator = await start();
    simulator.intercept((request) => {
      expect(recordedBy(simulator)).toBe(request);
      return request.datasetId === 'trees' ? { status: 500 } : undefined;
    });
    expect((await get(simulator, metadataPath('trees'))).status).toBe(500);
    expect((await get(simulator, metadataPath('unknown'))).status).toBe(404);
    simulator.intercept(undefined);
    expect((await get(simulator, metadataPath('trees'))).status).toBe(200);
  });

  it('may be awaited, so that a test decides when an answer is sent', async () => {
    const simulator = await start();
    const gate = Promise.withResolvers<undefined>();
    const order: string[] = [];
    simulator.intercept((request) => (request.datasetId === 'trees' ? gate.promise : undefined));
    const held = get(simulator, metadataPath('trees')).then(() => order.push('held'));
    await get(simulator, metadataPath('unknown')).then(() => order.push('free'));
    gate.resolve(undefined);
    await held;
    expect(order).toEqual(['free', 'held']);
  });

  it.each([
    [400, 'BAD_REQUEST'],
    [401, 'WRONG_CREDENTIALS'],
    [403, 'UNAUTHORIZED'],
    [404, 'NOT_FOUND'],
    [405, 'METHOD_NOT_ALLOWED'],
    [409, 'DUPLICATE_ENTITY'],
    [500, 'INTERNAL_SERVER_ERROR'],
  ])('§7 status %i brings the label %s', async (status, label) => {
    await expectRefusal(await get(await startWithFault({ status }), metadataPath('trees')), status, label);
  });

  it('status: one that §7 does not list has no label', async () => {
    const response = await get(await startWithFault({ status: 503 }), metadataPath('trees'));
    expect(response.status).toBe(503);
    expect(await response.json()).toEqual({ status: 503, message: expect.any(String) });
  });

  it('status: a success keeps the answer', async () => {
    const response = await get(await startWithFault({ status: 206 }), metadataPath('trees'));
    expect(response.status).toBe(206);
    expect(await response.json()).toEqual(trees.metadata);
  });

  it('status: 204 has no body and leaves the connection usable', async () => {
    const simulator = await startWithFault({ status: 204 });
    const response = await get(simulator, metadataPath('trees'));
    expect(response.status).toBe(204);
    expect(response.headers.has('content-length')).toBe(false);
    expect(await response.text()).toBe('');
    expect(await recordedBy(simulator).outcome).toBe('answered');
  });

  it('headers: replaces by name, repeats values, drops by an empty list', async () => {
    const headers = { 'Content-Type': 'text/html', 'x-two': ['1', '2'], 'x-empty': '', 'content-disposition': [] };
    const response = await get(await startWithFault({ headers }), downloadPath('trees'));
    expect(response.headers.get('content-type')).toBe('text/html');
    expect(response.headers.get('x-two')).toBe('1, 2');
    expect(response.headers.get('x-empty')).toBe('');
    expect(response.headers.has('content-disposition')).toBe(false);
    expect(await response.text()).toBe('tree,height\noak,2\n');
  });

  it('headers: without a content-length the same body is sent in chunks', async () => {
    const response = await get(await startWithFault({ headers: { 'content-length': [] } }), downloadPath('trees'));
    expect(response.headers.has('content-length')).toBe(false);
    expect(response.headers.get('transfer-encoding')).toBe('chunked');
    expect(await response.text()).toBe('tree,height\noak,2\n');
  });

  it.each([
    ['text', 'größer'],
    ['bytes', Buffer.from('größer')],
  ])('body: %s replaces the body and keeps the headers', async (_case, body) => {
    const response = await get(await startWithFault({ body }), metadataPath('trees'));
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('content-length')).toBe('8');
    expect(await response.text()).toBe('größer');
  });

  it('body: with headers can be compressed; otherwise nothing is', async () => {
    const simulator = await start();
    const headers = { ...bearer, 'accept-encoding': 'gzip' };
    const plain = await get(simulator, metadataPath('trees'), headers);
    expect(plain.headers.has('content-encoding')).toBe(false);
    simulator.intercept(() => ({ headers: { 'content-encoding': 'gzip' }, body: gzipSync('"packed"') }));
    expect(await (await get(simulator, metadataPath('trees'), headers)).json()).toBe('packed');
  });

  it('body: an iterable is sent chunk by chunk', async () => {
    const gate = Promise.withResolvers<void>();
    async function* chunks() {
      yield 'first ';
      await gate.promise;
      yield Buffer.from('second');
    }
    const simulator = await startWithFault({ body: chunks() });
    const response = await get(simulator, downloadPath('trees'));
    expect(response.headers.has('content-length')).toBe(false);
    const reader = response.body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('first ');
    gate.resolve();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('second');
    expect((await reader?.read())?.done).toBe(true);
    expect(await recordedBy(simulator).outcome).toBe('answered');
  });

  it('body: an iterable is asked no faster than the caller reads, and stops when the caller leaves', async () => {
    let sent = 0;
    const stopped = Promise.withResolvers<void>();
    async function* endless() {
      try {
        while (true) {
          sent += 1_000_000;
          yield Buffer.alloc(1_000_000);
        }
      } finally {
        stopped.resolve();
      }
    }
    const simulator = await startWithFault({ body: endless() });
    const client = open(simulator, downloadPath('trees'), { headers: bearer });
    client.end();
    const answer = await responseTo(client);
    answer.pause();
    // Turns enough for a sender that does not wait for its reader to go far beyond what sockets buffer.
    for (let turn = 0; turn < 1000; turn++) {
      await new Promise(setImmediate);
    }
    expect(sent).toBeLessThan(100_000_000);
    client.destroy();
    await stopped.promise;
    expect(await recordedBy(simulator).outcome).toBe('aborted');
  });

  it('body: an iterable that throws breaks the connection', async () => {
    const chunks = async function* () {
      yield 'first';
      throw new Error('no more');
    };
    const simulator = await startWithFault({ body: chunks() });
    const response = await get(simulator, downloadPath('trees'));
    await expect(response.text()).rejects.toThrow();
    expect(await recordedBy(simulator).outcome).toBe('aborted');
  });

  it.each([0, 5])('cutAfterBytes: announces the whole body and sends %i bytes of it', async (cutAfterBytes) => {
    const simulator = await startWithFault({ cutAfterBytes });
    const client = open(simulator, downloadPath('trees'), { headers: bearer });
    client.end();
    const answer = await responseTo(client);
    expect(answer.headers['content-length']).toBe('18');
    let received = '';
    answer.on('data', (chunk) => {
      received += chunk;
    });
    await new Promise((resolve) => answer.once('error', resolve));
    expect(received).toBe('tree,height\n'.slice(0, cutAfterBytes));
    expect(await recordedBy(simulator).outcome).toBe('aborted');
  });

  it('cutAfterBytes: asks an iterable for no more than it sends', async () => {
    const asked: string[] = [];
    const chunks = async function* () {
      for (const chunk of ['abc', 'def', 'ghi']) {
        asked.push(chunk);
        yield chunk;
      }
    };
    const simulator = await startWithFault({ body: chunks(), cutAfterBytes: 5 });
    const response = await get(simulator, downloadPath('trees'));
    const reader = response.body?.getReader();
    let received = '';
    await expect(async () => {
      for (let part = await reader?.read(); !part?.done; part = await reader?.read()) {
        received += Buffer.from(part?.value ?? []);
      }
    }).rejects.toThrow();
    expect(received).toBe('abcde');
    expect(asked).toEqual(['abc', 'def']);
  });

  it('reset: the caller gets no answer but a reset', async () => {
    const simulator = await startWithFault({ reset: true });
    const client = open(simulator, metadataPath('trees'), { headers: bearer });
    client.end();
    // The syscall tells a reset from a plain end of the connection, which node:http gives the same code.
    await expect(responseTo(client)).rejects.toMatchObject({ code: 'ECONNRESET', syscall: 'read' });
    expect(await recordedBy(simulator).outcome).toBe('aborted');
  });

  it('a handler that throws shows as a 500', async () => {
    const simulator = await start();
    simulator.intercept(() => Promise.reject(new Error('a mistake in the test')));
    const response = await get(simulator, metadataPath('trees'));
    expect(response.status).toBe(500);
    expect(await response.text()).toContain('a mistake in the test');
  });

  it('a fault that cannot be sent shows as a 500', async () => {
    const simulator = await startWithFault({ headers: { 'x-split': 'two\r\nlines' } });
    await expectRefusal(await get(simulator, metadataPath('trees')), 500, 'INTERNAL_SERVER_ERROR');
  });
});

describe('the server', () => {
  it('has a url without a slash at the end, on a port of its own', async () => {
    const [one, other] = [await start(), await start()];
    expect(one.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(other.url).not.toBe(one.url);
  });

  it('fails to start on a port that is taken', async () => {
    const { url } = await start();
    await expect(start({ port: Number(new URL(url).port) })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  it('fails to start with two datasets of one id', async () => {
    await expect(start({ datasets: [trees, trees] })).rejects.toThrow('same id');
  });

  it('ends open connections when it closes, also a hanging one, and may be closed twice', async () => {
    const simulator = await start();
    const asked = nextRequest(simulator, { hang: true });
    const refused = expect(get(simulator, metadataPath('trees'))).rejects.toThrow();
    const recorded = await asked;
    await simulator.close();
    await refused;
    expect(await recorded.outcome).toBe('aborted');
    await simulator.close();
  });
});

describe('the demo data', () => {
  async function demo() {
    const { accounts, datasets } = await loadDemoData();
    const byId = new Map(datasets.map((dataset) => [dataset.metadata.id, dataset]));
    const dataset = (name: keyof typeof demoDatasetIds) => {
      const found = byId.get(demoDatasetIds[name]);
      if (found === undefined) {
        throw new Error(`No dataset ${name}.`);
      }
      return found;
    };
    return { accounts, datasets, dataset };
  }
  const shape = (dataset: SimulatedDataset) =>
    dataset.results?.assets.map((asset) => [asset.asset_id, asset.results?.length]);

  it('§2.1 fills every metadata field but those the earthquakes leave out', async () => {
    const { dataset } = await demo();
    const fields = [
      'asset_count',
      'attributionFile',
      'attributionText',
      'description',
      'id',
      'name',
      'processing_id',
      'processing_name',
      'sharedOption',
      'source_id',
      'source_name',
      'start_date',
      'stop_date',
    ];
    for (const name of ['weather', 'co2', 'electricity'] as const) {
      expect(Object.keys(dataset(name).metadata).sort()).toEqual(fields);
    }
    const left = fields.filter((field) => !['attributionFile', 'processing_id', 'processing_name'].includes(field));
    expect(Object.keys(dataset('earthquakes').metadata).sort()).toEqual(left);
  });

  it('has version 4 UUIDs, the attributions of SOURCES.md and every sharedOption', async () => {
    const { datasets } = await demo();
    const sources = await readFile(new URL('../demo-data/SOURCES.md', import.meta.url), 'utf8');
    for (const { metadata } of datasets) {
      expect(metadata.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(sources).toContain(`| ${metadata.attributionText} |`);
    }
    expect(new Set(datasets.map(({ metadata }) => metadata.sharedOption))).toEqual(
      new Set(['OWNED', 'SHARED', 'NON_SHARED']),
    );
    expect(new Set(datasets.map(({ metadata }) => metadata.id)).size).toBe(4);
  });

  it('weather: 1461 days at each of two stations', async () => {
    const dataset = (await demo()).dataset('weather');
    expect(shape(dataset)).toEqual([
      ['seattle-tacoma', 1461],
      ['new-york-central-park', 1461],
    ]);
    expect(dataset.metadata).toMatchObject({
      asset_count: 2,
      start_date: day('2012-01-01'),
      stop_date: day('2015-12-31'),
    });
    expect(dataset.results?.assets[0]?.results?.[1]).toEqual({
      value_date: '2012-01-02',
      metrics: [
        { name: 'precipitation', value: 10.9 },
        { name: 'temp_max', value: 10.6 },
        { name: 'temp_min', value: 2.8 },
        { name: 'wind', value: 4.5 },
      ],
    });
    expect(dataset.file).toMatchObject({ name: 'weather.csv', contentType: 'text/csv' });
  });

  it('co2: 741 months', async () => {
    const dataset = (await demo()).dataset('co2');
    expect(shape(dataset)).toEqual([['mauna-loa-observatory', 741]]);
    expect(dataset.metadata).toMatchObject({ asset_count: 1, start_date: day('1958-03-01') });
    expect(dataset.results?.assets[0]?.results?.[0]).toEqual({
      value_date: '1958-03-01',
      metrics: [
        { name: 'co2', value: 315.7 },
        { name: 'co2_adjusted', value: 314.44 },
      ],
    });
    expect(dataset.file).toMatchObject({ name: 'co2-concentration.csv', contentType: 'text/csv' });
  });

  it('electricity: 17 years of three sources', async () => {
    const dataset = (await demo()).dataset('electricity');
    expect(shape(dataset)).toEqual([['iowa', 17]]);
    expect(dataset.metadata).toMatchObject({
      asset_count: 1,
      start_date: day('2001-01-01'),
      stop_date: day('2017-01-01'),
    });
    expect(dataset.results?.assets[0]?.results?.[0]).toEqual({
      value_date: '2001-01-01',
      metrics: [
        { name: 'fossil_fuels', value: 35361 },
        { name: 'nuclear_energy', value: 3853 },
        { name: 'renewables', value: 1437 },
      ],
    });
    expect(dataset.file).toMatchObject({ name: 'iowa-electricity.csv', contentType: 'text/csv' });
  });

  it('earthquakes: a static file only', async () => {
    const dataset = (await demo()).dataset('earthquakes');
    expect(dataset.results).toBeUndefined();
    expect(dataset.metadata).toMatchObject({
      asset_count: 0,
      start_date: Date.parse('2018-01-31T01:49:59.650Z'),
      stop_date: Date.parse('2018-02-07T01:26:13.840Z'),
    });
    expect(dataset.file).toMatchObject({ name: 'earthquakes.geojson', contentType: 'application/geo+json' });
  });

  it('is served: login, then the file', async () => {
    const simulator = await start(await loadDemoData());
    const login = await post(simulator, '/v3/login', '{"email":"demo@example.com","password":"demo"}');
    const { token } = await bodyOf<{ token: string }>(login);
    const authorization = `Bearer ${token}`;
    const response = await get(simulator, downloadPath(demoDatasetIds.earthquakes), { authorization });
    expect((await bodyOf<{ features: unknown[] }>(response)).features).toHaveLength(1707);
  });

  describe('when a file is not as expected', () => {
    async function loadWith(fileName: string, change: (text: string) => string) {
      const directory = await mkdtemp(join(tmpdir(), 'demo-data-'));
      disposals.push(() => rm(directory, { recursive: true }));
      await cp(new URL('../demo-data/', import.meta.url), directory, { recursive: true });
      const path = join(directory, fileName);
      await writeFile(path, change(await readFile(path, 'utf8')));
      return loadDemoData(pathToFileURL(`${directory}/`));
    }

    it.each([
      ['weather.csv', 'location,date', 'place,date', 'weather.csv: the columns are "place,date'],
      ['weather.csv', '2012-01-01,0.0,', '2012-01-01,', 'weather.csv, line 2: not 7 plain fields.'],
      ['weather.csv', 'drizzle', '"dry"', 'weather.csv, line 2: not 7 plain fields.'],
      ['co2-concentration.csv', '315.70', 'n/a', 'co2-concentration.csv: "n/a" in column CO2 is not a number.'],
      ['co2-concentration.csv', '1958-03-01', 'March', 'co2-concentration.csv: "March" in column Date is not a date.'],
      ['iowa-electricity.csv', /\n[\s\S]*/, '', 'iowa-electricity.csv: the file has no rows.'],
      ['earthquakes.json', '"features"', '"others"', 'earthquakes.json: not a GeoJSON feature collection.'],
      ['earthquakes.json', '"time"', '"at"', 'earthquakes.json: feature 0 has no time.'],
    ])('%s: %s instead of %s is refused', async (fileName, expected, actual, message) => {
      await expect(loadWith(fileName, (text) => text.replace(expected, actual))).rejects.toThrow(message);
    });

    it('a missing CO2 value is a row without that metric', async () => {
      const { datasets } = await loadWith('co2-concentration.csv', (text) => text.replace('315.70', ''));
      const dataset = datasets.find(({ metadata }) => metadata.id === demoDatasetIds.co2);
      expect(dataset?.results?.assets[0]?.results?.[0]).toEqual({
        value_date: '1958-03-01',
        metrics: [{ name: 'co2_adjusted', value: 314.44 }],
      });
    });
  });
});
