import { describe, expect, it } from 'vitest';
import { stopClock } from '../support/clock.ts';
import { eventually } from '../support/eventually.ts';
import {
  type Answer,
  assetResult,
  DATASET_ID,
  gate,
  NAME,
  ofDataset,
  start,
  type TestBed,
  TOKEN,
} from '../support/harness.ts';
import { readSample, startMeasured } from '../support/metrics.ts';
import { pieces } from '../support/pieces.ts';

const env = { EXPLORER: 'sandbox' };
const headers = { 'rest-calls': 'include' };

const METADATA = '{"name":"Soil"}';
const RESULTS = JSON.stringify({ processing_id: 'p', assets: ['a', 'b'].map(assetResult) });

/** Starts a subgraph whose service sends the two bodies, whatever the dataset. */
async function startServed(settings: Record<string, string>): Promise<TestBed> {
  const bed = await start({ env: settings });
  bed.simulator.intercept(({ operation }) => ({
    status: 200,
    body: operation === 'getDatasetMetadata' ? METADATA : RESULTS,
  }));
  return bed;
}

const ROWS = ofDataset('results { series { nodes { rowCount } } }');
const filter = '{ assetIds: ["a", "b"], timeRange: { start: 0, stop: "2024-01-31T12:00:00.500Z" } }';
const BOTH = ofDataset(`name results(filter: ${filter}) { series { nodes { rowCount } } }`);

/** A call that ended well; what differs is given. */
const listed = (call: object) => ({
  operation: 'getDatasetMetadata',
  datasetId: DATASET_ID,
  filter: null,
  source: 'service',
  resends: 0,
  status: 200,
  label: null,
  failure: null,
  bytes: METADATA.length,
  ...call,
});
const listedResults = (call: object) => listed({ operation: 'getDatasetResults', bytes: RESULTS.length, ...call });

const WORDS = '2 assets, from 1970-01-01T00:00:00Z, to 2024-01-31T12:00:00.500Z';
/** The calls of BOTH. */
const both = {
  count: 2,
  bytes: METADATA.length + RESULTS.length,
  calls: [listed({}), listedResults({ filter: WORDS })],
};

/** The list of a response without its times, which are checked here. */
function restCallsOf({ body }: Answer) {
  const { milliseconds, calls, ...totals } = body.extensions.restCalls;
  for (const call of calls) expect(call.milliseconds >= 0 && call.milliseconds <= milliseconds).toBe(true);
  return { ...totals, calls: calls.map(({ milliseconds: _, ...call }: { milliseconds: number }) => call) };
}

/** The text of a response without the list. */
const withoutList = (text: string) => text.replace(/,"extensions":\{"restCalls":\{[^[]*\[[^\]]*\]\}\}/, '');

/*
 * Clause 3.46 of docs/contract.md in detail.
 * With `EXPLORER`, a request with the header `rest-calls: include` gets its REST calls in `extensions.restCalls`, behind
 * the data. Such a response may not be reused (39). Without the explorers, or with another value, the header has no effect.
 * Routers with the configurations of deploy/ do not forward it.
 * - `calls` has each call that was sent, in that order: the operation of the REST specification, the dataset, the filter
 *   in words without ids, `resends` (how often it was made before), `milliseconds` with its wait in the queue, and how it
 *   ended, as in the log: `status`, `label`, `failure` and the received `bytes`. What ends after the response was written
 *   has null instead. A call that was not sent, because of a limit, the open circuit or no token, is not listed: the error of
 *   its field has the reason.
 * - A read that needed no call (40, 41) is listed when it ends, without bytes. `source` is `cache`, `stale` if the service
 *   fails, or `joined` if a call of another request got it; that request lists the call. `source` of all others is `service`.
 * - `count` and `bytes` are those of the calls that were sent, as in the operation's line in the log. `milliseconds` is the time
 *   from the headers of the request to the end of the data. The list has the first 1000, and the totals have all.
 * - A response that is sent instead of the operation's, because of its deadline or the shutdown, has no list.
 */
