import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Fault } from '../../simulator/src/simulator.ts';
import { CallIndex } from '../../src/loaders/filters.ts';
import { datasetOf, hold } from '../support/calls.ts';
import { eventually } from '../support/eventually.ts';
import { DATASET_ID, getSummary, ofDataset, outline, postResults, start, type TestBed } from '../support/harness.ts';

/*
 * Clause 3.1 of docs/contract.md in detail.
 * Only what is selected. `id` and `download` of a dataset, and `datasetId` and `assetId` of an asset, need no REST
 * call. A field that needs metadata causes the metadata call (§4.1). `results` and the fields of an asset cause the
 * results call (§4.3). The calls of one dataset start together. `Asset.dataset` and the asset of a parent need none for
 * their keys; for other fields they need the same calls as `Query.dataset` and `Dataset.asset`, which all assets of the
 * dataset share.
 */
describe('3.1 Only what is asked', () => {
  const ofAsset = (field: string) => `asset(assetId: "a") { ${field} }`;

  it.each<[what: string, calls: string[], selections: string[]]>([
    ['no call', [], ['id', '__typename', 'download { url }', ofAsset('assetId datasetId __typename')]],
    [
      'the GET, and nothing else,',
      [getSummary()],
      [
        ...['name', 'description', 'assetCount', 'attributionText', 'attributionFile', 'sharing'],
        ...['processing { __typename }', 'source { __typename }', 'processing { id }', 'source { name }'],
        ...['startDate', 'stopDate', 'startDateTime', 'stopDateTime', 'alias: name'],
      ],
    ],
    [
      'the POST, and nothing else,',
      [postResults({})],
      [
        ...['results { __typename }', 'results { processingId }', 'results { series(first: 0) { totalCount } }'],
        ...['alias: results { sourceId }', 'results(filter: null) { __typename }'],
      ],
    ],
    [
      'one POST, and nothing else,',
      [postResults({ mo_ids: ['a'] })],
      [
        ...['name', 'version', 'categories', 'surfaceAreaM2', 'centroid { latitude }', 'parent { __typename }'],
        ...['series { __typename }', 'alias: series { version }', 'assetId datasetId __typename name'],
      ].map(ofAsset),
    ],
  ])('makes %s for each of these fields', async (_what, calls, selections) => {
    const bed = await start();
    for (const selection of selections) {
      bed.simulator.clear();
      const { body } = await bed.query(ofDataset(selection));
      expect([selection, body]).toEqual([selection, { data: { dataset: expect.any(Object) } }]);
      expect([selection, bed.calls()]).toEqual([selection, calls]);
    }
  });

  const NAME = { name: 'Soil moisture' };
  const RESULTS = { results: { processingId: 'p-1' } };

  it.each([
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
      title: 'fragments, named and inline',
      selection: '...Metadata ... { ... on Dataset { results { ...Ids } } }',
      fragments: 'fragment Metadata on Dataset { name } fragment Ids on DatasetResults { processingId }',
      data: { ...NAME, ...RESULTS },
      calls: [getSummary(), postResults({})],
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

  it('starts the GET and the POST together', async () => {
    const bed = await start();
    const held = hold(bed);
    const response = bed.query(ofDataset('name asset(assetId: "a") { name }'));
    const both = [getSummary(), postResults({ mo_ids: ['a'] })];
    await eventually(() => expect(bed.calls().toSorted()).toEqual(both));
    held.open();
    expect((await response).body).toEqual({ data: { dataset: { ...NAME, asset: { name: 'Field a' } } } });
  });
});

/*
 * Clause 3.10 of docs/contract.md in detail.
 * When the client disconnects, its REST calls end: those under way, those that wait for a socket, and those that wait
 * for a retry.
 */
describe('3.10 When the client goes away', () => {
  /** Nothing else ends a call within the time of a test. */
  const env = { OPERATION_TIMEOUT_MS: '300000', UPSTREAM_TIMEOUT_MS: '300000' };
  const many = Array.from({ length: 20 }, (_, index) => `dataset${index}`);

  /** Queries, leaves when so many calls have arrived, and returns how each of them ended. */
  async function leave(bed: TestBed, document: string, calls: number) {
    const leaving = new AbortController();
    const response = bed.query(document, { signal: leaving.signal });
    await eventually(() => expect(bed.calls()).toHaveLength(calls));
    leaving.abort();
    await expect(response).rejects.toThrow('aborted');
    return Promise.all(bed.simulator.requests.map(({ outcome }) => outcome));
  }

  async function* begun() {
    yield '{"name":';
    await new Promise(() => {});
  }

  it.each<[title: string, document: string, calls: number, fault: Fault]>([
    ['the GET and the POST', ofDataset('name results { processingId }'), 2, { hang: true }],
    ['a call whose answer is on its way', ofDataset('name'), 1, { body: begun() }],
    [
      'a POST that several fields share',
      ofDataset('a: asset(assetId: "a") { name } b: asset(assetId: "b") { name } same: asset(assetId: "a") { name }'),
      1,
      { hang: true },
    ],
    ['the calls of many datasets', `{ datasetsByIds(ids: ${JSON.stringify(many)}) { name } }`, 20, { hang: true }],
  ])('ends %s at once', async (_title, document, calls, fault) => {
    const bed = await start({ env });
    bed.simulator.intercept(() => fault);
    expect(await leave(bed, document, calls)).toEqual(Array(calls).fill('aborted'));
  });

  it('leaves out the calls that wait for a connection, and those that would have followed', async () => {
    const bed = await start({
      env: { ...env, UPSTREAM_CONNECTIONS: '1', ASSET_IDS_PER_CALL: '1' },
      datasets: ['one', 'two', 'three'].map(datasetOf),
    });
    bed.simulator.intercept(({ datasetId }) => (datasetId === 'three' ? undefined : { hang: true }));
    await leave(bed, '{ datasetsByIds(ids: ["one", "two"]) { name results { processingId } } }', 1);
    const { body } = await bed.query(ofDataset('name'), { variables: { id: 'three' } });
    expect(body).toEqual({ data: { dataset: { name: 'Soil moisture' } } });
    expect(bed.calls()).toEqual([getSummary('one'), getSummary('three')]);
  });

  it('leaves the calls of other clients alone', async () => {
    const bed = await start({ env });
    const held = hold(bed);
    const staying = bed.query(ofDataset('name'));
    await eventually(() => expect(bed.calls()).toHaveLength(1));
    const [stayed] = bed.simulator.requests;
    bed.simulator.clear();
    expect(await leave(bed, ofDataset('name'), 1)).toEqual(['aborted']);
    held.open();
    expect((await staying).body).toEqual({ data: { dataset: { name: 'Soil moisture' } } });
    expect(await stayed?.outcome).toBe('answered');
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
