import { describe, expect, it } from 'vitest';
import {
  type Answer,
  assetReference,
  DATASET_ID,
  datasetReference,
  getSummary,
  ofDataset,
  ofEntities,
  postResults,
  start,
} from '../support/harness.ts';
import { datasetOf } from '../support/merging.ts';

const env = { OPERATION_PLAN: 'on' };
const headers = { 'operation-plan': 'include' };
const setup = { env, datasets: [datasetOf('abc')] };

const planOf = ({ body }: Answer): { fields: string[]; calls: string[] } => body.extensions.plan;

/** A query of one dataset, whose selection begins at 3:5. */
const documentOf = (selection: string) => `{
  dataset(id: "${DATASET_ID}") {
    ${selection}
  }
}`;

const COPIED = 'copied from the response';

/** The plan of the fields of a dataset, for each form that results may have. */
const forms: [form: string, selection: string, ...fields: string[]][] = [
  [
    'may pass',
    'results { series { nodes { rowCount } } }',
    '  results 3:5: all assets; all are needed once, in order',
    `    series 3:15: ${COPIED}`,
  ],
  [
    'are needed twice',
    'results { a: series { nodes { rowCount } } b: series { totalCount } }',
    '  results 3:5: all assets; all are held',
    `    a 3:15: ${COPIED}`,
    `    b 3:48: ${COPIED}`,
  ],
  [
    'need further calls',
    'results { series(first: 1) { nodes { asset { series { rowCount } } } } }',
    '  results 3:5: all assets; all are held',
    '    series 3:15: resolved field by field',
  ],
  [
    'are of a time range, and only counted',
    'results(filter: { timeRange: { start: 5, stop: 9 } }) { sourceId } b: results(filter: { timeRange: { stop: 9 } }) { series { totalCount } }',
    '  results 3:5: all assets, from 5, to 9; none is needed',
    '  b 3:72: all assets, to 9; none is needed',
    `    series 3:121: ${COPIED}`,
  ],
  [
    'have the names of their metrics',
    'names: metricNames seriesCount b: results { series(first: 2) { totalCount nodes { version } } metricNames }',
    '  made of all results: names, seriesCount; none is needed, and the names of all metrics',
    '  b 3:36: all assets; the first 2 are needed, and the names of all metrics',
    `    series 3:49: ${COPIED}`,
  ],
  [
    'are files, which need nothing, beside one value',
    'a: results { rowsFile(format: CSV) { url } } results { byDateFile(format: CSV) { url } sourceId }',
    '  results 3:50: all assets; none is needed',
  ],
];

/*
 * Clause 3.44 of docs/contract.md in detail.
 * `OPERATION_PLAN=on` gives a request with the header `operation-plan: include` the plan of its operation in
 * `extensions.plan`, as lines of text. A response with a plan may not be reused (39). Other requests have no extra
 * cost. With `off`, the default, the header has no effect.
 * - `fields` has each field that requires something of the service, by its response key, with line and column in the
 *   document: which fields need the metadata, which assets of which time are requested, and how much of a response is
 *   needed: all of it, all of it once and in order (so that it may pass, 33), or its first assets. Series are `copied
 *   from the response`, or `resolved field by field` where their selection needs further calls.
 * - `calls` has each REST call, dataset by dataset, and below it what it serves: rows, or attributes, of which assets.
 *   A call is `merged` if its response serves several requests (3). A call that the cache answers is there too, and one
 *   that was aborted is not.
 * - A line has at most five ids, a call ten of its requests, and a list 1000 lines.
 */
