import { connect, type Socket } from 'node:net';
import { setInterval as ticks } from 'node:timers/promises';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import type { Fault } from '../src/simulator/simulator.ts';
import { type Answer, errorAt, listen, ofDataset, start, startService, TOKEN } from './harness.ts';

/** One row: how the service misbehaves, and what becomes of it. */
interface Row {
  /** How an HTTP server misbehaves. */
  readonly fault?: () => Fault;
  /** What is sent in place of HTTP when a request has come. */
  readonly raw?: (socket: Socket) => void;
  /** The error's code; none where the answer is as if nothing had happened. */
  readonly code?: string;
  readonly status?: number | null;
  readonly rest?: Record<string, unknown>;
}

/** Half a second for the head, and one for everything; a megabyte. */
const env = { UPSTREAM_TIMEOUT_MS: '500', OPERATION_TIMEOUT_MS: '1000', UPSTREAM_MAX_BYTES: '1000000' };

/** The longest time that may be waited, and then some for a busy machine. */
const MAX_MS = 1000 + 2000;

const operations = {
  getDatasetMetadata: { document: ofDataset('name'), field: 'name', value: 'Soil moisture' },
  getDatasetResults: {
    document: ofDataset('results { processingId }'),
    field: 'results',
    value: { processingId: 'p-1' },
  },
} as const;

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
const encoded = (encoding: string | string[], body: Uint8Array): Fault => ({
  headers: { 'content-encoding': encoding },
  body,
});
const head = (lines: string, body: string) => `HTTP/1.1 200 OK\r\n${lines}\r\n\r\n${body}`;

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
        `{"name":"Soil moisture","processing_id":"p-1","deep":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)},"assets":[]}`,
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

/** The service behind a relay that counts its connections, and can speak in raw bytes in its place. */
async function startRelayed(settings: Record<string, string> = {}) {
  const service = await startService();
  const open = new Set<Socket>();
  let raw: Row['raw'];
  const serviceUrl = await listen((socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    if (raw !== undefined) {
      const response = raw;
      socket.once('data', () => response(socket));
      return;
    }
    const behind = connect(Number(new URL(service.url).port), '127.0.0.1');
    socket.pipe(behind).pipe(socket);
    behind.on('error', () => socket.destroy()).once('close', () => socket.destroySoon());
    socket.once('close', () => behind.destroy());
  });
  const bed = await start({ serviceUrl, env: { ...env, ...settings } });
  return {
    ...bed,
    service,
    open,
    misbehave(row: Row | undefined) {
      raw = row?.raw;
      service.intercept(row?.fault && (() => row.fault?.()));
    },
  };
}

describe.each(Object.entries(operations))(
  '4 A service that misbehaves: %s',
  (operation, { document, field, value }) => {
    it.each(Object.entries(rows))('%s', async (_title, row) => {
      // A head that does not come in time is not to wait for the end of the operation.
      const areHeadersLate = row.code === 'UPSTREAM_TIMEOUT' && row.status === undefined;
      const bed = await startRelayed(areHeadersLate ? { OPERATION_TIMEOUT_MS: '20000' } : {});
      bed.misbehave(row);
      const started = performance.now();
      const { status, body } = await bed.query(document);
      expect(performance.now() - started).toBeLessThan(MAX_MS);
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
      await vi.waitFor(() => expect(bed.open.size).toBe(1));
    });
  },
);

/** The label that a status has by itself. */
function labelOf(status: number | null | undefined) {
  return status === 404 ? { label: 'NOT_FOUND', labelSource: 'status' } : {};
}

describe('4 The size of an answer, in bytes', () => {
  const most = 2000;
  const settings = { UPSTREAM_MAX_BYTES: `${most}` };
  const body = (size: number) => {
    const start = '{"name":"Soil moisture","x":"';
    return `${start}${'x'.repeat(size - start.length - 2)}"}`;
  };
  /** As much as a coding may add: 1/256, and 1 kB. */
  const added = Math.floor(most / 256) + 1024;
  /** A gzip of a small body that is so many bytes long: the name of a file in its head is of no other use. */
  const padded = (size: number) => {
    const plain = gzipSync(body(100));
    const name = Buffer.alloc(size - plain.length, 'x');
    name[name.length - 1] = 0;
    const flags = Buffer.from(plain.subarray(0, 10));
    flags[3] = 8;
    return Buffer.concat([flags, name, plain.subarray(10)]);
  };
  async function* chunked(bytes: Uint8Array) {
    yield bytes.subarray(0, 10);
    yield bytes.subarray(10);
  }

  it.each<[string, (size: number) => Fault]>([
    ['as it is, announced', (size) => ({ body: body(size) })],
    ['as it is, not announced', (size) => ({ body: chunked(Buffer.from(body(size))) })],
    ['decoded', (size) => encoded('gzip', gzipSync(body(size)))],
    ['decoded from brotli', (size) => encoded('br', brotliCompressSync(body(size)))],
    ['as it comes, announced', (size) => encoded('gzip', padded(size + added))],
    [
      'as it comes, not announced',
      (size) => ({ ...encoded('gzip', padded(size + added)), body: chunked(padded(size + added)) }),
    ],
  ])('%s: the most is accepted, and not a byte more', async (_case, fault) => {
    const bed = await startRelayed(settings);
    bed.service.intercept(() => fault(most));
    expect((await bed.query(operations.getDatasetMetadata.document)).body).toEqual({
      data: { dataset: { name: 'Soil moisture' } },
    });
    bed.service.intercept(() => fault(most + 1));
    expect((await bed.query(operations.getDatasetMetadata.document)).body.errors).toMatchObject([
      {
        message: `The response of the dataset service is too large (UPSTREAM_MAX_BYTES is ${most}).`,
        extensions: { code: 'UPSTREAM_RESPONSE_TOO_LARGE' },
      },
    ]);
  });
});

