import { describe, expect, it } from 'vitest';
import { Pace } from '../../src/server/connections/pace.ts';
import { stopClock } from '../support/clock.ts';
import { eventually } from '../support/eventually.ts';
import { DATASET_ID, ofDataset, start, TOKEN } from '../support/harness.ts';
import {
  COPIED_RESULTS,
  download,
  LARGE_BYTES,
  NAMES,
  post,
  RESULTS,
  read,
  soon,
  startLarge,
  wait,
} from '../support/slow-client.ts';

/*
 * Clause 3.28 of docs/contract.md in detail: slow clients.
 * A request that does not arrive within `REQUEST_TIMEOUT_MS`, or its headers within 10 s, gets 408, at most a second
 * later. If an earlier response of its connection has begun and is not complete, its connection is closed instead, as
 * it is for bytes that are not HTTP: an error never gets into another response. A response or a file may take any time
 * while the client reads it. A client is disconnected when it is as far behind 16 kB a second as one that reads nothing for
 * `OPERATION_TIMEOUT_MS` and a second. The kernel's buffer counts as read, on a fast link up to 1.5 MB at a time. Time in which
 * the service is slow does not count against the client. While others wait for memory, or for a second for a connection to the
 * service that a client holds, or when a download was refused, the same holds for 1 MB a second and two seconds.
 */
describe('3.28 A client that does not take its response', { timeout: 120_000 }, () => {
  it.each([
    ['a response in one text', NAMES, 0],
    ['a response that is written while it is sent', COPIED_RESULTS, 0],
    ['a response of which it takes a kilobyte a second', NAMES, 1000],
  ])('is cut off, and its place is free again: %s', async (_title, document, rate) => {
    const bed = await startLarge(document, { env: { ...soon, MAX_OPERATIONS: '1' } });
    const client = await read(bed.subgraph.url, post(document), rate);
    await eventually(() => expect(bed.calls()).toHaveLength(1));
    expect((await bed.query('{ __typename }')).status).toBe(503);
    await eventually(async () => expect((await bed.query('{ __typename }')).status).toBe(200));
    client.readOn();
    await eventually(() => expect(client.state.closed).toBe(true));
    expect(client.state.bytes).toBeLessThan(LARGE_BYTES / 2);
  });

  it('of a file is cut off, too', async () => {
    const bed = await startLarge(NAMES, { env: { ...soon, MAX_DOWNLOADS: '3' } });
    const clients = await Promise.all(Array.from({ length: 3 }, () => read(bed.subgraph.url, download, 0)));
    await eventually(() => expect(bed.calls()).toHaveLength(3));
    const get = () => bed.http(`/download/dataset/${DATASET_ID}`, { headers: { authorization: `Bearer ${TOKEN}` } });
    expect((await get()).status).toBe(503);
    await eventually(async () => expect((await get()).text).toHaveLength(LARGE_BYTES));
    expect(clients.map(({ state }) => state.bytes < LARGE_BYTES / 2)).toEqual(Array(3).fill(true));
  });
});

