import { gzipSync } from 'node:zlib';
import fc from 'fast-check';

/** Random HTTP requests, also those that no client would send. */

/** An HTTP request. */
interface FuzzedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

const typename = Buffer.from('{"query":"{ __typename }"}');
const charsets = [
  '',
  '; charset=utf-8',
  '; charset=UTF-8',
  '; charset=utf-16',
  '; charset="',
  '; charset=gb18030',
  ';;',
];

/** HTTP requests: method, path, content type, charset, encoding and body, each with each. */
export const requests: fc.Arbitrary<FuzzedRequest> = fc
  .record({
    method: fc.constantFrom('POST', 'POST', 'GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'QUERY', 'PROPFIND'),
    path: fc.constantFrom(
      '/graphql',
      '/graphql',
      '/graphql?query={__typename}',
      '/graphql?variables={',
      '/',
      '/health/live',
      '/%',
      '//graphql',
      '/graphql/..',
      '/graphql?query=%',
      '/a%00b',
    ),
    type: fc.constantFrom(
      'application/json',
      'application/json',
      'text/plain',
      'application/graphql',
      'multipart/form-data',
      'json',
      '',
    ),
    charset: fc.constantFrom(...charsets),
    encoding: fc.constantFrom('', '', 'identity', 'gzip', 'gzip', 'deflate', 'br', 'zstd', 'gzip, gzip', 'x'),
    accept: fc.constantFrom(
      '',
      '*/*',
      'application/graphql-response+json',
      'text/html',
      'multipart/mixed',
      'x;q=',
      ';;;,,',
    ),
    body: fc.oneof(
      fc.constantFrom(
        typename,
        gzipSync(typename),
        Buffer.from('null'),
        Buffer.from('[]'),
        Buffer.from('{}'),
        Buffer.from('"'),
        Buffer.alloc(0),
      ),
      fc.jsonValue().map((value) => Buffer.from(JSON.stringify(value))),
      fc
        .record(
          {
            query: fc.jsonValue(),
            variables: fc.jsonValue(),
            operationName: fc.jsonValue(),
            extensions: fc.jsonValue(),
          },
          { requiredKeys: [] },
        )
        .map((value) => Buffer.from(JSON.stringify(value))),
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
      fc.constantFrom(1_048_576, 1_048_577).map((length) => Buffer.from(typename.toString().padEnd(length))),
      fc
        .nat(200_000)
        .map((depth) => Buffer.from(`{"query":"{ __typename }","variables":${'['.repeat(depth)}${']'.repeat(depth)}}`)),
    ),
  })
  .map(({ method, path, type, charset, encoding, accept, body }) => ({
    method,
    path,
    headers: {
      ...(type !== '' && { 'content-type': type + charset }),
      ...(encoding !== '' && { 'content-encoding': encoding }),
      ...(accept !== '' && { accept }),
      ...(body.length > 0 && { 'content-length': String(body.length) }),
    },
    body: method === 'GET' || method === 'HEAD' ? Buffer.alloc(0) : body,
  }))
  .map(({ headers, body, ...request }) => {
    const { 'content-length': _, ...others } = headers as Record<string, string>;
    return {
      ...request,
      body,
      headers: body.length > 0 ? { ...others, 'content-length': String(body.length) } : others,
    };
  });

const lines = [
  'GET /health/live HTTP/1.1',
  'POST /graphql HTTP/1.1',
  'CONNECT x:1 HTTP/1.1',
  'TRACE / HTTP/1.1',
  'GET http://other.example/ HTTP/1.1',
  'GET * HTTP/1.1',
  'OPTIONS * HTTP/1.1',
  'GET / HTTP/1.0',
  'GET / HTTP/2.0',
  'PRI * HTTP/2.0',
  'host: x',
  'host: y',
  'content-length: 2',
  'content-length: -1',
  'content-length: 99999999999999999999',
  'transfer-encoding: chunked',
  'transfer-encoding: gzip, chunked',
  'connection: upgrade',
  'connection: keep-alive, close',
  'upgrade: websocket',
  'expect: 100-continue',
  'expect: x',
  'content-type: application/json',
  'authorization: Bearer a',
  'x-request-id: \u00ff',
  ': x',
  'a : b',
  ' folded',
  `long: ${'x'.repeat(17_000)}`,
];
const ends = ['\r\n', '\r\n', '\r\n', '\n', '\r', ''];

/** Bytes that are nearly HTTP. */
export const rawRequests: fc.Arbitrary<Buffer> = fc.oneof(
  fc
    .tuple(
      fc.array(fc.tuple(fc.constantFrom(...lines), fc.constantFrom(...ends)), { minLength: 1, maxLength: 8 }),
      fc.constantFrom('\r\n', '\r\n\r\n', ''),
      fc.constantFrom('', '{}', '2\r\n{}\r\n0\r\n\r\n', 'ffffffffffffffff\r\n', '{"query":"{ __typename }"}'),
    )
    .map(([head, end, body]) => Buffer.from(head.map((pair) => pair.join('')).join('') + end + body, 'latin1')),
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
);