describe('3.46 The REST calls of an operation', () => {
  it('are what was asked for and what it cost', async () => {
    const { query } = await startServed(env);
    // The second time the document is known.
    for (let times = 0; times < 2; times += 1) {
      const answer = await query(BOTH, { headers });
      expect(restCallsOf(answer)).toEqual(both);
      expect(withoutList(answer.text)).toBe((await query(BOTH)).text);
    }
  });

  it('are behind the data of a response that passes', async () => {
    const { query, simulator } = await start({ env, holdBytes: 4096 });
    const assets = [...Array.from({ length: 500 }, (_, at) => assetResult(`x${at}`)), { asset_id: 'y', results: 7 }];
    const body = Buffer.from(JSON.stringify({ assets }));
    simulator.intercept(() => ({ body: pieces(body, [4096]), status: 200 }));
    const request = { headers: { 'x-request-id': 'the-same' } };
    const { text: plain } = await query(ROWS, request);
    const answer = await query(ROWS, { headers: { ...headers, ...request.headers } });
    const calls = [listedResults({ filter: 'all assets', bytes: body.length })];
    expect(restCallsOf(answer)).toEqual({ count: 1, bytes: body.length, calls });
    expect(answer.text.indexOf('"extensions":{"restCalls"')).toBeGreaterThan(answer.text.lastIndexOf('{"rowCount"'));
    expect(answer.body.errors).toHaveLength(1);
    expect(withoutList(answer.text) === plain).toBe(true);
  });

  it('are beside the plan and the trace of the operation, for several datasets and by GET', async () => {
    const { http } = await startServed({ ...env, OPERATION_PLAN: 'on', FEDERATED_TRACING: 'on' });
    const results = 'results(filter: { assetIds: ["a"], timeRange: { start: 253402300800000 } }) { sourceId }';
    const document = `{ a: dataset(id: "a") { name } b: dataset(id: "b") { ${results} } c: dataset(id: "c") { name } }`;
    const asked = { 'operation-plan': 'include', 'apollo-federation-include-trace': 'ftv1', ...headers };
    const get = { ...asked, authorization: `Bearer ${TOKEN}`, 'apollo-require-preflight': 'true' };
    const answer = await http(`/graphql?query=${encodeURIComponent(document)}`, { headers: get });
    expect(Object.keys(answer.body.extensions).toSorted()).toEqual(['ftv1', 'plan', 'restCalls']);
    expect(restCallsOf(answer)).toEqual({
      count: 3,
      bytes: 2 * METADATA.length + RESULTS.length,
      calls: [
        listed({ datasetId: 'a' }),
        // A year of five digits is no RFC 3339.
        listedResults({ datasetId: 'b', filter: '1 asset, from 253402300800000' }),
        listed({ datasetId: 'c' }),
      ],
    });
  });

  it('say how a call failed, and which call is a retry', async () => {
    const { query, simulator } = await start({ env });
    // Before the first eleven calls nothing is retried.
    for (let times = 0; times < 10; times += 1) await query(NAME);
    let failures = 1;
    simulator.intercept(({ operation }) => {
      if (operation === 'getDatasetResults') return { reset: true };
      failures -= 1;
      return failures < 0 ? { body: METADATA } : { status: 503, body: 'busy' };
    });
    const answer = await query(BOTH, { headers });
    expect(answer.body.data).toEqual({ dataset: { name: 'Soil', results: null } });
    expect(restCallsOf(answer)).toEqual({
      count: 3,
      bytes: 'busy'.length + METADATA.length,
      calls: [
        listed({ status: 503, failure: 'httpError', bytes: 'busy'.length }),
        listedResults({ filter: WORDS, failure: 'unavailable', status: null, bytes: 0 }),
        listed({ resends: 1 }),
      ],
    });
  });

  it('have the label of the service, and no text, token, URL or id of an asset', async () => {
    const { query, simulator, subgraph } = await start({ env });
    simulator.intercept(({ operation, target }) =>
      operation === 'getDatasetMetadata'
        ? { status: 400, body: 'BAD_REQUEST' }
        : { status: 500, body: `${simulator.url}${target} ${TOKEN} text-of-the-service` },
    );
    const answer = await query(ofDataset('asset(assetId: "the-secret-asset") { name } name'), { headers });
    expect(restCallsOf(answer).calls).toMatchObject([
      { failure: 'httpError', status: 400, label: 'BAD_REQUEST', bytes: 11 },
      { failure: 'httpError', status: 500, label: 'INTERNAL_SERVER_ERROR' },
    ]);
    const hosts = [simulator.url, subgraph.url].map((url) => new URL(url).host);
    for (const secret of [TOKEN, 'the-secret-asset', 'text-of-the-service', '/v1/', ...hosts])
      expect(answer.text).not.toContain(secret);
  });

  it('are none if none was sent', async () => {
    const { query } = await start({ env });
    const none = { count: 0, bytes: 0, calls: [] };
    expect(restCallsOf(await query('{ __typename }', { headers }))).toEqual(none);
    expect(restCallsOf(await query(NAME, { headers, token: null }))).toEqual(none);
    expect(restCallsOf(await query('{ nothing }', { headers }))).toEqual(none);
  });

  it('are at most a thousand, and the totals have all', async () => {
    const { query } = await startServed({ ...env, UPSTREAM_MAX_CALLS: '2000', UPSTREAM_QUEUE: '2000' });
    const ids = Array.from({ length: 501 }, (_, index) => `d${index}`);
    const document = 'query ($ids: [ID!]!) { datasetsByIds(ids: $ids) { name results { series { totalCount } } } }';
    const { count, calls } = restCallsOf(await query(document, { headers, variables: { ids } }));
    expect([count, calls.length]).toEqual([1002, 1000]);
  });

  it('are in no response that may be reused', async () => {
    const { query } = await start({ env: { ...env, ROUTER_CACHE_METADATA_SECONDS: '60' } });
    const cacheControl = async (headers = {}) => (await query(NAME, { headers })).headers['cache-control'];
    expect([await cacheControl(), await cacheControl(headers)]).toEqual(['private, max-age=60', 'no-store']);
  });

  it('are not in the response if the request does not ask for them, or there is no explorer', async () => {
    const text =
      '{"data":{"dataset":{"name":"Soil","results":{"series":{"nodes":[{"rowCount":3},{"rowCount":3}]}}}}}\n';
    for (const [settings, ...all] of [
      [env, {}, { 'rest-calls': 'yes' }],
      [{}, headers],
      [{ ...env, INTROSPECTION: 'off' }, headers],
    ] as const) {
      const { query } = await startServed(settings);
      // The second time the document is known.
      for (const sent of [...all, ...all]) expect((await query(BOTH, { headers: { ...sent } })).text).toBe(text);
    }
  });
});

