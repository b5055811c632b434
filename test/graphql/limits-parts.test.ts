import { describe, expect, it } from 'vitest';
import { assetResult, DATASET_ID, ofDataset, respondWith, start, times } from '../support/harness.ts';
import { errorsOf, exceedsWork } from '../support/limits.ts';

/*
 * Clause 3.27 of docs/contract.md in detail: work.
 * The unit of *work* is a byte of the response. All work is charged before it is done: of a field that needs the rows
 * of an asset, its upper limit or its exact size; what it does not need is given back. A page is charged for what it
 * writes, never for what it skips. Other work counts as follows:
 *
 * work / units:
 * - a field that GraphQL execution completes on an object of a list (references, datasets, and entries of series whose
 *   assets need further calls): 2500
 * - each value of a literal list or object in the arguments of such a field: 2500
 * - an asset requested by its id: 40,000
 * - a download ticket: 150,000
 * - a character of an id, a URL or a text that GraphQL execution sends again; the first time, the service's texts count
 *   as bytes: 20
 * - an entry of results that is written again in another `nodes` or `edges`, besides its bytes: 600
 * - a row that `offset` skips: 8
 * - a value of a row that is written again under another alias, besides its bytes: 8
 * - a byte of rows that have to be decoded because they hold odd data, from the fourth field on that needs them: 20
 * - a value of a column that is built of such rows: 40
 * - a metric of such rows that is looked at for a list of chosen metrics: 2
 * - a name of a metric, where the distinct names are collected; from the thousandth of such rows on: 20; 250
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

  it('of an odd row, few metrics are selected under many aliases', async () => {
    const bed = await start({ env: { MAX_OPERATION_WORK: '1000000' } });
    const metrics = Array.from({ length: 20_000 }, (_, index) => ({
      name: `m${index}`,
      value: index === 9 ? 'none' : 1,
    }));
    respondWith(bed.simulator, { results: { assets: [{ ...assetResult('a'), results: [{ metrics }] }] } });
    const lists = (count: number) => {
      const each = times(count, (index) => `l${index}: metrics(metrics: $names) { name value }`);
      return bed.query(
        `query ($names: [String!]) { dataset(id: "${DATASET_ID}") { results { series { nodes { rows { ${each} } } } } } }`,
        { variables: { names: ['m1', 'm2'] } },
      );
    };
    const { body } = await lists(20);
    expect(body.errors).toBeUndefined();
    expect(body.data.dataset.results.series.nodes[0].rows[0].l19).toEqual(metrics.slice(1, 3));
    // To look for them is work, too.
    expect(errorsOf(await lists(30))).toEqual([exceedsWork('dataset.results.series.nodes.0.rows', 1_000_000)]);
  });

  it('odd rows have many different names', async () => {
    const bed = await start({ env: { MAX_OPERATION_WORK: '6000000' } });
    const metrics = Array.from({ length: 20_000 }, (_, index) => ({ name: `m${index}`, value: index && 'none' }));
    respondWith(bed.simulator, { results: { assets: [{ ...assetResult('a'), results: [{ metrics }] }] } });
    const { body } = await bed.query(ofDataset('results { series { nodes { metricNames } } }'));
    expect(body.errors).toBeUndefined();
    expect(body.data.dataset.results.series.nodes[0].metricNames).toEqual(metrics.map(({ name }) => name));
    expect(
      errorsOf(await bed.query(ofDataset('results { series { nodes { metricNames again: metricNames } } }'))),
    ).toEqual([exceedsWork('dataset.results.series.nodes.0.again', 6_000_000)]);
  });

  // Each row has another metric, so that the columns have as many values as the square of the rows.
  it('the values of columns of odd rows', async () => {
    const bed = await start({ env: { MAX_OPERATION_WORK: '1000000' } });
    const ask = async (rowCount: number) => {
      const results = Array.from({ length: rowCount }, (_, row) => ({
        value_date: 5,
        metrics: [{ name: `m${row}`, value: row }],
      }));
      respondWith(bed.simulator, { results: { assets: [{ ...assetResult('a'), results }] } });
      return bed.query(ofDataset('results { series { nodes { columns { metrics { values } } } } }'));
    };
    const fits = await ask(140);
    expect(fits.body.errors).toBeUndefined();
    expect(fits.body.data.dataset.results.series.nodes[0].columns.metrics).toHaveLength(140);
    expect(errorsOf(await ask(155))).toEqual([exceedsWork('dataset.results.series.nodes.0.columns', 1_000_000)]);
  });
});