describe('3.44 The plan of an operation', () => {
  it('has what each field requires, and every call with the requests that it serves', async () => {
    const { query, calls } = await start(setup);
    const document = documentOf(`title: name results(filter: { assetIds: ["a", "b"] }) { series { nodes { rowCount } } }
    asset(assetId: "c") { label: name series(filter: { timeRange: { start: "1970-01-01T00:00:00.005Z" } }) { rowCount } }`);
    const rows = { series: { nodes: [{ rowCount: 3 }, { rowCount: 3 }] } };
    const data = {
      dataset: { title: 'Soil moisture', results: rows, asset: { label: 'Field c', series: { rowCount: 3 } } },
    };
    const plan = {
      fields: [
        'dataset 2:3',
        '  metadata: title',
        '  results 3:17: assets "a", "b"; all are held',
        `    series 3:61: ${COPIED}`,
        '  asset 4:5: asset "c"; attributes: label; rows, from 5',
      ],
      calls: [
        `GET metadata of "${DATASET_ID}"`,
        `POST results of "${DATASET_ID}": assets "a", "b"`,
        '  rows of assets "a", "b"',
        `POST results of "${DATASET_ID}": asset "c", from 5`,
        '  rows of asset "c", from 5',
        '  attributes of asset "c"',
      ],
    };
    expect((await query(document, { headers })).body).toEqual({ data, extensions: { plan } });
    expect(calls().toSorted()).toEqual([
      getSummary(),
      postResults({ mo_ids: ['a', 'b'] }),
      postResults({ mo_ids: ['c'], time_range: { start_date: 5 } }),
    ]);
    // In no response to other requests, or if it is off.
    const off = await start({ datasets: setup.datasets });
    expect((await query(document)).body).toEqual({ data });
    expect((await query(document, { headers: { 'operation-plan': 'yes' } })).body).toEqual({ data });
    expect((await off.query(document, { headers })).body).toEqual({ data });
  });

  it('follows the variables of its request, also for a document that is known', async () => {
    const { query } = await start(setup);
    const document = 'query ($id: ID!, $asset: ID!) { dataset(id: $id) { asset(assetId: $asset) { name } } }';
    for (const assetId of ['a', 'b', 'c'])
      expect(planOf(await query(document, { headers, variables: { id: DATASET_ID, asset: assetId } }))).toEqual({
        fields: ['dataset 1:33', `  asset 1:52: asset "${assetId}"; attributes: name`],
        calls: [`POST results of "${DATASET_ID}": asset "${assetId}"`, `  attributes of asset "${assetId}"`],
      });
  });

  it.each(forms)('says that results %s', async (_form, selection, ...fields) => {
    const { query } = await start(setup);
    expect(planOf(await query(documentOf(selection), { headers })).fields).toEqual(['dataset 2:3', ...fields]);
  });

  it('has the references of a router', async () => {
    const { query } = await start(setup);
    const references = [datasetReference(), assetReference('a'), assetReference('b')];
    const document = ofEntities('... on Dataset { name } ... on Asset { name }');
    expect(planOf(await query(document, { headers, variables: { references } }))).toEqual({
      fields: ['_entities 1:33', '  metadata: name', '_entities 1:33; attributes: name'],
      calls: [
        `GET metadata of "${DATASET_ID}"`,
        `POST results of "${DATASET_ID}": assets "a", "b"; merged`,
        '  attributes of asset "a"',
        '  attributes of asset "b"',
      ],
    });
  });

  it('has five ids of a list, ten requests of a call, and a thousand lines', async () => {
    const { query } = await start(setup);
    const ids = Array.from({ length: 12 }, (_, index) => `${index}`);
    const byIds = documentOf(`assetsByIds(assetIds: ${JSON.stringify(ids)}) { name }`);
    const printed = '"0", "1", "2", "3", "4" and 7 more';
    expect(planOf(await query(byIds, { headers }))).toEqual({
      fields: ['dataset 2:3', `  assetsByIds 3:5: assets ${printed}; attributes: name`],
      calls: [
        `POST results of "${DATASET_ID}": assets ${printed}; merged`,
        ...ids.slice(0, 10).map((id) => `  attributes of asset "${id}"`),
        '  and 2 more',
      ],
    });
    const manyResults = (count: number) =>
      documentOf(Array.from({ length: count }, (_, index) => `r${index}: results { processingId }`).join(' '));
    const bed = await start({ ...setup, env: { ...env, MAX_ALIASES: '2000', MAX_DOCUMENT_TOKENS: '20000' } });
    expect(planOf(await bed.query(manyResults(999), { headers })).fields).toHaveLength(1000);
    const { fields } = planOf(await bed.query(manyResults(1000), { headers }));
    expect([fields.length, fields.at(-1)]).toEqual([1001, '...']);
  });

  it('is in no response that may be reused', async () => {
    const { query } = await start({ ...setup, env: { ...env, ROUTER_CACHE_METADATA_SECONDS: '60' } });
    const cacheControl = async (headers = {}) => (await query(ofDataset('name'), { headers })).headers['cache-control'];
    expect([await cacheControl(), await cacheControl(headers)]).toEqual(['private, max-age=60', 'no-store']);
  });
});
