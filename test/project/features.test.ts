import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stopClock } from '../support/clock.ts';
import { names, rowsOf } from '../support/doc-blocks.ts';
import { invalidAt } from '../support/expected-errors.ts';
import { askingForTrace, fieldsIn, traceOf } from '../support/federated-traces.ts';
import {
  type Answer,
  assetResult,
  DATASET_ID,
  dataset,
  getSummary,
  NAME,
  ofDataset,
  postResults,
  respondWith,
  start,
  type TestBed,
  TOKEN,
} from '../support/harness.ts';
import { receive, resultsPath } from '../support/results-files.ts';
import { metadataSpan, querySpan, type SpanTree, serverSpan, startTraced, treesOf } from '../support/traces.ts';

const PAGE = 'docs/features.md';
const features = rowsOf(PAGE, 'feature', 'switched on by', 'code');
const pairs = rowsOf(PAGE, 'features', 'what happens');

const authorization = { authorization: `Bearer ${TOKEN}` };
const STATIC_FILE = `/download/dataset/${DATASET_ID}`;
const CSV = resultsPath('format=csv');
/** It is held, and needs no metadata. */
const HELD_CSV = resultsPath('format=csv&layout=wide');
const PARQUET = resultsPath('format=parquet');
const STATISTICS = resultsPath('format=parquet&of=statistics');
const getFile = `GET /v1/collection/staticdataset/${DATASET_ID}/download`;

const named = { dataset: { name: dataset.metadata.name } };
const IDS = ofDataset('results { processingId }');
const ROWS = ofDataset('results { series { nodes { rows { valueDate metrics { name value } } } } }');
const countOf = (assetId: string) => `${assetId}: asset(assetId: "${assetId}") { series { rowCount } }`;

const reuse = { ROUTER_CACHE_METADATA_SECONDS: '60', ROUTER_CACHE_RESULTS_SECONDS: '60' };
const cachingOf = ({ headers }: { headers: Answer['headers'] }) => headers['cache-control'];

const SECRET = 'the-secret-of-the-router';
const ORIGIN = 'https://example.com';
const forbidden = (message: string) => ({ errors: [{ message, extensions: { code: 'FORBIDDEN' } }] });
const onlyRouter = forbidden('This subgraph accepts requests only from its router.');

/** Results above a megabyte may pass. */
const passing = { RESULTS_HOLD_BYTES: '1048576' };
const resultsOf = (count: number) => ({ assets: Array.from({ length: count }, (_, at) => assetResult(`x${at}`)) });
/** 3 MB. */
const ASSETS = 5000;
const results = JSON.stringify(resultsOf(ASSETS));
const withoutEnd = results.slice(0, -1);

/** An answer whose results are invalid as a whole. */
const invalid = { data: { dataset: { results: null } }, errors: [invalidAt(['dataset', 'results'])] };

/** The error of a download whose call for results failed. */
function failed(code: string, rest: object) {
  const known = { operation: 'getDatasetResults', status: null, label: null, labelSource: null, retryable: false };
  const extensions = { code, rest: { ...known, requestId: expect.any(String), ...rest } };
  return { errors: [{ message: expect.any(String), extensions }] };
}

/** Sends results in two parts, and makes the second one wait as long as an operation may take. */
function outlastDeadline(bed: TestBed): void {
  const inTwo = async function* () {
    yield results.slice(0, 2_000_000);
    const { body } = await bed.query(NAME, { variables: { id: 'other' } });
    expect(body.errors).toMatchObject([{ extensions: { code: 'UPSTREAM_TIMEOUT' } }]);
    yield results.slice(2_000_000);
  };
  bed.simulator.intercept(({ datasetId }) => (datasetId === 'other' ? { hang: true } : { body: inTwo() }));
}

/** The traces of operations by how many calls they have. */
function byCalls(one: SpanTree, other: SpanTree): number {
  const [calls = 0, others = 0] = [one, other].map(({ children: [operation] }) => operation?.children.length);
  return calls - others;
}

