import { describe, expect, it } from 'vitest';
import type { Fault } from '../../simulator/src/simulator.ts';
import { eventually } from '../support/eventually.ts';
import { errorAt } from '../support/expected-errors.ts';
import {
  type Answer,
  assetReference,
  DATASET_ID,
  dataset,
  datasetReference,
  gate,
  ofDataset,
  ofEntities,
  respondWith,
  start,
  type TestBed,
  TOKEN,
} from '../support/harness.ts';

const OTHER_ID = 'other';
const datasets = [dataset, { ...dataset, metadata: { ...dataset.metadata, id: OTHER_ID } }];

interface Failure {
  readonly fault: Fault;
  readonly code: string;
  readonly rest: object;
}

/** Failures that say that there is nothing for the caller. */
const absent: readonly Failure[] = [
  { fault: { status: 401 }, code: 'UNAUTHENTICATED', rest: { status: 401, label: 'WRONG_CREDENTIALS' } },
  { fault: { status: 404 }, code: 'NOT_FOUND', rest: { status: 404, label: 'NOT_FOUND' } },
].map(({ rest, ...failure }) => ({ ...failure, rest: { ...rest, labelSource: 'body' } }));

const ofBody = (status: number, label: string) => ({ status, label, labelSource: 'body' });
/** Failures that say nothing of whether there is a dataset. */
const others: readonly Failure[] = [
  { fault: { status: 400 }, code: 'BAD_USER_INPUT', rest: ofBody(400, 'BAD_REQUEST') },
  { fault: { status: 403 }, code: 'FORBIDDEN', rest: ofBody(403, 'UNAUTHORIZED') },
  { fault: { status: 409 }, code: 'CONFLICT', rest: ofBody(409, 'DUPLICATE_ENTITY') },
  { fault: { status: 500 }, code: 'UPSTREAM_ERROR', rest: ofBody(500, 'INTERNAL_SERVER_ERROR') },
  { fault: { status: 503 }, code: 'UPSTREAM_UNAVAILABLE', rest: { status: 503, retryable: true } },
  { fault: { reset: true }, code: 'UPSTREAM_UNAVAILABLE', rest: { retryable: true } },
  { fault: { cutAfterBytes: 9 }, code: 'UPSTREAM_UNAVAILABLE', rest: { status: 200, retryable: true } },
  { fault: { body: '{"name":' }, code: 'UPSTREAM_INVALID_RESPONSE', rest: { status: 200 } },
  { fault: { body: '[]' }, code: 'UPSTREAM_INVALID_RESPONSE', rest: { status: 200 } },
];

type Operation = 'getDatasetMetadata' | 'getDatasetResults';
/** A way to a dataset or to an asset. */
interface Way {
  readonly way: string;
  readonly path: readonly (string | number)[];
  readonly reference?: { readonly __typename: string };
  /** The call that its fields need. */
  readonly operation: Operation;
  readonly key: object;
  readonly fields: string;
}

const ofDatasets = {
  operation: 'getDatasetMetadata',
  key: { id: DATASET_ID },
  fields:
    'name description assetCount attributionText attributionFile sharing processing { id } source { id } startDate stopDate startDateTime stopDateTime',
} as const;
const ofAssets = {
  operation: 'getDatasetResults',
  key: { datasetId: DATASET_ID, assetId: 'a' },
  fields: 'name version categories centroid { latitude } surfaceAreaM2 parent { name } series { version }',
} as const;
const ways: readonly Way[] = [
  { way: 'a dataset', path: ['dataset'], ...ofDatasets },
  { way: 'a reference to a dataset', path: ['_entities', 0], reference: datasetReference(), ...ofDatasets },
  { way: 'an asset', path: ['dataset', 'asset'], ...ofAssets },
  { way: 'a reference to an asset', path: ['_entities', 0], reference: assetReference('a'), ...ofAssets },
];

function ask(
  { query }: TestBed,
  { path, reference }: Way,
  fields: string,
  token: string | null = TOKEN,
): Promise<Answer> {
  if (reference === undefined)
    return query(ofDataset(path.length === 1 ? fields : `asset(assetId: "a") { ${fields} }`), { token });
  const variables = { references: [reference] };
  return query(ofEntities(`... on ${reference.__typename} { ${fields} }`), { variables, token });
}

/** Data with a value at a path. */
const dataAt = (path: Way['path'], value: unknown) =>
  path.reduceRight((inner: unknown, key) => (typeof key === 'number' ? [inner] : { [key]: inner }), value);

async function startFailing(failing: Operation, { fault }: Failure): Promise<TestBed> {
  const bed = await start({ datasets });
  bed.simulator.intercept(({ operation, datasetId }) =>
    operation === failing && datasetId === DATASET_ID ? fault : undefined,
  );
  return bed;
}

const RANGES = 'all: series { version } some: series(filter: { timeRange: { start: 0 } }) { version }';

