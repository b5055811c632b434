import { describe, expect, it } from 'vitest';
import type { Fault } from '../../simulator/src/simulator.ts';
import { stopClock } from '../support/clock.ts';
import { download } from '../support/download-route.ts';
import { eventually } from '../support/eventually.ts';
import { gate, listen, NAME, ofDataset, type Setup, type TestBed } from '../support/harness.ts';
import { calls, counts, readSample, samples, startMeasured, waits } from '../support/metrics.ts';
import { ask, breakDown, MIN_CALLS } from '../support/outage.ts';

const RESULTS = ofDataset('results { processingId }');

/** The counters of REST calls that are not 0. */
async function callsOf(bed: TestBed): Promise<Record<string, number>> {
  const all = Object.entries(await counts(bed));
  return Object.fromEntries(all.filter(([name]) => name.startsWith('http_client_')));
}

const notSent = (reason: string, count = 1, operation = 'getDatasetMetadata') => ({
  [`http_client_requests_not_sent_total{operation="${operation}",reason="${reason}"}`]: count,
});
const connectionErrors = (cause: string, count = 1) => ({
  [`http_client_connection_errors_total{cause="${cause}"}`]: count,
});
const off = { UPSTREAM_RETRY: 'off' };

/** A subgraph with one socket and one place in the queue, over a service that holds its responses back. */
async function startBusy(env: Record<string, string> = {}) {
  const bed = await startMeasured({ env: { UPSTREAM_CONNECTIONS: '1', UPSTREAM_QUEUE: '1', ...env } });
  const held = gate();
  bed.simulator.intercept(() => held.opened.then(() => undefined));
  const first = bed.query(NAME);
  await eventually(() => expect(bed.calls()).toHaveLength(1));
  const isWaiting = () => eventually(async () => expect(await readSample(bed, 'http_client_queue_length')).toBe(1));
  return { ...bed, release: held.open, first, isWaiting };
}

describe('3.37 Metrics of REST calls: how they end', () => {
  it.each<[string, Fault, string, Record<string, string>, Record<string, number>]>([
    ['200', {}, RESULTS, { operation: 'getDatasetResults' }, {}],
    ['302', { status: 302, body: '' }, NAME, { status: '3xx', failure: 'invalidResponse' }, {}],
    ['404', { status: 404 }, NAME, { status: '4xx', failure: 'httpError' }, {}],
    ['500', { status: 500 }, NAME, { status: '5xx', failure: 'httpError' }, {}],
    ['too slow', { hang: true }, NAME, { status: 'none', failure: 'timeout' }, {}],
    ['not HTTP', { headers: { 'content-encoding': 'x' } }, NAME, { failure: 'invalidResponse' }, {}],
    ['too large', { body: 'x'.repeat(1001) }, NAME, { failure: 'responseTooLarge' }, {}],
    ['reset', { reset: true }, NAME, { status: 'none', failure: 'unavailable' }, connectionErrors('reset')],
    ['cut off', { cutAfterBytes: 5 }, NAME, { failure: 'unavailable' }, connectionErrors('reset')],
  ])('%s', async (_what, fault, document, expected, others) => {
    const bed = await startMeasured({
      env: { ...off, UPSTREAM_TIMEOUT_MS: fault.hang ? '100' : '20000', UPSTREAM_MAX_BYTES: '1000' },
    });
    bed.simulator.intercept(() => (document === RESULTS ? { body: '{"processing_id":"p"}' } : fault));
    await bed.query(document);
    const { operation } = expected;
    expect(await callsOf(bed)).toEqual({ ...calls(expected), ...waits(operation), ...others });
  });

  it('have the bytes of bodies, as received', async () => {
    const bed = await startMeasured();
    bed.simulator.intercept(({ operation }) => ({ body: operation === 'getDatasetMetadata' ? '{}' : ' {} ' }));
    await bed.query(ofDataset('name results { processingId }'));
    await download(bed);
    const bytes = async (operation: string) =>
      readSample(bed, `http_client_response_bytes_total{operation="${operation}"}`);
    expect(await bytes('getDatasetMetadata')).toBe(2);
    expect(await bytes('getDatasetResults')).toBe(4);
    await eventually(async () => expect(await bytes('downloadStaticDataset')).toBe(4));
  });

  it.each<[cause: string, setup: () => Promise<Setup>]>([
    ['dns', async () => ({ serviceUrl: 'http://nowhere.invalid' })],
    ['refused', async () => ({ serviceUrl: 'http://127.0.0.1:9' })],
    ['reset', async () => ({ serviceUrl: await listen((socket) => void socket.destroy()) })],
    [
      'tls',
      async () => ({
        serviceUrl: (await listen((socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))).replace(
          'http',
          'https',
        ),
      }),
    ],
  ])('connection errors by cause: %s', async (cause, setup) => {
    const bed = await startMeasured({ ...(await setup()), env: off });
    for (const count of [1, 2]) {
      await bed.query(NAME);
      expect(await callsOf(bed)).toEqual({
        ...calls({ status: 'none', failure: 'unavailable' }, count),
        ...waits('getDatasetMetadata', count),
        ...connectionErrors(cause, count),
      });
    }
  });

  it('connection errors by cause: timeout, of a connection and not of a response', async () => {
    const serviceUrl = (await listen(() => {})).replace('http', 'https');
    const bed = await startMeasured({ serviceUrl, env: { ...off, UPSTREAM_TIMEOUT_MS: '600' } });
    const plain = await startMeasured({
      serviceUrl: await listen(() => {}),
      env: { ...off, UPSTREAM_TIMEOUT_MS: '50' },
    });
    await Promise.all([bed.query(NAME), plain.query(NAME)]);
    const timedOut = { ...calls({ status: 'none', failure: 'timeout' }), ...waits() };
    expect(await callsOf(bed)).toEqual({ ...timedOut, ...connectionErrors('timeout') });
    expect(await callsOf(plain)).toEqual(timedOut);
  });
});

