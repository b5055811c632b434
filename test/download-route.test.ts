import { get, request as httpRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import type { Fault } from '../src/simulator/simulator.ts';
import {
  DATASET_ID,
  dataset,
  gate,
  listen,
  ofDataset,
  send,
  start,
  startService,
  type TestBed,
  TOKEN,
} from './harness.ts';
import { endpointOf, startEntry } from './process.ts';

const PATH = `/download/dataset/${DATASET_ID}`;
const CALL = `GET /v1/collection/staticdataset/${DATASET_ID}/download`;
const CONTENT = 'date,value\n';
const bearer = { authorization: `Bearer ${TOKEN}` };

/** What every answer of these routes says. */
const always = {
  'cache-control': 'no-store',
  'content-security-policy': "sandbox; default-src 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-request-id': 'request-1',
};

interface Received {
  status: number;
  headers: IncomingMessage['headers'];
  text: string;
  /** Whether the answer came to its end, as HTTP tells it. */
  complete: boolean;
}

/** Downloads a file, and waits for the end of it, whatever that is. */
async function download(bed: TestBed, { method = 'GET', headers = {}, path = PATH } = {}): Promise<Received> {
  const all = { ...bearer, 'x-request-id': 'request-1', ...headers };
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  httpRequest(new URL(path, bed.subgraph.url), { method, agent: false, headers: all }, resolve)
    .on('error', reject)
    .end();
  const response = await promise;
  const chunks: Buffer[] = [];
  response.on('data', (chunk) => chunks.push(chunk));
  const ended = new Promise<void>((close) => response.once('close', close));
  response.on('error', () => {});
  await ended;
  const { statusCode: status = 0, headers: told, complete } = response;
  return { status, headers: told, text: Buffer.concat(chunks).toString('latin1'), complete };
}

/** Begins a download and reads nothing of its body yet. */
function begin(bed: TestBed, signal?: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const options = { agent: false, headers: bearer, ...(signal && { signal }) };
    get(new URL(PATH, bed.subgraph.url), options, resolve).on('error', reject);
  });
}

/** A subgraph before a service that answers each request with what this writes. */
async function startRaw(write: (socket: Socket) => void, env: Record<string, string> = {}): Promise<TestBed> {
  const serviceUrl = await listen((socket) => socket.once('data', () => write(socket)));
  return start({ env, serviceUrl });
}

const head = (...lines: string[]) => ['HTTP/1.1 200 OK', ...lines, '', ''].join('\r\n');

/** An error answer, but for its message. */
const failure = (code: string, rest?: Record<string, unknown>) => ({
  errors: [
    {
      message: expect.stringMatching(/^[A-Z].*\.$/),
      extensions: {
        code,
        ...(rest && {
          rest: {
            operation: 'downloadStaticDataset',
            status: null,
            label: null,
            labelSource: null,
            requestId: 'request-1',
            retryable: false,
            ...rest,
          },
        }),
      },
    },
  ],
});

