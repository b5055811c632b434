import { describe, expect, it } from 'vitest';
import { DATASET_ID, ofDataset, ofEntities, respondWith, start } from '../support/harness.ts';
import { receive, resultsPath } from '../support/results-files.ts';

const MESSAGE = 'This is an id of `Asset.id`, among the assets of all datasets. The `assetId` is needed here.';
const idOf = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url');

describe('3.5 An id of `Asset.id`', () => {
  it.each([
    ['asset', ofDataset('asset(assetId: ID) { assetId name }'), ['dataset', 'asset']],
    ['assetsByIds', ofDataset('assetsByIds(assetIds: ["a", ID]) { assetId name }'), ['dataset', 'assetsByIds', 1]],
    [
      'a filter',
      ofDataset('results(filter: { assetIds: ["a", ID] }) { series { totalCount } }'),
      ['dataset', 'results'],
    ],
  ])('is no `assetId`: %s', async (_title, document, path) => {
    const bed = await start();
    respondWith(bed.simulator, { results: { assets: [{ asset_id: 'a', asset_name: 'A' }] } });
    const { body } = await bed.query(ofDataset('asset(assetId: "a") { id }'));
    const { id } = body.data.dataset.asset;
    expect(id).toBe(idOf(DATASET_ID, 'a'));
    bed.simulator.clear();
    const { errors } = (await bed.query(document.replace('ID)', `"${id}")`).replace('ID]', `"${id}"]`))).body;
    expect(errors).toEqual([
      { message: MESSAGE, path, locations: expect.anything(), extensions: { code: 'BAD_USER_INPUT' } },
    ]);
    expect(bed.calls().filter((call) => call.includes(id))).toEqual([]);
  });

  it('is no `assetId` of an entity, nor of a file', async () => {
    const bed = await start();
    const id = idOf(DATASET_ID, 'a');
    const references = [{ __typename: 'Asset', datasetId: DATASET_ID, assetId: id }];
    const { body } = await bed.query(ofEntities('... on Asset { name }'), { variables: { references } });
    expect(body.data).toEqual({ _entities: [null] });
    expect(body.errors[0]).toMatchObject({ message: MESSAGE, path: ['_entities', 0] });
    const { status, text } = await receive(bed, resultsPath(`format=csv&assetId=${id}`));
    expect([status, JSON.parse(text).errors[0].message]).toEqual([400, MESSAGE]);
    expect(bed.calls()).toEqual([]);
  });

  it.each([
    ['another list', idOf('a')],
    ['a number in the list', idOf('a', 2)],
    ['three parts', idOf('a', 'b', 'c')],
    ['no JSON', 'WyJ'],
    ['white space in it', Buffer.from('["a", "b"]').toString('base64url')],
    ['an end of another encoding', `${idOf('a', 'bc')}=`],
  ])('is not what only looks like it: %s', async (_title, assetId) => {
    const bed = await start();
    respondWith(bed.simulator, { results: { assets: [{ asset_id: assetId, asset_name: 'A' }] } });
    const { body } = await bed.query(ofDataset(`asset(assetId: "${assetId}") { name }`));
    expect(body).toEqual({ data: { dataset: { asset: { name: 'A' } } } });
  });
});
