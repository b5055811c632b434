import { describe, expect, it } from 'vitest';
import { DATASET_ID, dataset, gate, listen, start, TOKEN } from '../support/harness.ts';
import {
  BOTH,
  calls,
  expectData,
  failed,
  metadataSpan,
  NAME,
  querySpan,
  resultsSpan,
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

  it('are the same for a document that is asked again', async () => {
    const { bed, collector } = await startTraced();
    for (let times = 0; times < 3; times += 1) expectData(await bed.query(NAME));
    const trees = treesOf(await collector.receive(9));
    expect(trees).toEqual(Array(3).fill(serverSpan([querySpan([metadataSpan()])])));
    expect(new Set(collector.spans.map(({ traceId }) => traceId)).size).toBe(3);
  });

  it('count the calls of results that were planned, and those that were merged', async () => {
    const { bed, collector } = await startTraced();
    const day = '{ start: "2024-01-01T00:00:00Z", stop: "2024-01-02T00:00:00Z" }';
    const response = await bed.query(
      `{ dataset(id: "${DATASET_ID}") {
        a: results(filter: { assetIds: ["a"] }) { sourceId }
        b: results(filter: { assetIds: ["b"] }) { sourceId }
        c: results(filter: { assetIds: ["c"], timeRange: ${day} }) { sourceId }
      } }`,
    );
    expectData(response);
    const expected = querySpan([resultsSpan(), resultsSpan()], { attributes: calls(2, 1) });
    expect(treesOf(await collector.receive(4))).toEqual([serverSpan([expected])]);
  });

  it('keep concurrent requests apart', async () => {
    const { bed, collector } = await startTraced();
    await Promise.all(Array.from({ length: 10 }, async () => expectData(await bed.query(BOTH))));
    const expected = serverSpan([querySpan([metadataSpan(), resultsSpan()], { attributes: calls(1, 0) })]);
    expect(treesOf(await collector.receive(40))).toEqual(Array(10).fill(expected));
    expect(new Set(collector.spans.map(({ traceId }) => traceId)).size).toBe(10);
  });

  it('have no type of an operation that is not known', async () => {
    const { bed, collector } = await startTraced();
    expect(await bed.query('{ nothing }')).toMatchObject({ status: 400 });
    const status = { attributes: { 'http.response.status_code': 400 } };
    const operation = { ...querySpan([]), span: 'INTERNAL GraphQL Operation', attributes: calls(0, 0) };
    expect(treesOf(await collector.receive(2))).toEqual([serverSpan([operation], status)]);
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
  it('are errors where the service failed', async () => {
    const { bed, collector } = await startTraced();
    bed.simulator.intercept(() => ({ status: 500 }));
    expect(await bed.query(NAME)).toMatchObject({ status: 200, body: { errors: [expect.anything()] } });
    const call = metadataSpan(failed('httpError', 500));
    const failure = failed('service_error');
    expect(treesOf(await collector.receive(3))).toEqual([serverSpan([querySpan([call], failure)], failure)]);
  });

  it('are no errors where the client is to blame, but for the call', async () => {
    const { bed, collector } = await startTraced();
    expect((await bed.query(NAME, { variables: { id: 'gone' } })).body.data).toEqual({ dataset: null });
    const call = metadataSpan(failed('httpError', 404));
    expect(treesOf(await collector.receive(3))).toEqual([serverSpan([querySpan([call])])]);
  });

  it('say that the service took too long', async () => {
    const { bed, collector } = await startTraced({ env: { UPSTREAM_TIMEOUT_MS: '30' } });
    bed.simulator.intercept(() => ({ hang: true }));
    await bed.query(NAME);
    const failure = failed('service_error');
    const call = metadataSpan(failed('timeout'));
    expect(treesOf(await collector.receive(3))).toEqual([serverSpan([querySpan([call], failure)], failure)]);
    expect(collector.spans[0]?.end).toBeGreaterThanOrEqual((collector.spans[0]?.start ?? 0) + 29);
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
    ['the service cannot be reached', '127.0.0.1:9', 'unavailable'],
    ['what answers is no HTTP', undefined, 'invalidResponse'],
  ])('say that %s', async (_title, host, failure) => {
    const noHttp = host ?? new URL(await listen((socket) => void socket.end('no HTTP\r\n\r\n'))).host;
    const { bed, collector } = await startTraced({ serviceUrl: `http://${noHttp}/prefix` });
    await bed.query(NAME);
    const error = failed('service_error');
    const expected = serverSpan([querySpan([metadataSpan(failed(failure))], error)], error);
    expect(treesOf(await collector.receive(3))).toEqual([expected]);
  });

  it('have rejected requests, without an operation', async () => {
    const { bed, collector } = await startTraced({ env: { MAX_OPERATIONS: '1' } });
    const { opened, open } = gate();
    const arrived = gate();
    bed.simulator.intercept(() => {
      arrived.open();
      return opened.then(() => undefined);
    });
    const running = bed.query(NAME);
    await arrived.opened;
    expect((await bed.query(NAME)).status).toBe(503);
    open();
    expectData(await running);
    expect(treesOf(await collector.receive(4))).toEqual([
      serverSpan([], failed('503', 503)),
      serverSpan([querySpan([metadataSpan()])]),
    ]);
  });

  it('have requests without the secret of the router, which are no failures', async () => {
    const { bed, collector } = await startTraced({ env: { ROUTER_SECRET: 'x'.repeat(16) } });
    const { status } = await bed.query(NAME);
    expect(status).toBe(403);
    const attributes = { 'http.response.status_code': status };
    expect(treesOf(await collector.receive(1))).toEqual([serverSpan([], { attributes })]);
  });

  it('hold nothing of the request and of the service', async () => {
    const { bed, collector } = await startTraced({ env: { LOG_OPERATIONS: 'on' } });
    await bed.query(`query Secret { dataset(id: "${DATASET_ID}") { alias: name results { sourceId } } }`, {
      headers: { 'x-request-id': 'my-request', 'user-agent': 'my-agent', baggage: 'my-baggage=1' },
    });
    await collector.receive(4);
    const sent = collector.requests.map(({ body }) => body.toString('latin1')).join();
    const own = [bed.subgraph.url, bed.simulator.url].map((url) => new URL(url).host);
    const theirs = [TOKEN, DATASET_ID, dataset.metadata.name, 'Secret', 'alias', 's-1', 'my-', '127.0.0.1', ...own];
    for (const text of theirs) expect(sent).not.toContain(text);
    expect(sent).toContain('graphql.operation.type');
  });
});
