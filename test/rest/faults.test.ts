import { connect, type Socket } from 'node:net';
import { setInterval as ticks } from 'node:timers/promises';
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Fault } from '../../simulator/src/simulator.ts';
import { eventually } from '../support/eventually.ts';
import { errorAt } from '../support/expected-errors.ts';
import { listen, ofDataset, start, startService } from '../support/harness.ts';

/** How the service misbehaves: as an HTTP server, or by what it does in place of HTTP when a request has come. */
type Misbehaviour = { readonly fault: () => Fault } | { readonly raw: (socket: Socket) => void };

const by = (fault: Fault): Misbehaviour => ({ fault: () => fault });
const encoded = (encoding: string | string[], body: Uint8Array) =>
  by({ headers: { 'content-encoding': encoding }, body });
const says = (text: string): Misbehaviour => ({ raw: (socket) => socket.write(text) });
const endsWith = (text: string): Misbehaviour => ({ raw: (socket) => socket.end(text) });
const head = (lines: string, body: string) => `HTTP/1.1 200 OK\r\n${lines}\r\n\r\n${body}`;

async function* drip(): AsyncGenerator<string> {
  for await (const _ of ticks(10)) yield ' ';
}

async function* endless(chunk: Uint8Array): AsyncGenerator<Uint8Array> {
  for (;;) yield chunk;
}

async function* inTwoChunks(): AsyncGenerator<string> {
  yield '{}';
  yield '   ';
}

/** Thirty times what is accepted. */
const zeros = Buffer.alloc(30_000_000);
const gzipBomb = gzipSync(zeros);
const brotliBomb = brotliCompressSync(zeros, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });
const soil = Buffer.from('{"name":"Soil moisture"}');
/** Members of gzip that decode to nothing. */
const nothing = Buffer.concat(Array(500).fill(gzipSync('')));
const gzip = { 'content-encoding': 'gzip' };

const TIMEOUT = 'UPSTREAM_TIMEOUT';
const UNAVAILABLE = 'UPSTREAM_UNAVAILABLE';
const INVALID = 'UPSTREAM_INVALID_RESPONSE';
const TOO_LARGE = 'UPSTREAM_RESPONSE_TOO_LARGE';

/** What the service does, the error's code (none: the response is as if nothing had happened), the status, and more of `rest`. */
type Row = [title: string, how: Misbehaviour, code?: string, status?: number | null, rest?: Record<string, unknown>];

const rows: Row[] = [
  ['never answers', by({ hang: true }), TIMEOUT, null],
  ['sends informational responses alone', says('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'), TIMEOUT, null],
  [
    'sends the head drop by drop',
    {
      raw: (socket) => {
        const dripping = setInterval(() => socket.write('x'), 10);
        socket.once('close', () => clearInterval(dripping));
        socket.write('HTTP/1.1 200 OK\r\nx: ');
      },
    },
    TIMEOUT,
    null,
  ],
  ['sends the body drop by drop', { fault: () => ({ body: drip() }) }, TIMEOUT, 200],
  ['sends the body of an error drop by drop', { fault: () => ({ status: 503, body: drip() }) }, UNAVAILABLE, 503],
  [
    'announces a longer body than it sends, and waits',
    by({ body: '{}', headers: { 'content-length': '100' } }),
    TIMEOUT,
  ],

  ['resets the connection', by({ reset: true }), UNAVAILABLE, null],
  ['cuts the connection within the head', endsWith('HTTP/1.1 200 OK\r\nconten'), UNAVAILABLE, null],
  [
    'says 100 Continue unasked',
    says(`HTTP/1.1 100 Continue\r\n\r\n${head('content-length: 2', '{}')}`),
    UNAVAILABLE,
    null,
  ],
  ['cuts the connection before the body', by({ cutAfterBytes: 0 }), UNAVAILABLE],
  ['cuts the connection within the body', by({ cutAfterBytes: 10 }), UNAVAILABLE],
  [
    'cuts it, where it was to be closed',
    endsWith(head('connection: close\r\ncontent-length: 9', '{"name":')),
    UNAVAILABLE,
  ],
  ['cuts a body in chunks that was JSON', { fault: () => ({ body: inTwoChunks(), cutAfterBytes: 4 }) }, UNAVAILABLE],
  [
    'cuts such a body, where the connection was to be closed',
    { fault: () => ({ body: inTwoChunks(), cutAfterBytes: 4, headers: { connection: 'close' } }) },
    UNAVAILABLE,
  ],
  ['cuts a compressed body', by({ headers: gzip, body: gzipSync('x'.repeat(1000)), cutAfterBytes: 15 }), UNAVAILABLE],
  ['announces a longer body than it sends, and ends', endsWith(head('content-length: 100', '{}')), UNAVAILABLE],

  ['is no HTTP server', says('SSH-2.0-OpenSSH\r\n'), INVALID, null],
  ['sends a head line without a colon', says('HTTP/1.1 200 OK\r\nno colon\r\n\r\n'), INVALID, null],
  ['announces a length that is none', says(head('content-length: x', '')), INVALID, null],
  ['announces two lengths', says(head('content-length: 2\r\ncontent-length: 3', '{}')), INVALID, null],
  ['sends a head that is too large', says(head(`x: ${'x'.repeat(100_000)}`, '')), INVALID, null],
  [
    'announces a length and chunks',
    says(head('content-length: 2\r\ntransfer-encoding: chunked', '2\r\n{}\r\n0\r\n\r\n')),
    INVALID,
    null,
  ],
  ['sends a chunk of no length', says(head('transfer-encoding: chunked', '{}\r\n')), INVALID],
  ['announces a shorter body than it sends', says(head('content-length: 3', soil.toString())), INVALID],
  ['redirects to itself', by({ status: 307, headers: { location: '/v1/other' } }), INVALID, 307],
  ['sends lists in lists, which never end', by({ body: `{"name":${'['.repeat(900_000)}` }), INVALID],
  ['sends lists in lists', by({ body: `${'['.repeat(400_000)}${']'.repeat(400_000)}` }), INVALID],
  [
    'sends objects in objects, beside what is wanted',
    by({ body: `{"name":"Soil moisture","processing_id":"p-1","deep":${'{"a":'.repeat(990)}1${'}'.repeat(990)}}` }),
  ],

  ['encodes with zstd, which was not asked for', encoded('zstd', Buffer.from('{}')), INVALID],
  ['names an encoding as a property is', encoded('constructor', Buffer.from('{}')), INVALID],
  ['encodes twice, a bomb', encoded('gzip, gzip', gzipSync(gzipBomb)), INVALID],
  ['names br, and does not encode', encoded('br', soil), INVALID],
  ['names deflate, and does not encode', encoded('deflate', soil), INVALID],
  ['names gzip, and sends nothing', encoded('gzip', Buffer.alloc(0)), INVALID],
  ['cuts off what is compressed with gzip', encoded('gzip', gzipSync(soil).subarray(0, -10)), INVALID],
  ['cuts off what is compressed with br', encoded('br', brotliCompressSync(soil).subarray(0, -5)), INVALID],
  ['compresses with wrong bytes', encoded('gzip', gzipSync(soil).fill(0xff, 20, 30)), INVALID],
  ['compresses with a wrong checksum', encoded('gzip', Buffer.from(gzipSync(soil).with(-8, 0))), INVALID],

  ['announces more bytes than are accepted', by({ body: soil, headers: { 'content-length': '1000001' } }), TOO_LARGE],
  ['sends more than are accepted', { fault: () => ({ body: endless(Buffer.alloc(10_000, 32)) }) }, TOO_LARGE],
  ['sends compressed nothing without end', { fault: () => ({ headers: gzip, body: endless(nothing) }) }, TOO_LARGE],
  ['sends a bomb of gzip', encoded('gzip', gzipBomb), TOO_LARGE],
  ['sends a bomb of deflate', encoded('deflate', deflateSync(zeros)), TOO_LARGE],
  ['sends a bomb of deflate without its header', encoded('deflate', deflateRawSync(zeros)), TOO_LARGE],
  ['cuts deflate without its header', encoded('deflate', deflateRawSync(soil).subarray(0, -3)), INVALID],
  ['sends a bomb of brotli', encoded('br', brotliBomb), TOO_LARGE],
  [
    'sends a bomb as the body of an error',
    by({ status: 404, headers: gzip, body: gzipBomb }),
    'NOT_FOUND',
    404,
    { label: 'NOT_FOUND', labelSource: 'status' },
  ],
];

