import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { ofDataset, send, start } from '../support/harness.ts';
import { counts, readSample, samples, scrape, startMeasured } from '../support/metrics.ts';

/*
 * Clause 3.37 of docs/contract.md in detail.
 * `METRICS_PORT` serves metrics in Prometheus' text format at `GET` and `HEAD /metrics`, on a listener of its own. It
 * needs no `ROUTER_SECRET` and does not count for `MAX_CONNECTIONS`. It is there from before the first request until
 * the last response during a shutdown. Other paths get 404, other methods 405. If it cannot listen, the start fails
 * with a one-line message. Without `METRICS_PORT` nothing is measured.
 *
 * No label has a value that a client or the service can choose: no ids, paths, names or headers. Unknown methods are
 * `_OTHER`, unknown paths have the route `none`, the pages of the explorers `explorer`.
 * - A request is counted once: with its duration and status when its response is complete, or as aborted when its
 *   connection breaks before. Requests rejected by a limit are also counted by reason. What is not HTTP, or does not
 *   come in time, is `invalid_http`; it has no duration, and is also aborted if its headers came in time.
 * - An operation has one outcome: `success`; `client_error` if the client caused all of its errors; `service_error` if
 *   the REST service or the subgraph caused one; `timeout` and `shutting_down` if it was ended; `cancelled` if the
 *   client left first. Errors are counted by code, as far as a client gets them. Nothing counts as an operation before
 *   its body has arrived.
 * - A REST call that was sent has its duration, without the wait in the queue, and that wait; its status class; its
 *   failure; and the cause, if its connection failed. One that ended before it was sent is counted by reason. Each
 *   retry is one more call.
 * - Bytes of large responses are counted while they are sent, as they are sent.
 * - Counters that alerts watch begin at 0. Gauges show what is in use and its limit: connections, operations,
 *   downloads, sockets, the queue, memory and the circuits. The delay of the event loop is that since the last scrape.
 */
