import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Fault } from '../../simulator/src/faults.ts';
import { days, row } from '../support/aggregates.ts';
import { ofDataset, postResults, start } from '../support/harness.ts';
import { readSample, startMeasured } from '../support/metrics.ts';
import { pieces } from '../support/pieces.ts';
import { receive, resultsPath } from '../support/results-files.ts';

const HOLD_BYTES = 2 ** 20;
/** What an operation need not reserve. */
const FREE_BYTES = 2 ** 20;
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
  it('is right however the response arrives, in one call', async () => {
    const bed = await startMeasured({ env });
    for (const sizes of [[65_536], [1, 1000, 300_000], [large.length]]) {
      bed.simulator.clear();
      bed.simulator.intercept(() => ({ body: pieces(large, sizes) }));
      expect((await bed.query(byDate)).body).toEqual(expected());
      expect(bed.calls()).toEqual([postResults({})]);
    }
    expect(bed.subgraph.oddRows.count).toBe(0);
    expect(await readSample(bed, 'rest_memory_held_bytes')).toBe(0);
  });

  it('does not hold the response', async () => {
    // Less than the response.
    const bed = await start({ env: { ...env, MEMORY_BUDGET: '8000000' } });
    bed.simulator.intercept(() => ({ body: pieces(large, [65_536]) }));
    expect((await bed.query(byDate)).body).toEqual(expected());
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

  it('reserves memory for each value of quantiles, and for none of what else is computed', async () => {
    const sizes = fc.record({
      // An asset is held as a whole: of few, each is as large as the memory.
      assets: fc.integer({ min: 12, max: 40 }),
      metrics: fc.integer({ min: 4, max: 12 }),
      values: fc.constantFrom(160_000, 400_000),
    });
    await fc.assert(
      fc.asyncProperty(sizes, async ({ assets, metrics, values: most }) => {
        // A value takes 8 to 26 bytes, and about 23 in the body: a megabyte need not be reserved.
        const count = Math.ceil(most / assets / metrics);
        const names = Array.from({ length: metrics }, (_, metric) => String.fromCharCode(97 + metric));
        const values = Object.fromEntries(names.map((name, metric) => [name, metric % 10]));
        const rows = Array.from({ length: count }, () => row('2024-01-01', values));
        const body = bodyOf(...Array.from({ length: assets }, (_, index) => assetOf(index, rows)));
        const held = 1.5 * HOLD_BYTES;
        const ask = async (selection: string, bytes: number) => {
          const bed = await start({ env: { ...env, MEMORY_BUDGET: String(Math.round(bytes)) } });
          bed.simulator.intercept(() => ({ headers: { 'content-length': String(body.length) }, body }));
          return (await bed.query(ofDataset(`results { ${selection} }`))).body;
        };
        const all = assets * count * metrics;
        // Memory for half of what has to be reserved is not enough.
        const less = held + (8 * all - FREE_BYTES) / 2;
        const shown = Object.values(values).map((value) => ({ quantiles: [value] }));
        for (const field of ['statistics { count }', 'byDate { metrics { counts } }'])
          expect(await ask(field, less)).not.toHaveProperty('errors');
        for (const field of ['statistics', 'byDate']) {
          const selection =
            field === 'byDate' ? 'byDate { metrics { quantiles(of: 1) } }' : 'statistics { quantiles(of: 1) }';
          expect(await ask(selection, less)).toMatchObject({
            data: { dataset: { results: { [field]: null } } },
            errors: [{ extensions: { code: 'UPSTREAM_RESPONSE_TOO_LARGE' } }],
          });
        }
        // The last part of the memory of each metric may have no value yet.
        const more = 2.5 * held + 26 * (all + 16_384 * metrics);
        expect(await ask('statistics { quantiles(of: 1) }', more)).toEqual({
          data: { dataset: { results: { statistics: shown } } },
        });
        expect(await ask('byDate { metrics { quantiles(of: 1) } }', more)).toEqual({
          data: {
            dataset: { results: { byDate: { metrics: shown.map(({ quantiles }) => ({ quantiles: [quantiles] })) } } },
          },
        });
      }),
      { numRuns: 2 },
    );
  });

  it('reserves memory for each date of each metric', async () => {
    const dates = Array.from({ length: 10_000 }, (_, index) => row(`${index}`, { m: index }));
    const others = Array.from({ length: 9 }, (_, index) => [row('0', { [`m${index}`]: index })]);
    const body = bodyOf(...[dates, ...others].map((rows, index) => assetOf(index, rows)));
    const ask = async (list: string, MEMORY_BUDGET: string) => {
      const bed = await start({ env: { ...env, MEMORY_BUDGET } });
      bed.simulator.intercept(() => ({ body }));
      return (await bed.query(ofDataset(`results { byDate { metrics { ${list} } } }`))).body;
    };
    const tooLarge = [{ extensions: { code: 'UPSTREAM_RESPONSE_TOO_LARGE' } }];
    expect(await ask('counts', '14000000')).not.toHaveProperty('errors');
    expect(await ask('standardDeviations', '14000000')).toMatchObject({ errors: tooLarge });
    expect(await ask('counts', '8000000')).toMatchObject({ errors: tooLarge });
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

  it('is that of the last list where it has assets twice', async () => {
    const last = assetOf(0, days('2023-01-01', [1, 2]));
    const bed = await start({ env });
    for (const document of Object.values(documents)) {
      bed.simulator.intercept(() => ({
        body: Buffer.concat([large.subarray(0, -1), Buffer.from(`,"assets":[${last}]}`)]),
      }));
      const { body } = await bed.query(document);
      bed.simulator.intercept(() => ({ body: Buffer.from(`{"processing_id":"p","assets":[${last}]}`) }));
      expect(body).toEqual((await bed.query(document)).body);
      expect(body.errors).toBeUndefined();
    }
  });

  it('names a row behind what is held back', async () => {
    const bed = await start({ env });
    const odd = [...days('2023-01-01', [1, 2]), row('2023-01-03', { m: 'secret' })];
    bed.simulator.intercept(() => ({
      body: Buffer.concat([large.subarray(0, -2), Buffer.from(`,${assetOf(ASSETS, odd)}]}`)]),
    }));
    const { body } = await bed.query(byDate);
    expect(body.data).toEqual({ dataset: { results: { processingId: 'p', byDate: null } } });
    expect(body.errors).toMatchObject([
      {
        message: `The dataset service sent an invalid response: row 2 of series ${ASSETS} has a value of a wrong type.`,
        path: ['dataset', 'results', 'byDate'],
        extensions: { code: 'UPSTREAM_INVALID_RESPONSE' },
      },
    ]);
  });

  it('has no quantiles of more than 5,000,000 values, and all else', { timeout: 300_000 }, async () => {
    const bed = await start({
      env: { ...env, MEMORY_BUDGET: '1000000000', UPSTREAM_MAX_BYTES: '500000000', MAX_OPERATION_WORK: '1000000000' },
    });
    const METRICS = 50;
    const metrics = `[${Array.from({ length: METRICS }, (_, index) => `{"name":"${index}","value":${index}}`)}]`;
    const rows = (count: number) =>
      `{"asset_id":"a","results":[${Array(count).fill(`{"value_date":"2024-01-01","metrics":${metrics}}`)}]}`;
    const thousand = rows(1000);
    const message =
      'Quantiles are computed of at most 5,000,000 values, with those of all metrics. Select fewer assets, a shorter time range or fewer metrics.';
    for (const more of [0, 1]) {
      bed.simulator.intercept(() => ({
        body: `{"assets":[${Array(100).fill(thousand)}${`,${rows(1)}`.repeat(more)}]}`,
      }));
      const count = 100_000 + more;
      const ofMetric = (index: number) => (more === 0 ? [index] : null);
      const errorsAt = (...path: string[]) =>
        Array.from({ length: METRICS }, (_, index) => ({
          message,
          path: ['dataset', 'results', ...path, index, 'quantiles'],
          locations: [expect.anything()],
          extensions: { code: 'REQUEST_LIMIT_EXCEEDED' },
        }));
      const byDate = await bed.query(
        ofDataset('results { byDate { dates metrics { counts sums quantiles(of: 0.5) } } }'),
      );
      expect(byDate.body.data.dataset.results.byDate).toEqual({
        dates: ['2024-01-01'],
        metrics: Array.from({ length: METRICS }, (_, index) => ({
          ...{ counts: [count], sums: [index * count] },
          quantiles: more === 0 ? [[index]] : null,
        })),
      });
      expect(byDate.body.errors).toEqual(more === 0 ? undefined : errorsAt('byDate', 'metrics'));
      const statistics = await bed.query(ofDataset('results { statistics { count mean quantiles(of: 0.5) } }'));
      expect(statistics.body.data.dataset.results.statistics).toEqual(
        Array.from({ length: METRICS }, (_, index) => ({ count, mean: index, quantiles: ofMetric(index) })),
      );
      expect(statistics.body.errors).toEqual(more === 0 ? undefined : errorsAt('statistics'));
      const file = await receive(bed, resultsPath('format=csv&of=byDate&quantile=0.5'));
      const refused = { errors: [{ message, extensions: { code: 'REQUEST_LIMIT_EXCEEDED' } }] };
      if (more === 0) expect(file.isComplete).toBe(true);
      else expect([file.status, JSON.parse(file.text)]).toEqual([400, refused]);
      expect(await receive(bed, resultsPath('format=csv&of=byDate'))).toMatchObject({ status: 200, isComplete: true });
    }
  });
});
