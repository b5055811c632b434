import { once } from 'node:events';
import { connect } from 'node:net';
import { onTestFinished } from 'vitest';
import { DATASET_ID, dataset, ofDataset, type Setup, start, TOKEN } from './harness.ts';

export const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

export const LARGE_BYTES = 24_000_000;
const COPIES = 8;
const copies = Array.from({ length: COPIES }, (_, index) => `name${index}: name`).join(' ');
/** One text: the name is written for each alias. */
export const NAMES = ofDataset(copies);
export const RESULTS = ofDataset('results { series { nodes { asset { name } } } }');
/** As long, of a smaller body, which a busy machine reads in a short time too. */
export const COPIED_RESULTS = ofDataset(`results { series { nodes { asset { ${copies} } } } }`);
const asset = `{"asset_id":"a","asset_name":"${'x'.repeat(990)}"}`;
const assets = (bytes: number) =>
  `{"assets":[${Array(bytes / 1000)
    .fill(asset)
    .join()}]}`;
const bodies: Record<string, string> = {
  [NAMES]: JSON.stringify({ name: 'x'.repeat(LARGE_BYTES / COPIES) }),
  [RESULTS]: assets(LARGE_BYTES),
  [COPIED_RESULTS]: assets(LARGE_BYTES / COPIES),
};

export const post = (document: string) => {
  const body = JSON.stringify({ query: document });
  return `POST /graphql HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${TOKEN}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
};
export const download = `GET /download/dataset/${DATASET_ID} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${TOKEN}\r\n\r\n`;

/** A subgraph over a service with large answers, and a file as large. */
export async function startLarge(document: string, setup: Setup = {}) {
  const file = { name: 'f', contentType: 'text/plain', bytes: Buffer.alloc(LARGE_BYTES, 'x') };
  const bed = await start({ datasets: [{ ...dataset, file }], ...setup });
  bed.simulator.intercept(({ operation }) =>
    operation === 'downloadStaticDataset' ? undefined : { body: bodies[document] ?? '' },
  );
  return bed;
}

/** A client that takes so many bytes a second of what comes, about 64 kB at a time. */
export async function read(url: string, request: string, bytesPerSecond: number) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const state = { bytes: 0, closed: false, head: '', tail: '' };
  const perTick = bytesPerSecond / 20;
  let owed = 0;
  const timer = setInterval(() => {
    owed = Math.max(0, owed - perTick);
    if (owed < perTick || owed === 0) socket.resume();
  }, 50);
  onTestFinished(() => {
    clearInterval(timer);
    socket.destroy();
  });
  socket.on('data', (chunk) => {
    if (state.bytes === 0) state.head = chunk.toString('latin1').split('\r\n\r\n')[0] ?? '';
    state.tail = (state.tail + chunk.toString('latin1')).slice(-20);
    state.bytes += chunk.length;
    owed += chunk.length;
    if (owed >= perTick) socket.pause();
  });
  socket.on('error', () => {});
  socket.once('close', () => {
    state.closed = true;
  });
  await once(socket, 'connect');
  socket.write(request);
  /** Takes all that comes from now on: a connection that was cut off may still have bytes to read before it is closed. */
  const readOn = () => {
    clearInterval(timer);
    owed = Number.NEGATIVE_INFINITY;
    socket.resume();
  };
  return { state, readOn, socket };
}

/** The time for which a client may take nothing is a second longer. It is also the time for the calls, so these are small. */
export const soon = { OPERATION_TIMEOUT_MS: '5000', MAX_OPERATION_WORK: '1000000000' };
