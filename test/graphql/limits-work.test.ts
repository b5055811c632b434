import { describe, expect, it } from 'vitest';
import {
  assetReference,
  assetResult,
  DATASET_ID,
  datasetReference,
  ofDataset,
  ofEntities,
  respondWith,
  start,
  times,
} from '../support/harness.ts';
import { errorsOf, exceedsWork } from '../support/limits.ts';

const DEFAULT = 268_435_456;
const LIMIT = 1_000_000;

/** The results of one asset. */
const withAsset = (more: object) => ({ results: { assets: [{ ...assetResult('a'), ...more }] } });
const withRows = (count: number, row: (index: number) => object) =>
  withAsset({ results: Array.from({ length: count }, (_, index) => row(index)) });
const described = { metadata: { description: 'x'.repeat(4000) } };
const named = withAsset({ asset_name: 'x'.repeat(4000) });
const long = 'x'.repeat(20_000);

const aliases = (field: string) => (count: number) => times(count, (at) => `f${at}: ${field}`);
const onDataset = (around: (fields: string) => string, field: string) => (count: number) =>
  ofDataset(around(aliases(field)(count)));
const byIds = (selection: string) => `query ($ids: [ID!]!) { datasetsByIds(ids: $ids) { ${selection} } }`;
const copies = (reference: object) => (count: number) => ({ references: Array(count).fill(reference) });
const LONG_ID = `dataset(id: "${'x'.repeat(200)}")`;
const SERIES = 'dataset.results.series.nodes.0';

interface Work {
  /** The data of the service. */
  readonly service?: { readonly metadata?: object; readonly results?: object };
  readonly document: string | ((count: number) => string);
  readonly variables?: (count: number) => Record<string, unknown>;
  readonly limit?: number;
}

/** An operation that fits with so many of something, and exceeds the limit with more: one of its errors has this path. */
const work = (title: string, fits: number, exceeds: number, path: string, more: Work) => ({
  ...{ title, fits, exceeds, path },
  ...{ service: {}, variables: () => ({}), limit: LIMIT, ...more },
});

const works = [
  work('fields on the objects of lists: 107,374 by default', 1600, 2192, '_entities', {
    document: ofEntities(`... on Dataset { ${aliases('id')(49)} }`),
    variables: copies(datasetReference()),
    limit: DEFAULT,
  }),
  // A field takes 2500 units, and each of the 37 characters of both ids 20.
  work('fields of assets by their ids, also without a call', 80, 110, 'dataset', {
    document: (count) =>
      `query ($ids: [ID!]!) { dataset(id: "${DATASET_ID}") { assetsByIds(assetIds: $ids) { ${aliases('assetId')(count)} } } }`,
    variables: () => ({ ids: Array(1000).fill('a') }),
    limit: DEFAULT,
  }),
  // Two fields, the filter's list, and what is in it.
  work('values of a literal list, for each object that reads it', 36, 38, '_entities', {
    document: (count) =>
      ofEntities(`... on Dataset { results(filter: { assetIds: [${'"a" '.repeat(count)}] }) { sourceId } }`),
    variables: () => ({ references: Array(10).fill(datasetReference()) }),
  }),
  work('texts of the metadata, after the first copy', 12, 14, 'dataset.f0', {
    service: described,
    document: onDataset((fields) => fields, 'description'),
  }),
  work('texts of the metadata in a list', 12, 14, 'datasetsByIds.13.description', {
    service: described,
    document: byIds('id description'),
    variables: (count) => ({ ids: Array(count).fill(DATASET_ID) }),
  }),
  work('the name of a source in a fragment', 2, 9, 'dataset.source', {
    service: { metadata: { source_name: long } },
    document: (count) => `${ofDataset('source { ...F }')} fragment F on DatasetSource { ${aliases('name')(count)} }`,
  }),
  work('the metadata of each asset', 3, 30, 'dataset.results.series', {
    service: { metadata: { description: long }, results: { assets: ['a', 'b', 'c'].map(assetResult) } },
    document: onDataset((fields) => `results { series { nodes { asset { dataset { ${fields} } } } } }`, 'description'),
  }),
  work('texts of the results', 2, 9, 'dataset.results.f8', {
    service: { results: { processing_id: long } },
    document: onDataset((fields) => `results { ${fields} }`, 'processingId'),
  }),
  work('ids of datasets', 200, 480, 'dataset', {
    document: (count) => `{ ${LONG_ID} { ${aliases('id')(count)} } }`,
    limit: 3_000_000,
  }),
  work('URLs', 200, 260, 'dataset.download.f259', {
    document: (count) => `{ ${LONG_ID} { download { ${aliases('url')(count)} } } }`,
    limit: 3_000_000,
  }),
  work('download tickets, by the dataset', 5, 7, 'datasetsByIds.6.download.f0', {
    document: byIds(`download { ${aliases('ticketUrl')(2)} }`),
    variables: (count) => ({ ids: Array.from({ length: count }, (_, at) => `d${at}`) }),
  }),
  work('assets that are asked for by their ids', 14, 25, 'dataset', {
    document: onDataset((fields) => fields, 'asset(assetId: "a") { name }'),
  }),
  work('references to assets', 14, 25, '_entities.24', {
    document: ofEntities('... on Asset { name }'),
    variables: copies(assetReference('a')),
  }),
  work('attributes of an asset', 10, 20, 'dataset.asset', {
    service: named,
    document: onDataset((fields) => `asset(assetId: "a") { ${fields} }`, 'name'),
  }),
  work('attributes of an asset on a page', 100, 300, `${SERIES}.asset.f299`, {
    service: named,
    document: onDataset((fields) => `results { series { nodes { asset { ${fields} } } } }`, 'name'),
  }),
  work('attributes of an asset on a page that needs further calls', 8, 20, `${SERIES}.asset`, {
    service: named,
    document: onDataset((fields) => `results { series { nodes { asset { ${fields} series { version } } } } }`, 'name'),
  }),
  work('quantiles, which count before they are made: 400 MB', 1, 400, 'dataset.results.byDate', {
    service: withRows(20_000, (row) => ({ value_date: `d${row}`, metrics: [{ name: 'm', value: row / 7 }] })),
    document: (count) =>
      ofDataset(
        `results { byDate { metrics { ${times(count, (of) => `q${of}: quantiles(of: [${of / 400}, 1])`)} } } }`,
      ),
    limit: 10_000_000,
  }),
];

