import { get, type IncomingMessage } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { residentBytes, watchPeak } from '../../bench/process-figures.ts';
import { eventually } from '../support/eventually.ts';
import { DATASET_ID, startService, TOKEN } from '../support/harness.ts';
import { endpointOf, startGuarded } from '../support/process.ts';

const CHUNK = Buffer.alloc(1_000_000, '0123456789');
const CHUNKS = 600;
const FILE_BYTES = CHUNK.length * CHUNKS;

/** How much more memory than idle the program may take, in bytes. */
const MAX_GROWTH = 150_000_000;

/** A service that makes the file as it is taken, the program before it as a process of its own, and a caller. */
async function startDownload() {
  const service = await startService();
  const made = { chunks: 0 };
  service.intercept(() => ({
    headers: { 'content-length': String(FILE_BYTES) },
    body: (async function* () {
      for (made.chunks = 0; made.chunks < CHUNKS; made.chunks += 1) yield CHUNK;
    })(),
  }));
  const program = startGuarded(process.execPath, ['-r', './src/node-version.cjs', 'src/main.ts'], {
    env: { DATASET_SERVICE_URL: service.url, PORT: '0' },
  });
  onTestFinished(() => program.stop());
  const url = new URL(`/download/dataset/${DATASET_ID}`, await endpointOf(program));
  const pid = await program.pid;
  const idle = residentBytes(pid);
  const peak = watchPeak(pid);
  const response = await open(url);
  return {
    response,
    made,
    /** NaN where the system does not tell. */
    growth: () => (peak() ?? Number.NaN) - (idle ?? Number.NaN),
  };
}

/** Asks for the file, and returns when the headers are there. */
function open(url: URL): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false, headers: { authorization: `Bearer ${TOKEN}` } }, resolve).on('error', reject);
  });
}

/** Reads on to the end, and sees that every byte is the one that was made. */
async function read(response: IncomingMessage): Promise<number> {
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    const start = size % 10;
    if (!chunk.equals(CHUNK.subarray(start, start + chunk.length))) throw new Error(`Other bytes after ${size}.`);
    size += chunk.length;
  }
  return size;
}

describe('3.35 A file of 600 MB', () => {
  it('passes in flat memory, and waits for a client who stops reading', async () => {
    const { response, made, growth } = await startDownload();
    let before = -1;
    // Until the service makes no more.
    await eventually(
      () => {
        const last = before;
        before = made.chunks;
        expect(made.chunks).toBe(last);
      },
      { interval: 500 },
    );
    expect(made.chunks).toBeLessThan(100);
    const size = await read(response);
    expect({ size, complete: response.complete }).toEqual({ size: FILE_BYTES, complete: true });
    expect(growth()).toBeLessThan(MAX_GROWTH);
  });
});
