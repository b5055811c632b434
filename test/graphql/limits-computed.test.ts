import { describe, expect, it } from 'vitest';
import { assetResult, ofDataset, respondWith, start, times } from '../support/harness.ts';
import { errorsOf, exceedsWork } from '../support/limits.ts';

describe('3.27 Limits on what is computed from rows', () => {
  it('work is also rows that are read for bands, each time', async () => {
    const bed = await start({ env: { MAX_OPERATION_WORK: '1000000' } });
    const results = Array.from({ length: 5000 }, () => ({ value_date: 'd', metrics: [] }));
    respondWith(bed.simulator, { results: { assets: [{ ...assetResult('a'), results }] } });
    const ask = (count: number) =>
      bed.query(ofDataset(`results { ${times(count, (index) => `b${index}: bands { valueDates }`)} }`));
    expect((await ask(6)).body.errors).toBeUndefined();
    expect(errorsOf(await ask(8))).toContainEqual(exceedsWork('dataset.results.b7', 1_000_000));
  });

  it('work is also what is written of bands, which counts before it is made', async () => {
    const bed = await start({ env: { MAX_OPERATION_WORK: '10000000' } });
    const results = Array.from({ length: 20_000 }, (_, row) => ({
      value_date: `d${row}`,
      metrics: [{ name: 'm', value: row / 7 }],
    }));
    respondWith(bed.simulator, { results: { assets: [{ ...assetResult('a'), results }] } });
    const values = times(400, (index) => `v${index}: values`);
    const ask = (aliases: string) => bed.query(ofDataset(`results { bands { metrics { quantiles { ${aliases} } } } }`));
    expect((await ask('values')).body.errors).toBeUndefined();
    // Of more than 400 MB.
    const before = performance.now();
    expect(errorsOf(await ask(values))).toEqual([exceedsWork('dataset.results.bands', 10_000_000)]);
    expect(performance.now() - before).toBeLessThan(10_000);
  });
});