describe('4 Redirects', () => {
  it.each([301, 302, 303, 307, 308])('%i: another host gets nothing, and no token', async (status) => {
    const received: string[] = [];
    const other = await listen((socket) => socket.on('data', (bytes) => received.push(bytes.toString())));
    const bed = await startRelayed();
    bed.service.intercept(() => ({ status, headers: { location: `${other}/v1`, refresh: `0; url=${other}` } }));
    for (const { document } of Object.values(operations)) {
      const { body } = await bed.query(document);
      expect(body.errors).toMatchObject([{ extensions: { code: 'UPSTREAM_INVALID_RESPONSE', rest: { status } } }]);
    }
    expect(received).toEqual([]);
  });
});

describe('4 Storms', () => {
  const codesOf = (responses: Answer[]) => new Set(responses.map(({ body }) => body.errors?.[0].extensions.code));

  it.each([
    // Each is asked for once, and the service is not taken to be down.
    [429, 'RATE_LIMITED', 300, 300],
    // It is taken to be down: those that had a socket are made, and one from time to time.
    [503, 'UPSTREAM_UNAVAILABLE', 20, 150],
  ])('%i: 300 requests are answered, with no more calls, and then all is well', async (status, code, least, most) => {
    const bed = await startRelayed({ UPSTREAM_OUTAGE_MS: '200' });
    bed.service.intercept(() => ({ status, headers: { 'retry-after': '3600' } }));
    const { document } = operations.getDatasetMetadata;
    const responses = await Promise.all(Array.from({ length: 300 }, () => bed.query(document)));
    expect(codesOf(responses)).toEqual(new Set([code]));
    expect(bed.service.requests.length).toBeGreaterThanOrEqual(least);
    expect(bed.service.requests.length).toBeLessThanOrEqual(most);
    bed.service.intercept(undefined);
    await vi.waitFor(async () => expect(codesOf([await bed.query(document)])).toEqual(new Set([undefined])), 5000);
    expect(bed.open.size).toBeLessThanOrEqual(64);
  });
});

describe('4 Connections that are kept', () => {
  const okay = (body: string) => head(`content-length: ${body.length}`, body);

  it('bytes that nobody has asked for are nobody’s answer: their connection is closed', async () => {
    const tokens: string[] = [];
    let connections = 0;
    const serviceUrl = await listen((socket) => {
      connections += 1;
      socket.on('data', (bytes) => {
        const [, token = ''] = /authorization: Bearer (\S+)/i.exec(bytes.toString()) ?? [];
        tokens.push(token);
        // The answer that was asked for, and at once another one, for whoever comes next.
        socket.write(`${okay(`{"name":"of ${token}"}`)}${okay(`{"name":"of ${token}, again"}`)}`);
      });
    });
    const { query } = await start({ serviceUrl, env: { ...env, UPSTREAM_CONNECTIONS: '1' } });
    const names: unknown[] = [];
    for (let index = 0; index < 20; index += 1) {
      names.push((await query(ofDataset('name'), { token: `token-${index}` })).body.data.dataset.name);
    }
    expect(names).toEqual(tokens.map((token) => `of ${token}`));
    expect(tokens).toEqual(Array.from({ length: 20 }, (_, index) => `token-${index}`));
    expect(connections).toBe(20);
  });

  it('a connection that is closed while it is idle is not used again', async () => {
    let connections = 0;
    const closed: Promise<unknown>[] = [];
    const serviceUrl = await listen((socket) => {
      connections += 1;
      // Closes some of the connections, always after the answer and without having said so.
      const closes = connections % 3 !== 0;
      closed.push(new Promise((resolve) => (closes ? socket.once('close', resolve) : resolve(undefined))));
      socket.on('data', () => {
        socket.write(okay('{"name":"Soil moisture"}'));
        if (closes) socket.end();
      });
    });
    const { query } = await start({ serviceUrl, env: { ...env, UPSTREAM_CONNECTIONS: '1', UPSTREAM_RETRY: 'off' } });
    for (let call = 0; call < 30; call += 1) {
      expect((await query(ofDataset('name'))).body).toEqual({ data: { dataset: { name: 'Soil moisture' } } });
      await closed.at(-1);
    }
    expect(connections).toBeGreaterThan(1);
  });

  it('two callers at once never get each other’s answers', async () => {
    const bed = await start({ env: { UPSTREAM_CONNECTIONS: '2' } });
    const tokens = Array.from({ length: 200 }, (_, index) => `${TOKEN}-${index}`);
    bed.simulator.intercept(async ({ headers: { authorization } }) => ({
      status: 200,
      body: JSON.stringify({ name: authorization?.join() }),
    }));
    const responses = await Promise.all(tokens.map((token) => bed.query(ofDataset('name'), { token })));
    expect(responses.map(({ body }) => body.data.dataset.name)).toEqual(tokens.map((token) => `Bearer ${token}`));
  });
});
