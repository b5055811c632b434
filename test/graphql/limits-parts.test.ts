import { describe, expect, it } from 'vitest';
import { assetResult, DATASET_ID, ofDataset, respondWith, start, times } from '../support/harness.ts';

/*
 * Clause 3.27 of docs/contract.md in detail: work.
 * The unit of *work* is a byte of the response, which counts when it is written. Beyond the limit a value that can be null is null,
 * with its error; ids and what is the same for all assets are written on, until as much again is written: then the response ends with an
 * error. Other work counts as follows:
 *
 * work / units:
 * - a field that GraphQL execution completes on an object of a list (references, datasets, and entries of series whose
 *   assets need further calls): 2500
 * - each value of a literal list or object in the arguments of such a field: 2500
 * - an asset requested by its id: 40,000
 * - a download ticket: 150,000
 * - a character of an id, a URL or a text that GraphQL execution sends again; the first time, the service's texts count
 *   as bytes: 20
 * - a row that a field takes, a date or a value that is read of it, and a value that something is computed of: 1
 * - a value of which a deviation by period or date is computed: 6
 * - a value or a date that is sorted: 20
 */
describe('3.27 A dataset is charged for what it has', () => {
  it('of 10,000 rows one has 3000 metrics', async () => {
    const bed = await start();
    const metrics = Array.from({ length: 3000 }, (_, index) => ({ name: `metric ${index}`, value: index + 0.5 }));
    const results = Array.from({ length: 10_000 }, (_, index) => ({
      value_date: `day ${index}`,
      metrics: metrics.slice(0, index === 5000 ? 3000 : 1),
    }));
    respondWith(bed.simulator, { results: { assets: [{ ...assetResult('a'), results }] } });
    const selected = 'value: metrics { name value } again: metrics { name value }';
    const { body } = await bed.query(ofDataset(`results { series { nodes { rows { ${selected} } } } }`));
    expect(body.errors).toBeUndefined();
    expect(body.data.dataset.results.series.nodes[0].rows).toEqual(
      results.map((row) => ({ value: row.metrics, again: row.metrics })),
    );
  });
});

describe('3.27 A part is charged for what it has, and not for the whole', () => {
  it('of the joined responses of several calls, one attribute is selected often', async () => {
    const bed = await start({ env: { MAX_OPERATION_WORK: '2000000' } });
    const assetIds = Array.from({ length: 600 }, (_, index) => `a${index}`);
    const named = (id: string) => ({ ...assetResult(id), asset_name: `${id} ${'x'.repeat(1000)}` });
    bed.simulator.intercept(({ body }) => ({
      body: JSON.stringify({ assets: JSON.parse(body ?? '{}').mo_ids.map(named) }),
    }));
    const ids = times(9, (index) => `i${index}: assetId`);
    const { body } = await bed.query(
      `query ($ids: [ID!]) { dataset(id: "${DATASET_ID}") {
        results(filter: { assetIds: $ids }) { series { nodes { asset { name ${ids} } } } }
      } }`,
      { variables: { ids: assetIds } },
    );
    expect(body.errors).toBeUndefined();
    expect(body.data.dataset.results.series.nodes.map(({ asset }: { asset: { name: string } }) => asset.name)).toEqual(
      assetIds.map((id) => named(id).asset_name),
    );
    expect(bed.calls()).toHaveLength(2);
  });
});
