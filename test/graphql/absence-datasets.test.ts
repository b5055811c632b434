import { describe, expect, it } from 'vitest';
import type { Fault } from '../../simulator/src/simulator.ts';
import { eventually } from '../support/eventually.ts';
import { errorAt } from '../support/expected-errors.ts';
import {
  assetReference,
  DATASET_ID,
  datasetReference,
  gate,
  ofDataset,
  start,
  type TestBed,
} from '../support/harness.ts';
import { datasets, entities, OTHER_ID, ofMetadata, ofResults } from './absence.ts';

const metadataFields =
  'name description assetCount attributionText attributionFile sharing processing { id } source { id } startDate stopDate startDateTime stopDateTime';
const metadataNames = metadataFields.replaceAll(' { id }', '').split(' ');
const assetFields = 'name version categories centroid { latitude } surfaceAreaM2 parent { name } series { version }';
const assetNames = ['name', 'version', 'categories', 'centroid', 'surfaceAreaM2', 'parent', 'series'];

/** The failures that say that there is nothing for the caller. */
const absent = [
  { fault: { status: 401 }, code: 'UNAUTHENTICATED', rest: { status: 401, label: 'WRONG_CREDENTIALS' } },
  { fault: { status: 404 }, code: 'NOT_FOUND', rest: { status: 404, label: 'NOT_FOUND' } },
].map(({ rest, ...failure }) => ({ ...failure, rest: { ...rest, labelSource: 'body' } }));

/** Failures that say nothing of whether there is a dataset. */
const others: { name: string; fault: Fault; code: string; rest: Record<string, unknown> }[] = [
  { fault: { status: 400 }, code: 'BAD_USER_INPUT', rest: { label: 'BAD_REQUEST', labelSource: 'body' } },
  { fault: { status: 403 }, code: 'FORBIDDEN', rest: { label: 'UNAUTHORIZED', labelSource: 'body' } },
  { fault: { status: 409 }, code: 'CONFLICT', rest: { label: 'DUPLICATE_ENTITY', labelSource: 'body' } },
  { fault: { status: 500 }, code: 'UPSTREAM_ERROR', rest: { label: 'INTERNAL_SERVER_ERROR', labelSource: 'body' } },
  { fault: { status: 503 }, code: 'UPSTREAM_UNAVAILABLE', rest: { retryable: true } },
].map(({ fault, code, rest }) => ({ name: `${fault.status}`, fault, code, rest: { ...rest, status: fault.status } }));
others.push(
  { name: 'reset', fault: { reset: true }, code: 'UPSTREAM_UNAVAILABLE', rest: { retryable: true } },
  { name: 'cut', fault: { cutAfterBytes: 9 }, code: 'UPSTREAM_UNAVAILABLE', rest: { status: 200, retryable: true } },
  { name: 'no JSON', fault: { body: '{"name":' }, code: 'UPSTREAM_INVALID_RESPONSE', rest: { status: 200 } },
  { name: 'no object', fault: { body: '[]' }, code: 'UPSTREAM_INVALID_RESPONSE', rest: { status: 200 } },
);

const nulls = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, null]));

function failMetadata({ simulator }: TestBed, fault: Fault): void {
  simulator.intercept(({ operation }) => (operation === 'getDatasetMetadata' ? fault : undefined));
}

function failResults({ simulator }: TestBed, fault: Fault): void {
  simulator.intercept(({ operation }) => (operation === 'getDatasetResults' ? fault : undefined));
}

/*
 * Clause 3.11 of docs/contract.md in detail.
 * A missing dataset. If metadata is selected and the service responds with 401 or 404, the dataset is null with one
 * error, and its results call under way is ended. After any other failure the object stays: its results can still come,
 * and each selected metadata field is null with the error. The same holds for `Dataset` references. It also holds for
 * `asset(assetId:)`, `assetsByIds(assetIds:)`, the asset of a parent and `Asset` references, with the results call instead of the
 * metadata call. `Asset.dataset` behaves as a `Dataset` reference.
 */