/** Rows of the page that a test shows whose subject is one of the two. */
const shownBy: Readonly<Record<string, readonly [file: string, title: string]>> = {
  'call list + introspection off': [
    'test/graphql/rest-calls.test.ts',
    'are not in the response if the request does not ask for them, or there is no explorer',
  ],
  'call list + reuse by routers': ['test/graphql/rest-calls.test.ts', 'are in no response that may be reused'],
  'operation plan + reuse by routers': ['test/graphql/operation-plan.test.ts', 'is in no response that may be reused'],
  'tickets + reuse by routers': ['test/server/router-cache.test.ts', 'a ticket is selected'],
  'token in a URL + reuse by routers': ['test/server/router-cache.test.ts', 'a URL with the token is selected'],
  'results that pass + reuse by routers': [
    'test/server/router-cache.test.ts',
    'are sent with a response of up to 3.5 MB, whose errors are known before',
  ],
  'files + router secret': [
    'test/server/router-secret.test.ts',
    'keep a download by id, and what is beside these paths, from others',
  ],
  'explorers + router secret': [
    'test/server/router-secret.test.ts',
    'keeps every path from others but the health checks',
  ],
  'stale responses + reuse by routers': ['test/rest/cache-limits.test.ts', 'are served instead of %s, and say so'],
  'explorers + CORS': ['test/server/login-route.test.ts', 'is refused'],
  'explorers + introspection off': ['test/server/login-route.test.ts', 'INTROSPECTION is off'],
  'merged calls + cache': ['test/rest/cache.test.ts', 'make a call for each dataset and for each filter'],
};

