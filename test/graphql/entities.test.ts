import { describe, expect, it } from 'vitest';
import { errorAt } from '../support/expected-errors.ts';
import { assetReference, DATASET_ID, datasetReference, start } from '../support/harness.ts';
import { datasets, entities, OTHER_ID, ofMetadata, ofResults } from './absence.ts';

const MISSING_ID = 'missing';

/*
 * Clause 3.13 of docs/contract.md in detail.
 * Entities. `_entities` resolves `Dataset` by `id` and `Asset` by `datasetId assetId`. An invalid or failing reference
 * is null with one coded error, and does not affect the others. `Asset.id` is no key. It is base64url of the JSON
 * `["<datasetId>","<assetId>"]`, which clients must not rely on.
 */
describe('3.13 Entities', () => {
  const fields = '... on Dataset { id name } ... on Asset { datasetId assetId name }';
  const goodDataset = { id: DATASET_ID, name: 'Soil moisture' };
  const goodAsset = { datasetId: DATASET_ID, assetId: 'a', name: 'Field a' };
  const notFound = { status: 404, label: 'NOT_FOUND', labelSource: 'body' };

  it('keeps the order, and what else was asked for', async () => {
    const bed = await start({ datasets });
    bed.simulator.intercept(({ datasetId }) => (datasetId === 'failing' ? { status: 500 } : undefined));
    const { status, body } = await entities(
      bed,
      [
        assetReference('a'),
        datasetReference(MISSING_ID),
        { __typename: 'Dataset', id: OTHER_ID, name: 'what a router knows' },
        assetReference('a', 'failing'),
        assetReference('a', MISSING_ID),
        assetReference('z'),
        datasetReference('..'),
        datasetReference('failing'),
        datasetReference(),
        assetReference('a'),
      ],
      `__typename ${fields}`,
    );
    const failed = { status: 500, label: 'INTERNAL_SERVER_ERROR', labelSource: 'body' };
    expect(status).toBe(200);
    expect(body.data).toEqual({
      _entities: [
        { __typename: 'Asset', ...goodAsset },
        null,
        { __typename: 'Dataset', ...goodDataset, id: OTHER_ID },
        { __typename: 'Asset', datasetId: 'failing', assetId: 'a', name: null },
        null,
        null,
        null,
        { __typename: 'Dataset', id: 'failing', name: null },
        { __typename: 'Dataset', ...goodDataset },
        { __typename: 'Asset', ...goodAsset },
      ],
    });
    const byPath = (one: { path: unknown[] }, other: { path: unknown[] }) =>
      Number(one.path[1]) - Number(other.path[1]);
    expect(body.errors.toSorted(byPath)).toEqual([
      errorAt(['_entities', 1], 'NOT_FOUND', ofMetadata(notFound)),
      errorAt(['_entities', 3, 'name'], 'UPSTREAM_ERROR', ofResults(failed)),
      errorAt(['_entities', 4], 'NOT_FOUND', ofResults(notFound)),
      errorAt(['_entities', 6], 'BAD_USER_INPUT'),
      errorAt(['_entities', 7, 'name'], 'UPSTREAM_ERROR', ofMetadata(failed)),
    ]);
  });

  const notIds = [undefined, null, 5.5, 2 ** 53, true, { id: DATASET_ID }, [DATASET_ID], ''];
  const badDatasetIds = [...notIds, '.', '..', 'a\nb', '\ud800', 'x'.repeat(201)];

  it.each([
    ...badDatasetIds.map((id) => ({ __typename: 'Dataset', id })),
    ...badDatasetIds.map((datasetId) => ({ __typename: 'Asset', datasetId, assetId: 'a' })),
    ...[...notIds, 'x'.repeat(201)].map((assetId) => ({ __typename: 'Asset', datasetId: DATASET_ID, assetId })),
  ])('has null and one error for a bad key, and spares the rest: %j', async (representation) => {
    const bed = await start();
    for (const selection of [fields, '... on Dataset { id } ... on Asset { assetId }']) {
      const { body } = await entities(bed, [datasetReference(), representation, assetReference('a')], selection);
      const [before, bad, after] = body.data._entities;
      expect([before, after]).toEqual([
        expect.objectContaining({ id: DATASET_ID }),
        expect.objectContaining({ assetId: 'a' }),
      ]);
      expect(bad).toBeNull();
      expect(body.errors).toEqual([errorAt(['_entities', 1], 'BAD_USER_INPUT')]);
    }
    expect(bed.calls()).toHaveLength(2);
  });

  it.each([
    { __typename: 'Nope', id: DATASET_ID },
    { __typename: 'Query' },
    { __typename: 'DatasetResults', id: DATASET_ID },
    { __typename: 'toString' },
    { __typename: null, id: DATASET_ID },
    { __typename: ['Dataset'], id: DATASET_ID },
    { id: DATASET_ID },
    {},
    [],
    [datasetReference()],
    'Dataset',
    '',
    5,
    0,
    true,
    false,
    null,
  ])('refuses what is no reference to an entity: %j', async (representation) => {
    const bed = await start();
    const { status, body } = await entities(bed, [datasetReference(), representation], fields);
    expect({ status, body }).toEqual({ status: 200, body: { errors: [errorAt(undefined, 'BAD_USER_INPUT')] } });
    expect(bed.calls()).toEqual([]);
  });

  it.each(['{ __typename: "Nope", id: "x" }', '{ id: "x" }', '"Dataset"', '5', 'true', 'Dataset'])(
    'refuses in the document what is no reference to an entity: %s',
    async (representation) => {
      const bed = await start();
      const { status, body } = await bed.query(`{ _entities(representations: [${representation}]) { __typename } }`);
      const error = { message: expect.any(String), extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } };
      expect({ status, body }).toEqual({ status: 400, body: { errors: [error] } });
    },
  );
});
