import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Fault } from '../../simulator/src/simulator.ts';
import { eventually } from '../support/eventually.ts';
import { type Answer, listen, ofDataset, start, TOKEN } from '../support/harness.ts';
import { encoded, env, head, operations, startRelayed } from './upstream-faults.ts';

describe('4 The size of a response, in bytes', () => {
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

describe('4 The size of metadata', () => {
  const most = 4 * 2 ** 20;
  const body = (size: number) => `{"name":"${'x'.repeat(size - 11)}"}`;

  it('has a limit of its own, because metadata are decoded at once', async () => {
    const bed = await start();
    bed.simulator.intercept(() => ({ body: body(most) }));
    expect((await bed.query(operations.getDatasetMetadata.document)).body.data.dataset.name).toHaveLength(most - 11);
    bed.simulator.intercept(() => ({ body: body(most + 1) }));
    expect((await bed.query(operations.getDatasetMetadata.document)).body).toMatchObject({
      data: { dataset: { name: null } },
      errors: [
        {
          message: `The response of the dataset service is too large (the limit for metadata is ${most}).`,
          extensions: { code: 'UPSTREAM_RESPONSE_TOO_LARGE' },
        },
      ],
    });
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
    await eventually(async () => expect(codesOf([await bed.query(document)])).toEqual(new Set([undefined])));
    expect(bed.open.size).toBeLessThanOrEqual(64);
  });
});

describe('4 Connections that are kept', () => {
  const okay = (body: string) => head(`content-length: ${body.length}`, body);

  it('bytes that nobody has asked for are nobody’s response: their connection is closed', async () => {
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

  it('two clients at once never get each other’s responses', async () => {
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
