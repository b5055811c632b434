import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Fault } from '../../simulator/src/simulator.ts';
import { stopTimers } from '../support/clock.ts';
import { ask, failure, operations } from '../support/errors.ts';
import { dataset, gate, start } from '../support/harness.ts';
import { readSample, startMeasured } from '../support/metrics.ts';

const allLabels = JSON.stringify([
  ...['BAD_REQUEST', 'WRONG_CREDENTIALS', 'UNAUTHORIZED', 'NOT_FOUND', 'METHOD_NOT_ALLOWED', 'DUPLICATE_ENTITY'],
  'INTERNAL_SERVER_ERROR',
]);

/** A response with a status, and the code and the `rest` of its error. */
type Row = [fault: Fault, code: string, rest?: Record<string, unknown>];

const withLabel = (status: number, label: string, code: string): Row => [
  { status, body: JSON.stringify({ error: label }) },
  code,
  { label, labelSource: 'body' },
];
const withoutLabel = (status: number, code: string, label: string | null): Row => [
  { status, body: '' },
  code,
  { label, labelSource: label && 'status' },
];

const rows: Row[] = [
  withLabel(400, 'BAD_REQUEST', 'BAD_USER_INPUT'),
  withLabel(400, 'VALIDATION_EXCEPTION', 'BAD_USER_INPUT'),
  withLabel(400, 'EXCEPTION', 'UPSTREAM_REJECTED'),
  withLabel(401, 'WRONG_CREDENTIALS', 'UNAUTHENTICATED'),
  withLabel(403, 'UNAUTHORIZED', 'FORBIDDEN'),
  withLabel(403, 'ACCESS_DENIED', 'FORBIDDEN'),
  withLabel(404, 'NOT_FOUND', 'NOT_FOUND'),
  withLabel(405, 'METHOD_NOT_ALLOWED', 'UPSTREAM_CONTRACT_ERROR'),
  withLabel(409, 'DUPLICATE_ENTITY', 'CONFLICT'),
  withLabel(500, 'INTERNAL_SERVER_ERROR', 'UPSTREAM_ERROR'),
  withoutLabel(400, 'UPSTREAM_REJECTED', null),
  withoutLabel(401, 'UNAUTHENTICATED', 'WRONG_CREDENTIALS'),
  withoutLabel(403, 'FORBIDDEN', null),
  withoutLabel(404, 'NOT_FOUND', 'NOT_FOUND'),
  withoutLabel(405, 'UPSTREAM_CONTRACT_ERROR', 'METHOD_NOT_ALLOWED'),
  withoutLabel(409, 'CONFLICT', 'DUPLICATE_ENTITY'),
  withoutLabel(500, 'UPSTREAM_ERROR', 'INTERNAL_SERVER_ERROR'),
  ...[501, 505, 511, 599].map((status): Row => [{ status, body: allLabels }, 'UPSTREAM_ERROR']),
  ...[502, 503, 504].map((status): Row => {
    const headers = { 'retry-after': '5' };
    return [{ status, body: allLabels, headers }, 'UPSTREAM_UNAVAILABLE', { retryable: true }];
  }),
  ...[201, 202, 203, 204, 205, 206, 299, 300, 301, 302, 303, 304, 307, 308, 399].map(
    (status): Row => [{ status }, 'UPSTREAM_INVALID_RESPONSE'],
  ),
  ...[402, 406, 408, 410, 418, 422, 428, 431, 451, 499].map(
    (status): Row => [{ status, body: allLabels }, 'UPSTREAM_INVALID_RESPONSE'],
  ),
  ...['', '<html><body>OK</body></html>', '{"name": "Soil', '{} {}', 'null', '[]', '"name"', '1'].map(
    (body): Row => [{ body }, 'UPSTREAM_INVALID_RESPONSE'],
  ),
  [{ body: Buffer.from('{"name":"\xe9"}', 'latin1') }, 'UPSTREAM_INVALID_RESPONSE'],
];

/*
 * Section 4 of docs/contract.md in detail.
 * `rest` is present exactly when the error concerns a REST operation. It then has all six keys, null where unknown.
 * `operation` is `getDatasetMetadata`, `downloadStaticDataset` or `getDatasetResults`; `labelSource` is `body`,
 * `status` or null. If results are written from the bytes of REST responses, `errors` follows `data`, because an
 * invalid value is found while it is written. An error never holds the service's URL, body or headers, a stack trace,
 * or a token. If a limit was exceeded, the message names its setting and value.
 *
 * REST response / `code` / `retryable`:
 * - 400 with BAD_REQUEST or VALIDATION_EXCEPTION: `BAD_USER_INPUT`
 * - 400 with EXCEPTION, or without a label: `UPSTREAM_REJECTED`
 * - 401; or no usable token (then `status` is null): `UNAUTHENTICATED`
 * - 403: `FORBIDDEN`
 * - 404: `NOT_FOUND`
 * - 405: `UPSTREAM_CONTRACT_ERROR`
 * - 409: `CONFLICT`
 * - 429: `RATE_LIMITED`, with `rest.retryAfterMs` if Retry-After names a time within a day; yes
 * - 502, 503, 504, connection refused or broken; no call made (clauses 31 and 32), or no memory for its response (33):
 *   `UPSTREAM_UNAVAILABLE`; yes
 * - 500 and every other 5xx: `UPSTREAM_ERROR`
 * - too slow: the headers, the body, or the operation as a whole: `UPSTREAM_TIMEOUT`; yes
 * - not JSON, of the wrong shape, a redirect, another 2xx or 4xx: `UPSTREAM_INVALID_RESPONSE`
 * - larger than `UPSTREAM_MAX_BYTES`, metadata than 4 MB, or than `MEMORY_BUDGET` (33): `UPSTREAM_RESPONSE_TOO_LARGE`
 * - more calls than `UPSTREAM_MAX_CALLS`; without `rest`: more than another limit allows (27): `REQUEST_LIMIT_EXCEEDED`
 */