/*
 * Clause 3.11 of docs/contract.md in detail.
 * A missing dataset. If metadata is selected and the service responds with 401 or 404, the dataset is null with one
 * error, and its results call under way is ended. After any other failure the object stays: its results can still come,
 * and each selected metadata field is null with the error. The same holds for `Dataset` references. It also holds for
 * `asset(assetId:)`, `assetsByIds(assetIds:)`, the asset of a parent and `Asset` references, with the results call instead of the
 * metadata call. `Asset.dataset` behaves as a `Dataset` reference.
 */
describe('3.11 A dataset that is not there', () => {
  describe.each(absent)('where its call is answered with $fault.status', (failure) => {
    const { code, rest } = failure;
    const ofMetadata = { operation: 'getDatasetMetadata', ...rest };

    it.each(ways)('$way is null with one error', async (way) => {
      const bed = await startFailing(way.operation, failure);
      for (const fields of ['name', 'name __typename', `${Object.keys(way.key).join(' ')} ${way.fields}`]) {
        const { status, body } = await ask(bed, way, fields);
        const errors = [errorAt(way.path, code, { operation: way.operation, ...rest })];
        expect([status, body]).toEqual([200, { data: dataAt(way.path, null), errors }]);
      }
    });

    it.each(ways.slice(0, 2))('$way is null with its results, but not where no metadata is selected', async (way) => {
      const bed = await startFailing('getDatasetMetadata', failure);
      const found = { id: DATASET_ID, results: { processingId: 'p-1' } };
      expect((await ask(bed, way, 'id results { processingId }')).body).toEqual({ data: dataAt(way.path, found) });
      for (const results of ['results { processingId }', 'asset(assetId: "a") { name }']) {
        const { body } = await ask(bed, way, `name ${results}`);
        expect(body).toEqual({ data: dataAt(way.path, null), errors: [errorAt(way.path, code, ofMetadata)] });
      }
    });

    it('an entry of a list is null, and the others stay', async () => {
      const bed = await startFailing('getDatasetMetadata', failure);
      const { body } = await bed.query(
        `{ datasetsByIds(ids: ["${OTHER_ID}", "${DATASET_ID}", "${OTHER_ID}"]) { id name } }`,
      );
      const other = { id: OTHER_ID, name: 'Soil moisture' };
      expect(body).toEqual({
        data: { datasetsByIds: [other, null, other] },
        errors: [errorAt(['datasetsByIds', 1], code, ofMetadata)],
      });
    });

    it('keeps other results of the same call for an alias that selects no metadata', async () => {
      const bed = await start();
      bed.simulator.intercept(async ({ operation }) => {
        if (operation === 'getDatasetMetadata') return failure.fault;
        await eventually(() => expect(bed.log.join()).toContain('getDatasetMetadata'));
        return undefined;
      });
      const results = (id: string) => `results(filter: { assetIds: ["${id}"] }) { series { nodes { rowCount } } }`;
      const { body } = await bed.query(`{
        a: dataset(id: "${DATASET_ID}") { name ${results('a')} } b: dataset(id: "${DATASET_ID}") { ${results('b')} }
      }`);
      expect(body).toEqual({
        data: { a: null, b: { results: { series: { nodes: [{ rowCount: 3 }] } } } },
        errors: [errorAt(['a'], code, ofMetadata)],
      });
      expect(bed.filters()).toEqual([{ mo_ids: ['a', 'b'] }]);
    });

    it('an asset is null if the call of any range is', async () => {
      const bed = await start();
      bed.simulator.intercept(({ body }) => (body.includes('time_range') ? failure.fault : undefined));
      const { body } = await bed.query(ofDataset(`asset(assetId: "a") { name ${RANGES} }`));
      const error = errorAt(['dataset', 'asset'], code, { operation: 'getDatasetResults', ...rest });
      expect(body).toEqual({ data: { dataset: { asset: null } }, errors: [error] });
    });
  });

  it.each(
    ['results { processingId }', 'asset(assetId: "a") { name }', 'asset(assetId: "a") { series { version } }'].flatMap(
      (fields) => [
        [`dataset(id: "${DATASET_ID}") { name ${fields} }`],
        [
          `_entities(representations: [{ __typename: "Dataset", id: "${DATASET_ID}" }]) { ... on Dataset { name ${fields} } }`,
        ],
      ],
    ),
  )('aborts its POST under way: %s', async (selection) => {
    const bed = await start({ datasets, env: { OPERATION_TIMEOUT_MS: '5000' } });
    const post = gate();
    bed.simulator.intercept(async ({ operation, datasetId }) => {
      if (operation === 'getDatasetResults') {
        post.open();
        return { hang: true };
      }
      await post.opened;
      if (datasetId === DATASET_ID) return { status: 404 };
      // Held back until the POST is gone, because the end of the operation would abort it too.
      const call = bed.simulator.requests.find((request) => request.operation === 'getDatasetResults');
      expect(await call?.outcome).toBe('aborted');
      return undefined;
    });
    const { body } = await bed.query(`{ one: ${selection} other: dataset(id: "${OTHER_ID}") { name } }`);
    expect(body).toMatchObject({
      data: { other: { name: 'Soil moisture' } },
      errors: [{ extensions: { code: 'NOT_FOUND' } }],
    });
    expect([body.data.one].flat()).toEqual([null]);
  });

  describe.each(others)('where its call fails otherwise: $fault', (failure) => {
    it.each(ways)('$way keeps its key, and each other field is null', async (way) => {
      const bed = await startFailing(way.operation, failure);
      const { status, body } = await ask(bed, way, `${Object.keys(way.key).join(' ')} ${way.fields}`);
      const names = way.fields.replaceAll(/ \{ \w+ \}/g, '').split(' ');
      const data = dataAt(way.path, { ...way.key, ...Object.fromEntries(names.map((name) => [name, null])) });
      const rest = { operation: way.operation, ...failure.rest };
      const errors = names.map((name) => errorAt([...way.path, name], failure.code, rest));
      expect([status, body]).toEqual([200, { data, errors }]);
    });

    it.each(ways.slice(0, 2))('$way keeps its results', async (way) => {
      const bed = await startFailing('getDatasetMetadata', failure);
      const { body } = await ask(bed, way, 'name results { processingId }');
      expect(body.data).toEqual(dataAt(way.path, { name: null, results: { processingId: 'p-1' } }));
    });
  });

  it.each([...absent, ...others])('keeps the metadata where the POST fails: $code, $fault', async (failure) => {
    const bed = await startFailing('getDatasetResults', failure);
    const { body } = await bed.query(ofDataset('name results { processingId }'));
    const error = errorAt(['dataset', 'results'], failure.code, { operation: 'getDatasetResults', ...failure.rest });
    expect(body).toEqual({ data: { dataset: { name: 'Soil moisture', results: null } }, errors: [error] });
  });

  it('keeps an asset of which only the series of one range fails', async () => {
    const bed = await start();
    bed.simulator.intercept(({ body }) => (body.includes('time_range') ? { status: 500 } : undefined));
    const { body } = await bed.query(ofDataset(`asset(assetId: "a") { name ${RANGES} }`));
    const rest = { operation: 'getDatasetResults', ...ofBody(500, 'INTERNAL_SERVER_ERROR') };
    expect(body).toEqual({
      data: { dataset: { asset: { name: 'Field a', all: { version: '1' }, some: null } } },
      errors: [errorAt(['dataset', 'asset', 'some'], 'UPSTREAM_ERROR', rest)],
    });
  });

  it.each(ways)('$way is null with one error without a token, and there is no call', async (way) => {
    const bed = await start();
    const { body } = await ask(bed, way, 'name', null);
    const errors = [errorAt(way.path, 'UNAUTHENTICATED', { operation: way.operation })];
    expect(body).toEqual({ data: dataAt(way.path, null), errors });
    expect(bed.calls()).toEqual([]);
  });

  it('is an object with failing results without a token where no metadata is selected', async () => {
    const bed = await start();
    const { body } = await bed.query(ofDataset('id results { processingId } download { method }'), { token: null });
    expect(body).toEqual({
      data: { dataset: { id: DATASET_ID, results: null, download: { method: 'GET' } } },
      errors: [errorAt(['dataset', 'results'], 'UNAUTHENTICATED', { operation: 'getDatasetResults' })],
    });
    expect(bed.calls()).toEqual([]);
  });
});

