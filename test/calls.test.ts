import { describe, expect, it, vi } from 'vitest';
import type { SimulatedDataset } from '../src/simulator/simulator.ts';
import {
  assetReference,
  DATASET_ID,
  dataset,
  datasetReference,
  errorAt,
  gate,
  getSummary,
  ofDataset,
  ofEntities,
  outline,
  postResults,
  start,
  type TestBed,
  TOKEN,
} from './harness.ts';

const datasetOf = (id: string): SimulatedDataset => ({ ...dataset, metadata: { ...dataset.metadata, id } });

/** Holds every answer back until the gate is opened. */
function hold({ simulator }: TestBed) {
  const held = gate();
  simulator.intercept(async () => {
    await held.opened;
    return undefined;
  });
  return held;
}

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
    await vi.waitFor(() => expect(bed.calls().toSorted()).toEqual([getSummary(), postResults(filter)]));
    held.open();
    expect(outline(await response)).toEqual({ data: { dataset: expect.objectContaining(NAME) }, errors: [] });
  });
});

describe('3.4 UPSTREAM_MAX_CALLS', () => {
  const ids = ['one', 'two', 'three', 'four'];
  const ask = (bed: TestBed, asked: readonly string[]) =>
    bed.query('query ($ids: [ID!]!) { datasets(ids: $ids) { id name } }', { variables: { ids: asked } });
  const found = (id: string) => ({ id, name: 'Soil moisture' });

  it('are made, and each field that needs a further one gets REQUEST_LIMIT_EXCEEDED', async () => {
    const bed = await start({ env: { UPSTREAM_MAX_CALLS: '2' }, datasets: ids.map(datasetOf) });
    const { body } = await ask(bed, ids);
    const refused = (index: number) =>
      errorAt(['datasets', index, 'name'], 'REQUEST_LIMIT_EXCEEDED', { operation: 'getDatasetMetadata' });
    expect(body).toEqual({
      data: {
        datasets: [found('one'), found('two'), { id: 'three', name: null }, { id: 'four', name: null }],
      },
      errors: [refused(2), refused(3)],
    });
    expect(bed.calls().toSorted()).toEqual([getSummary('one'), getSummary('two')]);
  });

  it('are enough for as many calls, in every operation anew', async () => {
    const bed = await start({ env: { UPSTREAM_MAX_CALLS: '4' }, datasets: ids.map(datasetOf) });
    for (const _operation of [1, 2]) {
      expect((await ask(bed, [...ids, ...ids])).body).toEqual({ data: { datasets: [...ids, ...ids].map(found) } });
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
      data: { datasets: many.map((id, index) => (index < 500 ? found(id) : { id, name: null })) },
      errors: ['datasets.500.name REQUEST_LIMIT_EXCEEDED'],
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

describe('3.5 A filter is sent as given', () => {
  const longest = 'x'.repeat(200);

  it.each([
    { title: 'no filter', filter: null, sent: '{}' },
    { title: 'an empty filter', filter: {}, sent: '{}' },
    { title: 'null for each part', filter: { assetIds: null, timeRange: null }, sent: '{}' },
    { title: 'asset ids alone, in their order', filter: { assetIds: ['b', 'a'] }, sent: '{"mo_ids":["b","a"]}' },
    { title: 'repeated ids once', filter: { assetIds: ['b', 'a', 'b', 'a'] }, sent: '{"mo_ids":["b","a"]}' },
    {
      title: 'ids of one and of 200 characters',
      filter: { assetIds: ['a', longest] },
      sent: `{"mo_ids":["a","${longest}"]}`,
    },
    {
      title: 'an id of any characters',
      filter: { assetIds: ['"\\\n\u2028é'] },
      sent: `{"mo_ids":${JSON.stringify(['"\\\n\u2028é'])}}`,
    },
    { title: 'a start alone', filter: { timeRange: { start: 1 } }, sent: '{"time_range":{"start_date":1}}' },
    { title: 'a stop alone', filter: { timeRange: { stop: -1 } }, sent: '{"time_range":{"stop_date":-1}}' },
    {
      title: 'null for a bound',
      filter: { timeRange: { start: 0, stop: null } },
      sent: '{"time_range":{"start_date":0}}',
    },
    {
      title: 'a start that is the stop',
      filter: { timeRange: { start: 5, stop: 5 } },
      sent: '{"time_range":{"start_date":5,"stop_date":5}}',
    },
    {
      title: 'the widest range, exactly',
      filter: { timeRange: { start: '-9223372036854775808', stop: '9223372036854775807' } },
      sent: '{"time_range":{"start_date":-9223372036854775808,"stop_date":9223372036854775807}}',
    },
    {
      title: 'everything',
      filter: { timeRange: { stop: '2024-01-02T00:00:00Z', start: '2024-01-01T00:00:00Z' }, assetIds: ['a'] },
      sent: '{"mo_ids":["a"],"time_range":{"start_date":1704067200000,"stop_date":1704153600000}}',
    },
  ])('sends $title', async ({ filter, sent }) => {
    const { query, simulator } = await start();
    const { body } = await query(
      `query ($filter: ResultsFilterInput) { dataset(id: "${DATASET_ID}") { results(filter: $filter) { processingId } } }`,
      { variables: { filter } },
    );
    expect(body).toEqual({ data: { dataset: { results: { processingId: 'p-1' } } } });
    expect(simulator.requests.map((request) => request.body)).toEqual([sent]);
  });

  it('sends {} where no filter is written', async () => {
    const { query, calls } = await start();
    await query(ofDataset('results { processingId }'));
    expect(calls()).toEqual([postResults({})]);
  });

  it.each([{ token: TOKEN }, { token: null }])(
    'answers an empty list without a call, with the token $token',
    async ({ token }) => {
      const { query, calls } = await start();
      const { body } = await query(
        ofDataset(`
        empty: results(filter: { assetIds: [] }) { processingId sourceId series { totalCount nodes { version } } }
        ranged: results(filter: { assetIds: [], timeRange: { start: 1 } }) { series { edges { cursor } } }`),
        { token },
      );
      expect(body).toEqual({
        data: {
          dataset: {
            empty: { processingId: null, sourceId: null, series: { totalCount: 0, nodes: [] } },
            ranged: { series: { edges: [] } },
          },
        },
      });
      expect(calls()).toEqual([]);
    },
  );

  const tooLong = 'x'.repeat(201);
  const EMPTY_RANGE = 'timeRange: {}';
  const BACKWARDS = 'timeRange: { start: 2, stop: 1 }';

  it.each([
    { title: 'an empty asset id', field: 'results(filter: { assetIds: [""] }) { processingId }' },
    {
      title: 'one bad asset id among good ones',
      field: `results(filter: { assetIds: ["a", "${tooLong}"] }) { processingId }`,
    },
    { title: 'a range without bounds', field: `results(filter: { ${EMPTY_RANGE} }) { processingId }` },
    {
      title: 'a range of null bounds',
      field: 'results(filter: { timeRange: { start: null, stop: null } }) { processingId }',
    },
    { title: 'a start after the stop', field: `results(filter: { ${BACKWARDS} }) { processingId }` },
    {
      title: 'a bad range beside an empty list',
      field: `results(filter: { assetIds: [], ${BACKWARDS} }) { processingId }`,
    },
    { title: 'a single asset of an empty id', field: 'asset(assetId: "") { name }' },
    { title: 'a single asset of a too long id', field: `asset(assetId: "${tooLong}") { name series { version } }` },
    { title: 'a single asset of a bad id, its key alone', field: 'asset(assetId: "") { assetId }' },
    {
      title: 'series of a range without bounds',
      field: `asset(assetId: "a") { series(${EMPTY_RANGE}) { version } }`,
      within: 'series',
    },
    {
      title: 'series of a start after the stop',
      field: `asset(assetId: "a") { series(${BACKWARDS}) { version } }`,
      within: 'series',
    },
  ])('refuses $title, before the token is looked at and without a call', async ({ field, within }) => {
    const { query, calls } = await start();
    const path = ['dataset', 'field', ...(within ? [within] : [])];
    const expected = {
      data: { dataset: { id: DATASET_ID, field: within ? { [within]: null } : null } },
      errors: [errorAt(path, 'BAD_USER_INPUT')],
    };
    expect((await query(ofDataset(`id field: ${field}`))).body).toEqual(expected);
    expect((await query(ofDataset(`id field: ${field}`), { token: null })).body).toEqual(expected);
    expect(calls()).toEqual([]);
  });

  it('refuses a bad asset id of a reference, and spares the others', async () => {
    const { query, calls } = await start();
    const { body } = await query(ofEntities('... on Asset { assetId name }'), {
      variables: { references: [assetReference(''), assetReference('a'), assetReference(tooLong)] },
    });
    expect(body).toEqual({
      data: { _entities: [null, { assetId: 'a', name: 'Field a' }, null] },
      errors: [errorAt(['_entities', 0], 'BAD_USER_INPUT'), errorAt(['_entities', 2], 'BAD_USER_INPUT')],
    });
    expect(calls()).toEqual([postResults({ mo_ids: ['a'] })]);
  });

  it('refuses a bad filter and spares what stands beside it', async () => {
    const { query, calls } = await start();
    const { body } = await query(
      ofDataset(`
        bad: results(filter: { ${BACKWARDS} }) { processingId }
        good: results(filter: { assetIds: ["${longest}"] }) { processingId }
        asset(assetId: "a") { name bad: series(${EMPTY_RANGE}) { version } good: series { version } }`),
    );
    expect(body).toEqual({
      data: {
        dataset: {
          bad: null,
          good: { processingId: 'p-1' },
          asset: { name: 'Field a', bad: null, good: { version: '1' } },
        },
      },
      errors: expect.arrayContaining([
        errorAt(['dataset', 'bad'], 'BAD_USER_INPUT'),
        errorAt(['dataset', 'asset', 'bad'], 'BAD_USER_INPUT'),
      ]),
    });
    expect(calls()).toEqual([postResults({ mo_ids: [longest, 'a'] })]);
  });
});

describe('3.10 When the caller goes away', () => {
  /** Generous, because a busy machine adds to it; the true bound is tested below. */
  const atOnce = expect.toSatisfy((milliseconds: number) => milliseconds < 500);
  const many = Array.from({ length: 20 }, (_, index) => `dataset${index}`);

  /** Queries, leaves when so many calls have arrived, and tells how each of them ended. */
  async function leave(bed: TestBed, document: string, calls: number) {
    const leaving = new AbortController();
    const response = bed.query(document, { signal: leaving.signal });
    await vi.waitFor(() => expect(bed.calls()).toHaveLength(calls));
    const left = performance.now();
    leaving.abort();
    await expect(response).rejects.toThrow('aborted');
    return Promise.all(
      bed.simulator.requests.map(async ({ outcome }) => ({
        outcome: await outcome,
        milliseconds: performance.now() - left,
      })),
    );
  }

  it.each([
    { title: 'the GET', document: ofDataset('name'), calls: 1 },
    { title: 'the POST', document: ofDataset('results { processingId }'), calls: 1 },
    { title: 'the GET and the POST', document: ofDataset('name results { processingId }'), calls: 2 },
    {
      title: 'a POST that several fields share',
      document: ofDataset(
        'a: asset(assetId: "a") { name } b: asset(assetId: "b") { name } same: asset(assetId: "a") { name }',
      ),
      calls: 1,
    },
    { title: 'the calls of many datasets', document: `{ datasets(ids: ${JSON.stringify(many)}) { name } }`, calls: 20 },
  ])('ends $title at once', async ({ document, calls }) => {
    const bed = await start();
    bed.simulator.intercept(() => ({ hang: true }));
    const ends = await leave(bed, document, calls);
    expect(ends).toEqual(Array(calls).fill({ outcome: 'aborted', milliseconds: atOnce }));
  });

  it('ends them within 100 ms: the quickest of five counts, because a busy machine adds to each', async () => {
    const bed = await start();
    bed.simulator.intercept(() => ({ hang: true }));
    const times: number[] = [];
    for (let attempt = 0; attempt < 5; attempt += 1) {
      bed.simulator.clear();
      const ends = await leave(bed, ofDataset('name results { processingId }'), 2);
      times.push(Math.max(...ends.map(({ milliseconds }) => milliseconds)));
    }
    expect(Math.min(...times)).toBeLessThan(100);
  });

  it('ends a call whose answer is on its way', async () => {
    const bed = await start();
    async function* body() {
      yield '{"name":';
      await new Promise(() => {});
    }
    bed.simulator.intercept(() => ({ body: body() }));
    expect(await leave(bed, ofDataset('name'), 1)).toEqual([{ outcome: 'aborted', milliseconds: atOnce }]);
  });

  it('leaves out the calls that wait for a connection, and those that would have followed', async () => {
    const bed = await start({
      env: { UPSTREAM_CONNECTIONS: '1', ASSET_IDS_PER_CALL: '1' },
      datasets: ['one', 'two', 'three'].map(datasetOf),
    });
    bed.simulator.intercept(({ datasetId }) => (datasetId === 'three' ? undefined : { hang: true }));
    await leave(bed, '{ datasets(ids: ["one", "two"]) { name results { processingId } } }', 1);
    const { body } = await bed.query(ofDataset('name'), { variables: { id: 'three' } });
    expect(body).toEqual({ data: { dataset: { name: 'Soil moisture' } } });
    expect(bed.calls()).toEqual([getSummary('one'), getSummary('three')]);
  });

  it('leaves the calls of other callers alone', async () => {
    const bed = await start();
    const held = hold(bed);
    const staying = bed.query(ofDataset('name'));
    await vi.waitFor(() => expect(bed.calls()).toHaveLength(1));
    const [stayed] = bed.simulator.requests;
    bed.simulator.clear();
    expect(await leave(bed, ofDataset('name'), 1)).toEqual([{ outcome: 'aborted', milliseconds: atOnce }]);
    held.open();
    expect((await staying).body).toEqual({ data: { dataset: { name: 'Soil moisture' } } });
    expect(await stayed?.outcome).toBe('answered');
  });
});