describe.each(operations)('4 Errors: %s', (operation) => {
  it('has the code, the label and `retryable` of each status and of each invalid body', async () => {
    const bed = await start({ env: { UPSTREAM_RETRY: 'off', UPSTREAM_OUTAGE_MS: '0' } });
    for (const [fault, code, rest] of rows) {
      bed.simulator.clear();
      bed.simulator.intercept(() => fault);
      const { status, body } = await ask(bed, operation);
      const expected = failure(operation, code, { status: fault.status ?? 200, ...rest });
      expect([fault, status, body]).toEqual([fault, 200, expected]);
      expect(bed.calls()).toHaveLength(1);
    }
  });

  it('limits only the headers by UPSTREAM_TIMEOUT_MS', async () => {
    const bed = await startMeasured({ env: { UPSTREAM_TIMEOUT_MS: '500', OPERATION_TIMEOUT_MS: '300000' } });
    const rest = gate();
    async function* late() {
      yield '{"name":"Late",';
      await rest.opened;
      yield '"processing_id":"late"}';
    }
    bed.simulator.intercept(() => ({ body: late() }));
    stopTimers();
    const response = ask(bed, operation);
    // It has memory when its headers have come.
    await expect.poll(() => readSample(bed, 'rest_memory_held_bytes')).toBeGreaterThan(0);
    vi.advanceTimersByTime(10_000);
    rest.open();
    const data = operation === 'getDatasetMetadata' ? { name: 'Late' } : { results: { processingId: 'late' } };
    expect((await response).body).toEqual({ data: { dataset: data } });
  });
});

describe('4 Errors: 429 is RATE_LIMITED, retryable', () => {
  const NOW = Date.UTC(2027, 0, 15);
  const inFuture = (seconds: number) => new Date(NOW + seconds * 1000).toUTCString();

  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: NOW }));
  afterEach(() => void vi.useRealTimers());

  const times: [what: string, retryAfter: string | string[], retryAfterMs?: number][] = [
    ['none', []],
    ['no wait', '0', 0],
    ['a second', '1', 1000],
    ['a day', '86400', 86_400_000],
    ['a date now', inFuture(0), 0],
    ['a date in ten minutes', inFuture(600), 600_000],
    ['a date in a day', inFuture(86_400), 86_400_000],
    ['a negative number', '-1'],
    ['more than a day', '86401'],
    ['a number beyond every other', '9'.repeat(400)],
    ['a fraction', '1.5'],
    ['a text', 'soon'],
    ['an empty text', ''],
    ['two values', ['5', '5']],
    ['a date long past', 'Wed, 21 Oct 2015 07:28:00 GMT'],
    ['a date just past', inFuture(-1)],
    ['a date in more than a day', inFuture(86_401)],
  ];

  it('has retryAfterMs for a Retry-After within a day alone', async () => {
    const bed = await start();
    for (const [what, retryAfter, retryAfterMs] of times) {
      bed.simulator.intercept(() => ({ status: 429, headers: { 'retry-after': retryAfter } }));
      const rest = { status: 429, retryable: true, ...(retryAfterMs !== undefined && { retryAfterMs }) };
      const { body } = await ask(bed, 'getDatasetMetadata');
      expect([what, body]).toEqual([what, failure('getDatasetMetadata', 'RATE_LIMITED', rest)]);
    }
  });
});

describe('4 Errors: UPSTREAM_TIMEOUT_MS', () => {
  it('does not count the wait for a socket', async () => {
    const ids = ['d1', 'd2'];
    const datasets = ids.map((id) => ({ ...dataset, metadata: { id, name: id } }));
    const env = { UPSTREAM_CONNECTIONS: '1', UPSTREAM_TIMEOUT_MS: '1500', OPERATION_TIMEOUT_MS: '300000' };
    const { simulator, query, calls } = await start({ env, datasets });
    const gates = new Map(ids.map((id) => [id, gate()]));
    simulator.intercept(({ datasetId = '' }) => gates.get(datasetId)?.opened.then(() => undefined));
    stopTimers();
    const document = 'query ($ids: [ID!]!) { datasetsByIds(ids: $ids) { name } }';
    const response = query(document, { variables: { ids } });
    for (const [index, id] of ids.entries()) {
      await expect.poll(calls).toHaveLength(index + 1);
      vi.advanceTimersByTime(1000);
      gates.get(id)?.open();
    }
    expect((await response).body).toEqual({ data: { datasetsByIds: ids.map((name) => ({ name })) } });
  });
});