describe('3.11 A dataset that is not there', () => {
  describe.each(absent)('where the metadata call is answered with $fault.status', ({ fault, code, rest }) => {
    it.each([
      'name',
      'id download { method } stopDateTime',
      metadataFields,
      'name results { processingId }',
      'name asset(assetId: "a") { name }',
    ])('is null with one error: { %s }', async (fields) => {
      const bed = await start();
      failMetadata(bed, fault);
      const { status, body } = await bed.query(ofDataset(`${fields}`));
      const errors = [errorAt(['dataset'], code, ofMetadata(rest))];
      expect({ status, body }).toEqual({ status: 200, body: { data: { dataset: null }, errors } });
    });

    it('is an object where no metadata is selected', async () => {
      const bed = await start();
      failMetadata(bed, fault);
      const { body } = await bed.query(ofDataset('__typename id results { processingId }'));
      expect(body).toEqual({
        data: { dataset: { __typename: 'Dataset', id: DATASET_ID, results: { processingId: 'p-1' } } },
      });
    });

    it('is null in a list, whose other entries stay', async () => {
      const bed = await start({ datasets });
      bed.simulator.intercept(({ datasetId }) => (datasetId === DATASET_ID ? fault : undefined));
      const { body } = await bed.query(
        `{ datasetsByIds(ids: ["${OTHER_ID}", "${DATASET_ID}", "${OTHER_ID}"]) { id name } }`,
      );
      const other = { id: OTHER_ID, name: 'Soil moisture' };
      expect(body).toEqual({
        data: { datasetsByIds: [other, null, other] },
        errors: [errorAt(['datasetsByIds', 1], code, ofMetadata(rest))],
      });
    });

    it.each(['name', 'name results { processingId }'])('is null as a reference: { %s }', async (fields) => {
      const bed = await start();
      failMetadata(bed, fault);
      const { body } = await entities(bed, [datasetReference()], `... on Dataset { ${fields} }`);
      const errors = [errorAt(['_entities', 0], code, ofMetadata(rest))];
      expect(body).toEqual({ data: { _entities: [null] }, errors });
    });

    it.each([
      ['the same', ['a'], ['a']],
      ['another', ['b'], ['a', 'b']],
    ])('keeps %s results for another alias that selects no metadata', async (_which, assetIds, asked) => {
      const bed = await start();
      bed.simulator.intercept(async ({ operation }) => {
        if (operation === 'getDatasetMetadata') return fault;
        await eventually(() => expect(bed.log.join()).toContain('getDatasetMetadata'));
        return undefined;
      });
      const { body } = await bed.query(
        `query ($assetIds: [ID!]) {
           a: dataset(id: "${DATASET_ID}") { name results(filter: { assetIds: ["a"] }) { processingId } }
           b: dataset(id: "${DATASET_ID}") {
             results(filter: { assetIds: $assetIds }) { series { nodes { asset { assetId } } } }
           }
         }`,
        { variables: { assetIds } },
      );
      const nodes = assetIds.map((assetId) => ({ asset: { assetId } }));
      expect(body).toEqual({
        data: { a: null, b: { results: { series: { nodes } } } },
        errors: [errorAt(['a'], code, ofMetadata(rest))],
      });
      expect(bed.filters()).toEqual([{ mo_ids: asked }]);
    });
  });

  it.each([
    ['dataset', 'results { processingId }'],
    ['dataset', 'asset(assetId: "a") { name }'],
    ['dataset', 'asset(assetId: "a") { series { version } }'],
    ['_entities', 'results { processingId }'],
    ['_entities', 'asset(assetId: "a") { name }'],
  ])('aborts its POST under way: %s { name %s }', async (door, fields) => {
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
    const one =
      door === 'dataset'
        ? `dataset(id: "${DATASET_ID}") { name ${fields} }`
        : `_entities(representations: [{ __typename: "Dataset", id: "${DATASET_ID}" }]) {
             ... on Dataset { name ${fields} }
           }`;
    const { body } = await bed.query(`{ ${one} other: dataset(id: "${OTHER_ID}") { name } }`);
    expect(body).toEqual({
      data: { [door]: door === 'dataset' ? null : [null], other: { name: 'Soil moisture' } },
      errors: [
        errorAt(
          door === 'dataset' ? [door] : [door, 0],
          'NOT_FOUND',
          ofMetadata({ status: 404, label: 'NOT_FOUND', labelSource: 'body' }),
        ),
      ],
    });
  });

  describe.each(others)('where the metadata call fails otherwise ($name)', ({ fault, code, rest }) => {
    it('keeps the object and the results, and makes each metadata field null with the error', async () => {
      const bed = await start();
      failMetadata(bed, fault);
      const { status, body } = await bed.query(ofDataset(`id ${metadataFields} results { processingId }`));
      const data = { dataset: { id: DATASET_ID, ...nulls(metadataNames), results: { processingId: 'p-1' } } };
      const errors = metadataNames.map((name) => errorAt(['dataset', name], code, ofMetadata(rest)));
      expect({ status, body }).toEqual({ status: 200, body: { data, errors } });
    });

    it('keeps the object of a reference in the same way', async () => {
      const bed = await start();
      failMetadata(bed, fault);
      const { body } = await entities(bed, [datasetReference()], '... on Dataset { id name results { processingId } }');
      expect(body).toEqual({
        data: { _entities: [{ id: DATASET_ID, name: null, results: { processingId: 'p-1' } }] },
        errors: [errorAt(['_entities', 0, 'name'], code, ofMetadata(rest))],
      });
    });
  });

  it.each([...absent, ...others])('keeps the metadata where the POST fails: $code, $fault', async (failure) => {
    const bed = await start();
    failResults(bed, failure.fault);
    const { body } = await bed.query(ofDataset('name results { processingId }'));
    expect(body).toEqual({
      data: { dataset: { name: 'Soil moisture', results: null } },
      errors: [errorAt(['dataset', 'results'], failure.code, ofResults(failure.rest))],
    });
  });

  const doors = [
    { door: 'asset(assetId:)', path: ['dataset', 'asset'], data: (asset: unknown) => ({ dataset: { asset } }) },
    { door: 'a reference', path: ['_entities', 0], data: (asset: unknown) => ({ _entities: [asset] }) },
  ];

  function askAsset(bed: TestBed, door: string, fields: string, token?: null) {
    return door === 'a reference'
      ? entities(bed, [assetReference('a')], `... on Asset { ${fields} }`, token)
      : bed.query(ofDataset(`asset(assetId: "a") { ${fields} }`), {
          ...(token === null && { token }),
        });
  }

  describe.each(doors)('an asset by $door', ({ door, path, data }) => {
    it.each(
      absent.flatMap((failure) =>
        ['assetId name', 'series { version }', assetFields].map((fields) => ({ ...failure, fields })),
      ),
    )('is null with one error where the POST is answered with $fault.status: { $fields }', async (failure) => {
      const bed = await start();
      failResults(bed, failure.fault);
      const { body } = await askAsset(bed, door, failure.fields);
      const errors = [errorAt(path, failure.code, ofResults(failure.rest))];
      expect(body).toEqual({ data: data(null), errors });
    });

    it.each(others)('keeps its key where the POST fails otherwise ($name)', async ({ fault, code, rest }) => {
      const bed = await start();
      failResults(bed, fault);
      const { body } = await askAsset(bed, door, `datasetId assetId ${assetFields}`);
      expect(body).toEqual({
        data: data({ datasetId: DATASET_ID, assetId: 'a', ...nulls(assetNames) }),
        errors: assetNames.map((name) => errorAt([...path, name], code, ofResults(rest))),
      });
      expect(bed.filters()).toEqual([{ mo_ids: ['a'] }]);
    });

    it('is null with one error without a token, and there is no call', async () => {
      const bed = await start();
      const { body } = await askAsset(bed, door, 'assetId name series { version }', null);
      expect(body).toEqual({ data: data(null), errors: [errorAt(path, 'UNAUTHENTICATED', ofResults({}))] });
      expect(bed.calls()).toEqual([]);
    });
  });

  it.each(absent)('nulls an asset of which the POST of any range is answered with $fault.status', async (failure) => {
    const bed = await start();
    bed.simulator.intercept(({ body }) => (body.includes('time_range') ? failure.fault : undefined));
    const { body } = await bed.query(
      ofDataset(
        'asset(assetId: "a") { name all: series { version } some: series(filter: { timeRange: { start: 0 } }) { version } }',
      ),
    );
    const errors = [errorAt(['dataset', 'asset'], failure.code, ofResults(failure.rest))];
    expect(body).toEqual({ data: { dataset: { asset: null } }, errors });
  });

  it('keeps an asset of which only the series of one range fails', async () => {
    const bed = await start();
    bed.simulator.intercept(({ body }) => (body.includes('time_range') ? { status: 500 } : undefined));
    const { body } = await bed.query(
      ofDataset(
        'asset(assetId: "a") { name all: series { version } some: series(filter: { timeRange: { start: 0 } }) { version } }',
      ),
    );
    const rest = ofResults({ status: 500, label: 'INTERNAL_SERVER_ERROR', labelSource: 'body' });
    expect(body).toEqual({
      data: { dataset: { asset: { name: 'Field a', all: { version: '1' }, some: null } } },
      errors: [errorAt(['dataset', 'asset', 'some'], 'UPSTREAM_ERROR', rest)],
    });
  });

  it('is null with one error without a token where metadata is selected, and there is no call', async () => {
    const bed = await start();
    const document = ofDataset('id name results { processingId } download { method }');
    const { body } = await bed.query(document, { token: null });
    const error = errorAt(['dataset'], 'UNAUTHENTICATED', ofMetadata({}));
    expect(body).toEqual({ data: { dataset: null }, errors: [error] });
    const reference = await entities(bed, [datasetReference()], '... on Dataset { id name }', null);
    expect(reference.body).toEqual({ data: { _entities: [null] }, errors: [{ ...error, path: ['_entities', 0] }] });
    expect(bed.calls()).toEqual([]);
  });

  it('is an object with failing results without a token where no metadata is selected', async () => {
    const bed = await start();
    const document = ofDataset('id results { processingId } download { method }');
    const { body } = await bed.query(document, { token: null });
    expect(body).toEqual({
      data: { dataset: { id: DATASET_ID, results: null, download: { method: 'GET' } } },
      errors: [errorAt(['dataset', 'results'], 'UNAUTHENTICATED', ofResults({}))],
    });
    expect(bed.calls()).toEqual([]);
  });
});