describe('3.28 Slow clients of one token', { timeout: 120_000 }, () => {
  it('hold the connections to the service for some seconds, when others need them', async () => {
    const accounts = [TOKEN, 'other'].map((token) => ({ email: token, password: 'secret', token }));
    // So little memory that the connections wait for their clients.
    const env = { UPSTREAM_CONNECTIONS: '4', MEMORY_BUDGET: '16000000', RESULTS_HOLD_BYTES: '1048576' };
    const bed = await startLarge(RESULTS, { accounts, env });
    const assets = Array.from(
      { length: LARGE_BYTES / 1000 },
      (_, at) => `{"asset_id":"${at}","asset_name":"${'x'.repeat(960)}"}`,
    );
    const body = `{"assets":[${assets.join()}]}`;
    bed.simulator.intercept(() => ({ body }));
    const clients = await Promise.all(Array.from({ length: 3 }, () => read(bed.subgraph.url, post(RESULTS), 60_000)));
    await eventually(() => expect(clients.every(({ state }) => state.bytes > 0)).toBe(true));
    bed.simulator.intercept(() => ({ body: '{"assets":[{"asset_id":"b"}]}' }));
    const small = ofDataset('results { series { nodes { asset { assetId } } } }');
    // Otherwise it waits until its time is over.
    const answer = await bed.query(small, { token: 'other' });
    expect(answer.body).toEqual({
      data: { dataset: { results: { series: { nodes: [{ asset: { assetId: 'b' } }] } } } },
    });
    for (const { readOn } of clients) readOn();
    const isCutOff = ({ state }: (typeof clients)[number]) => state.closed && state.bytes < LARGE_BYTES;
    await eventually(() => expect(clients.some(isCutOff)).toBe(true));
  });

  it('hold three quarters of the downloads, and these for some seconds when others need them', async () => {
    const accounts = [TOKEN, 'other'].map((token) => ({ email: token, password: 'secret', token }));
    const bed = await startLarge(NAMES, { accounts, env: { MAX_DOWNLOADS: '4' } });
    const get = (token: string) => {
      return bed.http(`/download/dataset/${DATASET_ID}`, { headers: { authorization: `Bearer ${token}` } });
    };
    const clients = await Promise.all(Array.from({ length: 3 }, () => read(bed.subgraph.url, download, 60_000)));
    await eventually(() => expect(clients.every(({ state }) => state.bytes > 0)).toBe(true));
    expect((await get('other')).text).toHaveLength(LARGE_BYTES);
    expect(clients.map(({ state }) => state.closed)).toEqual([false, false, false]);
    const refused = await get(TOKEN);
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1']);
    expect(JSON.parse(refused.text).errors).toEqual([
      {
        message: 'This token is at its limit of 3 concurrent downloads (MAX_DOWNLOADS).',
        extensions: { code: 'OVERLOADED' },
      },
    ]);
    await eventually(async () => expect((await get(TOKEN)).text).toHaveLength(LARGE_BYTES));
    for (const { readOn } of clients) readOn();
    const isCutOff = ({ state }: (typeof clients)[number]) => state.closed && state.bytes < LARGE_BYTES;
    await eventually(() => expect(clients.some(isCutOff)).toBe(true));
  });
});

describe('3.28 A client that takes its response', { timeout: 120_000 }, () => {
  it.each([
    ['a response in one text', NAMES, post(NAMES)],
    ['a response that is written while it is sent', COPIED_RESULTS, post(COPIED_RESULTS)],
    ['a file', NAMES, download],
  ])('gets all of it, though that takes longer than it may do nothing: %s', async (_title, document, request) => {
    const bed = await startLarge(document, { env: soon });
    // The rate of the client takes this time, which a busy machine can only make longer.
    const started = performance.now();
    const { state } = await read(bed.subgraph.url, request, 3_000_000);
    await eventually(() => expect(state.bytes).toBeGreaterThan(LARGE_BYTES));
    expect(performance.now() - started).toBeGreaterThan(6500);
    await wait(100);
    expect(state.closed).toBe(false);
    expect(state.head).toMatch(/^HTTP\/1.1 200/);
  });

  it('gets a text as it is, wherever it is cut into pieces', async () => {
    const bed = await start();
    for (const before of [0, 1]) {
      const name = 'x'.repeat(before) + '\u{1f30d}'.repeat(100_000);
      bed.simulator.intercept(() => ({ body: JSON.stringify({ name }) }));
      expect((await bed.query(ofDataset('name'))).body.data.dataset.name === name).toBe(true);
    }
  });
});

