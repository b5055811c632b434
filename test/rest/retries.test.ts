import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Fault } from '../../simulator/src/simulator.ts';
import { eventually } from '../support/eventually.ts';
import { errorAt } from '../support/expected-errors.ts';
import {
  type Answer,
  dataset,
  getSummary,
  listen,
  NAME,
  named,
  ofDataset,
  postResults,
  start,
  type TestBed,
} from '../support/harness.ts';

const RESULTS = ofDataset('results { processingId }');
const unavailable = (status: number | null) => ({
  data: { dataset: { name: null } },
  errors: [
    errorAt(['dataset', 'name'], 'UPSTREAM_UNAVAILABLE', { operation: 'getDatasetMetadata', status, retryable: true }),
  ],
});

/** The code of an answer's first error. */
const codeOf = ({ body }: Answer): string | undefined => body.errors?.[0].extensions.code;

/** Of eleven calls, repetitions included, one may be a repetition. */
const CALLS_FOR_ONE = 11;

/** Makes so many calls that succeed, and forgets them. */
async function warmUp({ query, simulator, log }: TestBed, calls = CALLS_FOR_ONE - 1): Promise<void> {
  for (let call = 0; call < calls; call += 1) expect((await query(NAME)).body).toEqual(named);
  simulator.clear();
  log.length = 0;
}

/** Fails so many requests, and answers those after them. */
function failFirst({ simulator }: TestBed, failures: number, fault: Fault): void {
  let left = failures;
  simulator.intercept(() => {
    left -= 1;
    return left >= 0 ? fault : undefined;
  });
}

/*
 * Clause 3.30 of docs/contract.md in detail.
 * A GET is retried once after 502, 503 or 504 without a Retry-After, or if its connection could not be made or broke
 * before the response headers came. The retry waits 50 to 150 ms, at random. Of eleven calls, retries included, one may
 * be a retry, and at most ten retries may follow one another. Before the first eleven calls nothing is retried. A retry
 * counts for `UPSTREAM_MAX_CALLS`. The operation's deadline ends the wait; the result is then the original failure. A
 * POST is not retried after any of these failures.
 *
 * A GET or a POST is retried once, at once and outside these numbers, if a connection that had delivered a response
 * before ended before any byte of this one. The service had just closed that connection, and the specification calls
 * the service read-only (RFC 9110, section 9.2.2). This retry counts for `UPSTREAM_MAX_CALLS`, too. An idle connection
 * is closed after `UPSTREAM_KEEP_ALIVE_MS`, unless the service says how long it keeps it. With `UPSTREAM_RETRY=off`
 * nothing is retried.
 */
describe('3.30 A GET that failed is repeated once', () => {
  it.each([
    ['502', { status: 502 }, 502],
    ['503', { status: 503 }, 503],
    ['504', { status: 504 }, 504],
    ['a connection that is reset before the answer', { reset: true }, null],
  ])('after %s', async (_case, fault, status) => {
    const bed = await start();
    await warmUp(bed);
    failFirst(bed, 1, fault);
    expect((await bed.query(NAME)).body).toEqual(named);
    expect(bed.calls()).toEqual([getSummary(), getSummary()]);
    const [first, second] = bed.simulator.requests;
    expect(second?.headers).toEqual(first?.headers);
    expect(bed.log.map((line) => JSON.parse(line).status)).toEqual([status, 200]);
  });

  it('and no more than once', async () => {
    const bed = await start();
    await warmUp(bed, 2 * CALLS_FOR_ONE);
    failFirst(bed, 2, { status: 503 });
    expect((await bed.query(NAME)).body).toEqual(unavailable(503));
    expect(bed.calls()).toEqual([getSummary(), getSummary()]);
  });

  it('after a pause, which is not always the same', async () => {
    const random = vi.spyOn(Math, 'random');
    onTestFinished(() => random.mockRestore());
    const bed = await start();
    await warmUp(bed, 3 * CALLS_FOR_ONE);
    for (const [chance, pause] of [
      [0, 50],
      [0.5, 100],
      [1, 150],
    ] as const) {
      random.mockReturnValue(chance);
      const times: number[] = [];
      bed.simulator.intercept(() => (times.push(performance.now()) === 1 ? { status: 503 } : undefined));
      expect((await bed.query(NAME)).body).toEqual(named);
      const [first = 0, second = 0] = times;
      // The timer has whole milliseconds. How much later the retry comes depends on the machine.
      expect(second - first).toBeGreaterThan(pause - 2);
    }
  });
});

