import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { CallIndex } from '../../src/loaders/filters.ts';
import { datasetOf, hold } from '../support/calls.ts';
import { eventually } from '../support/eventually.ts';
import { errorAt } from '../support/expected-errors.ts';
import {
  assetReference,
  DATASET_ID,
  datasetReference,
  getSummary,
  ofDataset,
  ofEntities,
  outline,
  postResults,
  start,
  type TestBed,
} from '../support/harness.ts';

/*
 * Clause 3.1 of docs/contract.md in detail.
 * Only what is selected. `id` and `download` of a dataset, and `datasetId` and `assetId` of an asset, need no REST
 * call. A field that needs metadata causes the metadata call (§4.1). `results` and the fields of an asset cause the
 * results call (§4.3). The calls of one dataset start together. `Asset.dataset` and the asset of a parent need none for
 * their keys; for other fields they need the same calls as `Query.dataset` and `Dataset.asset`, which all assets of the
 * dataset share.
 */
describe('3.1 Only what is asked', () => {
  it('makes no call for the id and the download URL', async () => {
    const { query, calls, simulator } = await start();
    const { body } = await query(ofDataset('id download { url }'));
    const url = `${simulator.url}/v1/collection/staticdataset/${DATASET_ID}/download`;
    expect(body).toEqual({ data: { dataset: { id: DATASET_ID, download: { url } } } });
    expect(calls()).toEqual([]);
  });

  it.each(
    [
      ...['name', 'description', 'assetCount', 'attributionText', 'attributionFile', 'sharing'],
      ...['processing { __typename }', 'source { __typename }', 'processing { id }', 'source { name }'],
      ...['startDate', 'stopDate', 'startDateTime', 'stopDateTime', 'alias: name'],
    ].map((field) => ({ field })),
  )('makes the GET, and nothing else, for $field', async ({ field }) => {
    const { query, calls } = await start();
    const { body } = await query(ofDataset(field));
    expect(body).toEqual({ data: { dataset: expect.any(Object) } });
    expect(calls()).toEqual([getSummary()]);
  });

  it.each(
    [
      ...['results { __typename }', 'results { processingId }', 'results { series(first: 0) { totalCount } }'],
      ...['alias: results { sourceId }', 'results(filter: null) { __typename }'],
    ].map((field) => ({ field })),
  )('makes the POST, and nothing else, for $field', async ({ field }) => {
    const { query, calls } = await start();
    const { body } = await query(ofDataset(field));
    expect(body).toEqual({ data: { dataset: expect.any(Object) } });
    expect(calls()).toEqual([postResults({})]);
  });

  it.each(
    [
      ...['name', 'version', 'categories', 'surfaceAreaM2', 'centroid { latitude }', 'parent { __typename }'],
      ...['series { __typename }', 'alias: series { version }', 'assetId datasetId __typename name'],
    ].map((field) => ({ field })),
  )('makes one POST, and nothing else, for $field of an asset', async ({ field }) => {
    const { query, calls } = await start();
    const { body } = await query(ofDataset(`asset(assetId: "a") { ${field} }`));
    expect(body).toEqual({ data: { dataset: { asset: expect.any(Object) } } });
    expect(calls()).toEqual([postResults({ mo_ids: ['a'] })]);
  });

  it('makes no call for the keys of references', async () => {
    const { query, calls } = await start();
    const { body } = await query(ofEntities('__typename ... on Dataset { id } ... on Asset { datasetId assetId }'), {
      variables: { references: [datasetReference(), assetReference('a')] },
    });
    expect(body).toEqual({ data: { _entities: [datasetReference(), assetReference('a')] } });
    expect(calls()).toEqual([]);
  });

  const NAME = { name: 'Soil moisture' };
  const RESULTS = { results: { processingId: 'p-1' } };
  const ASSET = { asset: { assetId: 'a', datasetId: DATASET_ID, __typename: 'Asset' } };

  it.each([
    { title: 'of the key of an asset', selection: 'asset(assetId: "a") { assetId datasetId __typename }', data: ASSET },
    { title: 'of the type', selection: '__typename', data: { __typename: 'Dataset' } },
    {
      title: '@skip and @include, as literals and variables',
      declared: '$yes: Boolean! $no: Boolean!',
      selection: `
        id
        name @include(if: false)
        description @skip(if: $yes)
        results @include(if: $no) { processingId }
        asset(assetId: "a") { assetId name @skip(if: true) series @include(if: $no) { version } }`,
      data: { id: DATASET_ID, asset: { assetId: 'a' } },
    },
    {
      title: '@skip and @include that let fields stand',
      declared: '$yes: Boolean! $no: Boolean!',
      selection: 'name @include(if: $yes) results @skip(if: $no) { processingId }',
      data: { ...NAME, ...RESULTS },
      calls: [getSummary(), postResults({})],
    },
    {
      title: 'fragments, named and inline',
      selection: '...Metadata ... { ... on Dataset { results { ...Ids } } }',
      fragments: 'fragment Metadata on Dataset { name } fragment Ids on DatasetResults { processingId }',
      data: { ...NAME, ...RESULTS },
      calls: [getSummary(), postResults({})],
    },
    {
      title: 'directives on fragments',
      declared: '$yes: Boolean! $no: Boolean!',
      selection: '...Metadata @skip(if: $yes) ... @include(if: $no) { results { processingId } } id',
      fragments: 'fragment Metadata on Dataset { name }',
      data: { id: DATASET_ID },
    },
    {
      title: 'selections of one field in several places',
      selection: 'asset(assetId: "a") { assetId } ... { asset(assetId: "a") { name } }',
      data: { asset: { assetId: 'a', name: 'Field a' } },
      calls: [postResults({ mo_ids: ['a'] })],
    },
    {
      title: 'aliases',
      selection: 'id: name name: id results: download { method } download: results { processingId }',
      data: { id: 'Soil moisture', name: DATASET_ID, results: { method: 'GET' }, download: { processingId: 'p-1' } },
      calls: [getSummary(), postResults({})],
    },
    {
      title: 'variables in arguments',
      declared: '$assetIds: [ID!] $assetId: ID!',
      selection: 'results(filter: { assetIds: $assetIds }) { processingId } asset(assetId: $assetId) { name }',
      data: { ...RESULTS, asset: { name: 'Field a' } },
      calls: [postResults({ mo_ids: ['b', 'a'] })],
    },
  ])('respects what is selected: $title', async ({ declared = '', selection, fragments = '', data, calls = [] }) => {
    const bed = await start();
    const variables = { id: DATASET_ID, yes: true, no: false, assetIds: ['b'], assetId: 'a' };
    const { body } = await bed.query(
      `query ($id: ID! ${declared}) { dataset(id: $id) { ${selection} } } ${fragments}`,
      { variables },
    );
    expect(body).toEqual({ data: { dataset: data } });
    expect(bed.calls().toSorted()).toEqual(calls);
  });

  it('respects the variables of each request for one document, in conditions and in arguments', async () => {
    const bed = await start();
    const document = `
      query ($id: ID!, $metadata: Boolean!, $attributes: Boolean!, $assetId: ID!) {
        dataset(id: $id) { id ...Metadata asset(assetId: $assetId) { assetId ...Attributes } }
      }
      fragment Metadata on Dataset { name @include(if: $metadata) }
      fragment Attributes on Asset { name @include(if: $attributes) }
    `;
    const ask = async (metadata: boolean, attributes: boolean, assetId: string) => {
      bed.simulator.clear();
      const { body } = await bed.query(document, { variables: { id: DATASET_ID, metadata, attributes, assetId } });
      const asset = { assetId, ...(attributes && { name: `Field ${assetId}` }) };
      expect(body).toEqual({ data: { dataset: { id: DATASET_ID, ...(metadata && NAME), asset } } });
      return bed.calls().toSorted();
    };
    for (const assetId of ['a', 'b', 'a']) {
      const post = postResults({ mo_ids: [assetId] });
      expect(await ask(false, false, assetId)).toEqual([]);
      expect(await ask(true, false, assetId)).toEqual([getSummary()]);
      expect(await ask(false, true, assetId)).toEqual([post]);
      expect(await ask(true, true, assetId)).toEqual([getSummary(), post]);
    }
  });

  it('makes the calls that fragments of references ask for', async () => {
    const { query, calls } = await start();
    const { body } = await query(
      `${ofEntities('... on _Entity { ...Of }')} fragment Of on _Entity { ... on Asset { name } ... on Dataset { results { processingId } } }`,
      { variables: { references: [datasetReference(), assetReference('a')] } },
    );
    expect(body).toEqual({ data: { _entities: [RESULTS, { name: 'Field a' }] } });
    expect(calls()).toEqual([postResults({})]);
  });

  it.each([
    { field: 'results { processingId }', filter: {} },
    { field: 'asset(assetId: "a") { name }', filter: { mo_ids: ['a'] } },
    { field: 'asset(assetId: "a") { series { version } }', filter: { mo_ids: ['a'] } },
  ])('starts the GET and the POST of $field together', async ({ field, filter }) => {
    const bed = await start();
    const held = hold(bed);
    const response = bed.query(ofDataset(`name ${field}`));
    await eventually(() => expect(bed.calls().toSorted()).toEqual([getSummary(), postResults(filter)]));
    held.open();
    expect(outline(await response)).toEqual({ data: { dataset: expect.objectContaining(NAME) }, errors: [] });
  });
});