describe('3.46 Reads that needed no call', () => {
  const memory = { ...env, CACHE: 'memory' };
  const cached = { data: { dataset: { name: 'Soil' } }, extensions: { restCalls: expect.anything() } };
  const saved = (call: object) => listed({ bytes: 0, ...call });

  it('are listed as from the cache', async () => {
    const { query } = await startServed(memory);
    const [first, second] = [await query(BOTH, { headers }), await query(BOTH, { headers })];
    expect(restCallsOf(first)).toEqual(both);
    expect(restCallsOf(second)).toEqual({
      count: 0,
      bytes: 0,
      calls: [saved({ source: 'cache' }), listedResults({ filter: WORDS, source: 'cache', bytes: 0 })],
    });
    expect(withoutList(second.text)).toBe((await query(BOTH)).text);
  });

  it('are listed as joined, with the failure of the call', async () => {
    const bed = await startMeasured({ env: memory });
    const { query, simulator, calls } = bed;
    const { opened, open } = gate();
    simulator.intercept(() => opened.then(() => ({ status: 403, body: 'ACCESS_DENIED' })));
    const first = query(NAME, { headers });
    await eventually(() => expect(calls()).toHaveLength(1));
    const second = query(NAME, { headers });
    const joined = 'rest_cache_reads_total{operation="getDatasetMetadata",outcome="joined"}';
    await eventually(async () => expect(await readSample(bed, joined)).toBe(1));
    open();
    const failed = { status: 403, label: 'ACCESS_DENIED', failure: 'httpError' };
    const bytes = 'ACCESS_DENIED'.length;
    expect(restCallsOf(await first)).toEqual({ count: 1, bytes, calls: [listed({ ...failed, bytes })] });
    const calledNothing = { count: 0, bytes: 0, calls: [saved({ source: 'joined', ...failed })] };
    expect(restCallsOf(await second)).toEqual(calledNothing);
    expect(calls()).toHaveLength(1);
  });

  it('are listed as stale behind the call that failed', async () => {
    const settings = { CACHE_METADATA_SECONDS: '1', CACHE_STALE_SECONDS: '60', UPSTREAM_RETRY: 'off' };
    const { query, simulator } = await startServed({ ...memory, ...settings });
    const clock = stopClock();
    expect((await query(NAME, { headers })).body).toEqual(cached);
    clock.advance(1000);
    simulator.intercept(() => ({ status: 503, body: 'busy' }));
    const answer = await query(NAME, { headers });
    expect(answer.body).toEqual({ ...cached, extensions: { ...cached.extensions, stale: { ageSeconds: 1 } } });
    expect(restCallsOf(answer)).toEqual({
      count: 1,
      bytes: 'busy'.length,
      calls: [listed({ status: 503, failure: 'httpError', bytes: 'busy'.length }), saved({ source: 'stale' })],
    });
  });
});
