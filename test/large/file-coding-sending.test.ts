import { randomBytes } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { get, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { respondWith, start, type TestBed, TOKEN } from '../support/harness.ts';
import { resultsPath } from '../support/results-files.ts';

const PATH = resultsPath('format=csv');
const decoders = { zstd: zstdDecompressSync, gzip: gunzipSync };
const codings = Object.entries(decoders);

/** Encoded bytes that are sent at a time. */
const CHUNK_BYTES = 2 ** 16;

/** The system's buffers hold up to ten megabytes. Random text is compressed to three quarters. */
const RANDOM_BYTES = 20_000_000;
const random = randomBytes((RANDOM_BYTES / 1000) * 750).toString('base64');
const names = Array.from({ length: RANDOM_BYTES / 1000 }, (_, index) =>
  random.slice(index * 1000, index * 1000 + 1000),
);
const assets = names.map((name, index) =>
  JSON.stringify({ asset_id: String(index), asset_name: name, results: [{ value_date: 'd', metrics: [] }] }),
);
const results = `{"assets":[${assets.join()}]}`;
const header = 'asset_id,asset_name,asset_version,value_date,metric,value\r\n';
const csv = `${header}${names.map((name, index) => `${index},${name},,d,,\r\n`).join('')}`;

async function startLarge(env: Record<string, string> = {}): Promise<TestBed> {
  const bed = await start({ env });
  respondWith(bed.simulator, { results });
  return bed;
}

/** Asks for a file. Resolves when the headers are there. */
function begin({ subgraph }: TestBed, coding: string): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${TOKEN}`, 'accept-encoding': coding };
  return new Promise((resolve, reject) => {
    get(new URL(PATH, subgraph.url), { agent: false, headers }, resolve).on('error', reject);
  });
}

async function readAll(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The responses with files as Node.js sees them on the subgraph's side, in their order. */
function watchResponses(change: (response: ServerResponse) => void = () => {}): ServerResponse[] {
  const watched: ServerResponse[] = [];
  const onRequest = (message: unknown) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    if (request.url !== PATH) return;
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

describe.each(codings)('3.42 A large file with %s', (coding, decode) => {
  it('is encoded no faster than a slow client reads, and is whole in the end', async () => {
    const bed = await startLarge();
    const written: number[] = [];
    const responses = watchResponses((response) => {
      const index = written.push(0) - 1;
      onWrite(response, (chunk) => {
        written[index] = (written[index] ?? 0) + chunk.length;
      });
    });
    const slow = await begin(bed, coding);
    slow.pause();
    // By then the whole file could have been encoded.
    const other = await readAll(await begin(bed, coding));
    expect(decode(other).toString() === csv).toBe(true);
    expect(written[0]).toBeLessThan(other.length / 2);
    expect(responses[0]?.writableLength).toBeLessThan(3 * CHUNK_BYTES);
    expect((await readAll(slow)).equals(other)).toBe(true);
    expect(written).toEqual([other.length, other.length]);
    expect(errorsOf(bed)).toEqual([]);
  });

  it('stops being encoded when the client leaves, whenever that is, and frees its slot', async () => {
    const bed = await startLarge({ MAX_DOWNLOADS: '1' });
    const responses = watchResponses();
    for (const megabytes of [0, 8]) {
      const left = await begin(bed, coding);
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
    expect(decode(await readAll(await begin(bed, coding))).toString() === csv).toBe(true);
    expect(errorsOf(bed)).toEqual([]);
  });

  it('breaks the connection when it cannot be completed, and never looks whole', async () => {
    const bed = await startLarge();
    watchResponses((response) => {
      let writes = 0;
      onWrite(response, () => {
        writes += 1;
        if (writes === 20) throw new TypeError('a bug');
      });
    });
    const response = await begin(bed, coding);
    expect(response.statusCode).toBe(200);
    let received = 0;
    response.on('data', (chunk: Buffer) => {
      received += chunk.length;
    });
    await expect(once(response, 'end')).rejects.toThrow('aborted');
    expect(received).toBeGreaterThan(500_000);
    expect(errorsOf(bed)).toEqual([expect.stringContaining('TypeError')]);
  });

  it('frees its slot where it waits behind another one, and their connection breaks', async () => {
    const bed = await startLarge({ MAX_DOWNLOADS: '4' });
    const responses = watchResponses();
    const { hostname, port } = new URL(bed.subgraph.url);
    const socket = connect(Number(port), hostname);
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => {});
    await once(socket, 'connect');
    const request = `GET ${PATH} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${TOKEN}\r\naccept-encoding: ${coding}\r\n\r\n`;
    socket.write(request.repeat(3));
    // The first one is on its way, and the others wait behind it, each with an encoder.
    await eventually(() => expect(responses.map(({ headersSent }) => headersSent)).toEqual([true, true, true]));
    socket.resetAndDestroy();
    await eventually(async () => {
      const files = await Promise.all(Array.from({ length: 3 }, () => begin(bed, coding)));
      for (const file of files) file.destroy();
      expect(files.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200]);
    });
    expect(errorsOf(bed)).toEqual([]);
  });
});
