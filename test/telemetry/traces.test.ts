import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { bearer, begin, download, PATH } from '../support/download-route.ts';
import { DATASET_ID, dataset, gate, listen, NAME, start } from '../support/harness.ts';
import { ask, breakDown } from '../support/outage.ts';
import {
  BOTH,
  calls,
  expectData,
  failed,
  fileSpan,
  idsIn,
  metadataSpan,
  querySpan,
  resultsSpan,
  type SpanTree,
  serverSpan,
  startTraced,
  treesOf,
} from '../support/traces.ts';

/*
 * Clause 3.38 of docs/contract.md in detail.
 * Traces go to a collector of OpenTelemetry if `OTEL_EXPORTER_OTLP_ENDPOINT` or `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` is
 * set. A request to `/graphql` or `/download/...` has a SERVER span, named by its method and its route. A GraphQL
 * operation has an INTERNAL span, named by its type. Each REST call has a CLIENT span, named by its method and its path
 * without ids. The attributes are methods, routes, statuses, counts and kinds of failures: no id, no token, no
 * document, no URL and no address. The event `queued` says that a call waited in the queue, `retry` that a call was
 * made again, and `circuit open` that a call was not made. A span of what failed has the status ERROR and `error.type`;
 * if the client left, it has only `error.type` with `cancelled`. docs/operations.md lists the spans.
 * - A valid `traceparent` header is joined, with its `tracestate`; without one, a new trace begins. The headers go on
 *   to the REST service only with `TRACE_UPSTREAM=on`.
 * - The lines of the log have the `trace_id` and the `span_id`, also if the trace is not sampled: of a REST call those
 *   of its CLIENT span if there is one, of all others those of the SERVER span.
 * - A collector that is down delays nothing. Spans that wait are bounded, and then dropped. The log says so once, and
 *   once more when spans are sent again. A shutdown waits for the collector for at most 2 s, after the last request.
 */
