import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Pace } from '../src/server/slow-clients.ts';
import { DATASET_ID, dataset, listen, ofDataset, type Setup, start, TOKEN } from './harness.ts';

const eventually = (check: () => unknown) => vi.waitFor(check, { timeout: 20_000, interval: 20 });
const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const LARGE_BYTES = 24_000_000;
const NAME = ofDataset('name');
const RESULTS = ofDataset('results { series { nodes { asset { name } } } }');
const asset = `{"asset_id":"a","asset_name":"${'x'.repeat(990)}"}`;
const bodies: Record<string, string> = {
  [NAME]: JSON.stringify({ name: 'x'.repeat(LARGE_BYTES) }),
  [RESULTS]: `{"assets":[${Array(LARGE_BYTES / 1000)
    .fill(asset)
    .join()}]}`,
};

const post = (document: string) => {
  const body = JSON.stringify({ query: document });
  return `POST /graphql HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${TOKEN}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
};
const download = `GET /download/dataset/${DATASET_ID} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${TOKEN}\r\n\r\n`;

/** A subgraph over a service with large answers, and a file as large. */
async function startLarge(document: string, setup: Setup = {}) {
  const file = { name: 'f', contentType: 'text/plain', bytes: Buffer.alloc(LARGE_BYTES, 'x') };
  const bed = await start({ datasets: [{ ...dataset, file }], ...setup });
  bed.simulator.intercept(({ operation }) =>
    operation === 'downloadStaticDataset' ? undefined : { body: bodies[document] ?? '' },
  );
  return bed;
}

/** A client that takes so many bytes a second of what comes, about 64 kB at a time. */
async function read(url: string, request: string, bytesPerSecond: number) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const state = { bytes: 0, closed: false, head: '', tail: '' };
  const perTick = bytesPerSecond / 20;
  let owed = 0;
  const timer = setInterval(() => {
    owed = Math.max(0, owed - perTick);
    if (owed < perTick || owed === 0) socket.resume();
  }, 50);
  onTestFinished(() => {
    clearInterval(timer);
    socket.destroy();
  });
  socket.on('data', (chunk) => {
    if (state.bytes === 0) state.head = chunk.toString('latin1').split('\r\n\r\n')[0] ?? '';
    state.tail = (state.tail + chunk.toString('latin1')).slice(-20);
    state.bytes += chunk.length;
    owed += chunk.length;
    if (owed >= perTick) socket.pause();
  });
  socket.on('error', () => {});
  socket.once('close', () => {
    state.closed = true;
  });
  await once(socket, 'connect');
  socket.write(request);
  /** Takes all that comes from now on: a connection that was cut off may still have bytes to read before it is closed. */
  const readOn = () => {
    clearInterval(timer);
    owed = Number.NEGATIVE_INFINITY;
    socket.resume();
  };
  return { state, readOn };
}

/** The time for which a client may take nothing is a second longer. */
const soon = { OPERATION_TIMEOUT_MS: '2000' };

describe('3.28 A client that does not take its response', () => {
  it.each([
    ['a response in one text', NAME, 0],
    ['a response that is written while it is sent', RESULTS, 0],
    ['a response of which it takes a kilobyte a second', NAME, 1000],
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
    const bed = await startLarge(NAME, { env: { ...soon, MAX_DOWNLOADS: '4' } });
    const clients = await Promise.all(Array.from({ length: 4 }, () => read(bed.subgraph.url, download, 0)));
    await eventually(() => expect(bed.calls()).toHaveLength(4));
    const get = () => bed.http(`/download/dataset/${DATASET_ID}`, { headers: { authorization: `Bearer ${TOKEN}` } });
    expect((await get()).status).toBe(503);
    await eventually(async () => expect((await get()).text).toHaveLength(LARGE_BYTES));
    expect(clients.map(({ state }) => state.bytes < LARGE_BYTES / 2)).toEqual(Array(4).fill(true));
  });
});

describe('3.28 A client that takes its response', () => {
  it.each([
    ['a response in one text', NAME, post(NAME)],
    ['a response that is written while it is sent', RESULTS, post(RESULTS)],
    ['a file', NAME, download],
  ])('gets all of it, though that takes longer than it may do nothing: %s', async (_title, document, request) => {
    const bed = await startLarge(document, { env: soon });
    // The rate of the client takes this time, which a busy machine can only make longer.
    const started = performance.now();
    const { state } = await read(bed.subgraph.url, request, 4_000_000);
    await eventually(() => expect(state.bytes).toBeGreaterThan(LARGE_BYTES));
    expect(performance.now() - started).toBeGreaterThan(4500);
    await wait(100);
    expect(state.closed).toBe(false);
    expect(state.head).toMatch(/^HTTP\/1.1 200/);
  });

  it('is not cut off because the service is slow', async () => {
    const serviceUrl = await listen((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n');
      const timer = setInterval(() => socket.write('x'), 100);
      socket.once('close', () => clearInterval(timer));
    });
    const bed = await start({ serviceUrl, env: { OPERATION_TIMEOUT_MS: '1000' } });
    // The service takes this time, which a busy machine can only make longer.
    const started = performance.now();
    const { text } = await bed.http(`/download/dataset/${DATASET_ID}`, {
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    expect(text).toBe('x'.repeat(50));
    expect(performance.now() - started).toBeGreaterThan(4500);
  });

  it('gets a text as it is, wherever it is cut into pieces', async () => {
    const bed = await start();
    for (const before of [0, 1]) {
      const name = 'x'.repeat(before) + '\u{1f30d}'.repeat(100_000);
      bed.simulator.intercept(() => ({ body: JSON.stringify({ name }) }));
      const { body, headers } = await bed.query(NAME);
      expect(body.data.dataset.name === name).toBe(true);
      expect(Number(headers['content-length'])).toBeGreaterThan(400_000);
    }
  });
});

describe('3.28 A slow client while memory is contended', () => {
  // Enough for one answer with what is made of it, and not for two.
  const env = { MEMORY_BUDGET: '40000000' };

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
    await wait(4000);
    expect([fast.state.closed, slow.state.closed]).toEqual([false, false]);
  });
});

describe('3.28 Too slow', () => {
  const SECOND = 1000;
  const CHUNK = 2 ** 18;

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
    ['nothing', 0, 29],
    ['4 kB a second', 4000, 29],
    ['16 kB a second', 16_000, undefined],
    ['100 kB a second', 100_000, undefined],
  ])('over 29 s is %s', (_title, rate, second) => expect(cutAt(rate, 29 * SECOND, false)).toBe(second));

  it.each([
    ['15 kB a second', 15_000, 600],
    ['16 kB a second', 16_000, undefined],
  ])('over 10 minutes is %s', (_title, rate, second) => expect(cutAt(rate, 600 * SECOND, false)).toBe(second));

  it.each([
    ['100 kB a second', 100_000, 2],
    ['800 kB a second', 800_000, 2],
    ['1 MB a second', 1_000_000, undefined],
  ])('over 2 s while memory is contended is %s', (_title, rate, second) =>
    expect(cutAt(rate, 29 * SECOND, true)).toBe(second),
  );
});