describe('3.30 A call is not repeated', () => {
  it.each<[string, Fault, string, number | null]>([
    ['after 503 with a Retry-After', { status: 503, headers: { 'retry-after': '0' } }, 'UPSTREAM_UNAVAILABLE', 503],
    ['after 429', { status: 429 }, 'RATE_LIMITED', 429],
    ['after 500', { status: 500 }, 'UPSTREAM_ERROR', 500],
    ['when its answer has begun', { cutAfterBytes: 5 }, 'UPSTREAM_UNAVAILABLE', 200],
    ['when its answer cannot be read', { body: '<html>' }, 'UPSTREAM_INVALID_RESPONSE', 200],
    ['when it took too long', { hang: true }, 'UPSTREAM_TIMEOUT', null],
  ])('%s', async (_case, fault, code, status) => {
    const bed = await start({ env: { UPSTREAM_TIMEOUT_MS: fault.hang ? '1000' : '20000' } });
    await warmUp(bed);
    failFirst(bed, 1, fault);
    const { body } = await bed.query(NAME);
    expect(body.errors[0].extensions).toMatchObject({ code, rest: { status } });
    expect(bed.calls()).toEqual([getSummary()]);
  });

  it.each<[string, Fault, number | null]>([
    ['503', { status: 503 }, 503],
    ['a reset of a new connection', { reset: true }, null],
  ])('when it is a POST, after %s', async (_case, fault, status) => {
    const bed = await start();
    if (status !== null) await warmUp(bed);
    failFirst(bed, 1, fault);
    expect((await bed.query(RESULTS)).body).toEqual({
      data: { dataset: { results: null } },
      errors: [
        errorAt(['dataset', 'results'], 'UPSTREAM_UNAVAILABLE', {
          operation: 'getDatasetResults',
          status,
          retryable: true,
        }),
      ],
    });
    expect(bed.calls()).toEqual([postResults({})]);
  });

  it('with UPSTREAM_RETRY=off', async () => {
    const bed = await start({ env: { UPSTREAM_RETRY: 'off' } });
    await warmUp(bed);
    failFirst(bed, 1, { status: 503 });
    expect((await bed.query(NAME)).body).toEqual(unavailable(503));
    expect(bed.calls()).toEqual([getSummary()]);
  });

  it('before there were ten other calls', async () => {
    const bed = await start();
    await warmUp(bed, CALLS_FOR_ONE - 2);
    failFirst(bed, 1, { status: 503 });
    expect((await bed.query(NAME)).body).toEqual(unavailable(503));
    expect(bed.calls()).toEqual([getSummary()]);
  });

  it('when the service has failed for ten repetitions already, however well it did before', async () => {
    const bed = await start({ env: { UPSTREAM_OUTAGE_MS: '0' } });
    await warmUp(bed, 250);
    bed.simulator.intercept(() => ({ status: 503 }));
    const responses = await Promise.all(Array.from({ length: 50 }, () => bed.query(NAME)));
    for (const { body } of responses) expect(body).toEqual(unavailable(503));
    // Ten that were saved up, and what the 60 calls themselves allow for.
    expect(bed.calls().length).toBeGreaterThanOrEqual(60);
    expect(bed.calls().length).toBeLessThanOrEqual(66);
  });
});

