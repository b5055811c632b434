import { describe, expect, it } from 'vitest';
import { assetResult, ofDataset, start } from '../support/harness.ts';
import { readSample, startMeasured } from '../support/metrics.ts';
import { pieces } from '../support/pieces.ts';

const env = { MAX_OPERATION_WORK: '1000000000000' };

const bodyOf = (assets: readonly object[]) => Buffer.from(JSON.stringify({ processing_id: 'p', assets }));
/** 4 MB. */
const large = bodyOf(Array.from({ length: 7000 }, (_, at) => assetResult(`x${at}`)));

/*
 * Clause 3.33 of docs/contract.md in detail: results of which an operation needs a part.
 * Of large results only the part is held that an operation needs, if it asks for one filter of a dataset, without asset
 * ids, and for no asset by its id: of pages the entries up to their last one (`first`), with further entries of the
 * same assets; of `totalCount`, `seriesCount`, `hasNextPage` and ids none; of `metricNames` the names. The body is read
 * to its end before the response begins, so that every error is the same. It comes no faster than it is read. Not so
 * for operations that select results again on the dataset of an asset, for merged calls, and with `CACHE`.
 */
describe('3.33 A large response of which a part is needed', () => {
  it.each([
    'results { series { totalCount } }',
    'results { processingId }',
    'results { series(first: 2) { nodes { version } pageInfo { hasNextPage } } }',
    'metricNames again: metricNames seriesCount',
  ])('fits a memory that has not room for it: %s', async (selection) => {
    // A cache keeps whole bodies.
    const [parts, whole] = await Promise.all([
      startMeasured({ env: { ...env, MEMORY_BUDGET: '4000000' } }),
      start({ env: { ...env, MEMORY_BUDGET: '4000000', CACHE: 'memory' } }),
    ]);
    for (const { simulator } of [parts, whole]) simulator.intercept(() => ({ body: large }));
    expect((await parts.query(ofDataset(selection))).body.errors).toBeUndefined();
    expect((await whole.query(ofDataset(selection))).body.errors[0]).toMatchObject({
      extensions: { code: 'UPSTREAM_RESPONSE_TOO_LARGE' },
    });
    expect(await readSample(parts, 'rest_memory_held_bytes')).toBe(0);
  });

  it.each([
    ['results { series { totalCount } }', { results: { series: { totalCount: 7000 } } }],
    ['seriesCount metricNames', { seriesCount: 7000, metricNames: ['moisture', 'temperature'] }],
  ])('counts the assets of more datasets than there is memory for: %s', async (selection, expected) => {
    const bed = await start({ env: { ...env, MEMORY_BUDGET: '100000000' } });
    bed.simulator.intercept(() => ({ status: 200, body: large }));
    const ids = Array.from({ length: 40 }, (_, index) => `d${index}`);
    const document = `query ($ids: [ID!]!) { datasetsByIds(ids: $ids) { ${selection} } }`;
    const { body } = await bed.query(document, { variables: { ids } });
    expect(body).toEqual({ data: { datasetsByIds: ids.map(() => expected) } });
    expect(bed.calls()).toHaveLength(40);
  });

  it('reserves memory for the names of metrics', async () => {
    const bed = await start({ env: { ...env, MEMORY_BUDGET: '12000000' } });
    const metrics = (from: number) =>
      Array.from({ length: 100 }, (_, index) => ({ name: 'x'.repeat(1000) + (from + index), value: 1 }));
    const assets = Array.from({ length: 150 }, (_, index) => ({
      ...{ asset_id: `a${index}`, results: [{ metrics: metrics(index * 100) }] },
    }));
    const body = bodyOf(assets);
    bed.simulator.intercept(() => ({ status: 200, body: pieces(body, [65_536]) }));
    const { data, errors } = (await bed.query(ofDataset('metricNames'))).body;
    expect(data).toEqual({ dataset: { metricNames: null } });
    expect(errors).toMatchObject([{ extensions: { code: expect.stringMatching(/^UPSTREAM_/) } }]);
    expect((await bed.query(ofDataset('seriesCount'))).body).toEqual({ data: { dataset: { seriesCount: 150 } } });
  });

  it('ends with its operation', async () => {
    const bed = await start({ env: { ...env, OPERATION_TIMEOUT_MS: '500' } });
    bed.simulator.intercept(() => ({
      body: (async function* () {
        yield* pieces(large.subarray(0, -1000), [65_536]);
        await new Promise(() => {});
      })(),
    }));
    const { errors } = (await bed.query(ofDataset('results { series { totalCount } }'))).body;
    expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_TIMEOUT' } }]);
    expect(await bed.simulator.requests[0]?.outcome).toBe('aborted');
  });
});