describe('3.37 Metrics of REST calls: those that wait, and those that are not sent', () => {
  it('queueFull, where one more waits than may', async () => {
    const bed = await startBusy();
    const second = bed.query(NAME);
    await bed.isWaiting();
    expect(await readSample(bed, 'http_client_queue_limit')).toBe(1);
    expect((await bed.query(NAME)).body.errors).toHaveLength(1);
    bed.release();
    await Promise.all([bed.first, second]);
    expect(await callsOf(bed)).toEqual({ ...calls({}, 2), ...waits('getDatasetMetadata', 2), ...notSent('queueFull') });
    expect((await samples(bed)).get('http_client_queue_length')).toBe(0);
  });

  it('cancelled, where the client leaves while it waits', async () => {
    const bed = await startBusy();
    const leaving = new AbortController();
    const left = bed.query(NAME, { signal: leaving.signal }).catch((error) => error.code);
    await bed.isWaiting();
    leaving.abort();
    expect(await left).toBe('ABORT_ERR');
    await eventually(async () => expect((await samples(bed)).get('http_client_queue_length')).toBe(0));
    bed.release();
    await bed.first;
    expect(await callsOf(bed)).toEqual({ ...calls(), ...waits(), ...notSent('cancelled') });
  });

  it('have their wait apart from their time', async () => {
    const bed = await startBusy();
    const second = bed.query(NAME);
    await bed.isWaiting();
    stopClock().advance(10_000);
    bed.simulator.intercept(undefined);
    bed.release();
    await Promise.all([bed.first, second]);
    await counts(bed);
    const found = await samples(bed);
    const labels = 'operation="getDatasetMetadata"';
    expect(found.get(`http_client_queue_wait_seconds_sum{${labels}}`)).toBeGreaterThanOrEqual(10);
    expect(found.get(`http_client_queue_wait_seconds_bucket{${labels},le="0.1"}`)).toBe(1);
    expect(
      found.get(`http_client_request_duration_seconds_bucket{${labels},status_class="2xx",failure="none",le="0.1"}`),
    ).toBe(1);
  });

  it('have the sockets while a call hangs, and after it', async () => {
    const bed = await startBusy();
    const pool = async (name: string) => {
      const found = await samples(bed);
      return ['free', 'running', 'pending'].map((state) =>
        found.get(`http_client_connections{pool="${name}",state="${state}"}`),
      );
    };
    expect(await pool('calls')).toEqual([0, 1, 0]);
    expect(await pool('downloads')).toEqual([0, 0, 0]);
    expect(await readSample(bed, 'http_client_connections_limit{pool="calls"}')).toBe(1);
    expect(await readSample(bed, 'http_client_connections_limit{pool="downloads"}')).toBe(64);
    const file = download(bed);
    await eventually(async () => expect(await pool('downloads')).toEqual([0, 1, 0]));
    expect(await readSample(bed, 'downloads_in_flight')).toBe(1);
    expect(await readSample(bed, 'downloads_limit')).toBe(64);
    bed.release();
    await Promise.all([bed.first, file]);
    await eventually(async () => expect(await pool('calls')).toEqual([1, 0, 0]));
    await eventually(async () => expect((await samples(bed)).get('downloads_in_flight')).toBe(0));
  });
});

describe('3.37 Metrics of REST calls: retries and circuits', () => {
  it('have each retry as a call', async () => {
    const bed = await startMeasured();
    await ask(bed, 10);
    bed.simulator.intercept(() => ({ status: 503 }));
    await bed.query(NAME);
    expect(await callsOf(bed)).toEqual({
      ...calls({}, 10),
      ...calls({ status: '5xx', failure: 'httpError' }, 2),
      ...waits('getDatasetMetadata', 12),
      'http_client_retries_total{operation="getDatasetMetadata"}': 1,
    });
  });

  const open = async (bed: TestBed) => {
    const found = await samples(bed);
    return ['getDatasetMetadata', 'getDatasetResults'].map((operation) =>
      found.get(`http_client_circuit_open{operation="${operation}"}`),
    );
  };
  const opened = { 'http_client_circuit_opened_total{operation="getDatasetMetadata"}': 1 };

  it('a circuit is open, and closed again', async () => {
    const bed = await startMeasured({ env: off });
    expect(await open(bed)).toEqual([0, 0]);
    const clock = stopClock();
    await breakDown(bed);
    expect(await open(bed)).toEqual([1, 0]);
    const failed = {
      ...calls({ status: '5xx', failure: 'httpError' }, MIN_CALLS),
      ...waits('getDatasetMetadata', MIN_CALLS),
    };
    expect(await callsOf(bed)).toEqual({ ...failed, ...notSent('circuitOpen'), ...opened });
    clock.advance(5000);
    bed.simulator.intercept(undefined);
    await bed.query(NAME);
    expect(await open(bed)).toEqual([0, 0]);
    expect(await callsOf(bed)).toMatchObject({ ...opened, ...calls() });
  });
});
