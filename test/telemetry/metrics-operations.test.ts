import { once } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import type { Fault } from '../../simulator/src/simulator.ts';
import { stopClock, stopTimers } from '../support/clock.ts';
import { begin } from '../support/download-route.ts';
import { endlessSchema } from '../support/endless-schema.ts';
import { eventually } from '../support/eventually.ts';
import { DATASET_ID, gate, NAME, TOKEN } from '../support/harness.ts';
import { post } from '../support/http.ts';
import {
  calls,
  counts,
  errors,
  operations,
  readSample,
  responses,
  samples,
  startMeasured,
  waits,
} from '../support/metrics.ts';
import { open } from '../support/overload.ts';

describe('3.37 Metrics of operations: how they end', () => {
  it('success, for a document that is new, and for one that is known', async () => {
    const bed = await startMeasured();
    for (const count of [1, 2]) {
      await bed.query(NAME);
      expect(await counts(bed)).toEqual({
        ...responses(200, count),
        ...operations('success', count),
        ...calls({}, count),
        ...waits('getDatasetMetadata', count),
      });
    }
  });

  it.each<[outcome: string, code: string, document: string, fault: Fault | undefined, status: number]>([
    ['client_error', 'GRAPHQL_VALIDATION_FAILED', '{ nothing }', undefined, 400],
    ['client_error', 'BAD_USER_INPUT', '{ dataset(id: "") { name } }', undefined, 200],
    ['client_error', 'UNAUTHENTICATED', NAME, { status: 401 }, 200],
    ['client_error', 'FORBIDDEN', NAME, { status: 403 }, 200],
    ['client_error', 'NOT_FOUND', NAME, { status: 404 }, 200],
    ['client_error', 'RATE_LIMITED', NAME, { status: 429 }, 200],
    ['service_error', 'UPSTREAM_ERROR', NAME, { status: 500 }, 200],
    ['service_error', 'UPSTREAM_UNAVAILABLE', NAME, { status: 503 }, 200],
    ['service_error', 'UPSTREAM_INVALID_RESPONSE', NAME, { body: 'no' }, 200],
    ['service_error', 'UPSTREAM_TIMEOUT', NAME, { hang: true }, 200],
  ])('%s, by the code %s', async (outcome, code, document, fault, status) => {
    const bed = await startMeasured({
      env: { UPSTREAM_TIMEOUT_MS: fault?.hang ? '50' : '20000', UPSTREAM_RETRY: 'off' },
    });
    if (fault !== undefined) bed.simulator.intercept(() => fault);
    for (const count of [1, 2]) {
      expect((await bed.query(document)).status).toBe(status);
      const found = await counts(bed);
      const ofCalls = Object.fromEntries(Object.entries(found).filter(([name]) => name.startsWith('http_client')));
      const ofService = fault === undefined ? {} : ofCalls;
      expect(found).toEqual({
        ...responses(status, count),
        ...operations(outcome, count),
        ...errors(code, count),
        ...ofService,
      });
    }
  });

  it("service_error, where one error is the client's and another one the service's", async () => {
    const bed = await startMeasured();
    bed.simulator.intercept(({ datasetId }) => ({ status: datasetId === 'a' ? 404 : 500 }));
    await bed.query('{ a: dataset(id: "a") { name } b: dataset(id: "b") { name } }');
    expect(await counts(bed)).toEqual({
      ...responses(200),
      ...operations('service_error'),
      ...errors('NOT_FOUND'),
      ...errors('UPSTREAM_ERROR'),
      ...calls({ status: '4xx', failure: 'httpError' }),
      ...calls({ status: '5xx', failure: 'httpError' }),
      ...waits('getDatasetMetadata', 2),
    });
  });

  it('client_error with BAD_REQUEST, where a request is no operation, and nothing else where it is no JSON', async () => {
    const bed = await startMeasured();
    await bed.http('/graphql', post('{}'));
    expect(await counts(bed)).toEqual({
      ...responses(400),
      ...operations('client_error'),
      ...errors('BAD_REQUEST'),
    });
    await bed.http('/graphql', post('{'));
    expect(await counts(bed)).toEqual({
      ...responses(400, 2),
      ...operations('client_error'),
      ...errors('BAD_REQUEST'),
    });
  });

  it('timeout', async () => {
    const bed = await startMeasured({ env: { OPERATION_TIMEOUT_MS: '1' }, makeSchema: endlessSchema });
    await bed.query('{ forever }');
    expect(await counts(bed)).toEqual({ ...responses(200), ...operations('timeout'), ...errors('UPSTREAM_TIMEOUT') });
  });

  it('cancelled, where the client leaves: what it does not get, has no errors', async () => {
    const bed = await startMeasured();
    bed.simulator.intercept(() => ({ hang: true }));
    const leaving = new AbortController();
    const left = bed.query(NAME, { signal: leaving.signal }).catch((error) => error.code);
    await eventually(() => expect(bed.calls()).toHaveLength(1));
    expect(await readSample(bed, 'graphql_operations_in_flight')).toBe(1);
    expect(await readSample(bed, 'http_server_active_requests')).toBe(1);
    leaving.abort();
    expect(await left).toBe('ABORT_ERR');
    expect(await counts(bed)).toEqual({
      'http_server_requests_aborted_total{http_route="/graphql"}': 1,
      ...operations('cancelled'),
      ...calls({ status: 'none', failure: 'cancelled' }),
      ...waits(),
    });
    expect(await readSample(bed, 'graphql_operations_in_flight')).toBe(0);
  });

  it('shutting_down, where the operation began too late; the metrics are there until the end', async () => {
    const bed = await startMeasured({ env: { OPERATION_TIMEOUT_MS: '1000', LOG_OPERATIONS: 'on' } });
    bed.simulator.intercept(() => ({ hang: true }));
    const body = JSON.stringify({ query: NAME });
    const late = await open(
      bed,
      `POST /graphql HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${TOKEN}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nexpect: 100-continue\r\n\r\n`,
    );
    await eventually(() => expect(late.received()).toContain('100 Continue'));
    const download = begin(bed).catch((error) => error.code);
    await eventually(() => expect(bed.calls()).toHaveLength(1));
    stopTimers();
    const stopped = bed.subgraph.stop();
    // No connections are accepted after 1 s, operations are ended 2 s later, and downloads after one more.
    for (const milliseconds of [1000, 1500]) {
      await expect.poll(vi.getTimerCount).toBe(1);
      vi.advanceTimersByTime(milliseconds);
    }
    late.socket.write(body);
    await expect.poll(bed.calls).toHaveLength(2);
    vi.advanceTimersByTime(500);
    await once(late.socket, 'close');
    expect(late.received()).toContain('SHUTTING_DOWN');
    const line = bed.log.map((text) => JSON.parse(text)).find(({ msg }) => msg === 'operation');
    expect(line).toMatchObject({ outcome: 'shutting_down', errors: { SHUTTING_DOWN: 1 }, restCalls: 1 });
    const found = await samples(bed);
    expect(found.get('graphql_operation_duration_seconds_count{outcome="shutting_down"}')).toBe(1);
    expect(found.get('graphql_errors_total{code="SHUTTING_DOWN"}')).toBe(1);
    vi.advanceTimersByTime(1000);
    expect(await download).toBe('ECONNRESET');
    await stopped;
    await expect(samples(bed)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});

describe('3.37 Metrics of operations: their duration, and what runs', () => {
  it('counts in all buckets from its duration on, and has the same sum as its request', async () => {
    const bed = await startMeasured();
    const held = gate();
    bed.simulator.intercept(() => held.opened.then(() => undefined));
    const response = bed.query(NAME);
    await eventually(() => expect(bed.calls()).toHaveLength(1));
    stopClock().advance(60);
    held.open();
    await response;
    await counts(bed);
    const found = await samples(bed);
    const name = 'graphql_operation_duration_seconds';
    const buckets = [...found].flatMap(([sample, value]) => {
      const [, bound] = /^graphql_operation_duration_seconds_bucket\{outcome="success",le="(.*)"\}$/.exec(sample) ?? [];
      return bound === undefined ? [] : [{ bound, value }];
    });
    const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 20, 28, 30, '+Inf'];
    expect(buckets.map(({ bound }) => bound)).toEqual(bounds.map(String));
    const sum = found.get(`${name}_sum{outcome="success"}`) ?? 0;
    expect(sum).toBeGreaterThanOrEqual(0.06);
    for (const { bound, value } of buckets)
      expect([bound, value]).toEqual([bound, Number(bound.replace('+Inf', 'Infinity')) >= sum ? 1 : 0]);
    const labels = '{http_request_method="POST",http_route="/graphql",http_response_status_code="200"}';
    expect(found.get(`http_server_request_duration_seconds_sum${labels}`)).toBe(sum);
  });

  it.each<[when: string, status: number, property: PropertyDescriptor, line: object]>([
    ['of a field', 200, { value: fail }, { requestId: 'my-id', error: 'TypeError' }],
    ['before the operation is executed', 500, { get: fail }, { error: 'Error' }],
  ])('has the number of internal errors, and the log has them: %s', async (_when, status, property, line) => {
    const makeSchema = () => {
      const schema = endlessSchema();
      Object.defineProperty(schema.getQueryType()?.getFields().forever, 'resolve', property);
      return schema;
    };
    const bed = await startMeasured({ makeSchema });
    // The first one is new, and then it is known.
    for (const count of [1, 2]) {
      const { body } = await bed.query('{ forever }', { headers: { 'x-request-id': 'my-id' } });
      const extensions = { code: 'INTERNAL_SERVER_ERROR' };
      expect(body.errors).toMatchObject([{ message: 'The subgraph failed.', extensions }]);
      expect(await counts(bed)).toEqual({
        ...responses(status, count),
        ...operations('service_error', count),
        ...errors('INTERNAL_SERVER_ERROR', count),
      });
    }
    const lines = bed.log.map((text) => JSON.parse(text));
    expect(lines).toContainEqual(expect.objectContaining({ level: 50, msg: 'internal error', ...line }));
    expect(bed.log.join()).not.toContain(DATASET_ID);
  });
});

function fail(): never {
  throw new TypeError(DATASET_ID);
}