describe('3.28 A client between two requests', () => {
  it('is not slow', async () => {
    const bed = await startLarge(NAMES, { env: { MAX_OPERATION_WORK: '1000000000000' } });
    const { state, readOn, socket } = await read(bed.subgraph.url, post(NAMES), 1_000_000);
    await eventually(() => expect(state.bytes).toBeGreaterThan(0));
    const clock = stopClock();
    // A check sees what waits for it.
    await wait(300);
    readOn();
    await eventually(() => expect(state.tail).toMatch(/\}\n$/));
    // So long that what it took last does not make up for it.
    clock.advance(2_000_000);
    socket.pause();
    socket.write(post(NAMES));
    await wait(600);
    socket.resume();
    await eventually(() => expect(state.bytes).toBeGreaterThan(2 * LARGE_BYTES));
    expect(state.closed).toBe(false);
  });
});

describe('3.28 A slow client while memory is contended', { timeout: 120_000 }, () => {
  // Enough for one answer with what is made of it, and not for two.
  const env = { MEMORY_BUDGET: '40000000', RESULTS_HOLD_BYTES: '40000000' };

  it('is cut off after some seconds, and who waited gets its response', async () => {
    const bed = await startLarge(RESULTS, { env });
    const { state, readOn } = await read(bed.subgraph.url, post(RESULTS), 50_000);
    await eventually(() => expect(state.bytes).toBeGreaterThan(0));
    const other = await read(bed.subgraph.url, post(RESULTS), 100_000_000);
    await eventually(() => expect(other.state.bytes).toBeGreaterThan(LARGE_BYTES));
    readOn();
    await eventually(() => expect(state.closed).toBe(true));
    expect(state.bytes).toBeLessThan(LARGE_BYTES);
  });

  it('is not cut off while nobody waits, nor a fast one while somebody does', async () => {
    const bed = await startLarge(RESULTS, { env });
    const fast = await read(bed.subgraph.url, post(RESULTS), 6_000_000);
    await eventually(() => expect(fast.state.bytes).toBeGreaterThan(0));
    const slow = await read(bed.subgraph.url, post(RESULTS), 50_000);
    await eventually(() => expect(fast.state.bytes).toBeGreaterThan(LARGE_BYTES));
    await eventually(() => expect(slow.state.bytes).toBeGreaterThan(0));
    const clock = stopClock();
    // The checks of two windows, as if the time had passed: their timer began before this one.
    for (let window = 0; window < 2; window += 1) {
      clock.advance(2500);
      await wait(250);
    }
    // One that was cut off would only see it now.
    slow.readOn();
    await eventually(() => expect(slow.state.bytes).toBeGreaterThan(LARGE_BYTES));
    expect([fast.state.closed, slow.state.closed]).toEqual([false, false]);
  });
});

describe('3.28 Too slow', () => {
  const SECOND = 1000;
  const CHUNK = 2 ** 17;

  /** The second in which a client that takes so many bytes a second is cut off; undefined in an hour. */
  function cutAt(bytesPerSecond: number, windowMs: number, isContended: boolean): number | undefined {
    const pace = new Pace(windowMs, 0, 0);
    for (let second = 1; second <= 3600; second += 1) {
      // Only whole pieces show.
      const taken = Math.floor((second * bytesPerSecond) / CHUNK) * CHUNK;
      if (pace.isTooSlow(second * SECOND, taken, isContended)) return second;
    }
    return undefined;
  }

  it.each([
    { bytes: 0, windowMs: 29_000, contended: false, second: 29 },
    { bytes: 15_000, windowMs: 29_000, contended: false, second: 349 },
    { bytes: 16_000, windowMs: 29_000, contended: false, second: undefined },
    { bytes: 8000, windowMs: 600_000, contended: false, second: 1190 },
    { bytes: 700_000, windowMs: 29_000, contended: true, second: 7 },
    { bytes: 1_000_000, windowMs: 29_000, contended: true, second: undefined },
  ])('is $bytes bytes a second for $windowMs ms, while memory is contended: $contended', (row) =>
    expect(cutAt(row.bytes, row.windowMs, row.contended)).toBe(row.second),
  );
});