describe('3.4 UPSTREAM_MAX_CALLS', () => {
  const ids = ['one', 'two', 'three', 'four'];
  const ask = (bed: TestBed, asked: readonly string[]) =>
    bed.query('query ($ids: [ID!]!) { datasetsByIds(ids: $ids) { id name } }', { variables: { ids: asked } });
  const found = (id: string) => ({ id, name: 'Soil moisture' });

  it('are made, and each field that needs a further one gets REQUEST_LIMIT_EXCEEDED', async () => {
    const bed = await start({ env: { UPSTREAM_MAX_CALLS: '2' }, datasets: ids.map(datasetOf) });
    const { body } = await ask(bed, ids);
    const refused = (index: number) =>
      errorAt(['datasetsByIds', index, 'name'], 'REQUEST_LIMIT_EXCEEDED', { operation: 'getDatasetMetadata' });
    expect(body).toEqual({
      data: {
        datasetsByIds: [found('one'), found('two'), { id: 'three', name: null }, { id: 'four', name: null }],
      },
      errors: [refused(2), refused(3)],
    });
    expect(bed.calls().toSorted()).toEqual([getSummary('one'), getSummary('two')]);
  });

  it('are enough for as many calls, in every operation anew', async () => {
    const bed = await start({ env: { UPSTREAM_MAX_CALLS: '4' }, datasets: ids.map(datasetOf) });
    for (const _operation of [1, 2]) {
      expect((await ask(bed, [...ids, ...ids])).body).toEqual({ data: { datasetsByIds: [...ids, ...ids].map(found) } });
    }
    expect(bed.calls()).toHaveLength(8);
  });

  it('count metadata and results together', async () => {
    const bed = await start({ env: { UPSTREAM_MAX_CALLS: '1' } });
    const { body } = await bed.query(ofDataset('name results { processingId }'));
    expect(body).toEqual({
      data: { dataset: { name: 'Soil moisture', results: null } },
      errors: [errorAt(['dataset', 'results'], 'REQUEST_LIMIT_EXCEEDED', { operation: 'getDatasetResults' })],
    });
    expect(bed.calls()).toEqual([getSummary()]);
  });

  it('are 500 unless set', async () => {
    const bed = await start();
    const many = Array.from({ length: 501 }, (_, index) => `dataset${index}`);
    bed.simulator.intercept(() => ({ status: 200, body: '{"name":"Soil moisture"}' }));
    expect(outline(await ask(bed, many))).toEqual({
      data: { datasetsByIds: many.map((id, index) => (index < 500 ? found(id) : { id, name: null })) },
      errors: ['datasetsByIds.500.name REQUEST_LIMIT_EXCEEDED'],
    });
    expect(bed.calls()).toHaveLength(500);
  });

  it.each([
    { limit: '2', errors: ['dataset.a REQUEST_LIMIT_EXCEEDED', 'dataset.b REQUEST_LIMIT_EXCEEDED'] },
    { limit: '3', errors: ['dataset.b REQUEST_LIMIT_EXCEEDED'] },
    { limit: '4', errors: ['dataset.b FORBIDDEN'] },
  ])('count calls that are made again: $limit leave $errors', async ({ limit, errors }) => {
    const bed = await start({ env: { UPSTREAM_MAX_CALLS: limit } });
    bed.simulator.intercept(({ body }) => (body.includes('"b"') ? { status: 403 } : undefined));
    const part = (id: string) => `${id}: results(filter: { assetIds: ["${id}"] }) { processingId }`;
    const response = await bed.query(ofDataset(`name ${part('a')} ${part('b')}`));
    const a = errors.length === 1 ? { processingId: 'p-1' } : null;
    expect(outline(response)).toEqual({ data: { dataset: { name: 'Soil moisture', a, b: null } }, errors });
    expect(bed.calls()).toHaveLength(Number(limit));
  });
});

describe('4 A fault of this program where a call is made', () => {
  it('is an error of the fields that need the call', async () => {
    const bed = await start();
    const added = vi.spyOn(CallIndex.prototype, 'add').mockImplementation(() => {
      throw new TypeError('a bug');
    });
    onTestFinished(() => added.mockRestore());
    expect(outline(await bed.query(ofDataset('name results { processingId }')))).toEqual({
      data: { dataset: { name: 'Soil moisture', results: null } },
      errors: ['dataset.results INTERNAL_SERVER_ERROR'],
    });
  });
});
