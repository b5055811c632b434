import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Fault } from '../../simulator/src/simulator.ts';
import { always, begin, download, failure, head, startRaw } from '../support/download-route.ts';
import { eventually } from '../support/eventually.ts';
import { gate, start } from '../support/harness.ts';

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
    const { headers, text, complete } = await download(bed);
    expect(complete).toBe(true);
    expect(text === (fault.body === '' ? '' : large.toString())).toBe(true);
    expect([headers['content-length'], headers['content-encoding']]).toEqual([length, undefined]);
  });

  it('comes byte by byte, if the service sends it so', async () => {
    const gates = Array.from('abc', gate);
    const bed = await startRaw(async (socket) => {
      socket.write(head('content-length: 3'));
      for (const [index, letter] of Array.from('abc').entries()) {
        socket.write(letter);
        await gates[index]?.opened;
      }
    });
    const response = await begin(bed);
    let text = '';
    response.on('data', (chunk) => {
      text += chunk;
    });
    for (const [index, expected] of ['a', 'ab', 'abc'].entries()) {
      await eventually(() => expect(text).toBe(expected));
      gates[index]?.open();
    }
  });

  const cutGzip = gzipSync('abc'.repeat(100_000)).subarray(0, -9);

  /** What the service sends once the first of the file has come, and whether it breaks the connection then. */
  it.each<
    [string, string[], first: string | Buffer, then?: { more?: string | Buffer; reset?: boolean; stays?: boolean }]
  >([
    ['short of its length', ['content-length: 9'], 'abc'],
    ['short of its length, as the last answer', ['content-length: 9', 'connection: close'], 'abc'],
    ['by a reset', ['content-length: 9'], 'abc', { reset: true }],
    ['by a reset, as the last answer', ['content-length: 9', 'connection: close'], 'abc', { reset: true }],
    ['without a last chunk', ['transfer-encoding: chunked'], '3\r\nabc\r\n'],
    ['without a last chunk, as the last answer', ['transfer-encoding: chunked', 'connection: close'], '3\r\nabc\r\n'],
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
    expect(answer).toMatchObject({ status, complete: true, headers: always });
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
      expect(await download(bed)).toMatchObject({ status: 200, text: 'abc', complete: true });
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
    expect(await download(bed)).toMatchObject({ text: 'x'.repeat(30), complete: true });
  });

  it('comes no faster than the client takes it, who may take its time', async () => {
    const bed = await start({ env: { UPSTREAM_TIMEOUT_MS: '200' } });
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
    expect(await download(bed)).toMatchObject({ complete: false });
    let size = 0;
    for await (const chunk of response) size += chunk.length;
    expect({ size, complete: response.complete }).toEqual({ size: 65_536_000, complete: true });
  });
});

async function* chunked(body: Buffer) {
  for (let at = 0; at < body.length; at += 70_000) yield body.subarray(at, at + 70_000);
}
