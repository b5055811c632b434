import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { DATASET_ID, listen, ofDataset, start, TOKEN } from '../support/harness.ts';
import {
  COPIED_RESULTS,
  download,
  LARGE_BYTES,
  NAMES,
  post,
  read,
  soon,
  startLarge,
  wait,
} from '../support/slow-client.ts';

describe('3.28 A client that takes its response', { timeout: 120_000 }, () => {
  it.each([
    ['a response in one text', NAMES, post(NAMES)],
    ['a response that is written while it is sent', COPIED_RESULTS, post(COPIED_RESULTS)],
    ['a file', NAMES, download],
  ])('gets all of it, though that takes longer than it may do nothing: %s', async (_title, document, request) => {
    const bed = await startLarge(document, { env: soon });
    // The rate of the client takes this time, which a busy machine can only make longer.
    const started = performance.now();
    const { state } = await read(bed.subgraph.url, request, 3_000_000);
    await eventually(() => expect(state.bytes).toBeGreaterThan(LARGE_BYTES));
    expect(performance.now() - started).toBeGreaterThan(6500);
    await wait(100);
    expect(state.closed).toBe(false);
    expect(state.head).toMatch(/^HTTP\/1.1 200/);
  });

  it('is not cut off because the service is slow', async () => {
    const serviceUrl = await listen((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n');
      const timer = setInterval(() => socket.write('x'), 100);
      socket.once('close', () => clearInterval(timer));
    });
    const bed = await start({ serviceUrl, env: { OPERATION_TIMEOUT_MS: '1000' } });
    // The service takes this time, which a busy machine can only make longer.
    const started = performance.now();
    const { text } = await bed.http(`/download/dataset/${DATASET_ID}`, {
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    expect(text).toBe('x'.repeat(50));
    expect(performance.now() - started).toBeGreaterThan(4500);
  });

  it('gets a text as it is, wherever it is cut into pieces', async () => {
    const bed = await start();
    for (const before of [0, 1]) {
      const name = 'x'.repeat(before) + '\u{1f30d}'.repeat(100_000);
      bed.simulator.intercept(() => ({ body: JSON.stringify({ name }) }));
      const { body, headers } = await bed.query(ofDataset('name'));
      expect(body.data.dataset.name === name).toBe(true);
      expect(Number(headers['content-length'])).toBeGreaterThan(400_000);
    }
  });
});
