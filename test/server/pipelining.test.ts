import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { DATASET_ID, dataset, gate, getSummary, start, type TestBed, TOKEN } from '../support/harness.ts';

const NAME = `{ dataset(id: "${DATASET_ID}") { name } }`;
const nameData = { data: { dataset: { name: dataset.metadata.name } } };

const post = (body: string) =>
  `POST /graphql HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${TOKEN}\r\ncontent-type: application/json\r\n` +
  `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const query = post(JSON.stringify({ query: NAME }));
const last = 'GET /health/live HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';
const download = `GET /download/dataset/${DATASET_ID} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${TOKEN}\r\n\r\n`;

/** A connection on which this was sent; `received` is all that has come back. */
async function open({ subgraph }: TestBed, text: string) {
  const { hostname, port } = new URL(subgraph.url);
  const socket = connect(Number(port), hostname);
  let received = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    received += chunk;
  });
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  socket.write(text);
  return { socket, received: () => received };
}

/** A subgraph whose service holds its answers back. */
async function startHeld(env: Record<string, string>) {
  const bed = await start({ env: { UPSTREAM_RETRY: 'off', ...env } });
  const held = gate();
  bed.simulator.intercept(() => held.opened.then(() => undefined));
  return { ...bed, release: held.open };
}

describe('3.10 Pipelined requests whose connection is reset', () => {
  it('end their REST calls, and free their places', async () => {
    const bed = await startHeld({ MAX_OPERATIONS: '5' });
    const { socket } = await open(bed, query.repeat(5));
    await eventually(() => expect(bed.calls()).toEqual(Array(5).fill(getSummary())));
    expect((await bed.query(NAME)).status).toBe(503);
    socket.resetAndDestroy();
    expect(await Promise.all(bed.simulator.requests.map(({ outcome }) => outcome))).toEqual(Array(5).fill('aborted'));
    bed.release();
    const responses = await Promise.all(Array.from({ length: 5 }, () => bed.query(NAME)));
    expect(responses.map(({ body }) => body)).toEqual(Array(5).fill(nameData));
  });

  it('end their downloads, and free the places of these', async () => {
    const bed = await startHeld({ MAX_DOWNLOADS: '3' });
    const { socket } = await open(bed, download.repeat(3));
    await eventually(() => expect(bed.calls()).toHaveLength(3));
    const get = () => bed.http(`/download/dataset/${DATASET_ID}`, { headers: { authorization: `Bearer ${TOKEN}` } });
    expect((await get()).status).toBe(503);
    socket.resetAndDestroy();
    expect(await Promise.all(bed.simulator.requests.map(({ outcome }) => outcome))).toEqual(Array(3).fill('aborted'));
    bed.release();
    const responses = await Promise.all(Array.from({ length: 3 }, get));
    expect(responses.map(({ status, text }) => [status, text])).toEqual(Array(3).fill([200, 'date,value\n']));
  });
});

describe('3.10 A connection with thousands of requests', () => {
  it('has no more listeners at its end than after its first', async () => {
    const warnings: string[] = [];
    const onWarning = ({ name, message }: Error) => void warnings.push(`${name}: ${message}`);
    process.on('warning', onWarning);
    onTestFinished(() => void process.off('warning', onWarning));
    const bed = await start();
    const { socket, received } = await open(bed, '');
    const asked = 3000;
    for (let sent = 0; sent < asked; sent += 100) {
      socket.write(post('{"query":"{__typename}"}').repeat(100));
      await eventually(() => expect(received().split('{"__typename":"Query"}').length - 1).toBe(sent + 100));
    }
    expect(warnings).toEqual([]);
  });
});

describe('3.10 Pipelined requests', () => {
  it('are answered in their order', async () => {
    const bed = await start();
    const requests = Array.from({ length: 200 }, (_, index) =>
      post(JSON.stringify({ query: `{ n${index}: __typename }` })),
    );
    const { socket, received } = await open(bed, [...requests, last].join(''));
    // The last response closes the connection.
    await once(socket, 'close');
    const order = [...received().matchAll(/"n(\d+)":"Query"/g)].map(([, index]) => Number(index));
    expect(order).toEqual(Array.from({ length: 200 }, (_, index) => index));
  });
});
