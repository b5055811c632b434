import { describe, expect, it } from 'vitest';
import type { Fault } from '../../simulator/src/faults.ts';
import { days, row } from '../support/aggregates.ts';
import { ofDataset, postResults, start } from '../support/harness.ts';
import { pieces } from '../support/pieces.ts';

const HOLD_BYTES = 2 ** 20;
const env = { RESULTS_HOLD_BYTES: String(HOLD_BYTES), LOG_OPERATIONS: 'on' };

const YEAR = 365;
const ASSETS = 400;
const numberAt = (asset: number, day: number) => ((asset * 7919 + day * 104_729) % 1000) / 8;
const assetOf = (index: number, rows: readonly unknown[]) => JSON.stringify({ asset_id: `a${index}`, results: rows });
const all = Array.from({ length: ASSETS }, (_, asset) =>
  days(
    '2023-01-01',
    Array.from({ length: YEAR }, (_, day) => numberAt(asset, day)),
  ),
);
const bodyOf = (...assets: readonly string[]) => Buffer.from(`{"processing_id":"p","assets":[${assets.join()}]}`);
/** 10 MB. */
const large = bodyOf(...all.map((rows, index) => assetOf(index, rows)));

const LISTS = 'name counts sums means minimums maximums quantiles(of: [0, 1])';
const byDate = ofDataset(`results { processingId byDate { dates metrics { ${LISTS} } } }`);
const statistics = ofDataset('results { statistics { name count quantiles(of: 1) first { valueDate assetId } } }');
const documents = { byDate, statistics };

/** A response that does not go on. */
async function* stalling() {
  yield large.subarray(0, 3_000_000);
  await new Promise(() => {});
}

function expected() {
  const byDay = Array.from({ length: YEAR }, (_, day) =>
    Array.from({ length: ASSETS }, (_, asset) => numberAt(asset, day)),
  );
  const minimums = byDay.map((values) => Math.min(...values));
  const maximums = byDay.map((values) => Math.max(...values));
  // They are multiples of an eighth, so their sums are exact.
  const sums = byDay.map((values) => values.reduce((sum, value) => sum + value));
  const means = sums.map((sum) => sum / ASSETS);
  const lists = { sums, means, minimums, maximums, quantiles: [minimums, maximums] };
  const dates = all[0]?.map(({ value_date: date }) => date);
  const metrics = [{ name: 'm', counts: Array(YEAR).fill(ASSETS), ...lists }];
  return { data: { dataset: { results: { processingId: 'p', byDate: { dates, metrics } } } } };
}

/*
 * Clause 3.45 of docs/contract.md in detail: what is computed while the response arrives.
 * `byDate`, or `statistics`, passes if it is the last field of the results, and there is no other but their ids. If the response
 * breaks off or is invalid behind what is held back, the field is null with the error: there is never a number of a part of the rows.
 */
describe('3.45 What is computed from a large response', () => {
  it('does not hold the response', async () => {
    // Less than the response.
    const bed = await start({ env: { ...env, MEMORY_BUDGET: '8000000' } });
    bed.simulator.intercept(() => ({ body: pieces(large, [65_536]) }));
    expect((await bed.query(byDate)).body).toEqual(expected());
    expect(bed.calls()).toEqual([postResults({})]);
    const { body } = await bed.query(ofDataset('results { byDate { dates } metricNames }'));
    expect(body.errors).toMatchObject([{ extensions: { code: 'UPSTREAM_RESPONSE_TOO_LARGE' } }]);
  });

  it('reserves memory for what it keeps: long texts, too', async () => {
    const bed = await start({ env: { ...env, MEMORY_BUDGET: '12000000' } });
    const rows = (from: number) =>
      Array.from({ length: 100 }, (_, index) => row(`${'x'.repeat(1000)}${from + index}`, { m: from + index }));
    const body = bodyOf(...Array.from({ length: 150 }, (_, index) => assetOf(index, rows(index * 100))));
    bed.simulator.intercept(() => ({ body: pieces(body, [65_536]) }));
    const result = await bed.query(ofDataset('results { byDate { dates } }'));
    expect(result.body.data.dataset.results).toEqual({ byDate: null });
    expect(result.body.errors).toMatchObject([{ extensions: { code: expect.stringMatching(/^UPSTREAM_/) } }]);
    // Of these, hardly anything is kept.
    const { body: small } = await bed.query(ofDataset('results { statistics { count minimum { value } } }'));
    expect(small).toEqual({
      data: { dataset: { results: { statistics: [{ count: 15_000, minimum: { value: 0 } }] } } },
    });
  });

  const spoiled = Buffer.from(large);
  spoiled[3_000_000] = 0xff;
  const faults: Record<string, Fault> = {
    'breaks off': { headers: { 'content-length': String(large.length) }, body: large, cutAfterBytes: 3_000_000 },
    'is not UTF-8': { body: spoiled },
    'ends too soon': { body: large.subarray(0, 3_000_000) },
    'has another id behind its assets': {
      body: Buffer.concat([large.subarray(0, -1), Buffer.from(',"processing_id":"q"}')]),
    },
    stalls: { body: stalling() },
  };
  const codes: Record<string, string> = { 'breaks off': 'UPSTREAM_UNAVAILABLE', stalls: 'UPSTREAM_TIMEOUT' };
  it.each(Object.entries(faults))('is null with an error where it %s', async (title, fault) => {
    const bed = await start({ env: { ...env, UPSTREAM_TIMEOUT_MS: '2000' } });
    for (const [field, document] of Object.entries(documents)) {
      bed.simulator.intercept(() => ({ ...fault, ...(title === 'stalls' && { body: stalling() }) }));
      const { body, headers } = await bed.query(document);
      expect(body.data.dataset.results[field]).toBeNull();
      const code = codes[title] ?? 'UPSTREAM_INVALID_RESPONSE';
      expect(body.errors).toMatchObject([{ path: ['dataset', 'results', field], extensions: { code } }]);
      expect(headers['cache-control']).toBe('no-store');
      expect(bed.log.at(-1)).toContain(code);
    }
    expect(bed.calls()).toEqual([postResults({}), postResults({})]);
  });
});