const retryable = new Set([UNAVAILABLE, TIMEOUT]);

const operations = {
  getDatasetMetadata: { document: ofDataset('name'), field: 'name', value: 'Soil moisture' },
  getDatasetResults: {
    document: ofDataset('results { processingId }'),
    field: 'results',
    value: { processingId: 'p-1' },
  },
} as const;

/** One and a half seconds for the head, three for everything; a megabyte. */
const env = { UPSTREAM_TIMEOUT_MS: '1500', OPERATION_TIMEOUT_MS: '3000', UPSTREAM_MAX_BYTES: '1000000' };

/** The service behind a relay that counts its connections, and can speak in raw bytes in its place. */
async function startRelayed(settings: Record<string, string>) {
  const service = await startService();
  const open = new Set<Socket>();
  let raw: ((socket: Socket) => void) | undefined;
  const serviceUrl = await listen((socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    if (raw !== undefined) {
      const respond = raw;
      socket.once('data', () => respond(socket));
      return;
    }
    const behind = connect(Number(new URL(service.url).port), '127.0.0.1');
    socket.pipe(behind).pipe(socket);
    behind.on('error', () => socket.destroy()).once('close', () => socket.destroySoon());
    socket.once('close', () => behind.destroy());
  });
  const { query } = await start({ serviceUrl, env: { ...env, ...settings } });
  const misbehave = (how?: Misbehaviour) => {
    raw = how && 'raw' in how ? how.raw : undefined;
    service.intercept(how && 'fault' in how ? how.fault : undefined);
  };
  return { query, open, misbehave };
}

describe.each(Object.entries(operations))(
  '4 A service that misbehaves: %s',
  (operation, { document, field, value }) => {
    it.each(rows)('%s', async (_title, how, code, status = 200, rest = {}) => {
      // Late headers must not wait for the end of the operation: here that is longer than the test may take.
      const areHeadersLate = code === TIMEOUT && status === null;
      const bed = await startRelayed(areHeadersLate ? { OPERATION_TIMEOUT_MS: '300000' } : {});
      bed.misbehave(how);
      const response = await bed.query(document);
      expect(response.status).toBe(200);
      const isAbsent = code === 'NOT_FOUND' && operation === 'getDatasetMetadata';
      const path = isAbsent ? ['dataset'] : ['dataset', field];
      expect(response.body).toEqual(
        code === undefined
          ? { data: { dataset: { [field]: value } } }
          : {
              data: { dataset: isAbsent ? null : { [field]: null } },
              errors: [errorAt(path, code, { operation, status, retryable: retryable.has(code), ...rest })],
            },
      );
      // It gets well again, and nothing of what has happened is left: no socket but the one that is kept.
      bed.misbehave();
      expect((await bed.query(document)).body).toEqual({ data: { dataset: { [field]: value } } });
      await eventually(() => expect(bed.open.size).toBe(1));
    });
  },
);