/** What each other row of the page says, as it happens. */
const checks: Readonly<Record<string, () => Promise<void>>> = {
  'files + cache': async () => {
    const bed = await start({ env: { CACHE: 'memory' } });
    for (const path of [CSV, STATISTICS, HELD_CSV, PARQUET, STATIC_FILE]) {
      for (let times = 0; times < 2; times += 1) expect((await receive(bed, path)).status).toBe(200);
    }
    const streamed = [postResults({}), postResults({})];
    // The statistics have made the metadata call, and Parquet reads the results of the other held file.
    expect(bed.calls()).toEqual([...streamed, getSummary(), ...streamed, postResults({}), getFile, getFile]);
  },
  'files + stale responses': async () => {
    const bed = await start({ env: { CACHE: 'memory', CACHE_STALE_SECONDS: '600', UPSTREAM_RETRY: 'off' } });
    const clock = stopClock();
    const fresh = await receive(bed, HELD_CSV);
    clock.advance(60_000);
    bed.simulator.intercept(() => ({ status: 503 }));
    const stale = await receive(bed, HELD_CSV);
    const unnamed = { 'x-request-id': expect.any(String), date: expect.any(String) };
    expect(stale).toEqual({ ...fresh, headers: { ...fresh.headers, ...unnamed } });
    const file = await receive(bed, CSV);
    expect(JSON.parse(file.text)).toEqual(failed('UPSTREAM_UNAVAILABLE', { status: 503, retryable: true }));
    expect((await bed.query(IDS)).body).toEqual({
      data: { dataset: { results: { processingId: 'p-1' } } },
      extensions: { stale: { ageSeconds: 60 } },
    });
  },
  'files + reuse by routers': async () => {
    const bed = await start({ env: reuse });
    for (const path of [CSV, HELD_CSV, PARQUET, STATIC_FILE]) {
      const file = await receive(bed, path);
      expect([file.status, cachingOf(file)]).toEqual([200, 'no-store']);
    }
  },
  'files + retries': async () => {
    const bed = await start();
    // One of eleven calls may be a retry.
    for (let call = 0; call < 30; call += 1) await bed.query(NAME);
    let calls: string[] = [];
    for (const path of [CSV, STATIC_FILE, PARQUET]) {
      bed.simulator.clear();
      bed.simulator.intercept(() => (bed.calls().length === 1 ? { status: 503 } : undefined));
      const { status } = await receive(bed, path);
      calls = [...calls, String(status), ...bed.calls()];
    }
    const held = ['200', getSummary(), getSummary(), postResults({})];
    expect(calls).toEqual(['503', postResults({}), '503', getFile, ...held]);
  },
  'files + circuit breaker': async () => {
    const bed = await start({ env: { UPSTREAM_RETRY: 'off', UPSTREAM_OUTAGE_MS: '60000' } });
    bed.simulator.intercept(() => ({ status: 503 }));
    for (let call = 0; call < 30; call += 1) await receive(bed, CSV);
    expect(bed.calls()).toHaveLength(30);
    for (let call = 0; call < 30; call += 1) await bed.query(IDS);
    // The first 20 open the circuit.
    expect(bed.calls()).toHaveLength(50);
    bed.simulator.clear();
    bed.simulator.intercept(undefined);
    const held = await receive(bed, HELD_CSV);
    expect(JSON.parse(held.text)).toEqual(failed('UPSTREAM_UNAVAILABLE', { retryable: true }));
    expect(bed.calls()).toEqual([]);
    expect((await receive(bed, CSV)).isComplete).toBe(true);
    expect(bed.calls()).toEqual([postResults({})]);
  },
  'files + limits of an operation': async () => {
    const limited = await start({ env: { UPSTREAM_MAX_BYTES: '1000', UPSTREAM_MAX_CALLS: '1' } });
    const unlimited = await start();
    expect((await receive(limited, CSV)).text).toBe((await receive(unlimited, CSV)).text);
    expect((await receive(limited, STATISTICS)).status).toBe(200);
    const held = await receive(limited, HELD_CSV);
    expect(JSON.parse(held.text)).toEqual(failed('UPSTREAM_RESPONSE_TOO_LARGE', { status: 200 }));
    const heldToo = await receive(limited, PARQUET);
    expect(JSON.parse(heldToo.text)).toEqual(failed('REQUEST_LIMIT_EXCEEDED', {}));

    const bed = await start({ env: { OPERATION_TIMEOUT_MS: '300' } });
    outlastDeadline(bed);
    const file = await receive(bed, CSV);
    expect([file.isComplete, file.text.split('\r\n').length]).toEqual([true, 1 + ASSETS * 6 + 1]);
    expect(bed.calls()).toEqual([postResults({}), getSummary('other')]);
  },
  'files + results that pass': async () => {
    const bed = await start();
    respondWith(bed.simulator, { results: withoutEnd });
    expect((await bed.query(ROWS)).body).toEqual(invalid);
    const file = await receive(bed, CSV);
    expect([file.status, file.isComplete]).toEqual([200, false]);
    expect(file.text).toMatch(/^asset_id,.*\r\nx0,Field x0,1,2024-01-01,moisture,0\.5\r\n/);
    const held = await receive(bed, HELD_CSV);
    expect(JSON.parse(held.text)).toEqual(failed('UPSTREAM_INVALID_RESPONSE', { status: 200 }));
  },
  'files + CORS': async () => {
    const bed = await start({ env: { CORS_ORIGINS: ORIGIN } });
    for (const path of [CSV, STATIC_FILE]) {
      const { status, headers } = await receive(bed, path, { ...authorization, origin: ORIGIN });
      expect(status).toBe(200);
      expect(headers['content-disposition']).toMatch(/^attachment; filename=/);
      expect(headers['access-control-allow-origin']).toBe(ORIGIN);
      expect(headers['access-control-expose-headers']).toBe('x-request-id');
    }
  },
  'operation plan + cache': async () => {
    const bed = await start({ env: { CACHE: 'memory', OPERATION_PLAN: 'on', EXPLORER: 'sandbox' } });
    await bed.query(NAME);
    bed.simulator.clear();
    const headers = { 'operation-plan': 'include', 'rest-calls': 'include' };
    const { plan, restCalls } = (await bed.query(NAME, { headers })).body.extensions;
    expect(plan.calls).toEqual([`GET metadata of "${DATASET_ID}"`]);
    expect(restCalls).toMatchObject({ count: 0, calls: [{ operation: 'getDatasetMetadata', source: 'cache' }] });
    expect(bed.calls()).toEqual([]);
  },
  'federated traces + reuse by routers': async () => {
    const bed = await start({ env: { ...reuse, FEDERATED_TRACING: 'on' } });
    const answer = await bed.query(NAME, { headers: askingForTrace });
    const tags = { apolloCacheTags: [`dataset-${DATASET_ID}`] };
    expect(answer.body).toEqual({ data: named, extensions: { ...tags, ftv1: expect.any(String) } });
    expect(cachingOf(answer)).toBe('private, max-age=60');
  },
  'results that pass + cache': async () => {
    const env = { ...passing, CACHE: 'memory' };
    const cached = await start({ env });
    const without = await start({ env: { ...env, CACHE_RESULTS_SECONDS: '0' } });
    for (const { simulator } of [cached, without]) respondWith(simulator, { results: withoutEnd });
    expect((await cached.query(ROWS)).body).toEqual(invalid);
    await expect(without.query(ROWS)).rejects.toThrow('aborted');
  },
  'results that pass + merged calls': async () => {
    const bed = await start({ env: passing });
    respondWith(bed.simulator, { results: withoutEnd });
    const rowsOfAsset = (id: string) =>
      `${id}: results(filter: { assetIds: ["${id}"] }) { series { nodes { rows { valueDate } } } }`;
    await expect(bed.query(ofDataset(rowsOfAsset('x1')))).rejects.toThrow('aborted');
    expect((await bed.query(ofDataset(`${rowsOfAsset('x1')} ${rowsOfAsset('x2')}`))).body).toEqual({
      data: { dataset: { x1: null, x2: null } },
      errors: [invalidAt(['dataset', 'x1']), invalidAt(['dataset', 'x2'])],
    });
    expect(bed.filters()).toEqual([{ mo_ids: ['x1'] }, { mo_ids: ['x1', 'x2'] }]);
  },
  'results that pass + limits of an operation': async () => {
    // It is long enough for a response to begin.
    const bed = await start({ env: { ...passing, OPERATION_TIMEOUT_MS: '3000' } });
    outlastDeadline(bed);
    const { body } = await bed.query(ROWS);
    expect(body.errors).toBeUndefined();
    expect(body.data.dataset.results.series.nodes).toHaveLength(ASSETS);
  },
  'traces + cache': async () => {
    const { bed, collector } = await startTraced({ env: { CACHE: 'memory' } });
    for (const { body } of await Promise.all([bed.query(NAME), bed.query(NAME)])) expect(body).toEqual({ data: named });
    expect((await bed.query(NAME)).body).toEqual({ data: named });
    const trees = treesOf(await collector.receive(7));
    const withCalls = (count: number) => serverSpan([querySpan(Array(count).fill(metadataSpan()))]);
    expect(trees.toSorted(byCalls)).toEqual([withCalls(0), withCalls(0), withCalls(1)]);
  },
  'federated traces + known documents': async () => {
    const bed = await start({ env: { FEDERATED_TRACING: 'on' } });
    const document = ofDataset(`name ${countOf('a')} results { series { nodes { rowCount } } }`);
    const known = [await bed.query(document), await bed.query(document)];
    const traced = await bed.query(document, { headers: askingForTrace });
    for (const { body } of known) expect(body).toEqual({ data: traced.body.data });
    // Only graphql-js calls what makes a trace.
    expect(fieldsIn(traceOf(traced)).map(({ responseName }) => responseName)).toEqual([
      ...['dataset', 'name', 'a', 'series', 'results', 'series'],
    ]);
  },
  'router secret + CORS': async () => {
    const bed = await start({ env: { ROUTER_SECRET: SECRET, CORS_ORIGINS: ORIGIN } });
    const asked = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' };
    const preflight = await bed.http('/graphql', { method: 'OPTIONS', headers: { origin: ORIGIN, ...asked } });
    expect(preflight.status).toBe(204);
    expect(preflight.headers['access-control-allow-origin']).toBe(ORIGIN);
    expect(await bed.query(NAME, { headers: { origin: ORIGIN } })).toMatchObject({ status: 403, body: onlyRouter });
    expect(bed.calls()).toEqual([]);
  },
  'log level + log of operations': async () => {
    for (const [level, messages] of [
      ['info', ['REST call', 'operation']],
      ['warn', []],
    ] as const) {
      const bed = await start({ env: { LOG_LEVEL: level, LOG_OPERATIONS: 'on' } });
      expect((await bed.query(NAME)).body).toEqual({ data: named });
      expect(bed.log.map((line) => JSON.parse(line).msg)).toEqual(messages);
    }
  },
};

