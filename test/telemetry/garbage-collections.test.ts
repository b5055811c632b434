import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { readSample, samples, startMeasured } from '../support/metrics.ts';

// In a process of its own: where many subgraphs start and stop in one, Node.js may stop to report its collections.
describe('3.37 Metrics of the process', () => {
  it('have garbage collections by kind', async () => {
    const bed = await startMeasured();
    await eventually(async () => {
      // Garbage, until some of it is collected.
      Array.from({ length: 100_000 }, (_, index) => ({ index }));
      expect(await readSample(bed, 'nodejs_gc_duration_seconds_count{kind="minor"}')).toBeGreaterThan(0);
    });
    const kinds = new Set([...(await samples(bed)).keys()].flatMap((name) => /kind="(\w+)"/.exec(name)?.[1] ?? []));
    expect(['major', 'minor', 'incremental', 'weakcb']).toEqual(expect.arrayContaining([...kinds]));
  });
});
