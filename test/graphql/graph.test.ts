import { describe, expect, it } from 'vitest';
import {
  assetReference,
  assetResult,
  DATASET_ID,
  dataset,
  gate,
  getSummary,
  ofDataset,
  ofEntities,
  outline,
  postResults,
  type Setup,
  start,
  type TestBed,
} from '../support/harness.ts';

/** A dataset with the farm that is the parent of its fields. */
const withFarm = {
  ...dataset,
  results: {
    ...dataset.results,
    assets: [
      assetResult('a'),
      { ...assetResult('b'), parent_asset_id: 'gone' },
      { ...assetResult('c'), parent_asset_id: null },
      { ...assetResult('farm'), parent_asset_id: null },
    ],
  },
};

const startFarm = (setup: Setup = {}) => start({ datasets: [withFarm], ...setup });

/** The results come only when the metadata call is there. */
function holdResults(simulator: TestBed['simulator']): void {
  const { opened, open } = gate();
  simulator.intercept(async ({ operation }) => {
    if (operation === 'getDatasetMetadata') open();
    else await opened;
    return undefined;
  });
}

describe('3.1 Asset.dataset', () => {
  it('needs no call for its id', async () => {
    const { query, calls } = await startFarm();
    const selection = '{ datasetId dataset { __typename id } parent { asset { dataset { id } } } }';
    const { body } = await query(ofDataset(`results { series(first: 1) { nodes { asset ${selection} } } }`));
    const own = { __typename: 'Dataset', id: DATASET_ID };
    const asset = { datasetId: DATASET_ID, dataset: own, parent: { asset: { dataset: { id: DATASET_ID } } } };
    expect(body).toEqual({ data: { dataset: { results: { series: { nodes: [{ asset }] } } } } });
    expect(calls()).toEqual([postResults({})]);
  });

  it('needs one metadata call for all assets, which starts with that for the results', async () => {
    const { query, calls, simulator } = await startFarm();
    holdResults(simulator);
    const selection = '{ assetId dataset { name sharing processing { id name } startDate } }';
    const { body } = await query(
      ofDataset(`results { series { nodes { asset ${selection} } edges { node { asset { dataset { name } } } } } }`),
    );
    const { name } = dataset.metadata;
    const own = {
      name,
      sharing: 'SHARED',
      processing: { id: 'p-1', name: 'Moisture model' },
      startDate: '1704067200000',
    };
    const nodes = ['a', 'b', 'c', 'farm'].map((assetId) => ({ asset: { assetId, dataset: own } }));
    const edges = nodes.map(() => ({ node: { asset: { dataset: { name } } } }));
    expect(body).toEqual({ data: { dataset: { results: { series: { nodes, edges } } } } });
    expect(calls().toSorted()).toEqual([getSummary(), postResults({})]);
  });

  it('leads to fields that need other calls, and to fields with arguments', async () => {
    const { query, calls } = await startFarm();
    const fields = `startDateTime asset(assetId: "c") { name } results(filter: { assetIds: ["b"] }) { series { totalCount } }`;
    const { body } = await query(
      ofDataset(`results { series(first: 2) { nodes { asset { dataset { ${fields} } } } } }`),
    );
    const results = { series: { totalCount: 1 } };
    const own = { startDateTime: '2024-01-01T00:00:00.000Z', asset: { name: 'Field c' }, results };
    expect(body).toEqual({
      data: { dataset: { results: { series: { nodes: Array(2).fill({ asset: { dataset: own } }) } } } },
    });
    expect(calls().toSorted()).toEqual([getSummary(), postResults({})]);
  });

  it.each([
    [404, 'asset.dataset NOT_FOUND', null],
    [401, 'asset.dataset UNAUTHENTICATED', null],
    [403, 'asset.dataset.name FORBIDDEN', { id: DATASET_ID, name: null }],
  ])('has the error of the metadata call: %d', async (status, error, own) => {
    const { query, simulator } = await startFarm();
    simulator.intercept(({ operation }) => (operation === 'getDatasetMetadata' ? { status } : undefined));
    const fields = 'assetId dataset { id name } key: dataset { id }';
    const response = outline(await query(ofDataset(`results { series(first: 2) { nodes { asset { ${fields} } } } }`)));
    const nodes = ['a', 'b'].map((assetId) => ({ asset: { assetId, dataset: own, key: { id: DATASET_ID } } }));
    expect(response).toEqual({
      data: { dataset: { results: { series: { nodes } } } },
      errors: [0, 1].map((index) => `dataset.results.series.nodes.${index}.${error}`),
    });
  });
});