/*
 * Clause 3.27 of docs/contract.md in detail: work.
 * The unit of *work* is a byte of the response, which counts when it is written. Beyond the limit a value that can be null is null,
 * with its error; ids and what is the same for all assets are written on, until as much again is written: then the response ends with an
 * error. Other work counts as follows:
 *
 * work / units:
 * - a field that GraphQL execution completes on an object of a list (references, datasets, and entries of series whose
 *   assets need further calls): 2500
 * - each value of a literal list or object in the arguments of such a field: 2500
 * - an asset requested by its id: 40,000
 * - a download ticket: 150,000
 * - a character of an id, a URL or a text that GraphQL execution sends again; the first time, the service's texts count
 *   as bytes: 20
 * - a row that a field takes, a date or a value that is read of it, and a value that something is computed of: 1
 * - a value of which a deviation by period or date is computed: 6
 * - a value or a date that is sorted: 20
 */
describe('3.27 The work of one operation', () => {
  it.each(works)('is $title', async ({ service, document, variables, fits, exceeds, path, limit }) => {
    const bed = await start({
      env: { MAX_OPERATION_WORK: String(limit), DOWNLOAD_TICKET_SECRET: 's'.repeat(32) },
    });
    respondWith(bed.simulator, service);
    const ask = (count: number) =>
      bed.query(typeof document === 'string' ? document : document(count), { variables: variables(count) });
    expect((await ask(fits)).body.errors).toBeUndefined();
    const response = await ask(exceeds);
    expect(errorsOf(response)).toContainEqual(exceedsWork(path, limit));
    // What cannot be null may be as much again, and there are at most 1000 errors.
    expect(Buffer.byteLength(response.text)).toBeLessThan(2.2 * limit + 1001 * 500);
  });

  it('is that under the conditions of each request', async () => {
    const bed = await start({ env: { MAX_OPERATION_WORK: String(LIMIT) } });
    const document = `query ($ids: [ID!]!, $more: Boolean!) {
      datasetsByIds(ids: $ids) { id } datasetsByIds(ids: $ids) @include(if: $more) { ${aliases('id')(20)} }
    }`;
    const ask = (more: boolean) => bed.query(document, { variables: { ids: Array(20).fill('x'), more } });
    for (const more of [false, true, false])
      expect(errorsOf(await ask(more))).toEqual(more ? [exceedsWork('datasetsByIds', LIMIT)] : undefined);
  });

  it('of results that pass makes null what is too much, and the ids are there', async () => {
    const bed = await start({ env: { MAX_OPERATION_WORK: String(LIMIT) }, holdBytes: 4096 });
    const assets = Array.from({ length: 3000 }, (_, at) => ({ asset_id: `a${at}`, asset_name: 'x'.repeat(400) }));
    respondWith(bed.simulator, { results: { assets, processing_id: 'p' } });
    const { body } = await bed.query(ofDataset('results { series { nodes { asset { assetId name } } } processingId }'));
    expect(body.data.dataset.results.processingId).toBe('p');
    const nodes: { asset: { name: unknown } }[] = body.data.dataset.results.series.nodes;
    const written = nodes.findIndex(({ asset }) => asset.name === null);
    expect(written).toBeGreaterThan(2000);
    expect(written).toBeLessThan(2500);
    expect(nodes).toEqual(
      assets.map(({ asset_id, asset_name }, at) => ({
        asset: { assetId: asset_id, name: at < written ? asset_name : null },
      })),
    );
    expect(body.errors[0]).toMatchObject({
      path: ['dataset', 'results', 'series', 'nodes', written, 'asset', 'name'],
      extensions: { code: 'REQUEST_LIMIT_EXCEEDED' },
    });
  });

  it('ends a response whose ids reach it once more', async () => {
    const bed = await start({ env: { MAX_OPERATION_WORK: String(LIMIT) } });
    const ask = (count: number) => {
      const assets = Array.from({ length: count }, (_, at) => assetResult(`${at} ${long}`));
      respondWith(bed.simulator, { results: { assets } });
      return bed.query(ofDataset('results { series { nodes { asset { a: assetId b: assetId } } } }'));
    };
    expect((await ask(24)).body.errors).toBeUndefined();
    await expect(ask(51)).rejects.toThrow();
  });
});
