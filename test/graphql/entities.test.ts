import { describe, expect, it } from 'vitest';
import { errorAt } from '../support/expected-errors.ts';
import {
  assetReference,
  DATASET_ID,
  dataset,
  datasetReference,
  ofEntities,
  start,
  type TestBed,
} from '../support/harness.ts';

const MISSING_ID = 'missing';
const OTHER_ID = 'other';
const datasets = [dataset, { ...dataset, metadata: { ...dataset.metadata, id: OTHER_ID } }];

const entities = ({ query }: TestBed, references: readonly unknown[], fields: string) =>
  query(ofEntities(fields), { variables: { references } });

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
    const more = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`key${index}`, 1]));
    const bed = await start({ datasets });
    bed.simulator.intercept(({ datasetId }) => (datasetId === 'failing' ? { status: 500 } : undefined));
    const { status, body } = await entities(
      bed,
      [
        assetReference('a'),
        datasetReference(MISSING_ID),
        { __typename: 'Dataset', id: OTHER_ID, name: 'what a router knows', ...more },
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
      errorAt(['_entities', 1], 'NOT_FOUND', { operation: 'getDatasetMetadata', ...notFound }),
      errorAt(['_entities', 3, 'name'], 'UPSTREAM_ERROR', { operation: 'getDatasetResults', ...failed }),
      errorAt(['_entities', 4], 'NOT_FOUND', { operation: 'getDatasetResults', ...notFound }),
      errorAt(['_entities', 6], 'BAD_USER_INPUT'),
      errorAt(['_entities', 7, 'name'], 'UPSTREAM_ERROR', { operation: 'getDatasetMetadata', ...failed }),
    ]);
  });

  const notIds = [undefined, null, 5.5, 2 ** 53, true, { id: DATASET_ID }, [DATASET_ID], ''];
  const badDatasetIds = [...notIds, '.', '..', 'a\nb', '\ud800', 'x'.repeat(201)];

  it('has null and one error for a bad key, and spares the rest', async () => {
    const bed = await start();
    for (const representation of [
      ...badDatasetIds.map((id) => ({ __typename: 'Dataset', id })),
      ...badDatasetIds.map((datasetId) => ({ __typename: 'Asset', datasetId, assetId: 'a' })),
      ...[...notIds, 'x'.repeat(201)].map((assetId) => ({ __typename: 'Asset', datasetId: DATASET_ID, assetId })),
    ])
      for (const selection of [fields, '... on Dataset { id } ... on Asset { assetId }']) {
        const { body } = await entities(bed, [datasetReference(), representation, assetReference('a')], selection);
        expect([representation, body]).toEqual([
          representation,
          {
            data: {
              _entities: [expect.objectContaining({ id: DATASET_ID }), null, expect.objectContaining({ assetId: 'a' })],
            },
            errors: [errorAt(['_entities', 1], 'BAD_USER_INPUT')],
          },
        ]);
      }
    // Each time for the two others.
    expect(new Set(bed.calls()).size).toBe(2);
  });

  it('refuses what is no reference to an entity, as a variable and in the document', async () => {
    const bed = await start();
    const objects = ['Nope', 'Query', 'DatasetResults', 'toString', null, ['Dataset']].map((__typename) => ({
      __typename,
      id: DATASET_ID,
    }));
    for (const representation of [
      ...objects,
      { id: DATASET_ID },
      {},
      [],
      [datasetReference()],
      'Dataset',
      '',
      5,
      true,
      null,
    ]) {
      const { status, body } = await entities(bed, [datasetReference(), representation], fields);
      expect([representation, status, body]).toEqual([
        representation,
        200,
        { errors: [errorAt(undefined, 'BAD_USER_INPUT')] },
      ]);
    }
    for (const representation of [
      '{ __typename: "Nope", id: "x" }',
      '{ id: "x" }',
      '"Dataset"',
      '5',
      'true',
      'Dataset',
    ]) {
      const { status, body } = await bed.query(`{ _entities(representations: [${representation}]) { __typename } }`);
      const error = { message: expect.any(String), extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } };
      expect([representation, status, body]).toEqual([representation, 400, { errors: [error] }]);
    }
    expect(bed.calls()).toEqual([]);
  });
});
