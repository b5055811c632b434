import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { hold as holdCalls } from '../support/calls.ts';
import { eventually } from '../support/eventually.ts';
import { ofDataset, type TestBed } from '../support/harness.ts';
import { beginQuery } from '../support/http.ts';
import { answered, hold, MEGABYTE, RESULTS, resultsOf } from '../support/memory-budget.ts';
import { MERGED, onResults, resultsOf as resultsOfAssets } from '../support/merging.ts';
import { counts, readSample, type Samples, samples, startMeasured } from '../support/metrics.ts';
import { receive, resultsPath } from '../support/results-files.ts';

const ROWS = ofDataset('results { series { nodes { rows { valueDate metrics { name value } } } } }');

/** The counters of odd rows that are not 0. */
async function oddRowsOf(bed: TestBed): Promise<Record<string, number>> {
  const all = Object.entries(await counts(bed));
  return Object.fromEntries(all.filter(([name]) => name.startsWith('results_')));
}

/** The memory that is held, by its use. */
const uses = (found: Samples) =>
  Object.fromEntries(
    ['responses', 'read_ahead', 'files'].map((use) => [use, found.get(`rest_memory_use_bytes{use="${use}"}`) ?? -1]),
  );

describe('3.37 Metrics of results', () => {
  const rows = (text: string) => `{"assets":[{"asset_id":"a","results":[${text}]}]}`;
  const metrics = (text: string) => rows(`{"metrics":[${text}]}`);

  it.each<[what: string, odd: number, body: string, document: string]>([
    ['none', 0, metrics('{"name":"m","value":1}'), ROWS],
    ['a name of a wrong type', 1, metrics('{"name":5,"value":1}'), ROWS],
    ['a number that is too large, beside another row', 1, rows('{"metrics":[{"name":"m","value":1e999}]},{}'), ROWS],
    ['a row above a megabyte', 1, rows(`{"metrics":[]},{"x":"${'x'.repeat(MEGABYTE)}"}`), ROWS],
    ['one that is computed with', 1, metrics('{"name":5,"value":1}'), ofDataset('results { statistics { count } }')],
    [
      'one that two fields read, once each',
      2,
      metrics('{"name":5,"value":1}'),
      ofDataset('results { statistics { count } series { nodes { rows { valueDate } } } }'),
    ],
  ])('have the odd rows: %s', async (_what, odd, body, document) => {
    const bed = await startMeasured();
    bed.simulator.intercept(({ operation }) => (operation === 'getDatasetResults' ? { body } : undefined));
    for (const count of [1, 2]) {
      await bed.query(document);
      expect(await oddRowsOf(bed)).toEqual(odd === 0 ? {} : { results_odd_rows_total: odd * count });
    }
  });

  it('say how often the calls of a dataset were not merged', async () => {
    const bed = await startMeasured({ env: { ASSET_IDS_PER_CALL: '2' } });
    await bed.query(MERGED);
    expect(await readSample(bed, 'results_call_merging_suspended_total')).toBe(0);
    bed.simulator.intercept(onResults(() => ({ body: resultsOfAssets('abc') })));
    await bed.query(MERGED);
    expect((await samples(bed)).get('results_call_merging_suspended_total')).toBe(1);
  });

  it('have the bytes of a large response as they are sent, no faster than the client reads, and its memory', async () => {
    const bed = await startMeasured();
    const count = 400_000;
    const row = '{"value_date":"2024-01-01","metrics":[{"name":"moisture","value":0.5}]}';
    bed.simulator.intercept(() => ({ body: rows(Array(count).fill(row).join()) }));
    const written = Array(count).fill(row.replace('value_date', 'valueDate')).join();
    const expected = `{"data":{"dataset":{"results":{"series":{"nodes":[{"rows":[${written}]}]}}}}}\n`;
    const response = await beginQuery(bed, ROWS);
    response.pause();
    // The system's buffers are full.
    let sent = -1;
    await eventually(async () => {
      const before = sent;
      sent = await readSample(bed, 'graphql_streamed_response_bytes_total');
      expect([sent > 0, sent]).toEqual([true, before]);
    });
    expect(sent).toBeLessThan(expected.length / 2);
    const during = await samples(bed);
    expect(during.get('rest_memory_held_bytes')).toBeGreaterThan(row.length * count);
    expect(during.get('graphql_operations_in_flight')).toBe(1);
    expect((await text(response)) === expected).toBe(true);
    await counts(bed);
    const after = await samples(bed);
    expect(after.get('graphql_streamed_response_bytes_total')).toBe(expected.length);
    expect(after.get('rest_memory_held_bytes')).toBe(0);
  });

  it.each([
    ['csv', MEGABYTE],
    ['parquet', 8 * MEGABYTE],
  ])('have the memory that a file is held for: %s', async (format, bytes) => {
    const bed = await startMeasured();
    const service = holdCalls(bed);
    const file = receive(bed, resultsPath(`format=${format}`));
    await eventually(() => expect(bed.calls()).toHaveLength(1));
    const found = await samples(bed);
    const held = found.get('rest_memory_held_bytes');
    expect(held).toBeGreaterThanOrEqual(bytes);
    expect(uses(found)).toEqual({ responses: 0, read_ahead: 0, files: held });
    service.open();
    expect(await file).toMatchObject({ status: 200, isComplete: true });
    await eventually(async () => expect(uses(await samples(bed))).toEqual({ responses: 0, read_ahead: 0, files: 0 }));
  });

  it('have the memory that is held, and the responses that wait for it', async () => {
    const bed = await startMeasured({ env: { MEMORY_BUDGET: `${4 * MEGABYTE}` } });
    const { letGo, answer } = await hold(bed, resultsOf(3 * MEGABYTE));
    const next = bed.query(RESULTS);
    await eventually(async () => expect(await readSample(bed, 'rest_memory_waiting_responses')).toBe(1));
    const found = await samples(bed);
    expect(found.get('rest_memory_held_bytes')).toBe(3 * MEGABYTE);
    expect(found.get('rest_memory_limit_bytes')).toBe(4 * MEGABYTE);
    expect(uses(found)).toEqual({ responses: 3 * MEGABYTE, read_ahead: 0, files: 0 });
    letGo();
    await answer;
    expect((await next).body).toEqual(answered);
    await counts(bed);
    const after = await samples(bed);
    expect([after.get('rest_memory_held_bytes'), after.get('rest_memory_waiting_responses')]).toEqual([0, 0]);
  });
});