describe('3.35 A download through the subgraph', () => {
  it('is the file, with headers that keep it a file, and nothing else of the service', async () => {
    const bed = await start();
    bed.simulator.intercept(() => ({
      headers: { 'set-cookie': 'a=b', etag: '"1"', 'x-secret': '1', 'access-control-allow-origin': '*' },
    }));
    const { headers, ...answer } = await download(bed);
    const { date, ...others } = headers;
    expect(answer).toEqual({ status: 200, text: CONTENT, complete: true });
    expect(others).toEqual({
      ...always,
      'accept-ranges': 'none',
      'content-type': 'text/csv',
      'content-disposition': 'attachment; filename=moisture.csv',
      'content-length': String(CONTENT.length),
      connection: 'close',
    });
    expect(bed.calls()).toEqual([CALL]);
  });

  it('asks the service with the token, and with no other header of the caller', async () => {
    const bed = await start();
    const headers = { range: 'bytes=0-3', cookie: 'a=b', 'accept-encoding': 'gzip', 'if-none-match': '"1"' };
    expect(await download(bed, { headers })).toMatchObject({ status: 200, text: CONTENT });
    const [call] = bed.simulator.requests;
    expect(call?.headers).toEqual({
      host: [new URL(bed.simulator.url).host],
      connection: ['close'],
      authorization: [`Bearer ${TOKEN}`],
      'accept-encoding': ['identity'],
    });
  });

  it('answers HEAD as GET, without the body', async () => {
    const bed = await start();
    const [byGet, byHeadRequest] = [await download(bed), await download(bed, { method: 'HEAD' })];
    const { date: _, ...headers } = byGet.headers;
    expect(byHeadRequest).toMatchObject({ status: 200, headers, text: '', complete: true });
    expect(bed.calls()).toEqual([CALL, CALL]);
    bed.simulator.intercept(() => ({ status: 404 }));
    expect(await download(bed, { method: 'HEAD' })).toMatchObject({ status: 404, text: '' });
  });

  it('takes an id with any character', async () => {
    const id = 'a b/c?d#e%2F&é💧+;=@:';
    const bed = await start({ datasets: [{ ...dataset, metadata: { ...dataset.metadata, id } }] });
    const path = `/download/dataset/${encodeURIComponent(id)}`;
    expect(await download(bed, { path })).toMatchObject({ status: 200, text: CONTENT });
    expect(bed.simulator.requests[0]?.datasetId).toBe(id);
  });

  it.each(['.%00', '%2e%2e', '%2E', 'x'.repeat(201)])('refuses what can be no id, without a call: %s', async (id) => {
    const bed = await start();
    // Not through URL, which would take dots away.
    const { port } = new URL(bed.subgraph.url);
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const path = `/download/dataset/${id}`;
      get({ port, host: '127.0.0.1', path, headers: bearer, agent: false }, resolve).on('error', reject);
    });
    expect(JSON.parse((await answer.toArray()).join(''))).toEqual(failure('BAD_USER_INPUT'));
    expect(answer.statusCode).toBe(400);
    expect(bed.calls()).toEqual([]);
  });

  it.each([
    ['none', []],
    ['one of another scheme', ['Basic YTpi']],
    ['an empty one', ['Bearer ']],
    ['one with a space', ['Bearer two words']],
    ['one too long', [`Bearer ${'x'.repeat(8001)}`]],
    ['two', [`Bearer ${TOKEN}`, `Bearer ${TOKEN}`]],
  ])('needs a usable token: not %s', async (_title, authorization) => {
    const bed = await start();
    const answer = await bed.http(PATH, { headers: { authorization, 'x-request-id': 'request-1' } });
    expect(answer).toMatchObject({ status: 401, headers: { ...always, 'www-authenticate': 'Bearer' } });
    expect(answer.body).toEqual(failure('UNAUTHENTICATED', {}));
    expect(bed.calls()).toEqual([]);
  });

  it('has its methods, and no others', async () => {
    const bed = await start();
    for (const method of ['POST', 'PUT', 'DELETE']) {
      expect((await bed.http(PATH, { method, headers: bearer })).status).toBe(404);
    }
    expect(bed.calls()).toEqual([]);
  });
});