describe('3.1 Asset.dataset of one asset', () => {
  it('needs no call for the asset', async () => {
    const { query, calls } = await start();
    const { body } = await query(ofDataset('asset(assetId: "nobody") { assetId dataset { name } }'));
    expect(body).toEqual({ data: { dataset: { asset: { assetId: 'nobody', dataset: { name: 'Soil moisture' } } } } });
    expect(calls()).toEqual([getSummary()]);
  });

  it('of references needs one call for each dataset, which starts with that for the assets', async () => {
    const { query, calls, simulator } = await start();
    holdResults(simulator);
    const { body } = await query(ofEntities('... on Asset { name dataset { name } }'), {
      variables: { references: ['a', 'b'].map((assetId) => assetReference(assetId)) },
    });
    const entity = (name: string) => ({ name, dataset: { name: 'Soil moisture' } });
    expect(body).toEqual({ data: { _entities: [entity('Field a'), entity('Field b')] } });
    expect(calls().toSorted()).toEqual([getSummary(), postResults({ mo_ids: ['a', 'b'] })]);
  });
});

describe('3.2 Dataset.assetsByIds', () => {
  it('has the assets in the order of their ids, with the call that all assets share', async () => {
    const { query, calls } = await start();
    const { body } = await query(
      ofDataset(`
        assetsByIds(assetIds: ["c", "nobody", "a", "c"]) { name series { rowCount } }
        asset(assetId: "b") { name }
      `),
    );
    const asset = (id: string) => ({ name: `Field ${id}`, series: { rowCount: 3 } });
    expect(body).toEqual({
      data: { dataset: { assetsByIds: [asset('c'), null, asset('a'), asset('c')], asset: { name: 'Field b' } } },
    });
    expect(calls()).toEqual([postResults({ mo_ids: ['c', 'nobody', 'a', 'b'] })]);
  });

  it('needs no call for no ids, and none for keys', async () => {
    const { query, calls } = await start();
    const { body } = await query(
      ofDataset('none: assetsByIds(assetIds: []) { name } keys: assetsByIds(assetIds: ["x"]) { assetId }'),
    );
    expect(body).toEqual({ data: { dataset: { none: [], keys: [{ assetId: 'x' }] } } });
    expect(calls()).toEqual([]);
  });

  it('is null with an error where an id is invalid', async () => {
    const { query } = await start();
    const long = 'x'.repeat(201);
    const response = outline(
      await query(ofDataset(`assetsByIds(assetIds: ["a", "", "${long}", "${long.slice(1)}"]) { name }`)),
    );
    expect(response).toEqual({
      data: { dataset: { assetsByIds: [{ name: 'Field a' }, null, null, null] } },
      errors: ['dataset.assetsByIds.1 BAD_USER_INPUT', 'dataset.assetsByIds.2 BAD_USER_INPUT'],
    });
  });
});

describe('3.2 AssetParent.asset', () => {
  const ofAssets = (selection: string) => ofDataset(`results { series { nodes { asset { parent ${selection} } } } }`);
  const nodes = (parents: unknown[]) => ({
    data: { dataset: { results: { series: { nodes: parents.map((parent) => ({ asset: { parent } })) } } } },
  });

  it('is a key without a call', async () => {
    const { query, calls } = await startFarm();
    const { body } = await query(ofAssets('{ name asset { __typename datasetId assetId } }'));
    const key = (assetId: string) => ({
      name: 'Farm',
      asset: { __typename: 'Asset', datasetId: DATASET_ID, assetId },
    });
    const none = { name: 'Farm', asset: null };
    expect(body).toEqual(nodes([key('farm'), key('gone'), none, none]));
    expect(calls()).toEqual([postResults({})]);
  });

  it('is looked up in the dataset, and null where it is not there', async () => {
    const { query, calls } = await startFarm();
    const { body } = await query(ofAssets('{ asset { name parent { name } series { rowCount } } }'));
    const farm = { asset: { name: 'Field farm', parent: { name: 'Farm' }, series: { rowCount: 3 } } };
    expect(body).toEqual(nodes([farm, { asset: null }, { asset: null }, { asset: null }]));
    // The results of all assets lack one.
    expect(calls()).toEqual([postResults({}), postResults({ mo_ids: ['gone'] })]);
  });

  it('is null where the service cannot be asked for it', async () => {
    const assets = [{ ...assetResult('a'), parent_asset_id: 'x'.repeat(201) }];
    const { query, calls } = await start({ datasets: [{ ...dataset, results: { assets } }] });
    expect((await query(ofAssets('{ asset { name } }'))).body).toEqual(nodes([{ asset: null }]));
    expect((await query(ofAssets('{ asset { assetId } }'))).body).toEqual(
      nodes([{ asset: { assetId: 'x'.repeat(201) } }]),
    );
    expect(calls()).toEqual([postResults({}), postResults({})]);
  });
});
