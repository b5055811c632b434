import { describe, expect, it } from 'vitest';
import { assetResult, ofDataset, respondWith, start, times } from '../support/harness.ts';
import { errorsOf, exceedsWork } from '../support/limits.ts';

describe('3.27 Limits on what is computed from rows', () => {
  it('work is also rows that are read for values by date', async () => {
    const bed = await start({ env: { MAX_OPERATION_WORK: '1000000' } });
    const results = Array.from({ length: 20_000 }, () => ({ value_date: 'd', metrics: [] }));
    respondWith(bed.simulator, { results: { assets: [{ ...assetResult('a'), results }] } });
    const ask = (count: number, fieldOf: (index: number) => string) =>
      bed.query(ofDataset(`results { ${times(count, (index) => `b${index}: ${fieldOf(index)}`)} }`));
    const others = (index: number) => `byDate(metrics: "${index}") { dates }`;
    expect((await ask(20, others)).body.errors).toBeUndefined();
    expect(errorsOf(await ask(70, others))).toContainEqual(exceedsWork('dataset.results.b69', 1_000_000));
  });

  it('work is also what is written of quantiles, which counts before it is made', async () => {
    const bed = await start({ env: { MAX_OPERATION_WORK: '10000000' } });
    const results = Array.from({ length: 20_000 }, (_, row) => ({
      value_date: `d${row}`,
      metrics: [{ name: 'm', value: row / 7 }],
    }));
    respondWith(bed.simulator, { results: { assets: [{ ...assetResult('a'), results }] } });
    const quantiles = (of: number) => `q${of}: quantiles(of: [${of / 400}, 1])`;
    const ask = (aliases: string) => bed.query(ofDataset(`results { byDate { metrics { ${aliases} } } }`));
    expect((await ask(quantiles(1))).body.errors).toBeUndefined();
    // Of more than 400 MB.
    const before = performance.now();
    expect(errorsOf(await ask(times(400, quantiles)))).toEqual([exceedsWork('dataset.results.byDate', 10_000_000)]);
    expect(performance.now() - before).toBeLessThan(10_000);
  });

  const DAYS = 10_000;
  const FIRST = Date.UTC(1990, 0, 1);
  const ends = [FIRST, FIRST + (DAYS - 1) * 86_400_000].map((time) => new Date(time).toISOString().slice(0, 10));

  it.each([
    ['names of metrics', 'metrics { name }', 40],
    ['their first days', 'dates', 15],
    ['one list', 'metrics { sums }', 39],
    ['all lists', 'dates metrics { name counts sums means minimums maximums standardDeviations }', 4],
  ])('work is also periods without rows, if they are selected: %s', async (_title, selection, fit) => {
    const bed = await start({ env: { MAX_OPERATION_WORK: '2000000' } });
    const results = ends.map((date, at) => ({ value_date: date, metrics: [{ name: 'm', value: at }] }));
    const assets = Array.from({ length: 40 }, (_, at) => ({ ...assetResult(`a${at}`), results }));
    respondWith(bed.simulator, { results: { assets } });
    const { body } = await bed.query(
      ofDataset(`results { series { nodes { periods(every: DAY) { ${selection} } } } }`),
    );
    const { nodes } = body.data.dataset.results.series;
    expect(nodes.filter(({ periods }: { periods: unknown }) => periods !== null)).toHaveLength(fit);
    const [{ periods }] = nodes;
    if (selection.includes('dates')) expect([periods.dates.length, periods.dates.at(-1)]).toEqual([DAYS, ends[1]]);
    if (selection.includes('sums')) expect(periods.metrics[0].sums).toEqual([0, ...Array(DAYS - 2).fill(null), 1]);
  });
});
