import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { DATASET_ID, start, type TestBed, TOKEN } from '../support/harness.ts';

/** Bytes that the subgraph writes at a time. */
const CHUNK_BYTES = 2 ** 19;

/** The system's buffers of a connection hold up to ten megabytes; the response is several times as large. */
const ROWS = 400_000;

const QUERY = `{ dataset(id: "${DATASET_ID}") { results { series { nodes { rows { valueDate metrics { name value } } } } } } }`;

/** A results body of one asset with that many rows, and the response to `QUERY`. */
function largeBodies(): { rest: string; graphql: string } {
  const rows = Array.from({ length: ROWS }, (_, row) => ({ date: `day ${row}`, value: row }));
  const rest = rows.map(
    ({ date, value }) => `{"value_date":"${date}","metrics":[{"name":"moisture","value":${value}}]}`,
  );
  const graphql = rows.map(
    ({ date, value }) => `{"valueDate":"${date}","metrics":[{"name":"moisture","value":${value}}]}`,
  );
  return {
    rest: `{"assets":[{"asset_id":"1","results":[${rest.join()}]}]}`,
    graphql: `{"data":{"dataset":{"results":{"series":{"nodes":[{"rows":[${graphql.join()}]}]}}}}}\n`,
  };
}

/** A GraphQL response as Node.js sees it on the subgraph's side. */
interface WatchedResponse {
  readonly response: ServerResponse;
  /** Bytes that the subgraph has handed to Node.js so far, taken by the system or not. */
  written: number;
}

/** The GraphQL responses that subgraphs of this process begin from now on, in their order. */
function watchResponses(): WatchedResponse[] {
  const watched: WatchedResponse[] = [];
  const onRequest = (message: unknown) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    if (request.url !== '/graphql') return;
    const entry: WatchedResponse = { response, written: 0 };
    watched.push(entry);
    response.write = new Proxy(response.write, {
      apply: (write, target, given: [Buffer]) => {
        entry.written += given[0].length;
        return Reflect.apply(write, target, given);
      },
    });
  };
  subscribe('http.server.request.start', onRequest);
  onTestFinished(() => void unsubscribe('http.server.request.start', onRequest));
  return watched;
}

/** Asks for the large response on a connection of its own; nothing is read but what has come with the headers. */
async function askAndPause({ subgraph }: TestBed): Promise<{ socket: Socket; start: string }> {
  const { hostname, port } = new URL(subgraph.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  const body = JSON.stringify({ query: QUERY });
  socket.write(
    `POST /graphql HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${TOKEN}\r\ncontent-type: application/json\r\n` +
      `connection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  socket.pause();
  return { socket, start: chunk.toString() };
}

/** All that still comes on a connection, up to its end. */
async function readToEnd(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.resume();
  await once(socket, 'close');
  return Buffer.concat(chunks).toString();
}

/** The body of an HTTP/1.1 message that came in chunks. */
function dechunked(message: string): string {
  let at = message.indexOf('\r\n\r\n') + 4;
  let body = '';
  for (;;) {
    const lineEnd = message.indexOf('\r\n', at);
    const length = Number.parseInt(message.slice(at, lineEnd), 16);
    if (length === 0) return body;
    body += message.slice(lineEnd + 2, lineEnd + 2 + length);
    at = lineEnd + 2 + length + 2;
  }
}

describe('3.33 A large response', () => {
  const { rest, graphql } = largeBodies();

  async function startLarge(env: Record<string, string> = {}) {
    const bed = await start({ env });
    bed.simulator.intercept(() => ({ body: rest }));
    const responses = watchResponses();
    /** Asks for it once more, and reads all of it: by then, any other response could have been written as well. */
    const readAnother = async () => {
      const { text } = await bed.query(QUERY);
      expect(text === graphql).toBe(true);
      expect(responses.at(-1)?.written).toBe(graphql.length);
    };
    return { bed, responses, readAnother };
  }

  it('stops being written when the client leaves, and its operation ends', async () => {
    const { bed, responses, readAnother } = await startLarge({ MAX_OPERATIONS: '1' });
    const { socket } = await askAndPause(bed);
    const [left] = responses;
    socket.destroy();
    await eventually(() => expect(left?.response.closed).toBe(true));
    await readAnother();
    // What had been written before the caller left, which the system's buffers bound, and what was under way.
    expect(left?.written).toBeLessThan(graphql.length / 2);
    expect(bed.log.filter((line) => line.includes('rror'))).toEqual([]);
  });

  it('is written no faster than a slow client reads, and is whole in the end', async () => {
    const { bed, responses, readAnother } = await startLarge();
    const { socket, start } = await askAndPause(bed);
    const [slow] = responses;
    await readAnother();
    expect(slow?.written).toBeLessThan(graphql.length / 2);
    // One chunk on its way, and the next one ready.
    expect(slow?.response.writableLength).toBeLessThan(3 * CHUNK_BYTES);
    const rest = await readToEnd(socket);
    expect(dechunked(start + rest) === graphql).toBe(true);
    expect(slow?.written).toBe(graphql.length);
    expect(bed.log.filter((line) => line.includes('rror'))).toEqual([]);
  });
});