/*
 * Clause 3.12 of docs/contract.md in detail.
 * An asset that the response lacks is null without an error. If only its key or its `dataset` is selected, it is not
 * checked. `Asset.series` of a range without an entry is null. The parent of an asset is looked up in the same dataset,
 * by the id that the service sends, because the specification does not say where parents are. It is null if that id is
 * not valid as an input.
 */
describe('3.12 An asset that the response does not hold', () => {
  it.each(ways.slice(2))('is null without an error, and not checked if only its key is selected: $way', async (way) => {
    const bed = await start({ datasets: [{ ...dataset, results: { assets: [] } }] });
    const { body } = await ask(bed, way, '__typename datasetId assetId');
    expect(body).toEqual({ data: dataAt(way.path, assetReference('a')) });
    expect(bed.calls()).toEqual([]);
    for (const fields of ['name', 'series { version }', 'assetId name series { version }'])
      expect((await ask(bed, way, fields)).body).toEqual({ data: dataAt(way.path, null) });
    expect(bed.filters()).toEqual(Array(3).fill({ mo_ids: ['a'] }));
    for (const results of [{ assets: null }, {}]) {
      respondWith(bed.simulator, { results });
      expect((await ask(bed, way, 'name')).body).toEqual({ data: dataAt(way.path, null) });
    }
  });

  it.each(['assetId', 'assetId name'])('has a null series for a range without an entry: { %s }', async (fields) => {
    const bed = await start();
    const series = 'series(filter: { timeRange: { start: "2030-01-01T00:00:00Z" } }) { version }';
    const { body } = await bed.query(ofDataset(`asset(assetId: "a") { ${fields} ${series} }`));
    const asset = { assetId: 'a', ...(fields.includes('name') && { name: 'Field a' }), series: null };
    expect(body).toEqual({ data: { dataset: { asset } } });
  });
});
