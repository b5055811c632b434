import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { bearer, begin, download, PATH } from '../support/download-route.ts';
import { DATASET_ID, dataset, gate, send } from '../support/harness.ts';
import { ask, breakDown } from '../support/outage.ts';
import {
  BOTH,
  expectData,
  failed,
  fileSpan,
  idsIn,
  metadataSpan,
  NAME,
  querySpan,
  type SpanTree,
  serverSpan,
  startTraced,
  treesOf,
} from '../support/traces.ts';

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
    const calls = [metadataSpan(failed('httpError', 503)), metadataSpan({ attributes: again })];
    const tree = last(treesOf(await collector.receive(34)));
    expect(tree).toEqual(serverSpan([querySpan(calls, { events: [retry] })]));
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
    const calls = [metadataSpan(), { ...metadataSpan(), events: [queued] }];
    expect(treesOf(await collector.receive(4))).toEqual([serverSpan([querySpan(calls)])]);
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
    const calls = [metadataSpan(failed('queueFull')), metadataSpan()];
    expect(treesOf(await collector.receive(4))).toEqual([serverSpan([querySpan(calls, error)], error)]);
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

  it('have calls that were cancelled in the queue', async () => {
    const { bed, collector } = await startTraced({ env: { ...oneSocket, METRICS_PORT: '0' } });
    const { opened, open } = gate();
    bed.simulator.intercept(() => opened.then(() => undefined));
    const response = bed.query(NAME);
    await expect.poll(() => bed.calls()).toHaveLength(1);
    const leaving = new AbortController();
    const cancelled = bed.query(NAME, { signal: leaving.signal });
    const metrics = new URL(bed.subgraph.metricsUrl ?? '');
    await expect.poll(async () => (await send(metrics)).text).toContain('\nhttp_client_queue_length 1\n');
    leaving.abort();
    await expect(cancelled).rejects.toThrow();
    const [tree] = treesOf(await collector.receive(3));
    expect(tree?.children[0]?.children).toEqual([metadataSpan(failed('cancelled'))]);
    open();
    expectData(await response);
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
    expect(await download(bed)).toMatchObject({ status: 200, complete: true });
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

  it('have no call where the client sends no token', async () => {
    const { bed, collector } = await startTraced();
    expect(await bed.http(PATH)).toMatchObject({ status: 401 });
    expect(treesOf(await collector.receive(1))).toEqual([downloadSpan([], 401)]);
  });

  it.each([
    [404, 404, {}, 'UNSET'],
    [500, 502, { 'error.type': '502' }, 'ERROR'],
  ])('have the status %i of the service', async (status, expected, error, statusOfSpan) => {
    const { bed, collector } = await startTraced();
    bed.simulator.intercept(() => ({ status }));
    expect(await bed.http(PATH, { headers: bearer })).toMatchObject({ status: expected });
    const span = downloadSpan([fileSpan(failed('httpError', status))], expected);
    const attributes = { ...span.attributes, ...error };
    expect(treesOf(await collector.receive(2))).toEqual([{ ...span, status: statusOfSpan, attributes }]);
  });

  it('say that the service broke off', async () => {
    const { bed, collector } = await startTraced();
    bed.simulator.intercept(() => ({ body: 'x'.repeat(100_000), cutAfterBytes: 1000 }));
    expect(await download(bed)).toMatchObject({ status: 200, complete: false });
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

  it('have HEAD, whose call ends at the headers', async () => {
    const { bed, collector } = await startTraced();
    bed.simulator.intercept(() => ({ body: endless() }));
    expect(await download(bed, { method: 'HEAD' })).toMatchObject({ status: 200 });
    const call = fileSpan(failed('cancelled', 200));
    expect(treesOf(await collector.receive(2))).toEqual([downloadSpan([call], 200, { method: 'HEAD' })]);
    expect(bed.log).toHaveLength(1);
  });
});

async function* endless(): AsyncIterable<Uint8Array> {
  for (;;) yield Buffer.alloc(65_536);
}