describe('3.35 A download that the service refuses', () => {
  it.each<[Fault, number, string, Record<string, unknown>, Record<string, string>?]>([
    [{ status: 400, body: 'BAD_REQUEST' }, 400, 'BAD_USER_INPUT', { label: 'BAD_REQUEST', labelSource: 'body' }],
    [{ status: 400, body: '' }, 502, 'UPSTREAM_REJECTED', {}],
    [{ status: 401 }, 401, 'UNAUTHENTICATED', { label: 'WRONG_CREDENTIALS' }, { 'www-authenticate': 'Bearer' }],
    [{ status: 403, body: 'ACCESS_DENIED' }, 403, 'FORBIDDEN', { label: 'ACCESS_DENIED' }],
    [{ status: 404 }, 404, 'NOT_FOUND', { label: 'NOT_FOUND' }],
    [{ status: 405 }, 502, 'UPSTREAM_CONTRACT_ERROR', { label: 'METHOD_NOT_ALLOWED' }],
    [{ status: 409 }, 409, 'CONFLICT', { label: 'DUPLICATE_ENTITY' }],
    [{ status: 429 }, 429, 'RATE_LIMITED', { retryable: true }],
    [
      { status: 429, headers: { 'retry-after': '7' } },
      429,
      'RATE_LIMITED',
      { retryable: true, retryAfterMs: 7000 },
      { 'retry-after': '7' },
    ],
    [{ status: 500 }, 502, 'UPSTREAM_ERROR', { label: 'INTERNAL_SERVER_ERROR' }],
    [{ status: 503 }, 503, 'UPSTREAM_UNAVAILABLE', { retryable: true }],
    [{ status: 206 }, 502, 'UPSTREAM_INVALID_RESPONSE', {}],
    [{ status: 302, headers: { location: 'https://a.example/' } }, 502, 'UPSTREAM_INVALID_RESPONSE', {}],
    [{ status: 418 }, 502, 'UPSTREAM_INVALID_RESPONSE', {}],
  ])('%j is answered %i %s, as GraphQL would', async (fault, status, code, rest, headers = {}) => {
    const bed = await start();
    bed.simulator.intercept(() => fault);
    const answer = await download(bed);
    expect(answer).toMatchObject({ status, complete: true, headers: { ...always, ...headers } });
    const label = rest.label === undefined ? {} : { labelSource: expect.any(String) };
    expect(JSON.parse(answer.text)).toEqual(failure(code, { status: fault.status, ...label, ...rest }));
    expect(answer.headers['retry-after']).toBe(headers['retry-after']);
    expect(bed.calls()).toEqual([CALL]);
  });

  it.each<[string, Fault, number, string]>([
    ['does not answer', { hang: true }, 504, 'UPSTREAM_TIMEOUT'],
    ['breaks the connection', { reset: true }, 503, 'UPSTREAM_UNAVAILABLE'],
  ])('because it %s', async (_title, fault, status, code) => {
    const bed = await start({ env: { UPSTREAM_TIMEOUT_MS: '200' } });
    bed.simulator.intercept(() => fault);
    const answer = await download(bed);
    expect(answer).toMatchObject({ status, headers: always });
    expect(JSON.parse(answer.text)).toEqual(failure(code, { retryable: true }));
  });

  it('because it is not there', async () => {
    const bed = await start();
    await bed.simulator.close();
    expect(await download(bed)).toMatchObject({ status: 503, headers: always });
  });

  it('is answered also where the body of the refusal never ends', async () => {
    const bed = await start({ env: { UPSTREAM_TIMEOUT_MS: '200' } });
    bed.simulator.intercept(() => ({
      status: 404,
      body: (async function* () {
        for (;;) {
          yield ' ';
          await wait(20);
        }
      })(),
    }));
    expect(await download(bed)).toMatchObject({ status: 404, complete: true });
  });

  it.each([
    ['an encoding that is not known', ['content-length: 3', 'content-encoding: zstd']],
    ['an end that is that of the connection, and cannot be told from a break', ['connection: close']],
    ['a transfer coding that nobody asked for', ['transfer-encoding: gzip']],
    ['a transfer coding before the chunks', ['transfer-encoding: gzip, chunked']],
  ])('because its answer has %s', async (_title, lines) => {
    const bed = await startRaw((socket) => void socket.end(`${head(...lines)}abc`));
    const answer = await download(bed);
    expect(answer).toMatchObject({ status: 502, headers: always });
    expect(JSON.parse(answer.text)).toEqual(failure('UPSTREAM_INVALID_RESPONSE', { status: 200 }));
  });
});

