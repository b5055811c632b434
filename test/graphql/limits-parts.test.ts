import { describe, expect, it } from 'vitest';
import { assetResult, DATASET_ID, ofDataset, respondWith, start, times } from '../support/harness.ts';
import { errorsOf, exceedsWork } from '../support/limits.ts';

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
      value: index === 9 ? 'NaN' : 1,
    }));
    respondWith(bed.simulator, { results: { assets: [{ ...assetResult('a'), results: [{ metrics }] }] } });
    const lists = (count: number) => {
      const each = times(count, (index) => `l${index}: metrics(names: $names) { name value }`);
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
    const metrics = Array.from({ length: 20_000 }, (_, index) => ({ name: `m${index}`, value: index && 'NaN' }));
    respondWith(bed.simulator, { results: { assets: [{ ...assetResult('a'), results: [{ metrics }] }] } });
    const { body } = await bed.query(ofDataset('results { series { nodes { metricNames } } }'));
    expect(body.errors).toBeUndefined();
    expect(body.data.dataset.results.series.nodes[0].metricNames).toEqual(metrics.map(({ name }) => name));
    expect(
      errorsOf(await bed.query(ofDataset('results { series { nodes { metricNames again: metricNames } } }'))),
    ).toEqual([exceedsWork('dataset.results.series.nodes.0.again', 6_000_000)]);
  });

  // Each row has another metric, so that the columns have as many values as the square of the rows.
  it('the values of columns, where rows are made into objects', async () => {
    const bed = await start({ env: { RESULTS_FAST_PATH: 'off', MAX_OPERATION_WORK: '1000000' } });
    const ask = async (rowCount: number) => {
      const results = Array.from({ length: rowCount }, (_, row) => ({
        value_date: 'd',
        metrics: [{ name: `m${row}`, value: row }],
      }));
      respondWith(bed.simulator, { results: { assets: [{ ...assetResult('a'), results }] } });
      return bed.query(ofDataset('results { series { nodes { columns { metrics { values } } } } }'));
    };
    const fits = await ask(150);
    expect(fits.body.errors).toBeUndefined();
    expect(fits.body.data.dataset.results.series.nodes[0].columns.metrics).toHaveLength(150);
    expect(errorsOf(await ask(170))).toEqual([exceedsWork('dataset.results.series.nodes.0.columns', 1_000_000)]);
  });
});
