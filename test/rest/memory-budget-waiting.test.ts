import { randomBytes } from 'node:crypto';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { DATASET_ID, gate, listen, ofDataset, outline, start, type TestBed, TOKEN } from '../support/harness.ts';
import {
  answered,
  ended,
  env,
  hold,
  MEGABYTE,
  outlineOf,
  queryOf,
  RESULTS,
  range,
  refusal,
  resultsOf,
  sendResults,
} from '../support/memory-budget.ts';
import { readSample, startMeasured } from '../support/metrics.ts';

const noMemory = (budget: number) =>
  refusal(
    'UPSTREAM_UNAVAILABLE',
    `Other responses use the memory that this response needs (MEMORY_BUDGET is ${budget}).`,
    { retryable: true },
  );

describe('3.33 MEMORY_BUDGET: who waits', () => {
  it('and leaves, frees its place, and gets nothing', async () => {
    const bed = await start({ env: env(4 * MEGABYTE) });
    const { letGo, answer } = await hold(bed, resultsOf(3 * MEGABYTE));
    const leaving = new AbortController();
    const left = bed.query(RESULTS, { signal: leaving.signal }).catch((error) => error.code);
    await eventually(() => expect(bed.calls()).toHaveLength(3));
    const next = bed.query(RESULTS);
    await eventually(() => expect(bed.calls()).toHaveLength(4));
    leaving.abort();
    expect(await left).toBe('ABORT_ERR');
    await eventually(() => expect(bed.log.some((line) => line.includes('cancelled'))).toBe(true));
    letGo();
    expect((await next).body).toEqual(answered);
    expect(outline(await answer)).toEqual(outlineOf(['first', 'second']));
  });

  it('has the whole response, also if its last bytes come meanwhile, and the service closes the connection', async () => {
    const held = resultsOf(3 * MEGABYTE);
    const encoded = gzipSync(held);
    const { opened: closed, open: close } = gate();
    let sendLast = () => {};
    let letGo = () => {};
    const serviceUrl = await listen((socket) => {
      socket.on('data', (request) => {
        const send = (body: Buffer, bytes: Buffer, coding = '') =>
          socket.write(
            Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\n${coding}content-length: ${body.length}\r\n\r\n`), bytes]),
          );
        const path = request.toString('latin1', 0, 100);
        if (path.includes('/first')) send(held, held);
        else if (path.includes('/second')) letGo = () => send(resultsOf(100), resultsOf(100));
        else {
          send(encoded, encoded.subarray(0, -10), 'content-encoding: gzip\r\n');
          sendLast = () => socket.once('close', close).end(encoded.subarray(-10));
        }
      });
    });
    const bed = await startMeasured({ serviceUrl, env: env(4 * MEGABYTE) });
    const holding = bed.query(queryOf('first', 'second'));
    await eventually(() => expect(ended(bed)).toBe(1));
    const waiting = bed.query(RESULTS);
    await eventually(async () => expect(await readSample(bed, 'rest_memory_waiting_responses')).toBe(1));
    sendLast();
    await closed;
    letGo();
    expect((await waiting).body).toEqual(answered);
    expect(outline(await holding)).toEqual(outlineOf(['first', 'second']));
  });

  it('gets what a client that leaves has held', async () => {
    const bed = await start({ env: env(4 * MEGABYTE) });
    const held = gate();
    onTestFinished(() => held.open());
    const body = resultsOf(3 * MEGABYTE);
    sendResults(bed, (id) => (id === 'second' ? held.opened.then(() => ({ body })) : { body }));
    const leaving = new AbortController();
    const left = bed.query(queryOf('first', 'second'), { signal: leaving.signal }).catch((error) => error.code);
    await eventually(() => expect(ended(bed)).toBe(1));
    const next = bed.query(RESULTS);
    await eventually(() => expect(bed.calls()).toHaveLength(3));
    leaving.abort();
    expect(await left).toBe('ABORT_ERR');
    expect((await next).body).toEqual(answered);
  });

  it('has the memory of clients that have left, and none beside it', async () => {
    const budget = 64 * MEGABYTE;
    const bed = await start({ env: env(budget) });
    const never = gate();
    onTestFinished(() => never.open());
    const body = resultsOf(40 * MEGABYTE);
    sendResults(bed, (id) => (id === 'second' ? never.opened.then(() => ({ body })) : { body }));
    const before = process.memoryUsage().arrayBuffers;
    for (const round of range(8)) {
      const leaving = new AbortController();
      const left = bed.query(queryOf('first', 'second'), { signal: leaving.signal }).catch((error) => error.code);
      await eventually(() => expect(ended(bed)).toBe(2 * round + 1));
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(budget);
      leaving.abort();
      expect(await left).toBe('ABORT_ERR');
    }
  });

  it.each([
    ['identity', 'large', (body: Buffer) => body, 3 * MEGABYTE],
    ['gzip', 'large', (body: Buffer) => gzipSync(body), 3 * MEGABYTE],
    // So small that its last byte is there when the wait begins, and so large that there is one.
    ['gzip', 'small', (body: Buffer) => gzipSync(body), 140_000],
  ])(
    'loses nothing when the service closes its connection meanwhile: %s, %s',
    async (encoding, _size, encode, bytes) => {
      const second = gate();
      const whole = encode(resultsOf(bytes, randomBytes(Math.min(bytes, MEGABYTE) * 0.74).toString('base64')));
      const first = encode(resultsOf(4 * MEGABYTE - 10_000));
      const serviceUrl = await listen((socket) => {
        socket.once('data', async (request) => {
          if (request.includes('/second ')) await second.opened;
          const bodies = { first, second: encode(resultsOf(100)), [DATASET_ID]: whole };
          const id = /[^/]+(?= HTTP)/.exec(request.toString())?.[0] as keyof typeof bodies;
          const body = bodies[id] as Buffer;
          socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: ${encoding}\r\ncontent-length: ${body.length}\r\n\r\n`);
          socket.end(body);
        });
      });
      const bed = await start({ serviceUrl, env: env(4 * MEGABYTE) });
      const holding = bed.query(queryOf('first', 'second'));
      await eventually(() => expect(ended(bed)).toBe(1));
      const others = range(10).map(() => bed.query(RESULTS));
      // The connections are closed by the time that these have their answers.
      for (const _ of range(20)) await bed.http('/health/live');
      expect(ended(bed)).toBe(1);
      second.open();
      expect(outline(await holding)).toEqual(outlineOf(['first', 'second']));
      for (const { body } of await Promise.all(others)) expect(body).toEqual(answered);
    },
  );

  it('longer than its operation may take, is told so', async () => {
    const budget = 32 * MEGABYTE;
    const bed = await start({ env: env(budget, { OPERATION_TIMEOUT_MS: '1500', UPSTREAM_OUTAGE_MS: '60000' }) });
    // A caller that does not take its answer, which holds the memory until it is cut off.
    const assets = range(48).map((id) => ({ asset_id: String(id), asset_name: 'x'.repeat(MEGABYTE / 2) }));
    const large = Buffer.from(JSON.stringify({ processing_id: 'p', assets }));
    const other = resultsOf(12 * MEGABYTE);
    sendResults(bed, (id) => ({ body: id === DATASET_ID ? large : other }));
    const slow = await slowReader(bed, ofDataset('results { series { totalCount nodes { asset { name } } } }'));
    const waiting = await Promise.all(range(25).map(() => bed.query(RESULTS, { variables: { id: 'other' } })));
    for (const { body } of waiting) expect(body).toEqual(noMemory(budget));
    slow.destroy();
    // That says nothing of the service, which is called as ever.
    sendResults(bed, () => ({ body: resultsOf(1000) }));
    expect((await bed.query(RESULTS)).body).toEqual(answered);
  });
});

/** Asks, and reads nothing of the answer but its head. */
function slowReader({ subgraph }: TestBed, query: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` };
    const request = httpRequest(subgraph.url, { method: 'POST', headers, agent: false }, (response) => {
      response.on('error', () => {});
      resolve(response);
    });
    request.on('error', reject);
    request.end(JSON.stringify({ query }));
  });
}