const knownSettings = new Set(readFileSync('src/config.ts', 'utf8').match(/(?<=^ {2})[A-Z_]+(?=: )/gm));

/** The files that a cell links to. */
function filesIn(cell: string): string[] {
  return Array.from(cell.matchAll(/\]\(([^)]+)\)/g), ([, file = '']) => join(dirname(PAGE), file));
}

describe(PAGE, () => {
  const titles = features.map(([feature = '']) => feature);

  it('has each feature once, with settings and files that are there', () => {
    expect(titles.length).toBeGreaterThan(20);
    expect(new Set(titles).size).toBe(titles.length);
    for (const [feature, switchedOn = '', code = ''] of features) {
      const settings = names(switchedOn).flatMap((name) => /^[A-Z_]+(?==|$)/.exec(name)?.[0] ?? []);
      expect([feature, settings.filter((name) => !knownSettings.has(name))]).toEqual([feature, []]);
      const files = filesIn(code);
      expect([feature, files.length > 0, files.filter((file) => !existsSync(file))]).toEqual([feature, true, []]);
    }
  });

  it('names each file of src/server/features', () => {
    const named = features.flatMap(([, , code = '']) => filesIn(code));
    expect(globSync('src/server/features/*.ts').filter((file) => !named.includes(file))).toEqual([]);
  });

  it('has pairs of its features, each once, and a check for each', () => {
    const rows = pairs.map(([pair = '']) => pair);
    expect(rows.toSorted()).toEqual([...Object.keys(checks), ...Object.keys(shownBy)].toSorted());
    for (const [file, title] of Object.values(shownBy)) expect(readFileSync(file, 'utf8')).toContain(`'${title}'`);
    const sorted = rows.map((pair) => pair.split(' + ').toSorted());
    expect(sorted.filter((pair) => pair.length !== 2 || pair.some((feature) => !titles.includes(feature)))).toEqual([]);
    expect(new Set(sorted.map(String)).size).toBe(rows.length);
  });

  it.each(Object.entries(checks))('says what happens: %s', (_pair, check) => check());
});
