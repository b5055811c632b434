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
  postResults,
  start,
  type TestBed,
} from '../support/harness.ts';

/** A dataset with the farm that is the parent of its fields. */
const withFarm = {
  ...dataset,
  results: {
    assets: [
      assetResult('a'),
      { ...assetResult('b'), parent_asset_id: 'gone' },
      { ...assetResult('c'), parent_asset_id: null },
      { ...assetResult('farm'), parent_asset_id: null },
    ],
  },
};
const startFarm = () => start({ datasets: [withFarm] });

const ofAssets = (selection: string) => ofDataset(`results { series { nodes { asset ${selection} } } }`);
const nodes = (assets: unknown[]) => ({
  data: { dataset: { results: { series: { nodes: assets.map((asset) => ({ asset })) } } } },
});

/** The results come only when the metadata call is there. */
function holdResults({ simulator }: TestBed): void {
  const { opened, open } = gate();
  simulator.intercept(async ({ operation }) => {
    if (operation === 'getDatasetMetadata') open();
    else await opened;
    return undefined;
  });
}

// The values are compared by test/oracle; here are the calls.
describe('3.1 Asset.dataset', () => {
  it('needs no call for its id, and none for an asset that has a key and its dataset alone', async () => {
    const bed = await startFarm();
    const id = { dataset: { id: DATASET_ID } };
    const { body } = await bed.query(ofAssets('{ dataset { id } parent { asset { dataset { id } } } }'));
    const parents = [{ asset: id }, { asset: id }, { asset: null }, { asset: null }];
    expect(body).toEqual(nodes(parents.map((parent) => ({ ...id, parent }))));
    expect(bed.calls()).toEqual([postResults({})]);
    bed.simulator.clear();
    const alone = await bed.query(ofDataset('asset(assetId: "nobody") { assetId dataset { name } }'));
    const asset = { assetId: 'nobody', dataset: { name: 'Soil moisture' } };
    expect(alone.body).toEqual({ data: { dataset: { asset } } });
    expect(bed.calls()).toEqual([getSummary()]);
  });

  it('needs one metadata call for all assets, which starts with that for the results', async () => {
    const bed = await startFarm();
    holdResults(bed);
    const { body } = await bed.query(ofAssets('{ assetId dataset { name sharing } again: dataset { startDate } }'));
    const own = { dataset: { name: 'Soil moisture', sharing: 'SHARED' }, again: { startDate: '1704067200000' } };
    expect(body).toEqual(nodes(['a', 'b', 'c', 'farm'].map((assetId) => ({ assetId, ...own }))));
    expect(bed.calls().toSorted()).toEqual([getSummary(), postResults({})]);
  });

  it('of references needs one call for each dataset, which starts with that for the assets', async () => {
    const bed = await start();
    holdResults(bed);
    const references = ['a', 'b'].map((assetId) => assetReference(assetId));
    const { body } = await bed.query(ofEntities('... on Asset { name dataset { name } }'), {
      variables: { references },
    });
    const entity = (name: string) => ({ name, dataset: { name: 'Soil moisture' } });
    expect(body).toEqual({ data: { _entities: [entity('Field a'), entity('Field b')] } });
    expect(bed.calls().toSorted()).toEqual([getSummary(), postResults({ mo_ids: ['a', 'b'] })]);
  });
});

describe('3.2 Dataset.assetsByIds', () => {
  it('has the assets in the order of their ids, with the call that all assets share', async () => {
    const { query, calls } = await start();
    const document = ofDataset(`assetsByIds(assetIds: ["c", "nobody", "a", "c"]) { name } asset(assetId: "b") { name }
      none: assetsByIds(assetIds: []) { name } keys: assetsByIds(assetIds: ["x"]) { assetId }`);
    const asset = (id: string) => ({ name: `Field ${id}` });
    const assetsByIds = [asset('c'), null, asset('a'), asset('c')];
    expect((await query(document)).body).toEqual({
      data: { dataset: { assetsByIds, asset: asset('b'), none: [], keys: [{ assetId: 'x' }] } },
    });
    expect(calls()).toEqual([postResults({ mo_ids: ['c', 'nobody', 'a', 'b'] })]);
  });
});

describe('3.2 AssetParent.asset', () => {
  it('is a key without a call, else it is looked up in the dataset, and null where it is not there', async () => {
    const { query, calls, simulator } = await startFarm();
    const parents = (assets: unknown[]) => nodes(assets.map((asset) => ({ parent: { asset } })));
    const key = (assetId: string) => ({ __typename: 'Asset', datasetId: DATASET_ID, assetId });
    const keys = await query(ofAssets('{ parent { asset { __typename datasetId assetId } } }'));
    expect(keys.body).toEqual(parents([key('farm'), key('gone'), null, null]));
    expect(calls()).toEqual([postResults({})]);
    simulator.clear();
    const found = await query(ofAssets('{ parent { asset { name parent { name } series { rowCount } } } }'));
    const farm = { name: 'Field farm', parent: { name: 'Farm' }, series: { rowCount: 3 } };
    expect(found.body).toEqual(parents([farm, null, null, null]));
    // The results of all assets lack one.
    expect(calls()).toEqual([postResults({}), postResults({ mo_ids: ['gone'] })]);
  });

  it('is null where the service cannot be asked for it', async () => {
    const long = 'x'.repeat(201);
    const assets = [{ ...assetResult('a'), parent_asset_id: long }];
    const { query, calls } = await start({ datasets: [{ ...dataset, results: { assets } }] });
    const { body } = await query(ofAssets('{ parent { asset { name } } key: parent { asset { assetId } } }'));
    expect(body).toEqual(nodes([{ parent: { asset: null }, key: { asset: { assetId: long } } }]));
    expect(calls()).toEqual([postResults({})]);
  });
});
