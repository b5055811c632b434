import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { start, type TestBed } from '../support/harness.ts';
import { open } from '../support/overload.ts';
import { randomCases } from '../support/random-cases.ts';

/**
 * Whatever requests come, the subgraph lives, answers in time, and every error is one that it knows. Random documents are in
 * known-documents-random.test.ts.
 */

const CASES = randomCases(1500);
const OPERATION_TIMEOUT_MS = 5000;
/** An operation has its time and a second to answer; a busy machine may take another few. */
const LATEST_MS = OPERATION_TIMEOUT_MS + 1000 + 4000;

/** The codes of errors that may be answered; INTERNAL_SERVER_ERROR is not one of them. */
const codes =
  /^(BAD_REQUEST|BAD_USER_INPUT|EXPECTATION_FAILED|GRAPHQL_(PARSE|VALIDATION)_FAILED|METHOD_NOT_ALLOWED|NOT_FOUND|OPERATION_RESOLUTION_FAILURE|PAYLOAD_TOO_LARGE|PERSISTED_QUERY_NOT_SUPPORTED|REQUEST_(HEADERS_TOO_LARGE|LIMIT_EXCEEDED|TIMEOUT)|UNSUPPORTED_MEDIA_TYPE)$/;
const statuses = [100, 200, 302, 400, 404, 405, 406, 408, 413, 415, 417, 431];

const typename = Buffer.from('{"query":"{ __typename }"}');
const bodies = fc.oneof(
  fc.constantFrom(typename, gzipSync(typename), ...['', 'null', '[]', '{}', '"'].map((text) => Buffer.from(text))),
  fc.jsonValue().map((value) => Buffer.from(JSON.stringify(value))),
  fc
    .record(
      { query: fc.jsonValue(), variables: fc.jsonValue(), operationName: fc.jsonValue(), extensions: fc.jsonValue() },
      { requiredKeys: [] },
    )
    .map((value) => Buffer.from(JSON.stringify(value))),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  fc.constantFrom(1_048_576, 1_048_577).map((length) => Buffer.from(typename.toString().padEnd(length))),
  fc
    .nat(200_000)
    .map((depth) => Buffer.from(`{"query":"{ __typename }","variables":${'['.repeat(depth)}${']'.repeat(depth)}}`)),
);

/** Requests that are HTTP: method, path, media type, charset, encoding and body, each with each. */
const requests = fc
  .record({
    method: fc.constantFrom('POST', 'POST', 'GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'QUERY', 'PROPFIND'),
    path: fc.oneof(
      fc.constantFrom('/graphql', '/graphql?query={__typename}', '/graphql?variables={', '/graphql?query=%'),
      fc.constantFrom('/', '/health/live', '/%', '//graphql', '/graphql/..', '/a%00b'),
    ),
    type: fc.constantFrom('application/json', 'application/json', 'text/plain', 'multipart/form-data', 'json', ''),
    charset: fc.constantFrom('', '', '; charset=UTF-8', '; charset=utf-16', '; charset="', '; charset=gb18030', ';;'),
    encoding: fc.constantFrom('', '', '', 'identity', 'gzip', 'deflate', 'br', 'zstd', 'gzip, gzip', 'x'),
    accept: fc.constantFrom('*/*', 'application/graphql-response+json', 'text/html', 'multipart/mixed', 'x;q=', ';;,'),
    body: bodies,
  })
  .map(({ method, path, type, charset, encoding, accept, body }) => {
    const lines = [`${method} ${path} HTTP/1.1`, 'host: x', `accept: ${accept}`, `content-length: ${body.length}`];
    if (type !== '') lines.push(`content-type: ${type}${charset}`);
    if (encoding !== '') lines.push(`content-encoding: ${encoding}`);
    return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body]);
  });

const lines = fc.oneof(
  fc.constantFrom('GET /health/live HTTP/1.1', 'POST /graphql HTTP/1.1', 'CONNECT x:1 HTTP/1.1', 'TRACE / HTTP/1.1'),
  fc.constantFrom('GET http://other.example/ HTTP/1.1', 'OPTIONS * HTTP/1.1', 'GET / HTTP/1.0', 'PRI * HTTP/2.0'),
  fc.constantFrom('host: x', 'host: y', 'content-length: 2', 'content-length: -1', 'content-length: 99999999999999999'),
  fc.constantFrom('transfer-encoding: chunked', 'transfer-encoding: gzip, chunked', 'connection: upgrade', 'expect: x'),
  fc.constantFrom('connection: keep-alive, close', 'upgrade: websocket', 'expect: 100-continue', ': x', 'a : b'),
  fc.constantFrom('content-type: application/json', 'authorization: Bearer a', 'x-request-id: \u00ff', ' folded'),
  fc.constant(`long: ${'x'.repeat(17_000)}`),
);

/** Bytes that are nearly HTTP. */
const nearly = fc.oneof(
  fc
    .tuple(
      fc.array(fc.tuple(lines, fc.constantFrom('\r\n', '\r\n', '\r\n', '\n', '\r', '')), {
        minLength: 1,
        maxLength: 8,
      }),
      fc.constantFrom('\r\n', '\r\n\r\n', ''),
      fc.constantFrom('', '{}', '2\r\n{}\r\n0\r\n\r\n', 'ffffffffffffffff\r\n', '{"query":"{ __typename }"}'),
    )
    .map(([head, end, body]) => Buffer.from(head.map((pair) => pair.join('')).join('') + end + body, 'latin1')),
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
);

const startFuzzed = () =>
  start({
    env: { LOG_LEVEL: 'error', OPERATION_TIMEOUT_MS: String(OPERATION_TIMEOUT_MS), REQUEST_TIMEOUT_MS: '2000' },
  });

/** Sends the bytes and closes its side; what comes back until the server has closed too. */
async function exchange(bed: TestBed, bytes: Buffer): Promise<string> {
  const { socket, closed, received } = await open(bed);
  socket.end(bytes);
  await closed;
  return received();
}

describe('4 Random requests', () => {
  it('are answered in time, with errors that are known', {
    tags: ['random'],
    timeout: 120_000 + CASES * 20,
  }, async () => {
    const bed = await startFuzzed();
    await fc.assert(
      fc.asyncProperty(
        fc.oneof({ weight: 2, arbitrary: requests }, { weight: 1, arbitrary: nearly }),
        async (bytes) => {
          const started = performance.now();
          const received = await exchange(bed, bytes);
          expect(performance.now() - started).toBeLessThan(LATEST_MS);
          if (received !== '') expect(received.startsWith('HTTP/1.1 ')).toBe(true);
          const found = [...received.matchAll(/^HTTP\/1\.1 (\d+) /gm)].map(([, status]) => Number(status));
          for (const status of found) expect(statuses).toContain(status);
          const hasBody = !bytes.subarray(0, 5).equals(Buffer.from('HEAD '));
          if (hasBody && found.some((status) => status >= 400)) expect(received).toContain('{"errors":[{"message":');
          for (const [, code = ''] of received.matchAll(/"code":"(\w*)"/g)) expect(code).toMatch(codes);
          expect(bed.log).toEqual([]);
        },
      ),
      { numRuns: CASES },
    );
    expect((await bed.http('/health/ready')).status).toBe(200);
  });
});
