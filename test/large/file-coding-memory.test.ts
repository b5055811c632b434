import { randomBytes } from 'node:crypto';
import { get, type IncomingMessage } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { respondWith, start, TOKEN } from '../support/harness.ts';
import { readSample } from '../support/metrics.ts';
import { resultsPath } from '../support/results-files.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const MEGABYTE = 2 ** 20;
const CLIENTS = 32;
const ROUNDS = 2;

/** Random text, of which the system's buffers hold a third at most. */
const text = randomBytes(24 * MEGABYTE).toString('base64');
const names = Array.from({ length: 32 * 1024 }, (_, index) => text.slice(index * 1024, index * 1024 + 1024));
const assets = names.map((name, index) =>
  JSON.stringify({ asset_id: String(index), asset_name: name, results: [{ value_date: 'd', metrics: [] }] }),
);
const results = `{"assets":[${assets.join()}]}`;

/** The resident memory of the process in bytes, once it stays the same. */
async function settled(): Promise<number> {
  let last = Number.NaN;
  return eventually(
    () => {
      collectGarbage();
      const before = last;
      last = process.memoryUsage().rss;
      expect(Math.abs(last - before)).toBeLessThan(MEGABYTE);
      return last;
    },
    { interval: 500 },
  );
}

describe('3.42 The memory of a compressed file', () => {
  // The smaller one first: memory that is free again stays with the process.
  it.each(['gzip', 'zstd'])('is bounded where clients do not read, and free when they leave: %s', async (coding) => {
    const bed = await start({ env: { METRICS_PORT: '0' } });
    respondWith(bed.simulator, { results });
    const url = new URL(resultsPath('format=csv'), bed.subgraph.url);
    const begin = (acceptEncoding: string) =>
      new Promise<IncomingMessage>((resolve, reject) => {
        const headers = { authorization: `Bearer ${TOKEN}`, 'accept-encoding': acceptEncoding };
        get(url, { agent: false, headers }, resolve).on('error', reject);
      });
    const stuck = async (acceptEncoding: string) => {
      const responses: IncomingMessage[] = [];
      for (let client = 0; client < CLIENTS; client += 1) {
        const response = await begin(acceptEncoding);
        response.pause();
        response.on('error', () => {});
        responses.push(response);
      }
      const bytes = await settled();
      for (const response of responses) response.destroy();
      await eventually(async () => expect(await readSample(bed, 'downloads_in_flight')).toBe(0));
      return bytes;
    };
    await stuck('identity');
    const plain = await stuck('identity');
    const first = await stuck(coding);
    // Of each, what the encoder takes, and a chunk before it.
    expect((first - plain) / CLIENTS).toBeLessThan(1.5 * MEGABYTE);
    // Those of gzip that are not freed take less than the heap of the process changes by itself.
    if (coding === 'gzip') return;
    // Encoders of zstd that are not freed take 20 MB in every round. The heap of the process may grow once, by any size.
    const growths: number[] = [];
    let before = await stuck(coding);
    for (let round = 0; round < ROUNDS; round += 1) {
      const bytes = await stuck(coding);
      growths.push(bytes - before);
      before = bytes;
    }
    const all = growths.reduce((sum, growth) => sum + growth, 0);
    expect(all - Math.max(...growths)).toBeLessThan(16 * MEGABYTE);
  });
});
