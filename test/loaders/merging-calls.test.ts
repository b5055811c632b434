import { describe, expect, it } from 'vitest';
import {
  assetReference,
  DATASET_ID,
  datasetReference,
  getSummary,
  ofDataset,
  ofEntities,
  postResults,
  start,
} from '../support/harness.ts';
import { anyOrder, askedFor, datasetOf, filters, ids, NODES, nodes } from '../support/merging.ts';

const ENTITIES = ofEntities('... on Asset { assetId name } ... on Dataset { id asset(assetId: "b") { name } }');

const numbered = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);

/*
 * Clause 3.2 of docs/contract.md in detail.
 * Fewest calls, counted per GraphQL operation:
 * - Each distinct dataset takes one metadata call.
 * - Identical filters take one results call, however often they occur.
 * - Assets of one dataset and one time range share one call with the union of their ids, whether they are requested
 *   singly or in lists. The union is cut into chunks of `ASSET_IDS_PER_CALL`. A longer filter is cut in the same way,
 *   and its parts are joined in that order.
 * - If a call without asset ids is needed anyway, it serves these assets too. One more call requests all the assets
 *   that it lacks.
 * - Different time ranges are never merged, because the specification does not say whether the bounds belong to a
 *   range.
 * - An asset's attributes come with any call of the operation that requests the asset. Only if that response lacks the
 *   asset, a call without a time range requests them.
 */
describe('3.2 Fewest calls', () => {
  it('makes one GET and one POST for a dataset under twenty aliases', async () => {
    const { query, calls } = await start();
    const aliases = numbered('alias', 20);
    const { body } = await query(
      `{ ${aliases.map((alias) => `${alias}: dataset(id: "${DATASET_ID}") { id name results ${NODES} }`).join(' ')} }`,
    );
    const expected = { id: DATASET_ID, name: 'Soil moisture', results: nodes('abc') };
    expect(body).toEqual({ data: Object.fromEntries(aliases.map((alias) => [alias, expected])) });
    expect(calls().toSorted()).toEqual([getSummary(), postResults({})]);
  });

  it('makes one POST for fifty assets, under aliases or as references', async () => {
    const assetIds = numbered('asset', 50);
    const bed = await start({ datasets: [datasetOf(assetIds)] });
    const aliases = await bed.query(
      ofDataset(assetIds.map((id) => `${id}: asset(assetId: "${id}") { name }`).join(' ')),
    );
    const data = Object.fromEntries(assetIds.map((id) => [id, { name: `Field ${id}` }]));
    expect(aliases.body).toEqual({ data: { dataset: data } });
    const references = await bed.query(ENTITIES, {
      variables: { references: assetIds.map((assetId) => assetReference(assetId)) },
    });
    expect(references.body).toEqual({
      data: { _entities: assetIds.map((assetId) => ({ assetId, name: `Field ${assetId}` })) },
    });
    expect(filters(bed)).toEqual(Array(2).fill({ mo_ids: assetIds.toSorted() }));
  });

  it('puts the wants of Dataset and of Asset references into one POST', async () => {
    const bed = await start();
    const { body } = await bed.query(ENTITIES, {
      variables: {
        references: [assetReference('a'), datasetReference(), assetReference('c')],
      },
    });
    expect(body).toEqual({
      data: {
        _entities: [
          { assetId: 'a', name: 'Field a' },
          { id: DATASET_ID, asset: { name: 'Field b' } },
          { assetId: 'c', name: 'Field c' },
        ],
      },
    });
    expect(filters(bed)).toEqual([{ mo_ids: ['a', 'b', 'c'] }]);
  });

  describe('ASSET_IDS_PER_CALL', () => {
    const ask = (assetIds: readonly string[]) => ofDataset(`results(filter: { ${ids(...assetIds)} }) ${NODES}`);

    it.each([
      { title: 'the limit', count: 3, sizes: [3] },
      { title: 'one more than twice the limit', count: 7, sizes: [3, 3, 1] },
    ])('cuts a filter of $title into calls of $sizes', async ({ count, sizes }) => {
      const assetIds = numbered('asset', count);
      const bed = await start({ env: { ASSET_IDS_PER_CALL: '3' }, datasets: [datasetOf(assetIds)] });
      const { body } = await bed.query(ask(assetIds));
      expect(body).toEqual({ data: { dataset: { results: nodes(assetIds) } } });
      expect(anyOrder(bed.filters())).toEqual(
        anyOrder(sizes.map((size, call) => ({ mo_ids: assetIds.slice(3 * call, 3 * call + size) }))),
      );
    });

    it('is 500 unless set', async () => {
      const bed = await start({ datasets: [datasetOf([])] });
      const { body } = await bed.query(ask(numbered('asset', 501)));
      expect(body).toEqual({ data: { dataset: { results: nodes([]) } } });
      expect(bed.simulator.requests.map((request) => askedFor(request)?.length).toSorted()).toEqual([1, 500]);
    });
  });
});