describe('3.30 While a repetition waits', () => {
  it('the client can leave, and nothing is repeated', async () => {
    const bed = await start();
    await warmUp(bed);
    failFirst(bed, 1, { status: 503 });
    const leaving = new AbortController();
    const response = bed.query(NAME, { signal: leaving.signal });
    await eventually(() => expect(bed.log).toHaveLength(1), { interval: 1 });
    leaving.abort();
    await expect(response).rejects.toThrow('aborted');
    // Longer than any pause: were it repeated, that would come before.
    bed.simulator.intercept(() => wait(200));
    await bed.query(RESULTS);
    expect(bed.calls().filter((call) => call === getSummary())).toHaveLength(1);
  });
});

describe('3.30 A connection that the service has closed while it was idle', () => {
  const metadata = JSON.stringify(dataset.metadata);
  const results = JSON.stringify({ processing_id: 'p-1', assets: [] });

  /**
   * Answers a request on each connection, and ends it so at the second, as if that came when it was closed already.
   *
   * @returns its address, and the first line of each request
   */
  async function closingService(close: (socket: Socket) => void, responses = 1) {
    const requests: string[] = [];
    const serviceUrl = await listen((socket) => {
      let received = 0;
      socket.on('data', (bytes) => {
        const [line = ''] = bytes.toString().split(' HTTP');
        requests.push(line);
        received += 1;
        const body = line.startsWith('POST') ? results : metadata;
        if (received > responses) close(socket);
        else socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
      });
    });
    return { serviceUrl, requests };
  }

  const reset = (socket: Socket) => socket.resetAndDestroy();
  const end = (socket: Socket) => socket.destroy();

  it.each([
    ['a reset', reset, NAME, named],
    ['an end', end, RESULTS, { data: { dataset: { results: { processingId: 'p-1' } } } }],
  ])('fails no call, because it is repeated at once: %s, %s', async (_how, close, document, answered) => {
    const { serviceUrl, requests } = await closingService(close);
    const bed = await start({ serviceUrl, env: { UPSTREAM_CONNECTIONS: '1' } });
    for (let call = 0; call < 40; call += 1) expect((await bed.query(document)).body).toEqual(answered);
    // The first of 40 has a new connection; of the others each is sent on a used one, and again on a new one.
    expect(requests).toHaveLength(40 + 39);
  });

  it.each<[string, (socket: Socket) => void, number]>([
    ['when a byte of the answer has come', (socket) => socket.end('H'), 1],
    ['when it was new', reset, 0],
  ])('is not repeated %s', async (_case, close, responses) => {
    const { serviceUrl, requests } = await closingService(close, responses);
    const bed = await start({ serviceUrl, env: { UPSTREAM_CONNECTIONS: '1' } });
    for (let call = 0; call < responses; call += 1) await bed.query(RESULTS);
    expect(codeOf(await bed.query(RESULTS))).toBe('UPSTREAM_UNAVAILABLE');
    expect(requests).toHaveLength(responses + 1);
  });

  it('is not used any more after UPSTREAM_KEEP_ALIVE_MS', async () => {
    const { serviceUrl, requests } = await closingService(reset, 100);
    const closed: string[] = [];
    for (const UPSTREAM_KEEP_ALIVE_MS of ['300000', '100']) {
      const relay = await listen((socket) => {
        const behind = connect(Number(new URL(serviceUrl).port), '127.0.0.1');
        socket.pipe(behind).pipe(socket);
        socket.once('close', () => closed.push(UPSTREAM_KEEP_ALIVE_MS));
        behind.on('error', () => {});
      });
      const bed = await start({ serviceUrl: relay, env: { UPSTREAM_KEEP_ALIVE_MS } });
      expect((await bed.query(NAME)).body).toEqual(named);
    }
    await eventually(() => expect(closed).not.toEqual([]));
    expect(closed).toEqual(['100']);
    expect(requests).toHaveLength(2);
  });
});
