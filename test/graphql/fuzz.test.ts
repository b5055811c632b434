import { connect } from 'node:net';
import fc from 'fast-check';
import { Pool } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { start, type TestBed, TOKEN } from '../support/harness.ts';
import { bodies } from '../support/random-bodies.ts';
import { randomCases } from '../support/random-cases.ts';
import { fuzzCases } from './fuzz-cases.ts';
import { documents, variables } from './fuzz-documents.ts';
import { rawRequests, requests } from './fuzz-requests.ts';
import { metadataFaults } from './random-faults.ts';

/**
 * Random input from both sides: whatever comes, the subgraph lives, answers in time, and every error is one that it
 * knows.
 *
 * An input that has found something goes to fuzz-cases.ts, where it stays.
 */

const CASES = randomCases(5000);

const OPERATION_TIMEOUT_MS = 5000;

/** An operation has its time and a second to answer; a busy machine may take another few. */
const LATEST_MS = OPERATION_TIMEOUT_MS + 1000 + 4000;

/** The codes of errors that may be answered; INTERNAL_SERVER_ERROR is not one of them. */
const codes = new Set([
  ...['BAD_REQUEST', 'BAD_USER_INPUT', 'FORBIDDEN', 'GRAPHQL_PARSE_FAILED', 'GRAPHQL_VALIDATION_FAILED', 'NOT_FOUND'],
  ...['OPERATION_RESOLUTION_FAILURE', 'PAYLOAD_TOO_LARGE', 'RATE_LIMITED', 'REQUEST_LIMIT_EXCEEDED', 'UNAUTHENTICATED'],
  ...['REQUEST_TIMEOUT', 'REQUEST_HEADERS_TOO_LARGE', 'EXPECTATION_FAILED', 'UNSUPPORTED_MEDIA_TYPE', 'CONFLICT'],
  ...[
    'UPSTREAM_CONTRACT_ERROR',
    'UPSTREAM_ERROR',
    'UPSTREAM_INVALID_RESPONSE',
    'UPSTREAM_REJECTED',
    'UPSTREAM_TIMEOUT',
  ],
  ...['UPSTREAM_UNAVAILABLE', 'PERSISTED_QUERY_NOT_SUPPORTED', 'METHOD_NOT_ALLOWED'],
]);

const share = (part: number) => ({ numRuns: Math.ceil(CASES * part) });
const timeout = 120_000 + CASES * 20;

async function startFuzzed(): Promise<TestBed & { pool: Pool }> {
  const bed = await start({
    env: { LOG_LEVEL: 'error', OPERATION_TIMEOUT_MS: String(OPERATION_TIMEOUT_MS), REQUEST_TIMEOUT_MS: '2000' },
  });
  const pool = new Pool(new URL(bed.subgraph.url).origin, { connections: 4 });
  onTestFinished(() => pool.close());
  return { ...bed, pool };
}

/** Expects the errors of a JSON answer to be known ones. */
function expectKnownErrors(text: string): void {
  const { errors = [] } = JSON.parse(text);
  for (const { message, extensions } of errors) {
    expect(typeof message).toBe('string');
    if (!codes.has(extensions?.code)) throw new Error(`The code ${extensions?.code}: ${message}`);
  }
}

describe('4 Random input', () => {
  it('GraphQL documents, variables, and what the service answers', { tags: ['random'], timeout }, async () => {
    const { simulator, pool, log } = await startFuzzed();
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` };
    let executed = 0;
    await fc.assert(
      fc.asyncProperty(documents, variables, bodies, metadataFaults, async (query, values, results, metadata) => {
        simulator.clear();
        simulator.intercept(({ operation, body }) => {
          if (operation === 'getDatasetMetadata') return metadata;
          const { mo_ids: assetIds, time_range: range } = JSON.parse(body);
          return { status: 200, body: results.bytes(assetIds, range !== undefined) };
        });
        const started = performance.now();
        const body = JSON.stringify({ query, variables: values });
        const response = await pool.request({ path: '/graphql', method: 'POST', headers, body });
        const text = await response.body.text();
        expect(performance.now() - started).toBeLessThan(LATEST_MS);
        expect([200, 400]).toContain(response.statusCode);
        expectKnownErrors(text);
        if (response.statusCode === 200) executed += 1;
        expect(log).toEqual([]);
      }),
      share(0.7),
    );
    // Otherwise the documents have become useless.
    expect(executed).toBeGreaterThan(CASES * 0.7 * 0.1);
  });

  it.each(fuzzCases)('every case that was kept: $title', async ({ document: query, variables: values }) => {
    const { pool, log, simulator } = await startFuzzed();
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` };
    const started = performance.now();
    const body = JSON.stringify({ query, variables: values });
    const response = await pool.request({ path: '/graphql', method: 'POST', headers, body });
    const text = await response.body.text();
    expect(performance.now() - started).toBeLessThan(LATEST_MS);
    expectKnownErrors(text);
    expect(text).toContain('REQUEST_LIMIT_EXCEEDED');
    expect(simulator.requests.length).toBeLessThanOrEqual(101);
    expect(log).toEqual([]);
  });

  it('HTTP requests of every kind', { tags: ['random'], timeout }, async () => {
    const { pool, log } = await startFuzzed();
    await fc.assert(
      fc.asyncProperty(requests, async ({ method, path, headers, body }) => {
        const started = performance.now();
        const response = await pool.request({
          method: method as 'POST',
          path,
          headers,
          ...(body.length > 0 && { body }),
        });
        const text = await response.body.text();
        expect(performance.now() - started).toBeLessThan(LATEST_MS);
        expect([200, 302, 400, 404, 405, 406, 413, 415]).toContain(response.statusCode);
        if (response.statusCode >= 400 && method !== 'HEAD') expectKnownErrors(text);
        expect(log).toEqual([]);
      }),
      share(0.2),
    );
  });

  it('bytes that are nearly HTTP', { tags: ['random'], timeout }, async () => {
    const { subgraph, http, log } = await startFuzzed();
    const { hostname, port } = new URL(subgraph.url);
    /** Sends the bytes and closes its side; what comes back until the server has closed too. */
    const exchange = (bytes: Buffer) =>
      new Promise<string>((resolve) => {
        let received = '';
        const socket = connect(Number(port), hostname, () => socket.end(bytes));
        socket.setEncoding('latin1').on('data', (chunk) => {
          received += chunk;
        });
        socket.on('error', () => {});
        socket.once('close', () => resolve(received));
      });
    await fc.assert(
      fc.asyncProperty(rawRequests, async (bytes) => {
        const started = performance.now();
        const received = await exchange(bytes);
        expect(performance.now() - started).toBeLessThan(LATEST_MS);
        const statuses = [...received.matchAll(/^HTTP\/1\.1 (\d+) /gm)].map(([, status]) => Number(status));
        for (const status of statuses)
          expect([100, 200, 302, 400, 404, 405, 408, 413, 415, 417, 431]).toContain(status);
        if (received !== '') expect(received.startsWith('HTTP/1.1 ')).toBe(true);
        if (statuses.some((status) => status >= 400)) expect(received).toContain('{"errors":[{"message":');
        expect(log).toEqual([]);
      }),
      share(0.1),
    );
    expect((await http('/health/ready')).status).toBe(200);
  });
});
