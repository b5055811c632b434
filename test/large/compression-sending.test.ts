import { randomBytes } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ask, begin, decode, NAME, ROWS, readAll, rowsOf, startCompressing } from '../support/compression.ts';
import { eventually } from '../support/eventually.ts';
import { ofDataset, respondWith, type TestBed, TOKEN } from '../support/harness.ts';

const codings = ['zstd', 'gzip'];
const NAMES = ofDataset('results { series { nodes { asset { name } } } }');

/** Encoded bytes that are sent at a time. */
const CHUNK_BYTES = 2 ** 16;

/** The system's buffers hold up to ten megabytes. Random text is compressed to three quarters. */
const RANDOM_BYTES = 20_000_000;
const random = randomBytes((RANDOM_BYTES / 1000) * 750).toString('base64');
const names = Array.from({ length: RANDOM_BYTES / 1000 }, (_, index) =>
  random.slice(index * 1000, index * 1000 + 1000),
);
const rest = `{"assets":[${names.map((name, index) => `{"asset_id":"${index}","asset_name":"${name}"}`).join()}]}`;
const graphql = `{"data":{"dataset":{"results":{"series":{"nodes":[${names.map((name) => `{"asset":{"name":"${name}"}}`).join()}]}}}}}\n`;

async function startLarge(env: Record<string, string> = {}): Promise<TestBed> {
  const bed = await startCompressing({ env });
  respondWith(bed.simulator, { results: rest });
  return bed;
}

/** GraphQL responses as Node.js sees them on the subgraph's side, in their order. */
function watchResponses(change: (response: ServerResponse) => void = () => {}): ServerResponse[] {
  const watched: ServerResponse[] = [];
  const onRequest = (message: unknown) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    if (request.url !== '/graphql') return;
    watched.push(response);
    change(response);
  };
  subscribe('http.server.request.start', onRequest);
  onTestFinished(() => void unsubscribe('http.server.request.start', onRequest));
  return watched;
}

/** Calls back with each chunk before it is written. */
function onWrite(response: ServerResponse, before: (chunk: Buffer) => void): void {
  response.write = new Proxy(response.write, {
    apply: (write, target, given: [Buffer]) => {
      before(given[0]);
      return Reflect.apply(write, target, given);
    },
  });
}

const errorsOf = ({ log }: TestBed) => log.filter((line) => line.includes('rror'));

describe.each(codings)('3.42 A large response with %s', (coding) => {
  it('is encoded no faster than a slow client reads, and is whole in the end', async () => {
    const bed = await startLarge();
    const written: number[] = [];
    const responses = watchResponses((response) => {
      const index = written.push(0) - 1;
      onWrite(response, (chunk) => {
        written[index] = (written[index] ?? 0) + chunk.length;
      });
    });
    const slow = await begin(bed, NAMES, coding);
    slow.pause();
    // By then the whole response could have been encoded.
    const other = await ask(bed, NAMES, coding);
    expect(decode(other) === graphql).toBe(true);
    expect(written[0]).toBeLessThan(other.bytes.length / 2);
    expect(responses[0]?.writableLength).toBeLessThan(3 * CHUNK_BYTES);
    expect((await readAll(slow)).bytes.equals(other.bytes)).toBe(true);
    expect(written).toEqual([other.bytes.length, other.bytes.length]);
    expect(errorsOf(bed)).toEqual([]);
  });

  it('stops being encoded when the client leaves, whenever that is, and its operation ends', async () => {
    const bed = await startLarge({ MAX_OPERATIONS: '1' });
    const responses = watchResponses();
    for (const megabytes of [0, 8]) {
      const left = await begin(bed, NAMES, coding);
      let received = 0;
      await new Promise<void>((resolve) => {
        left.on('error', () => {});
        left.on('close', resolve);
        left.on('data', (chunk: Buffer) => {
          received += chunk.length;
          if (received > megabytes * 1_000_000) left.destroy();
        });
      });
      await eventually(() => expect(responses.at(-1)?.closed).toBe(true));
      expect(responses.at(-1)?.writableFinished).toBe(false);
    }
    expect(decode(await ask(bed, NAMES, coding)) === graphql).toBe(true);
    expect(errorsOf(bed)).toEqual([]);
  });

  it('is cut off where the client takes nothing, and its place is free again', async () => {
    const bed = await startLarge({ MAX_OPERATIONS: '1', OPERATION_TIMEOUT_MS: '6000' });
    const stuck = await begin(bed, NAMES, coding);
    stuck.pause();
    await eventually(async () => expect((await ask(bed, '{ __typename }', coding)).status).toBe(200));
    await expect(readAll(stuck)).rejects.toThrow('aborted');
    expect(errorsOf(bed)).toEqual([]);
  });

  it('breaks the connection when it cannot be completed, and never looks whole', async () => {
    const bed = await startCompressing();
    bed.simulator.intercept(() => ({ body: rest, cutAfterBytes: rest.length - 5_000_000 }));
    const response = await begin(bed, NAMES, coding);
    expect(response.statusCode).toBe(200);
    const bytes: Buffer[] = [];
    response.on('data', (chunk: Buffer) => bytes.push(chunk));
    await expect(once(response, 'end')).rejects.toThrow('aborted');
    const received = Buffer.concat(bytes);
    expect(received.length).toBeGreaterThan(500_000);
    expect(errorsOf(bed)).toEqual([]);
  });

  it('is completed during a shutdown', async () => {
    const bed = await startLarge();
    const slow = await begin(bed, NAMES, coding);
    slow.pause();
    const stopped = bed.subgraph.stop();
    const answer = await readAll(slow);
    expect(decode(answer) === graphql).toBe(true);
    await stopped;
  });
});