describe('3.35 What is told of a file', () => {
  const told = async (headers: Fault['headers']) => {
    const bed = await start();
    bed.simulator.intercept(() => ({ headers: headers ?? {} }));
    const answer = await download(bed);
    expect(answer).toMatchObject({ status: 200, text: CONTENT, complete: true });
    return answer.headers;
  };

  it.each<[string | string[], string]>([
    ['text/csv; charset=utf-8', 'text/csv; charset=utf-8'],
    ['application/vnd.a.b+json;a="b;\\"c";d=e', 'application/vnd.a.b+json;a="b;\\"c";d=e'],
    ['text/html', 'text/html'],
    [[], 'application/octet-stream'],
    ['', 'application/octet-stream'],
    ['csv', 'application/octet-stream'],
    ['text/', 'application/octet-stream'],
    ['text/csv;', 'application/octet-stream'],
    ['text/csv, text/html', 'application/octet-stream'],
    ['text/csv; a="b', 'application/octet-stream'],
    ['text/\u00e9', 'application/octet-stream'],
    [`text/${'x'.repeat(250)}`, `text/${'x'.repeat(250)}`],
    [`text/${'x'.repeat(251)}`, 'application/octet-stream'],
    [['text/csv', 'text/html'], 'application/octet-stream'],
  ])('the type %j as %s', async (sent, passed) => {
    expect((await told({ 'content-type': sent }))['content-type']).toBe(passed);
  });

  const nameless = `attachment; filename=dataset-${DATASET_ID}`;

  it.each<[string | string[], string]>([
    ['attachment; filename=a.csv', 'attachment; filename=a.csv'],
    ['inline; filename="a b.csv"', 'attachment; filename="a b.csv"'],
    ['filename=a.csv', nameless],
    ['form-data; name=x; filename=a.csv; size=5; x="y"', 'attachment; filename=a.csv'],
    ['attachment; filename="a\\"b;c.csv"', 'attachment; filename="a_b;c.csv"'],
    [
      `attachment; filename="x.csv"; filename*=UTF-8''${encodeURIComponent('sol é€.csv')}`,
      `attachment; filename="sol __.csv"; filename*=UTF-8''sol%20%C3%A9%E2%82%AC.csv`,
    ],
    [`attachment; filename*=UTF-8''%F0%9F%92%A7.csv`, "attachment; filename=_.csv; filename*=UTF-8''%F0%9F%92%A7.csv"],
    // Paths.
    ['attachment; filename="/etc/passwd"', 'attachment; filename=passwd'],
    ['attachment; filename="..\\\\..\\\\a.csv"', 'attachment; filename=a.csv'],
    ['attachment; filename="../../.bashrc"', 'attachment; filename=bashrc'],
    ["attachment; filename*=UTF-8''%2Fetc%2Fpasswd", 'attachment; filename=passwd'],
    ['attachment; filename=".."', nameless],
    // An option of a command, and devices.
    ['attachment; filename="-rf"', 'attachment; filename=rf'],
    ['attachment; filename="nul.csv"', 'attachment; filename=_nul.csv'],
    ['attachment; filename="nulls.csv"', 'attachment; filename=nulls.csv'],
    ['attachment; filename="a/"', nameless],
    // What is not seen, or not as it is.
    ["attachment; filename*=UTF-8''a%0D%0Ab%00%7F.csv", 'attachment; filename=ab.csv'],
    ["attachment; filename*=UTF-8''a%E2%80%AEvsc.exe", 'attachment; filename=avsc.exe'],
    ["attachment; filename*=UTF-8''%E2%81%A6a%E2%81%A9%E2%80%8B%EF%BB%BF.csv", 'attachment; filename=a.csv'],
    ["attachment; filename*=UTF-8''a%E2%80%A8b.csv", 'attachment; filename=ab.csv'],
    ['attachment; filename="a<b>:c|d?e*.csv. "', 'attachment; filename=a_b__c_d_e_.csv'],
    ['attachment; filename="100%41.csv"', "attachment; filename=100%41.csv; filename*=UTF-8''100%2541.csv"],
    // Lengths.
    [`attachment; filename=${'x'.repeat(180)}.csv`, `attachment; filename=${'x'.repeat(180)}.csv`],
    [`attachment; filename=${'x'.repeat(181)}.csv`, `attachment; filename=${'x'.repeat(180)}.csv`],
    // Nothing usable.
    [[], nameless],
    ['', nameless],
    ['attachment', nameless],
    ['attachment; filename=""', nameless],
    ['attachment; filename', nameless],
    [['attachment; filename=a.csv', 'attachment; filename=b.csv'], nameless],
    [`attachment; filename=" ${'.'.repeat(50)}"`, nameless],
  ])('the name of %j as %s', async (sent, passed) => {
    expect((await told({ 'content-disposition': sent }))['content-disposition']).toBe(passed);
  });

  // The simulator's HTTP server sends no such bytes.
  it.each([
    ['UTF-8', Buffer.from('é€.csv'), "attachment; filename=__.csv; filename*=UTF-8''%C3%A9%E2%82%AC.csv"],
    ['one byte', Buffer.from('é.csv', 'latin1'), "attachment; filename=_.csv; filename*=UTF-8''%C3%A9.csv"],
  ])('the name in plain bytes of %s, as it is meant', async (_title, name, passed) => {
    const bed = await startRaw((socket) => {
      const [before, after] = head('content-disposition: attachment; filename="NAME"', 'content-length: 0').split(
        'NAME',
      );
      socket.end(Buffer.concat([Buffer.from(before ?? ''), name, Buffer.from(after ?? '')]));
    });
    expect((await download(bed)).headers['content-disposition']).toBe(passed);
  });

  it('the id, where the service says no name, made a name', async () => {
    const id = '../a"b;é';
    const bed = await start({ datasets: [{ ...dataset, metadata: { ...dataset.metadata, id } }] });
    bed.simulator.intercept(() => ({ headers: { 'content-disposition': [] } }));
    const { headers } = await download(bed, { path: `/download/dataset/${encodeURIComponent(id)}` });
    expect(headers['content-disposition']).toBe('attachment; filename=dataset-___a_b__');
  });
});

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
    await vi.waitFor(() => expect(bed.log).toHaveLength(1));
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

  it('ends where its length says, whatever follows, which is nobody else’s answer', async () => {
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

  it('comes no faster than the caller takes it, who may take its time', async () => {
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
    await vi.waitFor(
      () => {
        const [last, now] = [before, given];
        before = now;
        expect(now).toBe(last);
      },
      { interval: 500, timeout: 20_000 },
    );
    expect(given).toBeLessThan(500);
    // Much longer than a service may be silent, and the library's timers take to notice.
    await wait(3000);
    let size = 0;
    for await (const chunk of response) size += chunk.length;
    expect({ size, complete: response.complete }).toEqual({ size: 65_536_000, complete: true });
  });
});

