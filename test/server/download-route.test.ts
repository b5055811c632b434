import { get, type IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { Fault } from '../../simulator/src/simulator.ts';
import { always, bearer, CONTENT, download, failure, head, PATH, startRaw } from '../support/download-route.ts';
import { eventually } from '../support/eventually.ts';
import { DATASET_ID, ofDataset, start, TOKEN } from '../support/harness.ts';

const CALL = `GET /v1/collection/staticdataset/${DATASET_ID}/download`;

/*
 * Clause 3.35 of docs/contract.md in detail.
 * Files. `GET` and `HEAD` of `/download/{ticket}`, and of `/download/dataset/{id}` with an `Authorization` header,
 * stream the file, no faster than the client reads it, in constant memory. `Range` is ignored. A `HEAD` is a GET at the
 * service that is ended after the headers.
 *
 * Only the content type (if it is valid; else `application/octet-stream`), the file name and the length of the
 * service's response are passed on. The name loses paths, invisible and bidirectional characters, and leading and
 * trailing dots and blanks; `<>:"|?*` become `_`. It has 180 bytes and an extension at most, and is `dataset-<id>` if
 * nothing is left. The file is always an attachment, never shown or cached (`nosniff`, `no-store`, `no-referrer`). The
 * subgraph does not request an encoding, and decodes one if it comes.
 *
 * When the client disconnects, the REST call ends within 100 ms. A file that fails before its first byte is an error
 * with a code. A file that fails later breaks the client's connection: the service's connection breaks, the announced
 * length or the last chunk is not reached, the encoding is invalid, or nothing comes for `UPSTREAM_TIMEOUT_MS`. For an
 * HTTP/1.0 client only the end of the connection ends a file of unknown length, so a reset breaks it, also if the
 * client closes its side before. From the service, a body that only the end of the connection ends is rejected
 * (`UPSTREAM_INVALID_RESPONSE`), because that end looks like a break (RFC 9112, section 8).
 *
 * `MAX_DOWNLOADS` run at the same time, each on its own connection. `OPERATION_TIMEOUT_MS`, `UPSTREAM_MAX_BYTES`,
 * `MAX_OPERATIONS`, the queue, the retry and the circuit breaker do not apply. On SIGTERM, downloads have as much time
 * as operations. docs/errors.md lists the statuses of errors.
 */
describe('3.35 A download through the subgraph', () => {
  it('is the file, with headers that keep it a file, and nothing else of the service', async () => {
    const bed = await start();
    bed.simulator.intercept(() => ({
      headers: { 'set-cookie': 'a=b', etag: '"1"', 'x-secret': '1', 'access-control-allow-origin': '*' },
    }));
    const { headers, bytes: _, ...answer } = await download(bed);
    const { date, ...others } = headers;
    expect(answer).toEqual({ status: 200, text: CONTENT, isComplete: true });
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

  it('asks the service with the token, and with no other header of the client', async () => {
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
    expect(byHeadRequest).toMatchObject({ status: 200, headers, text: '', isComplete: true });
    expect(bed.calls()).toEqual([CALL, CALL]);
    bed.simulator.intercept(() => ({ status: 404 }));
    expect(await download(bed, { method: 'HEAD' })).toMatchObject({ status: 404, text: '' });
  });

  it('refuses what can be no id, without a call', async () => {
    const bed = await start();
    // Not through URL, which would take dots away.
    const { port } = new URL(bed.subgraph.url);
    for (const id of ['.%00', '%2e%2e', '%2E', 'x'.repeat(201)]) {
      const path = `/download/dataset/${id}`;
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        get({ port, host: '127.0.0.1', path, headers: bearer, agent: false }, resolve).on('error', reject);
      });
      expect(JSON.parse((await answer.toArray()).join(''))).toEqual(failure('BAD_USER_INPUT'));
      expect(answer.statusCode).toBe(400);
    }
    expect(bed.calls()).toEqual([]);
  });

  it('needs a usable token', async () => {
    const bed = await start();
    for (const authorization of [[], ['Basic YTpi'], ['Bearer two words'], Array(2).fill(`Bearer ${TOKEN}`)]) {
      const answer = await bed.http(PATH, { headers: { authorization, 'x-request-id': 'request-1' } });
      expect(answer).toMatchObject({ status: 401, headers: { ...always, 'www-authenticate': 'Bearer' } });
      expect(answer.body).toEqual(failure('UNAUTHENTICATED', {}));
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
    [{ hang: true }, 504, 'UPSTREAM_TIMEOUT', { retryable: true }],
    [{ reset: true }, 503, 'UPSTREAM_UNAVAILABLE', { retryable: true }],
  ])('%j is answered %i %s, as GraphQL would', async (fault, status, code, rest, headers = {}) => {
    const bed = await start({ env: { UPSTREAM_TIMEOUT_MS: fault.hang ? '200' : '20000' } });
    bed.simulator.intercept(() => fault);
    const answer = await download(bed);
    expect(answer).toMatchObject({ status, isComplete: true, headers: { ...always, ...headers } });
    const label = rest.label === undefined ? {} : { labelSource: expect.any(String) };
    expect(JSON.parse(answer.text)).toEqual(failure(code, { status: fault.status ?? null, ...label, ...rest }));
    expect(answer.headers['retry-after']).toBe(headers['retry-after']);
    expect(bed.calls()).toEqual([CALL]);
  });

  it.each([
    ['an encoding that is not known', ['content-length: 3', 'content-encoding: zstd']],
    ['an end that is that of the connection, and cannot be told from a break', ['connection: close']],
    ['a transfer coding that nobody asked for', ['transfer-encoding: gzip']],
    ['a transfer coding before the chunks', ['transfer-encoding: gzip, chunked']],
  ])('because its response has %s', async (_title, lines) => {
    const bed = await startRaw((socket) => void socket.end(`${head(...lines)}abc`));
    const answer = await download(bed);
    expect(answer).toMatchObject({ status: 502, headers: always });
    expect(JSON.parse(answer.text)).toEqual(failure('UPSTREAM_INVALID_RESPONSE', { status: 200 }));
  });
});

describe('3.35 The log of a download', () => {
  it('has one line, and in it nothing of the URL', async () => {
    const bed = await start({ env: { DOWNLOAD_TICKET_SECRET: 'x'.repeat(32) } });
    const { body } = await bed.query(ofDataset('download { ticketUrl }'));
    await download(bed, { path: new URL(body.data.dataset.download.ticketUrl).pathname });
    await eventually(() => expect(bed.log).toHaveLength(1));
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