describe.each(codings)('3.42 Pipelined requests with %s', (coding) => {
  const post = (document: string) => {
    const body = JSON.stringify({ query: document });
    return `POST /graphql HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${TOKEN}\r\naccept-encoding: ${coding}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  };
  const open = async ({ subgraph }: TestBed, text: string) => {
    const { hostname, port } = new URL(subgraph.url);
    const socket = connect(Number(port), hostname);
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => {});
    await once(socket, 'connect');
    socket.write(text);
    return socket;
  };

  it('have their responses in order', async () => {
    const bed = await startCompressing();
    respondWith(bed.simulator, { metadata: { name: 'x'.repeat(100_000) }, results: rowsOf(20_000) });
    const plain = await Promise.all([ROWS, NAME].map((document) => ask(bed, document, undefined)));
    const last = 'GET /health/live HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';
    const socket = await open(bed, `${post(ROWS)}${post(NAME)}${post(ROWS)}${last}`);
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk);
    const received = Buffer.concat(chunks);
    const bodies = bodiesOf(received);
    const expected = [plain[0], plain[1], plain[0]].map((answer) => answer?.bytes.toString());
    const decoded = bodies
      .slice(0, 3)
      .map((body) => (coding === 'zstd' ? zstdDecompressSync(body) : gunzipSync(body)).toString());
    expect(decoded.map((text, index) => text === expected[index])).toEqual([true, true, true]);
  });

  it('end when their connection breaks, and free their places', async () => {
    const bed = await startLarge({ MAX_OPERATIONS: '3' });
    const responses = watchResponses();
    const socket = await open(bed, post(NAMES).repeat(3));
    // The first one is on its way, and the others wait behind it, each with an encoder.
    await eventually(() => expect(responses.map(({ headersSent }) => headersSent)).toEqual([true, true, true]));
    socket.resetAndDestroy();
    await eventually(async () => {
      const answers = await Promise.all(Array.from({ length: 3 }, () => ask(bed, '{ __typename }', coding)));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    });
    expect(errorsOf(bed)).toEqual([]);
  });
});

/** The bodies of HTTP/1.1 messages, one after another. */
function bodiesOf(messages: Buffer): Buffer[] {
  const bodies: Buffer[] = [];
  for (let at = 0; at < messages.length; ) {
    const start = messages.indexOf('\r\n\r\n', at) + 4;
    const head = messages.toString('latin1', at, start);
    const [, length] = /content-length: (\d+)/i.exec(head) ?? [];
    at = start + Number(length ?? 0);
    if (length !== undefined) {
      bodies.push(messages.subarray(start, at));
      continue;
    }
    const chunks: Buffer[] = [];
    for (let size = -1; size !== 0; ) {
      const lineEnd = messages.indexOf('\r\n', at);
      size = Number.parseInt(messages.toString('latin1', at, lineEnd), 16);
      chunks.push(messages.subarray(lineEnd + 2, lineEnd + 2 + size));
      at = lineEnd + 2 + size + 2;
    }
    bodies.push(Buffer.concat(chunks));
  }
  return bodies;
}
