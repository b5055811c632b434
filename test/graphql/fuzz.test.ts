import { connect } from 'node:net';
import fc from 'fast-check';
import { Pool } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { assetReference, DATASET_ID, start, type TestBed, TOKEN, times } from '../support/harness.ts';
import { randomCases } from '../support/random-cases.ts';
import { rawRequests, requests } from './fuzz-requests.ts';

/**
 * Whatever HTTP requests come, the subgraph lives, answers in time, and every error is one that it knows. Random documents are in
 * known-documents-random.test.ts.
 */

const CASES = randomCases(1500);

const OPERATION_TIMEOUT_MS = 5000;

/** An operation has its time and a second to answer; a busy machine may take another few. */
const LATEST_MS = OPERATION_TIMEOUT_MS + 1000 + 4000;

/** The codes of errors that may be answered; INTERNAL_SERVER_ERROR is not one of them. */
const codes =
  /^(BAD_REQUEST|BAD_USER_INPUT|GRAPHQL_(PARSE|VALIDATION)_FAILED|NOT_FOUND|OPERATION_RESOLUTION_FAILURE|PAYLOAD_TOO_LARGE|REQUEST_LIMIT_EXCEEDED|REQUEST_TIMEOUT|UNSUPPORTED_MEDIA_TYPE|PERSISTED_QUERY_NOT_SUPPORTED|METHOD_NOT_ALLOWED)$/;

const share = (part: number) => ({ numRuns: Math.ceil(CASES * part) });
const timeout = 120_000 + CASES * 20;

/** An operation that once kept the subgraph busy for minutes. */
interface FuzzCase {
  readonly title: string;
  readonly document: string;
  readonly variables?: Record<string, unknown>;
}

const fuzzCases: readonly FuzzCase[] = [
  {
    title: 'many filters of many asset ids, each with a time range of its own',
    document: `query ($ids: [ID!]) { dataset(id: "${DATASET_ID}") { ${times(400, (index) => `a${index}: results(filter: { assetIds: $ids, timeRange: { start: ${index} } }) { sourceId }`)} } }`,
    variables: { ids: Array.from({ length: 10_000 }, (_, index) => `a${index}`) },
  },
  {
    title: 'many references to assets, each with many time ranges',
    document: `query ($references: [_Any!]!) { _entities(representations: $references) { ... on Asset { name ${times(100, (index) => `s${index}: series(filter: { timeRange: { start: ${index} } }) { version }`)} } } }`,
    variables: { references: Array.from({ length: 1000 }, (_, index) => assetReference(`a${index}`)) },
  },
  {
    title: 'many references, each with many aliases',
    document: `query ($references: [_Any!]!) { _entities(representations: $references) { ... on Asset { ${times(400, (index) => `a${index}: assetId`)} } } }`,
    variables: { references: Array.from({ length: 5000 }, () => assetReference('a')) },
  },
  {
    title: 'lists deeper than the parser can follow',
    document: `{ dataset(id: ${'['.repeat(4900)}1${']'.repeat(4900)}) { id } }`,
  },
  {
    title: 'fragments that double at every level',
    document: `{ ...F0 } ${times(25, (index) => `fragment F${index} on Query { a${index}: __typename ...F${index + 1} ... { ...F${index + 1} } }`)} fragment F25 on Query { b: __typename }`,
  },
];

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
    if (!codes.test(extensions?.code)) throw new Error(`The code ${extensions?.code}: ${message}`);
  }
}

describe('4 Random requests', () => {
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
      share(0.7),
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
      share(0.3),
    );
    expect((await http('/health/ready')).status).toBe(200);
  });
});
