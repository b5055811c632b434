import { describe, expect, it } from 'vitest';
import { ofDataset } from '../support/harness.ts';
import { readSample, startMeasured } from '../support/metrics.ts';
import { largeResponse } from '../support/results-bodies.ts';

/** In a process of its own, because memory that other tests have left may be larger than a response needs. */

const ROWS = ofDataset('results { series { nodes { rows { valueDate metrics { name value } } } } }');

describe('3.40 The index of a kept response', () => {
  it('is made once, counts for CACHE_MAX_BYTES and is given up with its response', async () => {
    const bed = await startMeasured({ env: { CACHE: 'memory', CACHE_MAX_BYTES: String(12 * 2 ** 20) } });
    const held = () => readSample(bed, 'rest_cache_held_bytes');
    let body = largeResponse('1', 40_000);
    bed.simulator.intercept(() => ({ status: 200, body }));
    // Both of them index it.
    await Promise.all([1, 2].map(() => bed.query(ofDataset('results { processingId }'))));
    // The body in steps of a megabyte, and at least four integers for each row.
    const once = await held();
    expect(once).toBeGreaterThan(body.length + 40_000 * 16);
    expect(once).toBeLessThan(body.length + 40_000 * 16 + 3 * 2 ** 20);
    for (let times = 0; times < 3; times += 1) {
      expect((await bed.query(ROWS)).body.data.dataset.results.series.nodes[0].rows).toHaveLength(40_000);
      expect(await held()).toBe(once);
    }
    // There is room for one of them.
    body = largeResponse('2', 40_000);
    await bed.query(ROWS, { variables: { id: 'other' } });
    expect(await readSample(bed, 'rest_cache_entries')).toBe(1);
    expect(await held()).toBe(once);
  });

  it('is not kept if there is no room for it, but the response is', async () => {
    const body = largeResponse('1', 40_000);
    const room = Math.ceil(body.length / 2 ** 20) * 2 ** 20 + 2 ** 16;
    const bed = await startMeasured({ env: { CACHE: 'memory', CACHE_MAX_BYTES: String(room) } });
    bed.simulator.intercept(() => ({ status: 200, body }));
    for (let times = 0; times < 3; times += 1)
      expect((await bed.query(ROWS)).body.data.dataset.results.series.nodes[0].rows).toHaveLength(40_000);
    expect(bed.calls()).toHaveLength(1);
    expect(await readSample(bed, 'rest_cache_held_bytes')).toBeLessThanOrEqual(room);
  });
});
