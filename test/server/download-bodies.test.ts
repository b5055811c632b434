import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Fault } from '../../simulator/src/simulator.ts';
import { always, begin, CONTENT, download, failure, head, startRaw } from '../support/download-route.ts';
import { eventually } from '../support/eventually.ts';
import { gate, ofDataset, start } from '../support/harness.ts';

describe('3.35 The body of a download', () => {
  const large = Buffer.alloc(5_000_000, 'moisture,0.5\n');

  it.each<[string, Fault, string | undefined]>([
    ['with a length', { body: large }, '5000000'],
    ['in chunks', { body: chunked(large) }, undefined],
    ['in gzip', { body: gzipSync(large), headers: { 'content-encoding': 'gzip' } }, undefined],
    ['in deflate', { body: deflateSync(large), headers: { 'content-encoding': 'Deflate' } }, undefined],
    ['in brotli', { body: brotliCompressSync(large), headers: { 'content-encoding': 'br' } }, undefined],
    ['with nothing in it', { body: '' }, '0'],
  ])('comes whole, decoded: %s', async (_title, fault, length) => {
    const bed = await start({ env: { UPSTREAM_MAX_BYTES: '1000' } });
    bed.simulator.intercept(() => fault);
    const { headers, text, isComplete } = await download(bed);
    expect(isComplete).toBe(true);
    expect(text === (fault.body === '' ? '' : large.toString())).toBe(true);
    expect([headers['content-length'], headers['content-encoding']]).toEqual([length, undefined]);
  });

  const cutGzip = gzipSync('abc'.repeat(100_000)).subarray(0, -9);

  /** What the service sends once the first of the file has come, and whether it breaks the connection then. */
  it.each<
    [string, string[], first: string | Buffer, then?: { more?: string | Buffer; reset?: boolean; stays?: boolean }]
  >([
    ['short of its length', ['content-length: 9'], 'abc'],
    ['by a reset', ['content-length: 9'], 'abc', { reset: true }],
    ['without a last chunk', ['transfer-encoding: chunked'], '3\r\nabc\r\n'],
    ['by a reset between chunks', ['transfer-encoding: chunked', 'connection: close'], '3\r\nabc\r\n', { reset: true }],
    ['by bytes that are no chunk', ['transfer-encoding: chunked'], '3\r\nabc\r\n', { more: 'no chunk' }],
    [
      'short of its encoding',
      ['content-encoding: gzip', `content-length: ${cutGzip.length}`],
      cutGzip.subarray(0, -10),
      { more: cutGzip.subarray(-10) },
    ],
    ['by silence', ['content-length: 9'], 'abc', { stays: true }],
  ])('that ends %s breaks the connection', async (_title, lines, first, { more = '', reset, stays } = {}) => {
    const { opened: begun, open } = gate();
    const write = async (socket: Socket) => {
      socket.write(head(...lines));
      socket.write(first);
      await begun;
      if (reset) socket.resetAndDestroy();
      else if (!stays) socket.end(more);
    };
    const bed = await startRaw(write, { UPSTREAM_TIMEOUT_MS: '200' });
    const response = await begin(bed);
    open();
    const ended = new Promise((close) => response.once('close', close));
    response.on('error', () => {}).resume();
    await ended;
    expect({ status: response.statusCode, complete: response.complete }).toEqual({ status: 200, complete: false });
    await eventually(() => expect(bed.log).toHaveLength(1));
    expect(JSON.parse(bed.log[0] ?? '')).toMatchObject({
      operation: 'downloadStaticDataset',
      status: 200,
      failure: expect.stringMatching(/^(unavailable|invalidResponse|timeout)$/),
    });
  });

  it.each<[string, string[], string, { end: boolean }, number, string]>([
    ['ends', ['content-length: 9'], '', { end: true }, 503, 'UPSTREAM_UNAVAILABLE'],
    ['is silent', ['content-length: 9'], '', { end: false }, 504, 'UPSTREAM_TIMEOUT'],
    [
      'is in another encoding than it says',
      ['content-length: 60', 'content-encoding: br'],
      'abc'.repeat(20),
      { end: true },
      502,
      'UPSTREAM_INVALID_RESPONSE',
    ],
  ])('that %s before its first byte is an error with a code', async (_title, lines, body, { end }, status, code) => {
    const write = (socket: Socket) => void (end ? socket.end(head(...lines) + body) : socket.write(head(...lines)));
    const bed = await startRaw(write, { UPSTREAM_TIMEOUT_MS: '200' });
    const answer = await download(bed);
    expect(answer).toMatchObject({ status, isComplete: true, headers: always });
    expect(JSON.parse(answer.text)).toEqual(failure(code, { status: 200, retryable: status !== 502 }));
  });

  it('ends where its length says, whatever follows, which is nobody else’s response', async () => {
    let connections = 0;
    const bed = await startRaw((socket) => {
      connections += 1;
      socket.write(`${head('content-length: 3')}abcd${head('content-length: 6')}forged`);
      socket.on('data', () => socket.write(`${head('content-length: 6')}forged`));
    });
    for (let call = 1; call <= 3; call += 1) {
      expect(await download(bed)).toMatchObject({ status: 200, text: 'abc', isComplete: true });
      expect(connections).toBe(call);
    }
  });

  it('is not limited by OPERATION_TIMEOUT_MS, nor by UPSTREAM_TIMEOUT_MS as long as something comes', async () => {
    const bed = await start({ env: { OPERATION_TIMEOUT_MS: '100', UPSTREAM_TIMEOUT_MS: '700' } });
    bed.simulator.intercept(() => ({
      body: (async function* () {
        for (let chunk = 0; chunk < 30; chunk += 1) {
          yield 'x';
          await wait(100);
        }
      })(),
    }));
    expect(await download(bed)).toMatchObject({ text: 'x'.repeat(30), isComplete: true });
  });

  it('comes no faster than the client takes it, who may take its time', async () => {
    const bed = await start({ env: { UPSTREAM_TIMEOUT_MS: '1000' } });
    const chunk = Buffer.alloc(65_536, 'x');
    let given = 0;
    bed.simulator.intercept(() => ({
      body: (async function* () {
        for (; given < 1000; given += 1) yield chunk;
      })(),
    }));
    const response = await begin(bed);
    let before = -1;
    // Until the service is held up.
    await eventually(
      () => {
        const [last, now] = [before, given];
        before = now;
        expect(now).toBe(last);
      },
      { interval: 500 },
    );
    expect(given).toBeLessThan(500);
    // Until a file breaks off because the service itself is silent.
    bed.simulator.intercept(() => ({
      body: (async function* () {
        yield chunk;
        await new Promise(() => {});
      })(),
    }));
    expect(await download(bed)).toMatchObject({ isComplete: false });
    let size = 0;
    for await (const chunk of response) size += chunk.length;
    expect({ size, complete: response.complete }).toEqual({ size: 65_536_000, complete: true });
  });
});