describe('3.37 METRICS_PORT', () => {
  it('is off: there are no metrics, not even at /metrics of the subgraph', async () => {
    const bed = await start();
    expect(bed.subgraph.metricsUrl).toBeUndefined();
    expect((await bed.http('/metrics')).status).toBe(404);
    const measured = await startMeasured();
    expect((await measured.http('/metrics')).status).toBe(404);
  });

  it('serves GET and HEAD of /metrics and nothing else, on the address of METRICS_HOST', async () => {
    const bed = await startMeasured({ env: { METRICS_HOST: '::1' } });
    const url = new URL(bed.subgraph.metricsUrl ?? '');
    expect(url.href).toMatch(/^http:\/\/\[::1\]:\d+\/metrics$/);
    const { status, headers, text } = await send(url);
    expect({ status, type: headers['content-type'], cache: headers['cache-control'] }).toEqual({
      status: 200,
      type: 'text/plain; version=0.0.4; charset=utf-8',
      cache: 'no-store',
    });
    expect(text).toMatch(/\n$/);
    expect(await send(url, { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
    expect((await send(new URL('?a=b', url))).status).toBe(200);
    for (const path of ['/', '/metrics/', '/graphql', '/health/live', '//metrics', '/%6detrics']) {
      expect([path, await send(new URL(url.origin + path))]).toMatchObject([path, { status: 404, text: '' }]);
    }
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      expect(await send(url, { method })).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' }, text: '' });
    }
    // None of these is a request of the subgraph.
    expect(await counts(bed)).toEqual({});
  });

  it('does not count as a connection of a client, and is served while all of these are in use', async () => {
    const bed = await startMeasured({ env: { MAX_CONNECTIONS: '1' } });
    bed.simulator.intercept(() => ({ hang: true }));
    const leaving = new AbortController();
    const left = bed.query(ofDataset('name'), { signal: leaving.signal }).catch((error) => error.code);
    await eventually(() => expect(bed.calls()).toHaveLength(1));
    const others = await Promise.all([scrape(bed), scrape(bed), scrape(bed)]);
    expect(others.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await readSample(bed, 'http_server_open_connections')).toBe(1);
    leaving.abort();
    expect(await left).toBe('ABORT_ERR');
  });
});

describe("3.37 Metrics in Prometheus' text format", () => {
  it('begin at 0, where an alert watches their increase', async () => {
    const found = await samples(await startMeasured());
    for (const name of [
      'graphql_operation_duration_seconds_count{outcome="service_error"}',
      'graphql_errors_total{code="INTERNAL_SERVER_ERROR"}',
      'graphql_errors_total{code="UPSTREAM_TIMEOUT"}',
      'http_server_requests_rejected_total{reason="max_operations"}',
      'http_client_requests_not_sent_total{operation="getDatasetResults",reason="queueFull"}',
      'http_client_connection_errors_total{cause="tls"}',
      'http_client_circuit_opened_total{operation="getDatasetMetadata"}',
      'http_client_retries_total{operation="getDatasetMetadata"}',
      'results_odd_rows_total',
    ]) {
      expect([name, found.get(name)]).toEqual([name, 0]);
    }
  });
});

describe('3.37 Metrics of the process', () => {
  it('are those of this process', async () => {
    const bed = await startMeasured();
    const before = await samples(bed);
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(before.get(`dataset_subgraph_info{version="${version}",node_version="${process.version}"}`)).toBe(1);
    const value = (name: string) => before.get(name) ?? Number.NaN;
    const started = Date.now() / 1000 - process.uptime();
    expect(Math.abs(value('process_start_time_seconds') - started)).toBeLessThan(1);
    expect(value('process_resident_memory_bytes')).toBeGreaterThan(2 ** 24);
    if (process.platform === 'linux') {
      expect(value('process_open_fds')).toBeGreaterThan(5);
      expect(value('process_max_fds')).toBeGreaterThan(value('process_open_fds'));
    }
    expect(value('nodejs_heap_size_used_bytes')).toBeLessThanOrEqual(value('nodejs_heap_size_total_bytes'));
    expect(value('nodejs_heap_size_total_bytes')).toBeLessThan(value('nodejs_heap_size_limit_bytes'));
    expect(value('nodejs_array_buffers_bytes')).toBeLessThanOrEqual(value('nodejs_external_memory_bytes'));
  });

  it('have the time of the event loop as it is spent, and its longest delay since the last scrape', async () => {
    const bed = await startMeasured();
    const before = await samples(bed);
    // The delay is measured every 10 ms, from the first time after a scrape on.
    await wait(50);
    const started = performance.now();
    while (performance.now() - started < 200);
    const { user, system } = process.cpuUsage();
    const cpu = user + system;
    const after = await samples(bed);
    const grown = (name: string) => (after.get(name) ?? 0) - (before.get(name) ?? 0);
    expect(grown('nodejs_eventloop_time_seconds_total{state="active"}')).toBeGreaterThan(0.19);
    expect(grown('process_cpu_seconds_total')).toBeGreaterThan(0);
    expect(after.get('process_cpu_seconds_total')).toBeGreaterThanOrEqual(cpu / 1e6);
    expect(after.get('nodejs_eventloop_delay_max_seconds')).toBeGreaterThan(0.15);
    const [p50 = 0, p90 = 0, p99 = 0, max = 0] = ['p50', 'p90', 'p99', 'max'].map((each) =>
      after.get(`nodejs_eventloop_delay_${each}_seconds`),
    );
    expect(p99).toBeGreaterThan(0.15);
    expect([p50, p90, p99, max]).toEqual([p50, p90, p99, max].toSorted((a, b) => a - b));
    await eventually(async () =>
      expect(await readSample(bed, 'nodejs_eventloop_delay_max_seconds')).toBeLessThan(0.15),
    );
  });
});