describe('3.38 Traces', () => {
  it('have a span for the request, one for its operation, and one for each REST call', async () => {
    const { bed, collector } = await startTraced();
    expectData(await bed.query(BOTH));
    const spans = await collector.receive(4);
    const expected = querySpan([metadataSpan(), resultsSpan()], { attributes: calls(1, 0) });
    expect(treesOf(spans)).toEqual([serverSpan([expected])]);
    const [call, , , request] = spans;
    expect(request).toMatchObject({ parentSpanId: '', links: [], traceState: '' });
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
    for (const { start, end } of spans) {
      expect(start).toBeGreaterThanOrEqual(request?.start ?? 0);
      expect(end).toBeLessThanOrEqual(request?.end ?? 0);
      expect(end).toBeGreaterThanOrEqual(start);
    }
    expect(Math.abs(Date.now() - (call?.start ?? 0))).toBeLessThan(60_000);
  });

  it('count the calls of results that were planned, and those that were merged', async () => {
    const { bed, collector } = await startTraced();
    const day = '{ start: "2024-01-01T00:00:00Z", stop: "2024-01-02T00:00:00Z" }';
    const response = await bed.query(
      `{ dataset(id: "${DATASET_ID}") {
        a: results(filter: { assetIds: ["a"], timeRange: ${day} }) { sourceId }
        b: results(filter: { assetIds: ["b"], timeRange: ${day} }) { sourceId }
        all: results { sourceId }
        c: results(filter: { assetIds: ["c"] }) { sourceId }
        later: results(filter: { timeRange: { start: 5 } }) { sourceId }
      } }`,
    );
    expectData(response);
    const expected = querySpan(Array(3).fill(resultsSpan()), { attributes: calls(3, 2) });
    expect(treesOf(await collector.receive(5))).toEqual([serverSpan([expected])]);
  });

  it('keep concurrent requests apart', async () => {
    const { bed, collector } = await startTraced();
    await Promise.all(Array.from({ length: 10 }, async () => expectData(await bed.query(BOTH))));
    const expected = serverSpan([querySpan([metadataSpan(), resultsSpan()], { attributes: calls(1, 0) })]);
    expect(treesOf(await collector.receive(40))).toEqual(Array(10).fill(expected));
    expect(new Set(collector.spans.map(({ traceId }) => traceId)).size).toBe(10);
  });

  it('are made of GraphQL and downloads only', async () => {
    const { bed, collector } = await startTraced({ env: { EXPLORER: 'sandbox', METRICS_PORT: '0' } });
    for (const path of ['/health/live', '/health/ready', '/nope', bed.subgraph.metricsUrl ?? '']) await bed.http(path);
    const page = await bed.http('/graphql', { headers: { accept: 'text/html' } });
    expect(page.text).toContain('<html');
    expectData(await bed.query(NAME));
    const attributes = { 'http.request.method': 'GET' };
    expect(treesOf(await collector.receive(4))).toEqual([
      { ...serverSpan([], { attributes }), span: 'SERVER GET /graphql' },
      serverSpan([querySpan([metadataSpan()])]),
    ]);
  });

  it('are not made unless a collector is set', async () => {
    const bed = await start({ env: { TRACE_UPSTREAM: 'on', LOG_OPERATIONS: 'on' } });
    expectData(await bed.query(NAME, { headers: { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` } }));
    expect(Object.keys(bed.simulator.requests[0]?.headers ?? {})).not.toContain('traceparent');
    expect(bed.log).toHaveLength(2);
    for (const line of bed.log) expect(line).not.toMatch(/trace_id|span_id/);
  });
});

describe('3.38 Traces of failures', () => {
  it('are no errors where the client is to blame, but for the call', async () => {
    const { bed, collector } = await startTraced();
    expect((await bed.query(NAME, { variables: { id: 'gone' } })).body.data).toEqual({ dataset: null });
    const call = metadataSpan(failed('httpError', 404));
    expect(treesOf(await collector.receive(3))).toEqual([serverSpan([querySpan([call])])]);
  });

  it('say that the client left', async () => {
    const { bed, collector } = await startTraced();
    const leaving = new AbortController();
    bed.simulator.intercept(() => {
      leaving.abort();
      return { hang: true };
    });
    await expect(bed.query(NAME, { signal: leaving.signal })).rejects.toThrow();
    const cancelled = failed('cancelled');
    const [tree] = treesOf(await collector.receive(3));
    const { 'http.response.status_code': _, ...attributes } = serverSpan([], cancelled).attributes;
    const operation = querySpan([metadataSpan(cancelled)], cancelled);
    expect(tree).toEqual({ ...serverSpan([operation], cancelled), attributes });
  });

  it.each([
    ['the service cannot be reached', async () => 'http://127.0.0.1:9', 'unavailable'],
    ['what answers is no HTTP', () => listen((socket) => void socket.end('no HTTP\r\n\r\n')), 'invalidResponse'],
    ['the service took too long', () => listen(() => {}), 'timeout'],
  ])('say that %s', async (_title, serviceUrl, failure) => {
    const setup = { serviceUrl: await serviceUrl(), env: { UPSTREAM_TIMEOUT_MS: '200' } };
    const { bed, collector } = await startTraced(setup);
    await bed.query(NAME);
    const error = failed('service_error');
    const expected = serverSpan([querySpan([metadataSpan(failed(failure))], error)], error);
    expect(treesOf(await collector.receive(3))).toEqual([expected]);
  });
});

/** The call that is made again, in an event of the operation. */
const retry = { name: 'retry', 'url.template': '/v1/collection/dataset/summary/{id}' };

const OTHER_ID = '22222222-2222-4222-8222-222222222222';
const TWO = `{ a: dataset(id: "${DATASET_ID}") { name } b: dataset(id: "${OTHER_ID}") { name } }`;
const datasets = [dataset, { ...dataset, metadata: { ...dataset.metadata, id: OTHER_ID } }];

/** One socket, so that the second call waits. */
const oneSocket = { UPSTREAM_CONNECTIONS: '1' };

const last = (trees: SpanTree[]) => trees.at(-1);

describe('3.38 The spans of REST calls', () => {
  it('have a retry as a call of its own, and as an event of the operation', async () => {
    const { bed, collector } = await startTraced();
    // Retries are allowed after ten calls.
    for (let times = 0; times < 10; times += 1) expectData(await bed.query(NAME));
    let failures = 1;
    bed.simulator.intercept(() => (failures-- > 0 ? { status: 503 } : undefined));
    expectData(await bed.query(NAME));
    const again = { 'http.response.status_code': 200, 'http.request.resend_count': 1 };
    const made = [metadataSpan(failed('httpError', 503)), metadataSpan({ attributes: again })];
    const tree = last(treesOf(await collector.receive(34)));
    expect(tree).toEqual(serverSpan([querySpan(made, { events: [retry] })]));
    expect(collector.spans).toHaveLength(34);
  });

  it('have the wait in the queue as an event, where there was one', async () => {
    const { bed, collector } = await startTraced({ env: oneSocket, datasets });
    const { opened, open } = gate();
    bed.simulator.intercept(() => opened.then(() => undefined));
    const response = bed.query(TWO);
    await expect.poll(() => bed.calls()).toHaveLength(1);
    await wait(20);
    open();
    expectData(await response);
    const queued = { name: 'queued', 'dataset_subgraph.queue.wait_ms': expect.any(Number) };
    const made = [metadataSpan(), { ...metadataSpan(), events: [queued] }];
    expect(treesOf(await collector.receive(4))).toEqual([serverSpan([querySpan(made)])]);
    const [first, second] = collector.spans.filter(({ kind }) => kind === 'CLIENT');
    const milliseconds = Number(second?.events[0]?.attributes['dataset_subgraph.queue.wait_ms']);
    expect(milliseconds).toBeGreaterThanOrEqual(20);
    // It began with the wait.
    expect(second?.events[0]?.time).toBe(second?.start);
    expect(second?.start).toBeLessThan((first?.end ?? 0) - 15);
    expect((second?.end ?? 0) - (second?.start ?? 0)).toBeGreaterThan(milliseconds);
  });

  it('have calls that were not sent, because the queue is full', async () => {
    const { bed, collector } = await startTraced({ env: { ...oneSocket, UPSTREAM_QUEUE: '0' }, datasets });
    const { body } = await bed.query(TWO);
    expect(body.errors).toHaveLength(1);
    const error = failed('service_error');
    const made = [metadataSpan(failed('queueFull')), metadataSpan()];
    expect(treesOf(await collector.receive(4))).toEqual([serverSpan([querySpan(made, error)], error)]);
  });

  it('have calls that were not sent, because the circuit is open', async () => {
    const { bed, collector } = await startTraced({ env: { UPSTREAM_RETRY: 'off', UPSTREAM_OUTAGE_MS: '60000' } });
    await breakDown(bed);
    await ask(bed, 1);
    const error = failed('service_error');
    const call = metadataSpan({ ...failed('circuitOpen'), events: [{ name: 'circuit open' }] });
    expect(last(treesOf(await collector.receive(66)))).toEqual(serverSpan([querySpan([call], error)], error));
    // Nothing is in the log of such a call.
    expect(bed.log).toHaveLength(21);
  });

  it('have the ids that the log has', async () => {
    const { bed, collector } = await startTraced({ env: { LOG_OPERATIONS: 'on' } });
    expectData(await bed.query(BOTH));
    const [first, second, , request] = (await collector.receive(4)).map(({ traceId: trace_id, spanId: span_id }) => ({
      trace_id,
      span_id,
    }));
    expect(idsIn(bed.log)).toEqual([
      { msg: 'REST call', ...first },
      { msg: 'REST call', ...second },
      { msg: 'operation', ...request },
    ]);
  });
});

describe('3.38 The spans of downloads', () => {
  const FILE_ROUTE = '/download/dataset/:id';

  /** The span of a request for a file. */
  function downloadSpan(children: SpanTree[], status: number | undefined, { method = 'GET', route = FILE_ROUTE } = {}) {
    const attributes = {
      'http.request.method': method,
      'http.route': route,
      ...(status !== undefined && { 'http.response.status_code': status }),
    };
    return { span: `SERVER ${method} ${route}`, attributes, events: [], status: 'UNSET', children };
  }

  it('have the request and its call', async () => {
    const { bed, collector } = await startTraced();
    expect(await download(bed)).toMatchObject({ status: 200, isComplete: true });
    expect(treesOf(await collector.receive(2))).toEqual([downloadSpan([fileSpan()], 200)]);
    const [call] = collector.spans;
    expect(idsIn(bed.log)).toEqual([{ msg: 'REST call', trace_id: call?.traceId, span_id: call?.spanId }]);
  });

  it('have no ticket', async () => {
    const { bed, collector } = await startTraced({ env: { DOWNLOAD_TICKET_SECRET: 'x'.repeat(32) } });
    const { body } = await bed.query(`{ dataset(id: "${DATASET_ID}") { download { ticketUrl } } }`);
    const { pathname } = new URL(body.data.dataset.download.ticketUrl);
    expect(await bed.http(pathname)).toMatchObject({ status: 200 });
    const spans = await collector.receive(4);
    expect(last(treesOf(spans))).toEqual(downloadSpan([fileSpan()], 200, { route: '/download/:ticket' }));
    const sent = collector.requests.map(({ body }) => body.toString('latin1')).join();
    expect(sent).not.toContain(pathname.slice('/download/'.length));
  });

  it('have the status of the service', async () => {
    const { bed, collector } = await startTraced();
    bed.simulator.intercept(() => ({ status: 500 }));
    expect(await bed.http(PATH, { headers: bearer })).toMatchObject({ status: 502 });
    const span = downloadSpan([fileSpan(failed('httpError', 500))], 502);
    const attributes = { ...span.attributes, 'error.type': '502' };
    expect(treesOf(await collector.receive(2))).toEqual([{ ...span, status: 'ERROR', attributes }]);
  });

  it('say that the service broke off', async () => {
    const { bed, collector } = await startTraced();
    bed.simulator.intercept(() => ({ body: 'x'.repeat(100_000), cutAfterBytes: 1000 }));
    expect(await download(bed)).toMatchObject({ status: 200, isComplete: false });
    const span = downloadSpan([fileSpan(failed('unavailable', 200))], undefined);
    const attributes = { ...span.attributes, 'error.type': 'unavailable' };
    expect(treesOf(await collector.receive(2))).toEqual([{ ...span, status: 'ERROR', attributes }]);
  });

  it('say that the client left', async () => {
    const { bed, collector } = await startTraced();
    bed.simulator.intercept(() => ({ body: endless() }));
    const response = await begin(bed);
    response.destroy();
    const span = downloadSpan([fileSpan(failed('cancelled', 200))], undefined);
    const attributes = { ...span.attributes, 'error.type': 'cancelled' };
    expect(treesOf(await collector.receive(2))).toEqual([{ ...span, attributes }]);
  });
});

async function* endless(): AsyncIterable<Uint8Array> {
  for (;;) yield Buffer.alloc(65_536);
}
