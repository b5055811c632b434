import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { type Answer, dataset, listen, start } from '../support/harness.ts';
import { codeOf, NAME, named, RESULTS, unavailable } from './retries.ts';

describe('3.30 A connection that the service has closed while it was idle', () => {
  const metadata = JSON.stringify(dataset.metadata);
  const results = JSON.stringify({ processing_id: 'p-1', assets: [] });

  /**
   * Answers a request on each connection, and ends it so at the second, as if that came when it was closed already.
   *
   * @returns its address, and the first line of each request
   */
  async function closingService(close: (socket: Socket) => void, responses = 1) {
    const requests: string[] = [];
    const serviceUrl = await listen((socket) => {
      let received = 0;
      socket.on('data', (bytes) => {
        const [line = ''] = bytes.toString().split(' HTTP');
        requests.push(line);
        received += 1;
        const body = line.startsWith('POST') ? results : metadata;
        if (received > responses) close(socket);
        else socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
      });
    });
    return { serviceUrl, requests };
  }

  const reset = (socket: Socket) => socket.resetAndDestroy();
  const end = (socket: Socket) => socket.destroy();

  it.each([
    ['a reset', reset, NAME, named],
    ['an end', end, NAME, named],
    ['a reset', reset, RESULTS, { data: { dataset: { results: { processingId: 'p-1' } } } }],
    ['an end', end, RESULTS, { data: { dataset: { results: { processingId: 'p-1' } } } }],
  ])('fails no call, because it is repeated at once: %s, %s', async (_how, close, document, answered) => {
    const { serviceUrl, requests } = await closingService(close);
    const bed = await start({ serviceUrl, env: { UPSTREAM_CONNECTIONS: '1' } });
    for (let call = 0; call < 40; call += 1) expect((await bed.query(document)).body).toEqual(answered);
    // The first of 40 has a new connection; of the others each is sent on a used one, and again on a new one.
    expect(requests).toHaveLength(40 + 39);
  });

  it('is not repeated with UPSTREAM_RETRY=off', async () => {
    const { serviceUrl, requests } = await closingService(reset, 19);
    const bed = await start({ serviceUrl, env: { UPSTREAM_CONNECTIONS: '1', UPSTREAM_RETRY: 'off' } });
    const responses: Answer[] = [];
    for (let call = 0; call < 60; call += 1) responses.push(await bed.query(NAME));
    const failed = responses.filter((response) => codeOf(response) !== undefined).map(({ body }) => body);
    expect(failed).toEqual(Array(3).fill(unavailable(null)));
    expect(requests).toHaveLength(60);
  });

  it('is not repeated where that would be more than UPSTREAM_MAX_CALLS', async () => {
    const { serviceUrl, requests } = await closingService(reset);
    const bed = await start({ serviceUrl, env: { UPSTREAM_CONNECTIONS: '1', UPSTREAM_MAX_CALLS: '1' } });
    expect((await bed.query(NAME)).body).toEqual(named);
    expect((await bed.query(NAME)).body).toEqual(unavailable(null));
    expect(requests).toHaveLength(2);
  });

  it.each<[string, (socket: Socket) => void, number]>([
    ['when a byte of the answer has come', (socket) => socket.end('H'), 1],
    ['when it was new', reset, 0],
  ])('is not repeated %s', async (_case, close, responses) => {
    const { serviceUrl, requests } = await closingService(close, responses);
    const bed = await start({ serviceUrl, env: { UPSTREAM_CONNECTIONS: '1' } });
    for (let call = 0; call < responses; call += 1) await bed.query(RESULTS);
    expect(codeOf(await bed.query(RESULTS))).toBe('UPSTREAM_UNAVAILABLE');
    expect(requests).toHaveLength(responses + 1);
  });

  it('is not used any more after UPSTREAM_KEEP_ALIVE_MS', async () => {
    const { serviceUrl, requests } = await closingService(reset, 100);
    const closed: string[] = [];
    for (const UPSTREAM_KEEP_ALIVE_MS of ['300000', '100']) {
      const relay = await listen((socket) => {
        const behind = connect(Number(new URL(serviceUrl).port), '127.0.0.1');
        socket.pipe(behind).pipe(socket);
        socket.once('close', () => closed.push(UPSTREAM_KEEP_ALIVE_MS));
        behind.on('error', () => {});
      });
      const bed = await start({ serviceUrl: relay, env: { UPSTREAM_KEEP_ALIVE_MS } });
      expect((await bed.query(NAME)).body).toEqual(named);
    }
    await eventually(() => expect(closed).not.toEqual([]));
    expect(closed).toEqual(['100']);
    expect(requests).toHaveLength(2);
  });
});

describe('3.33 A service that closes the connection behind a whole response', () => {
  it.each([
    ['gzip', gzipSync],
    ['br', (body: Buffer) => brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
    ['identity', (body: Buffer) => body],
  ])('loses none of them: %s', async (encoding, encode) => {
    const whole = Buffer.from(
      JSON.stringify({ processing_id: 'p-1', assets: [], x: randomBytes(1_800_000).toString('hex') }),
    );
    const body = encode(whole);
    const serviceUrl = await listen((socket) => {
      socket.once('data', () => {
        socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: ${encoding}\r\ncontent-length: ${body.length}\r\n\r\n`);
        socket.end(body);
      });
    });
    const bed = await start({ serviceUrl });
    for (let round = 0; round < 5; round += 1) {
      const responses = await Promise.all(Array.from({ length: 10 }, () => bed.query(RESULTS)));
      for (const response of responses) {
        expect(response.body).toEqual({ data: { dataset: { results: { processingId: 'p-1' } } } });
      }
    }
  });
});
