import { setInterval as ticks } from 'node:timers/promises';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Fault } from '../../simulator/src/simulator.ts';
import { eventually } from '../support/eventually.ts';
import { errorAt } from '../support/expected-errors.ts';
import { encoded, head, operations, type Row, startRelayed } from './upstream-faults.ts';

const retryable = new Set(['UPSTREAM_UNAVAILABLE', 'UPSTREAM_TIMEOUT', 'RATE_LIMITED']);

/** Thirty times what is accepted. */
const zeros = Buffer.alloc(30_000_000);
const bombs = {
  gzip: gzipSync(zeros),
  deflate: deflateSync(zeros),
  brotli: brotliCompressSync(zeros, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  twice: gzipSync(gzipSync(zeros)),
};
const json = (text: string): Fault => ({ body: text });

async function* drip(): AsyncGenerator<string> {
  for await (const _ of ticks(10)) yield ' ';
}

async function* endless(chunk: Uint8Array): AsyncGenerator<Uint8Array> {
  for (;;) yield chunk;
}

/** A gzip member of nothing: 20 bytes that decode to none. */
const nothing = gzipSync('');

const rows: Record<string, Row> = {
  'never answers': { fault: () => ({ hang: true }), code: 'UPSTREAM_TIMEOUT' },
  'sends the head drop by drop': {
    raw: (socket) => {
      const dripping = setInterval(() => socket.write('x'), 10);
      socket.once('close', () => clearInterval(dripping));
      socket.write('HTTP/1.1 200 OK\r\nx: ');
    },
    code: 'UPSTREAM_TIMEOUT',
  },
  'sends the body drop by drop': { fault: () => ({ body: drip() }), code: 'UPSTREAM_TIMEOUT', status: 200 },
  'sends the body of an error drop by drop': {
    fault: () => ({ status: 503, body: drip() }),
    code: 'UPSTREAM_UNAVAILABLE',
    status: 503,
  },
  'cuts the connection within the head': {
    raw: (socket) => socket.end('HTTP/1.1 200 OK\r\nconten'),
    code: 'UPSTREAM_UNAVAILABLE',
  },
  'cuts the connection within the body': {
    fault: () => ({ cutAfterBytes: 10 }),
    code: 'UPSTREAM_UNAVAILABLE',
    status: 200,
  },
  'cuts the connection within the body, after which it was to be closed': {
    raw: (socket) => socket.end(head('connection: close\r\ncontent-length: 100', '{"name":')),
    code: 'UPSTREAM_UNAVAILABLE',
    status: 200,
  },
  'cuts the connection within a compressed body': {
    fault: () => ({ ...encoded('gzip', gzipSync(JSON.stringify({ name: 'x'.repeat(1000) }))), cutAfterBytes: 15 }),
    code: 'UPSTREAM_UNAVAILABLE',
    status: 200,
  },
  'says 100 Continue unasked': {
    raw: (socket) => socket.write(`HTTP/1.1 100 Continue\r\n\r\n${head('content-length: 2', '{}')}`),
    code: 'UPSTREAM_UNAVAILABLE',
  },
  'resets the connection': { fault: () => ({ reset: true }), code: 'UPSTREAM_UNAVAILABLE' },
  'announces a longer body than it sends, and waits': {
    fault: () => ({ body: '{}', headers: { 'content-length': '100' } }),
    code: 'UPSTREAM_TIMEOUT',
    status: 200,
  },
  'announces a longer body than it sends, and ends': {
    raw: (socket) => socket.end(head('content-length: 100', '{}')),
    code: 'UPSTREAM_UNAVAILABLE',
    status: 200,
  },
  'announces a shorter body than it sends': {
    raw: (socket) => socket.write(head('content-length: 3', '{"name":"Soil moisture"}')),
    code: 'UPSTREAM_INVALID_RESPONSE',
    status: 200,
  },
  'announces two lengths': {
    raw: (socket) => socket.write(head('content-length: 2\r\ncontent-length: 3', '{}')),
    code: 'UPSTREAM_INVALID_RESPONSE',
  },
  'announces a length and chunks': {
    raw: (socket) => socket.write(head('content-length: 2\r\ntransfer-encoding: chunked', '2\r\n{}\r\n0\r\n\r\n')),
    code: 'UPSTREAM_INVALID_RESPONSE',
  },
  'announces more bytes than are accepted': {
    fault: () => ({ body: drip(), headers: { 'content-length': '1000001' } }),
    code: 'UPSTREAM_RESPONSE_TOO_LARGE',
    status: 200,
  },
  'sends more bytes than are accepted': {
    fault: () => ({ body: endless(Buffer.alloc(10_000, 32)) }),
    code: 'UPSTREAM_RESPONSE_TOO_LARGE',
    status: 200,
  },
  'redirects to itself': {
    fault: () => ({ status: 307, headers: { location: '/v1/collection/dataset/summary/other' } }),
    code: 'UPSTREAM_INVALID_RESPONSE',
    status: 307,
  },
  'sends HTML with 200': {
    fault: () => ({ headers: { 'content-type': 'text/html' }, body: '<!doctype html><title>Sign in</title>' }),
    code: 'UPSTREAM_INVALID_RESPONSE',
    status: 200,
  },
  'sends nothing': { fault: () => json(''), code: 'UPSTREAM_INVALID_RESPONSE', status: 200 },
  'sends JSON that is cut off': {
    fault: () => json('{"name": "Soil moi'),
    code: 'UPSTREAM_INVALID_RESPONSE',
    status: 200,
  },
  'sends lists in lists, which never end': {
    fault: () => json(`{"name":${'['.repeat(900_000)}`),
    code: 'UPSTREAM_INVALID_RESPONSE',
    status: 200,
  },
  'sends lists in lists in place of an object': {
    fault: () => json(`${'['.repeat(400_000)}${']'.repeat(400_000)}`),
    code: 'UPSTREAM_INVALID_RESPONSE',
    status: 200,
  },
  'sends objects in objects, beside what is wanted': {
    fault: () =>
      json(
        `{"name":"Soil moisture","processing_id":"p-1","deep":${'{"a":'.repeat(990)}1${'}'.repeat(990)},"assets":[]}`,
      ),
  },
  'sends an encoding that was not asked for': {
    fault: () => encoded('zstd', Buffer.from('{}')),
    code: 'UPSTREAM_INVALID_RESPONSE',
    status: 200,
  },
  'sends something else than the encoding that it names': {
    fault: () => encoded('br', Buffer.from('{"name":"Soil moisture"}')),
    code: 'UPSTREAM_INVALID_RESPONSE',
    status: 200,
  },
  'compresses, and cuts off what is compressed': {
    fault: () => encoded('gzip', gzipSync('{"name":"Soil moisture"}').subarray(0, -10)),
    code: 'UPSTREAM_INVALID_RESPONSE',
    status: 200,
  },
  'sends a bomb of gzip': {
    fault: () => encoded('gzip', bombs.gzip),
    code: 'UPSTREAM_RESPONSE_TOO_LARGE',
    status: 200,
  },
  'sends a bomb of deflate': {
    fault: () => encoded('deflate', bombs.deflate),
    code: 'UPSTREAM_RESPONSE_TOO_LARGE',
    status: 200,
  },
  'sends a bomb of brotli': {
    fault: () => encoded('br', bombs.brotli),
    code: 'UPSTREAM_RESPONSE_TOO_LARGE',
    status: 200,
  },
  'sends a bomb within a bomb': {
    fault: () => encoded('gzip, gzip', bombs.twice),
    code: 'UPSTREAM_INVALID_RESPONSE',
    status: 200,
  },
  'sends fifty encodings': {
    fault: () => encoded(Array(50).fill('gzip'), gzipSync('{}')),
    code: 'UPSTREAM_INVALID_RESPONSE',
    status: 200,
  },
  'sends compressed bytes without end that are nothing': {
    fault: () => ({ headers: { 'content-encoding': 'gzip' }, body: endless(Buffer.concat(Array(500).fill(nothing))) }),
    code: 'UPSTREAM_RESPONSE_TOO_LARGE',
    status: 200,
  },
  'sends a bomb as the body of an error': {
    fault: () => ({ status: 404, ...encoded('gzip', bombs.gzip) }),
    code: 'NOT_FOUND',
    status: 404,
    rest: { label: 'NOT_FOUND', labelSource: 'status' },
  },
  'asks to wait for years': {
    fault: () => ({ status: 429, headers: { 'retry-after': '100000000' } }),
    code: 'RATE_LIMITED',
    status: 429,
  },
  'asks to wait for an hour': {
    fault: () => ({ status: 429, headers: { 'retry-after': '3600' } }),
    code: 'RATE_LIMITED',
    status: 429,
    rest: { retryAfterMs: 3_600_000 },
  },
  'asks to wait for a time that is none': {
    fault: () => ({ status: 429, headers: { 'retry-after': '-5, soon' } }),
    code: 'RATE_LIMITED',
    status: 429,
  },
  'asks to wait for an hour, because it is down': {
    fault: () => ({ status: 503, headers: { 'retry-after': '3600' } }),
    code: 'UPSTREAM_UNAVAILABLE',
    status: 503,
  },
};

describe.each(Object.entries(operations))(
  '4 A service that misbehaves: %s',
  (operation, { document, field, value }) => {
    it.each(Object.entries(rows))('%s', async (_title, row) => {
      // Late headers must not wait for the end of the operation: here that is longer than the test may take.
      const areHeadersLate = row.code === 'UPSTREAM_TIMEOUT' && row.status === undefined;
      const bed = await startRelayed(areHeadersLate ? { OPERATION_TIMEOUT_MS: '300000' } : {});
      bed.misbehave(row);
      const { status, body } = await bed.query(document);
      expect(status).toBe(200);
      const { code, rest } = row;
      if (code === undefined) {
        expect(body).toEqual({ data: { dataset: { [field]: value } } });
      } else {
        const isAbsent = code === 'NOT_FOUND' && operation === 'getDatasetMetadata';
        expect(body).toEqual({
          data: { dataset: isAbsent ? null : { [field]: null } },
          errors: [
            errorAt(isAbsent ? ['dataset'] : ['dataset', field], code, {
              operation,
              status: row.status ?? null,
              retryable: retryable.has(code),
              ...labelOf(row.status),
              ...rest,
            }),
          ],
        });
      }
      // It gets well again, and nothing of what has happened is left: no socket but the one that is kept.
      bed.misbehave(undefined);
      expect((await bed.query(document)).body).toEqual({ data: { dataset: { [field]: value } } });
      await eventually(() => expect(bed.open.size).toBe(1));
    });
  },
);

/** The label that a status has by itself. */
function labelOf(status: number | null | undefined) {
  return status === 404 ? { label: 'NOT_FOUND', labelSource: 'status' } : {};
}
