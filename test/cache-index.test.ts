import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stopClock } from './clock.ts';
import { expectSame, largeResponse, startPair } from './fast-path.ts';
import { bodies, idsIn } from './fast-path-bodies.ts';
import { documents, variables } from './fast-path-selections.ts';
import { ofDataset } from './harness.ts';
import { readSample, startMeasured } from './metrics.ts';

const CASES = Number(process.env.FAST_PATH_CASES ?? 300);
const ROWS = ofDataset('results { series { nodes { results { valueDate metrics { name value } } } } }');

const cursorOf = (index: number, assetId: string | undefined) =>
  Buffer.from(JSON.stringify([index, assetId])).toString('base64url');

describe('3.40 The index of a kept response', () => {
  it('gives each operation the response of the generic path', { timeout: 120_000 + CASES * 100 }, async () => {
    const env = { CACHE: 'memory', OPERATION_TIMEOUT_MS: '300000', MAX_OPERATION_WORK: '1000000000000' };
    const pair = await startPair(env);
    const { simulator } = pair.fast;
    const clock = stopClock();
    let operations = 0;
    let calls = 0;
    const asked = fc.array(fc.tuple(documents, variables), { minLength: 3, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(bodies, asked, async (body, questions) => {
        // Nothing of the body before is left.
        clock.advance(60_000);
        simulator.clear();
        simulator.intercept(({ operation, body: filter }) => {
          if (operation === 'getDatasetMetadata') return { status: 200, body: '{"name":"N"}' };
          const { mo_ids: assetIds, time_range: range } = JSON.parse(filter);
          return { status: 200, body: body.bytes(assetIds, range !== undefined) };
        });
        const ids = idsIn(body.bytes(undefined, false));
        for (const [document, values] of questions) {
          const cursors = { after0: cursorOf(0, ids[0]), after1: cursorOf(1, ids[1]) };
          for (let times = 0; times < 2; times += 1) expectSame(await pair.ask(document, { ...values, ...cursors }));
          operations += 4;
        }
        calls += simulator.requests.length;
      }),
      { numRuns: Math.ceil(CASES / 10), includeErrorInReport: true },
    );
    expect(calls).toBeLessThan(operations);
  });

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
      expect((await bed.query(ROWS)).body.data.dataset.results.series.nodes[0].results).toHaveLength(40_000);
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
      expect((await bed.query(ROWS)).body.data.dataset.results.series.nodes[0].results).toHaveLength(40_000);
    expect(bed.calls()).toHaveLength(1);
    expect(await readSample(bed, 'rest_cache_held_bytes')).toBeLessThanOrEqual(room);
  });
});