describe('3.35 A client of a download who leaves', () => {
  const endless = () => ({
    body: (async function* () {
      for (;;) yield Buffer.alloc(65_536);
    })(),
  });

  it.each<[string, () => Fault, boolean]>([
    ['before the head', () => ({ hang: true }), false],
    ['in the body', endless, true],
    ['in a body that does not go on', () => ({ body: silent() }), true],
  ])('%s ends the call within 100 ms: the quickest of five', async (_title, fault, hasHeaders) => {
    // The specification names this time, and real sockets take it: no other clock can show it.
    const bed = await start();
    bed.simulator.intercept(fault);
    const times: number[] = [];
    for (let attempt = 0; attempt < 5; attempt += 1) {
      bed.simulator.clear();
      const leaving = new AbortController();
      const response = begin(bed, leaving.signal);
      if (hasHeaders) {
        (await response).on('error', () => {}).resume();
        await new Promise((resolve) => response.then((each) => each.once('data', resolve)));
      } else {
        response.catch(() => {});
        await eventually(() => expect(bed.calls()).toHaveLength(1));
      }
      const left = performance.now();
      leaving.abort();
      expect(await bed.simulator.requests[0]?.outcome).toBe('aborted');
      times.push(performance.now() - left);
    }
    expect(Math.min(...times)).toBeLessThan(100);
    await eventually(() => expect(bed.log).toHaveLength(5));
    for (const line of bed.log) expect(JSON.parse(line)).toMatchObject({ failure: 'cancelled' });
  });

  async function* silent() {
    yield 'abc';
    await gate().opened;
  }
});

describe('3.35 Many downloads', () => {
  it('take no connection from other calls, and are MAX_DOWNLOADS at most', async () => {
    const bed = await start({ env: { MAX_DOWNLOADS: '2', UPSTREAM_CONNECTIONS: '1' } });
    const { opened, open } = gate();
    bed.simulator.intercept(({ operation }) =>
      operation === 'downloadStaticDataset' ? opened.then(() => undefined) : undefined,
    );
    const [first, second] = [download(bed), download(bed)];
    await eventually(() => expect(bed.calls()).toHaveLength(2));
    const refused = await download(bed);
    expect(refused).toMatchObject({ status: 503, headers: { ...always, 'retry-after': '1' } });
    expect(JSON.parse(refused.text)).toEqual({
      errors: [
        {
          message: 'The subgraph is at its limit of 2 concurrent downloads (MAX_DOWNLOADS).',
          extensions: { code: 'OVERLOADED' },
        },
      ],
    });
    expect((await bed.query(ofDataset('name'))).body).toEqual({ data: { dataset: { name: 'Soil moisture' } } });
    open();
    for (const each of [first, second]) expect(await each).toMatchObject({ status: 200, text: CONTENT });
    expect(await download(bed)).toMatchObject({ status: 200, text: CONTENT });
  });
});

describe('3.35 The end of the program', () => {
  it('lets a download come to its end', async () => {
    const { opened, open } = gate();
    const bed = await start();
    bed.simulator.intercept(() => ({
      body: (async function* () {
        yield 'abc';
        await opened;
        yield 'def';
      })(),
    }));
    const response = await begin(bed);
    const stopped = bed.subgraph.stop();
    await eventually(async () => expect((await bed.http('/health/ready')).status).toBe(503));
    open();
    expect((await response.toArray()).join('')).toBe('abcdef');
    await stopped;
  });
});

async function* chunked(body: Buffer) {
  for (let at = 0; at < body.length; at += 70_000) yield body.subarray(at, at + 70_000);
}
