import { randomBytes } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { get, type IncomingMessage, type ServerResponse } from 'node:http';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { respondWith, start, type TestBed, TOKEN } from '../support/harness.ts';
import { resultsPath } from '../support/results-files.ts';

const PATH = resultsPath('format=csv');
const MEGABYTE = 2 ** 20;
/** Encoded bytes that are sent at a time. */
const CHUNK_BYTES = 2 ** 16;
/** Random text of 32 MB, which is compressed to three quarters. The system's buffers hold up to ten megabytes. */
const random = randomBytes(24 * MEGABYTE).toString('base64');
const names = Array.from({ length: 32 * 1024 }, (_, index) => random.slice(index * 1024, index * 1024 + 1024));
const assets = names.map((name, index) =>
  JSON.stringify({ asset_id: String(index), asset_name: name, results: [{ value_date: 'd', metrics: [] }] }),
);
const results = `{"assets":[${assets.join()}]}`;
const header = 'asset_id,asset_name,asset_version,value_date,metric,value\r\n';
const csv = `${header}${names.map((name, index) => `${index},${name},,d,,\r\n`).join('')}`;

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

/** Calls back with each response with a file, as Node.js sees it on the subgraph's side, and each chunk before it is written. */
function watchWrites(before: (response: ServerResponse, chunk: Buffer) => void): void {
  const onRequest = (message: unknown) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    if (request.url !== PATH) return;
    response.write = new Proxy(response.write, {
      apply: (write, target, given: [Buffer]) => {
        before(response, given[0]);
        return Reflect.apply(write, target, given);
      },
    });
  };
  subscribe('http.server.request.start', onRequest);
  onTestFinished(() => void unsubscribe('http.server.request.start', onRequest));
}

const errorsOf = ({ log }: TestBed) => log.filter((line) => line.includes('rror'));

describe.each([
  ['zstd', zstdDecompressSync],
  ['gzip', gunzipSync],
])('3.42 A large file with %s', (coding, decode) => {
  it('is encoded no faster than a slow client reads, and is whole in the end', async () => {
    const bed = await start();
    respondWith(bed.simulator, { results });
    const written = new Map<ServerResponse, number>();
    watchWrites((response, { length }) => written.set(response, (written.get(response) ?? 0) + length));
    const slow = await begin(bed, coding);
    slow.pause();
    // By then the whole file could have been encoded.
    const other = await readAll(await begin(bed, coding));
    expect(decode(other).toString() === csv).toBe(true);
    const [[response, bytes] = []] = written;
    expect(bytes).toBeLessThan(other.length / 2);
    expect(response?.writableLength).toBeLessThan(3 * CHUNK_BYTES);
    expect((await readAll(slow)).equals(other)).toBe(true);
    expect([...written.values()]).toEqual([other.length, other.length]);
    expect(errorsOf(bed)).toEqual([]);
  });

  it('breaks the connection when it cannot be completed, and never looks whole', async () => {
    const bed = await start();
    respondWith(bed.simulator, { results });
    let writes = 0;
    watchWrites(() => {
      writes += 1;
      if (writes === 20) throw new TypeError('a bug');
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
});
