import { describe, expect, it } from 'vitest';
import { errorAt } from '../support/expected-errors.ts';
import {
  assetReference,
  DATASET_ID,
  datasetReference,
  getSummary,
  ofDataset,
  ofEntities,
  postResults,
  start,
  times,
} from '../support/harness.ts';
import { errorsOf, exceeded, exceedsWork, expectExecuted } from '../support/limits.ts';

describe('3.27 Limits on what an operation asks for', () => {
  it('the SDL of the schema five times, and no more, under all aliases together', async () => {
    const { query } = await start();
    const sdl = expect.stringContaining('type Dataset');
    const five = await query('{ a: _service { sdl b: sdl } c: _service { sdl b: sdl d: sdl } }');
    expect(five.body).toEqual({ data: { a: { sdl, b: sdl }, c: { sdl, b: sdl, d: sdl } } });
    const six = await query('{ a: _service { sdl b: sdl c: sdl } d: _service { sdl b: sdl c: sdl } }');
    expect(six.body).toEqual({
      data: { a: { sdl, b: sdl, c: sdl }, d: { sdl, b: sdl, c: null } },
      errors: [
        {
          ...errorAt(['d', 'c'], 'REQUEST_LIMIT_EXCEEDED'),
          message: 'The operation selects the SDL of the schema more than 5 times.',
        },
      ],
    });
    // The next operation may again.
    expect((await query('{ _service { sdl } }')).body).toEqual({ data: { _service: { sdl } } });
  });

  it('1000 datasets, and no more, under all aliases together', async () => {
    const bed = await start();
    const document =
      'query ($ids: [ID!]!, $more: [ID!]!) { datasetsByIds(ids: $ids) { id } more: datasetsByIds(ids: $more) { id } }';
    const ids = (count: number) => Array.from({ length: count }, () => DATASET_ID);
    const most = await bed.query(document, { variables: { ids: ids(600), more: ids(400) } });
    expect([most.body.errors, most.body.data.datasetsByIds.length, most.body.data.more.length]).toEqual([
      undefined,
      600,
      400,
    ]);
    const tooMany = await bed.query(document, { variables: { ids: ids(600), more: ids(401) } });
    expect(tooMany.status).toBe(200);
    expect(errorsOf(tooMany)).toEqual([exceeded('more', 'The operation names more than 1000 datasets.')]);
    expect(bed.calls()).toEqual([]);
  });

  it('5000 representations, and no more, under all aliases together', async () => {
    const bed = await start();
    const document =
      'query ($r: [_Any!]!, $s: [_Any!]!) { _entities(representations: $r) { __typename } more: _entities(representations: $s) { __typename } }';
    const references = (count: number) => Array.from({ length: count }, (_, index) => datasetReference(`d${index}`));
    const most = await bed.query(document, { variables: { r: references(3000), s: references(2000) } });
    expect([most.body.errors, most.body.data.more.length]).toEqual([undefined, 2000]);
    const tooMany = await bed.query(document, { variables: { r: references(3000), s: references(2001) } });
    expect([tooMany.status, tooMany.body.data.r, tooMany.body.data.more]).toEqual([
      200,
      undefined,
      Array(2001).fill(null),
    ]);
    expect(errorsOf(tooMany)).toEqual([
      exceeded('more', 'The operation has more than 5000 different representations (MAX_REPRESENTATIONS).'),
    ]);
    expect(bed.calls()).toEqual([]);
  });

  it('repeated representations count once', async () => {
    const bed = await start({ env: { MAX_REPRESENTATIONS: '2' } });
    const references = Array.from({ length: 6000 }, (_, index) =>
      index % 2 === 0 ? datasetReference() : assetReference('a'),
    );
    const { body } = await bed.query(ofEntities('... on Dataset { name } ... on Asset { title: name }'), {
      variables: { references },
    });
    expect(body.errors).toBeUndefined();
    expect(body.data._entities).toHaveLength(6000);
    expect(new Set(body.data._entities.map((each: object) => JSON.stringify(each)))).toEqual(
      new Set(['{"name":"Soil moisture"}', '{"title":"Field a"}']),
    );
    expect(bed.calls()).toEqual([getSummary(), postResults({ mo_ids: ['a'] })]);
  });

  it('MAX_REPRESENTATIONS is a setting', async () => {
    const { query } = await start({ env: { MAX_REPRESENTATIONS: '1' } });
    const ask = (...ids: string[]) =>
      query(ofEntities('__typename'), { variables: { references: ids.map((id) => datasetReference(id)) } });
    expect((await ask('a')).body).toEqual({ data: { _entities: [{ __typename: 'Dataset' }] } });
    const tooMany = await ask('a', 'b', 'a');
    expect([tooMany.status, tooMany.body.data]).toEqual([200, { _entities: [null, null, null] }]);
    expect(errorsOf(tooMany)).toEqual([
      exceeded('_entities', 'The operation has more than 1 different representations (MAX_REPRESENTATIONS).'),
    ]);
  });

  it('10000 asset ids in all filters together, and no more', async () => {
    const bed = await start({ env: { ASSET_IDS_PER_CALL: '10000' } });
    const document = `query ($id: ID!, $ids: [ID!], $more: [ID!]) { dataset(id: $id) { id
      a: results(filter: { assetIds: $ids }) { sourceId } b: results(filter: { assetIds: $more }) { sourceId } } }`;
    const ids = (count: number) => Array.from({ length: count }, (_, index) => `a${index}`);
    const ask = (count: number) =>
      bed.query(document, { variables: { id: DATASET_ID, ids: ids(6000), more: ids(count) } });
    const tooMany = await ask(4001);
    expect(errorsOf(tooMany)).toEqual([
      exceeded('dataset', 'The filters of the operation have more than 10000 asset ids.'),
    ]);
    expect(bed.calls()).toEqual([]);
    const most = await ask(4000);
    expect(most.body).toEqual({
      data: { dataset: { id: DATASET_ID, a: { sourceId: 's-1' }, b: { sourceId: 's-1' } } },
    });
    expect(bed.calls()).toEqual([postResults({ mo_ids: ids(6000) })]);
  });

  it('10000 assets by their ids, where these are all that is selected, and no more', async () => {
    const bed = await start();
    const document = `query ($ids: [ID!]!) { dataset(id: "${DATASET_ID}") { assetsByIds(assetIds: $ids) { assetId } } }`;
    const ids = Array.from({ length: 10_001 }, (_, index) => `a${index}`);
    const tooMany = await bed.query(document, { variables: { ids } });
    expect(errorsOf(tooMany)).toEqual([
      exceeded('dataset', 'The filters of the operation have more than 10000 asset ids.'),
    ]);
    const most = await bed.query(document, { variables: { ids: ids.slice(1) } });
    expect(most.body).toEqual({ data: { dataset: { assetsByIds: ids.slice(1).map((assetId) => ({ assetId })) } } });
    expect(bed.calls()).toEqual([]);
  });

  it('the fields of assets by their ids are work, also without a call', async () => {
    const bed = await start();
    const document = (fields: number) =>
      `query ($ids: [ID!]!) { dataset(id: "${DATASET_ID}") { assetsByIds(assetIds: $ids) { ${times(fields, (index) => `f${index}: assetId`)} } } }`;
    const ids = Array(1000).fill('a');
    // A field takes 2500 units, and each of the 37 characters of both ids 20 of 268,435,456.
    expect((await bed.query(document(80), { variables: { ids } })).body.errors).toBeUndefined();
    expect(errorsOf(await bed.query(document(110), { variables: { ids } }))).toEqual([exceedsWork('dataset')]);
  });

  it('asset ids count for each dataset of a list', async () => {
    const bed = await start();
    const document = `query ($ids: [ID!]!, $assets: [ID!]) { datasetsByIds(ids: $ids) { id results(filter: { assetIds: $assets }) { sourceId } } }`;
    const assets = Array.from({ length: 101 }, (_, index) => `a${index}`);
    const tooMany = await bed.query(document, { variables: { ids: Array(100).fill(DATASET_ID), assets } });
    expect(errorsOf(tooMany)).toEqual([
      exceeded('datasetsByIds', 'The filters of the operation have more than 10000 asset ids.'),
    ]);
    expect(bed.calls()).toEqual([]);
    const most = await bed.query(document, { variables: { ids: Array(99).fill(DATASET_ID), assets } });
    expect(most.body.errors).toBeUndefined();
  });

  it('5000 series, and no more: a reference beyond it is null, and spares the others', async () => {
    const bed = await start();
    const document = ofEntities(
      '... on Asset { assetId a: series { version } b: series(filter: { timeRange: { start: 1 } }) { version } }',
    );
    const references = Array.from({ length: 2501 }, () => assetReference('a'));
    const response = await bed.query(document, { variables: { references } });
    const found = { assetId: 'a', a: { version: '1' }, b: { version: '1' } };
    expect(response.body.data._entities).toEqual([...Array(2500).fill(found), null]);
    expect(errorsOf(response)).toEqual([
      exceeded('_entities.2500', 'The operation selects more than 5000 results of datasets and series of assets.'),
    ]);
  });

  it('series count for each dataset of a list', async () => {
    const bed = await start();
    const document = `query ($ids: [ID!]!) { datasetsByIds(ids: $ids) { ${times(51, (index) => `a${index}: results(filter: { assetIds: [] }) { sourceId }`)} } }`;
    expect(errorsOf(await bed.query(document, { variables: { ids: Array(100).fill(DATASET_ID) } }))).toEqual([
      exceeded('datasetsByIds', 'The operation selects more than 5000 results of datasets and series of assets.'),
    ]);
    expect((await bed.query(document, { variables: { ids: Array(98).fill(DATASET_ID) } })).body.errors).toBeUndefined();
    expect(bed.calls()).toEqual([]);
  });

  it('100 different time ranges, and no more', async () => {
    const bed = await start();
    const document = (count: number) =>
      ofDataset(
        `id ${times(count, (index) => `a${index}: results(filter: { timeRange: { start: ${index} } }) { sourceId }`)} again: results(filter: { timeRange: { start: 0 } }) { sourceId }`,
      );
    expect(errorsOf(await bed.query(document(101)))).toEqual([
      exceeded('dataset', 'The operation has more than 100 different time ranges.'),
    ]);
    expect(bed.calls()).toEqual([]);
    await expectExecuted(bed, document(100));
    expect(bed.calls()).toHaveLength(100);
  });
});
