import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { gate, ofDataset, times } from '../support/harness.ts';
import { beginQuery } from '../support/http.ts';
import { readSample, startMeasured } from '../support/metrics.ts';

const MEGABYTE = 2 ** 20;
const ROWS = 25_000;
/** So many copies are more than the client and the system take unread: the kept response is read as the client reads. */
const COPIES = 30;

/** The values of a response, as often as that. */
function seriesOf(copies: number): string {
  return ofDataset(
    `results { series { nodes { ${times(copies, (index) => `r${index}: rows { value(metric: "m") }`)} } } }`,
  );
}

/** About two megabytes in which every number is that of the dataset, so that its memory is used again by others. */
function resultsOf(number: number): string {
  const rows = Array.from({ length: ROWS }, (_, row) => ({
    value_date: `row ${row}`,
    metrics: [{ name: 'm', value: number }],
  }));
  return JSON.stringify({ assets: [{ asset_id: 'a', results: rows }] });
}

function expectOwn(text: string, number: number, copies = 1): void {
  const results = JSON.stringify(Array(ROWS).fill({ value: number }));
  const node = Array.from({ length: copies }, (_, index) => `"r${index}":${results}`).join();
  // Not toEqual: the difference of megabytes would be a page of text.
  expect(text === `{"data":{"dataset":{"results":{"series":{"nodes":[{${node}}]}}}}}\n`).toBe(true);
}

describe('3.40 The memory of kept responses', () => {
  it('is not used by others while anybody reads it, also after other readers have left', async () => {
    // There is room for two of them.
    const bed = await startMeasured({ env: { CACHE: 'memory', CACHE_MAX_BYTES: String(7 * MEGABYTE) } });
    bed.simulator.intercept(({ datasetId }) => ({ status: 200, body: resultsOf(Number(datasetId)) }));
    const ask = (number: number) => bed.query(seriesOf(1), { variables: { id: String(number) } });
    const size = Buffer.byteLength(resultsOf(1));
    const held = () => readSample(bed, 'rest_memory_held_bytes');
    expectOwn((await ask(1)).text, 1);
    const [staying, ...leaving] = await Promise.all(
      [1, 2, 3].map(() => beginQuery(bed, seriesOf(COPIES), { id: '1' })),
    );
    expect(await held()).toBeGreaterThanOrEqual(3 * size);
    for (const response of leaving) response.destroy();
    // What one reader has of the response, and what it has written and not sent.
    const one = size + COPIES * ROWS * '{"value":1},'.length;
    await eventually(async () => expect(await held()).toBeLessThan(2 * one));
    expectOwn((await ask(1)).text, 1);
    expect(bed.calls()).toHaveLength(1);
    // One still reads it, while it is evicted by others that take new memory.
    for (const other of [2, 3, 4, 5]) expectOwn((await ask(other)).text, other);
    expectOwn(await text(staying as IncomingMessage), 1, COPIES);
    await eventually(async () => expect(await held()).toBe(0));
  });

  it('counts for each operation that reads it', async () => {
    const bed = await startMeasured({ env: { CACHE: 'memory' } });
    const { opened, open } = gate();
    bed.simulator.intercept(async ({ datasetId }) => {
      if (datasetId === '2') await opened;
      return { status: 200, body: resultsOf(Number(datasetId)) };
    });
    await bed.query(seriesOf(1), { variables: { id: '1' } });
    const size = Buffer.byteLength(resultsOf(1));
    const parts = ['1', '2'].map((id) => `d${id}: dataset(id: "${id}") { results { processingId } }`);
    const both = [1, 2].map(() => bed.query(`{ ${parts.join(' ')} }`));
    await eventually(async () => {
      expect(await readSample(bed, 'rest_memory_held_bytes')).toBeGreaterThanOrEqual(2 * size);
    });
    open();
    for (const { body } of await Promise.all(both)) expect(body).not.toHaveProperty('errors');
    await eventually(async () => expect(await readSample(bed, 'rest_memory_held_bytes')).toBe(0));
    expect(bed.calls()).toHaveLength(2);
  });
});