async function* chunked(body: Buffer) {
  for (let at = 0; at < body.length; at += 70_000) yield body.subarray(at, at + 70_000);
}

describe('3.35 A caller of a download who leaves', () => {
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
        await vi.waitFor(() => expect(bed.calls()).toHaveLength(1));
      }
      const left = performance.now();
      leaving.abort();
      expect(await bed.simulator.requests[0]?.outcome).toBe('aborted');
      times.push(performance.now() - left);
    }
    expect(Math.min(...times)).toBeLessThan(100);
    await vi.waitFor(() => expect(bed.log).toHaveLength(5));
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
    await vi.waitFor(() => expect(bed.calls()).toHaveLength(2));
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

  it('leave their places, however they end', async () => {
    const bed = await start({ env: { MAX_DOWNLOADS: '1', UPSTREAM_TIMEOUT_MS: '200' } });
    for (const fault of [{ status: 404 }, { cutAfterBytes: 3 }, { reset: true }, { hang: true }]) {
      bed.simulator.intercept(() => fault);
      await download(bed);
    }
    bed.simulator.intercept(undefined);
    await download(bed, { method: 'HEAD' });
    await vi.waitFor(async () => expect((await download(bed)).status).toBe(200));
  });
});

describe('3.35 The end of the program', () => {
  async function startAndDownload(rest: Promise<void>, env: Record<string, string> = {}) {
    const service = await startService();
    service.intercept(() => ({
      body: (async function* () {
        yield 'abc';
        await rest;
        yield 'def';
      })(),
    }));
    const program = startEntry('main', { DATASET_SERVICE_URL: service.url, PORT: '0', ...env });
    const url = new URL(PATH, await endpointOf(program));
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      get(url, { agent: false, headers: bearer }, resolve).on('error', reject);
    });
    program.kill('SIGTERM');
    await vi.waitFor(async () => expect((await send(new URL('/health/ready', url))).status).toBe(503));
    return { program, response, service };
  }

  it('lets a download come to its end', async () => {
    const { opened, open } = gate();
    const { program, response } = await startAndDownload(opened);
    open();
    expect((await response.toArray()).join('')).toBe('abcdef');
    expect(await program.ended).toMatchObject({ code: 0, stderr: '' });
  });

  it('breaks one that takes longer than an operation may', async () => {
    const { program, response, service } = await startAndDownload(gate().opened, { OPERATION_TIMEOUT_MS: '500' });
    await expect(response.toArray()).rejects.toThrow('aborted');
    expect(await program.ended).toMatchObject({ code: 0, stderr: '' });
    expect(await service.requests[0]?.outcome).toBe('aborted');
  });
});

describe('3.35 The log of a download', () => {
  it('has one line, and in it nothing of the URL', async () => {
    const bed = await start({ env: { DOWNLOAD_TICKET_SECRET: 'x'.repeat(32) } });
    const { body } = await bed.query(ofDataset('download { url(auth: TICKET) }'));
    await download(bed, { path: new URL(body.data.dataset.download.url).pathname });
    await vi.waitFor(() => expect(bed.log).toHaveLength(1));
    expect(JSON.parse(bed.log[0] ?? '')).toEqual({
      level: 30,
      time: expect.any(Number),
      pid: process.pid,
      hostname: expect.any(String),
      msg: 'REST call',
      operation: 'downloadStaticDataset',
      requestId: 'request-1',
      status: 200,
      label: null,
      milliseconds: expect.any(Number),
      bytes: CONTENT.length,
    });
  });
});
