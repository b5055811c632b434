import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { invalidAt } from '../support/expected-errors.ts';
import {
  assetResult,
  DATASET_ID,
  dataset,
  metadataResponse,
  ofDataset,
  respondWith,
  start,
  type TestBed,
} from '../support/harness.ts';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type Path = (string | number)[];

/** Values of another type than the specification gives a field. */
const wrongValues = {
  text: [5, 0, true, false, [], ['x'], {}, { name: 'x' }],
  int32: ['3', '', 1.5, true, [], [3], {}, 2 ** 31],
  int64: ['3', '', 1.5, true, false, [], [3], {}],
  double: ['3', '', 'NaN', true, false, [], [3], {}],
  texts: ['x', '', 5, true, {}, [5], ['x', 5], ['x', true], ['x', ['y']], [{}, null]],
  list: ['x', '', 5, 0, true, false, {}, { 0: {} }],
} satisfies Record<string, Json[]>;

const RESULTS = ['dataset', 'results'];

const ask = ({ query }: TestBed, fields: string) => query(ofDataset(fields));

/*
 * Clause 3.17 of docs/contract.md in detail.
 * Missing and odd data. Absent or null is null. `processing`, `source` and `parent` are null if all their parts are,
 * `centroid` unless both coordinates are present, and `rowCount`, `metricNames` and `columns` if `rows` is. A known
 * field of the wrong type is null with `UPSTREAM_INVALID_RESPONSE` at that field, if it is selected. A list of strings
 * with a wrong element is null as a whole. A column continues, with null and an error at the index. Unknown fields are
 * ignored, and null entries of lists are omitted. An asset without `asset_id`, or a list entry that is not an object,
 * is omitted. A body that is an object with members, none of which the specification names (§2.1, §2.4), is
 * `UPSTREAM_INVALID_RESPONSE` as a whole and is not kept; an empty object is not. Each REST response causes one error for all of these, at the first field in the document that used it;
 * the rest is kept. An unknown `sharedOption` is `UNRECOGNIZED`. A row, an attribute or an id of more
 * than 1 MiB is null with `UPSTREAM_RESPONSE_TOO_LARGE`.
 */
describe('3.17 Missing and odd data', () => {
  it('keeps an asset whose list of assets has another type, with an error at each field', async () => {
    const bed = await start();
    for (const assets of wrongValues.list) {
      respondWith(bed.simulator, { results: { assets } });
      const { body } = await ask(bed, 'asset(assetId: "a") { assetId name version series { version } }');
      expect(body).toEqual({
        data: { dataset: { asset: { assetId: 'a', name: null, version: null, series: null } } },
        errors: ['name', 'version', 'series'].map((name) => invalidAt(['dataset', 'asset', name])),
      });
    }
  });

  it('says nothing of fields of another type that are not selected', async () => {
    const bed = await start();
    respondWith(bed.simulator, {
      metadata: {
        ...Object.fromEntries(Object.keys(dataset.metadata).map((key) => [key, {}])),
        description: 'd',
        source_id: 's',
      },
      results: {
        processing_id: 5,
        source_id: 's',
        assets: [
          {
            ...Object.fromEntries(Object.keys(assetResult('a')).map((key) => [key, {}])),
            asset_id: 'a',
            asset_centroid_longitude: 7.25,
            parent_asset_name: 'Farm',
            results: [{ value_date: 5, metrics: [{ name: {}, value: 1 }] }],
          },
        ],
      },
    });
    const { body } = await ask(
      bed,
      `description source { id }
       results {
         sourceId
         series {
           nodes {
             rowCount metricNames rows { metrics { value } } columns { rowCount }
             asset { assetId centroid { longitude } parent { name } }
           }
         }
       }`,
    );
    const node = {
      rowCount: 1,
      metricNames: [],
      rows: [{ metrics: [{ value: 1 }] }],
      columns: { rowCount: 1 },
      asset: { assetId: 'a', centroid: { longitude: 7.25 }, parent: { name: 'Farm' } },
    };
    const results = { sourceId: 's', series: { nodes: [node] } };
    expect(body).toEqual({ data: { dataset: { description: 'd', source: { id: 's' }, results } } });
  });

  describe('objects made of several fields', () => {
    it.each(['processing', 'source'])('has no %s only where it has neither id nor name', async (object) => {
      const bed = await start();
      const [id, name] = [`${object}_id`, `${object}_name`];
      for (const [metadata, expected] of [
        [{}, null],
        [{ [id]: null, [name]: null }, null],
        [{ [id]: 'i' }, { id: 'i', name: null }],
        [
          { [id]: null, [name]: 'n' },
          { id: null, name: 'n' },
        ],
        [
          { [id]: '', [name]: null },
          { id: '', name: null },
        ],
      ]) {
        respondWith(bed.simulator, { metadata });
        const { body } = await ask(bed, `${object} { id name }`);
        expect(body).toEqual({ data: { dataset: { [object]: expected } } });
      }
    });

    const none = { assetId: null, name: null, version: null };

    it.each([
      ['parent { assetId name version }', {}, { parent: null }],
      [
        'parent { assetId name version }',
        { parent_asset_id: null, parent_asset_name: null, parent_asset_version: null },
        { parent: null },
      ],
      ['parent { assetId name version }', { parent_asset_id: 'i' }, { parent: { ...none, assetId: 'i' } }],
      ['parent { assetId name version }', { parent_asset_name: 'n' }, { parent: { ...none, name: 'n' } }],
      ['parent { assetId name version }', { parent_asset_version: 0 }, { parent: { ...none, version: '0' } }],
      ['parent { assetId name version }', { parent_asset_id: '' }, { parent: { ...none, assetId: '' } }],
      ['parent { name }', { parent_asset_id: 'i' }, { parent: { name: null } }],
      ['centroid { latitude longitude }', {}, { centroid: null }],
      ['centroid { latitude longitude }', { asset_centroid_latitude: 1 }, { centroid: null }],
      ['centroid { latitude longitude }', { asset_centroid_longitude: 1 }, { centroid: null }],
      [
        'centroid { latitude longitude }',
        { asset_centroid_latitude: 0, asset_centroid_longitude: 0 },
        { centroid: { latitude: 0, longitude: 0 } },
      ],
      ['centroid { latitude }', { asset_centroid_latitude: 1 }, { centroid: null }],
    ])('has %s of %j', async (fields, entry, asset) => {
      const bed = await start();
      respondWith(bed.simulator, { results: { assets: [{ asset_id: 'a', ...entry }] } });
      const { body } = await ask(bed, `asset(assetId: "a") { ${fields} }`);
      expect(body).toEqual({ data: { dataset: { asset } } });
    });
  });

  it('ignores unknown fields, also those that are names of JavaScript', async () => {
    const unknown = `"__proto__":{"name":"evil","asset_name":"evil","description":"evil","value":6},"constructor":5,
      "toString":[],"hasOwnProperty":null,"":{},"assetName":"evil","NAME":5,"a":{"start_date":1e400,"asset_id":[[]]}`;
    const bed = await start();
    respondWith(bed.simulator, {
      metadata: `{${unknown},"attributionText":"text"}`,
      results: `{${unknown},"assets":[{${unknown},"asset_id":"a","results":[{${unknown},"metrics":[{${unknown},"name":"m"}]}]}]}`,
    });
    const { body } = await ask(
      bed,
      `name description attributionText
       results { processingId series { nodes { asset { name } rows { valueDate metrics { name value } } } } }`,
    );
    const node = { asset: { name: null }, rows: [{ valueDate: null, metrics: [{ name: 'm', value: null }] }] };
    const results = { processingId: null, series: { nodes: [node] } };
    expect(body).toEqual({ data: { dataset: { name: null, description: null, attributionText: 'text', results } } });
  });

  it.each([
    ['OWNED', 'OWNED'],
    ['SHARED', 'SHARED'],
    ['NON_SHARED', 'NON_SHARED'],
    ['PUBLIC', 'UNRECOGNIZED'],
    ['owned', 'UNRECOGNIZED'],
    [' OWNED', 'UNRECOGNIZED'],
    ['', 'UNRECOGNIZED'],
    ['UNRECOGNIZED', 'UNRECOGNIZED'],
    ['__proto__', 'UNRECOGNIZED'],
  ])('shows the sharedOption "%s" as %s', async (sharedOption, sharing) => {
    const bed = await start();
    respondWith(bed.simulator, { metadata: { sharedOption } });
    expect((await ask(bed, 'sharing')).body).toEqual({ data: { dataset: { sharing } } });
  });
});

describe('3.17 Missing and odd data', () => {
  describe('lists', () => {
    const seriesFields =
      'totalCount nodes { asset { assetId categories } rowCount rows { valueDate metrics { name } } }';
    const entry = (assetId: string, rest: object = {}) => ({ asset_id: assetId, results: [], ...rest });
    const node = (assetId: string, rest: object = {}) => ({
      asset: { assetId, categories: null },
      rowCount: 0,
      rows: [],
      ...rest,
    });

    it('leaves out null entries, without an error', async () => {
      const bed = await start();
      const metrics = [null, { name: 'm' }, null];
      respondWith(bed.simulator, {
        results: {
          assets: [
            null,
            entry('a', { asset_categories: [null, 'x', null], results: [null, { value_date: 'd', metrics }, null] }),
            null,
            entry('b', { asset_categories: [null], results: [null] }),
          ],
        },
      });
      const { body } = await ask(bed, `results { series { ${seriesFields} } }`);
      const a = node('a', {
        asset: { assetId: 'a', categories: ['x'] },
        rowCount: 1,
        rows: [{ valueDate: 'd', metrics: [{ name: 'm' }] }],
      });
      const b = node('b', { asset: { assetId: 'b', categories: [] } });
      expect(body).toEqual({ data: { dataset: { results: { series: { totalCount: 2, nodes: [a, b] } } } } });
    });

    it('of a member that is repeated count as the last one', async () => {
      const bed = await start();
      const row = fc.constantFrom(
        '{"metrics":[5]}',
        '{"value_date":"d"}',
        '{"metrics":null}',
        '{"metrics":[null]}',
        '5',
        '{}',
      );
      const lists = fc.array(fc.array(row, { maxLength: 4 }), { minLength: 1, maxLength: 3 });
      await fc.assert(
        fc.asyncProperty(fc.array(lists, { minLength: 1, maxLength: 4 }), async (assets) => {
          const texts = assets.map(
            (each, index) => `{"asset_id":"${index}",${each.map((rows) => `"results":[${rows}]`)}}`,
          );
          respondWith(bed.simulator, { results: `{"assets":[${texts}]}` });
          const { body } = await ask(bed, 'results { series { nodes { rowCount } } }');
          const last = assets.map((each) => each.at(-1) ?? []);
          expect(body.data.dataset.results.series.nodes).toEqual(
            last.map((rows) => ({ rowCount: rows.filter((each) => each !== '5').length })),
          );
          const isOmitted = last.flat().some((each) => each === '5' || each === '{"metrics":[5]}');
          expect((body.errors ?? []).length).toBe(isOmitted ? 1 : 0);
        }),
        { numRuns: 50 },
      );
    });

    const noObjects = [5, 'x', true, false, [], [{ asset_id: 'x' }]];

    it.each([
      ['assets that are no objects', { assets: [...noObjects, entry('a'), ...noObjects, entry('b')] }],
      ['an asset without an id', { assets: [entry('a'), { asset_name: 'x', results: [] }, entry('b')] }],
      ['an asset whose id is null', { assets: [entry('a'), { asset_id: null }, entry('b')] }],
      [
        'assets whose id is no text',
        { assets: [entry('a'), { asset_id: 5 }, { asset_id: ['a'] }, { asset_id: {} }, entry('b')] },
      ],
      ['rows that are no objects', { assets: [entry('a', { results: noObjects }), entry('b')] }],
      [
        'all of these',
        { assets: [...noObjects, {}, entry('a', { results: noObjects }), {}, entry('b', { results: [1] })] },
      ],
    ])('leaves out %s, with one error at the field that asked', async (_name, results) => {
      const bed = await start();
      respondWith(bed.simulator, { results: { processing_id: 'p', ...results } });
      const { body } = await ask(bed, `results { processingId series { ${seriesFields} } }`);
      expect(body).toEqual({
        data: { dataset: { results: { processingId: 'p', series: { totalCount: 2, nodes: [node('a'), node('b')] } } } },
        errors: [invalidAt(RESULTS)],
      });
    });

    it('leaves out metrics that are no objects, with one error at the field that asked', async () => {
      const bed = await start();
      const metrics = [...noObjects, { name: 'm', value: 1 }, 5];
      respondWith(bed.simulator, { results: { assets: [entry('a', { results: [{ metrics }, { metrics }] })] } });
      const { body } = await ask(
        bed,
        'results { series { nodes { metricNames rows { metrics { value } } columns { metrics { values } } } } }',
      );
      const rows = [{ metrics: [{ value: 1 }] }, { metrics: [{ value: 1 }] }];
      const nodes = [{ metricNames: ['m'], rows, columns: { metrics: [{ values: [1, 1] }] } }];
      expect(body).toEqual({ data: { dataset: { results: { series: { nodes } } } }, errors: [invalidAt(RESULTS)] });
    });

    const incomplete = { assets: [5, { asset_id: 'a', asset_name: 'n', asset_version: 1 }, {}] };

    it.each([
      ['results { processingId }', { results: { processingId: null } }, RESULTS],
      [
        'asset(assetId: "a") { name series { version } }',
        { asset: { name: 'n', series: { version: '1' } } },
        ['dataset', 'asset'],
      ],
      ['asset(assetId: "a") { series { version } }', { asset: { series: { version: '1' } } }, ['dataset', 'asset']],
      [
        'asset(assetId: "a") { series(filter: { timeRange: { start: 0 } }) { version } }',
        { asset: { series: { version: '1' } } },
        ['dataset', 'asset', 'series'],
      ],
      ['asset(assetId: "z") { name }', { asset: null }, ['dataset', 'asset']],
    ])('reports at the field that asked: { %s }', async (fields, data, path) => {
      const bed = await start();
      respondWith(bed.simulator, { results: incomplete });
      const { body } = await ask(bed, fields);
      expect(body).toEqual({ data: { dataset: data }, errors: [invalidAt(path)] });
    });

    it('reports at the field of the references that asked', async () => {
      const bed = await start();
      respondWith(bed.simulator, { results: incomplete });
      const { body } = await bed.query(
        `{ _entities(representations: [{ __typename: "Asset", datasetId: "${DATASET_ID}", assetId: "a" }]) {
             ... on Asset { name }
           } }`,
      );
      expect(body).toEqual({ data: { _entities: [{ name: 'n' }] }, errors: [invalidAt(['_entities'])] });
    });

    it('reports once what several fields get from one response, and apart what comes from several', async () => {
      const bed = await start();
      respondWith(bed.simulator, { results: incomplete });
      const { body } = await ask(
        bed,
        `one: results { processingId } same: results { processingId }
         other: results(filter: { timeRange: { start: 0 } }) { processingId }`,
      );
      const results = { processingId: null };
      expect(body.data).toEqual({ dataset: { one: results, same: results, other: results } });
      const paths = body.errors.map(({ path }: { path: Path }) => path.join('.')).sort();
      expect(paths).toEqual(['dataset.one', 'dataset.other']);
      expect(bed.filters()).toHaveLength(2);
    });

    it('reports at the field that stands first, whichever gets its data first', async () => {
      const bed = await start();
      const metadata = Promise.withResolvers<void>();
      bed.simulator.intercept(({ operation }) => {
        if (operation === 'getDatasetResults') return { body: JSON.stringify(incomplete) };
        return {
          body: (async function* () {
            await metadata.promise;
            yield '{}';
          })(),
        };
      });
      const fields = 'results { processingId }';
      const asked = bed.query(
        `{ late: dataset(id: "${DATASET_ID}") { name ${fields} } early: dataset(id: "${DATASET_ID}") { ${fields} } }`,
      );
      await expect.poll(() => bed.log.filter((line) => line.includes('getDatasetResults'))).toHaveLength(1);
      metadata.resolve();
      const results = { processingId: null };
      expect((await asked).body).toEqual({
        data: { late: { name: null, results }, early: { results } },
        errors: [invalidAt(['late', 'results'])],
      });
      expect(bed.filters()).toHaveLength(1);
    });

    it('reports each incomplete chunk', async () => {
      const bed = await start({ env: { ASSET_IDS_PER_CALL: '1' } });
      bed.simulator.intercept(({ body }) => {
        const [asset_id] = JSON.parse(body).mo_ids;
        return { body: JSON.stringify({ assets: [{ asset_id }, {}] }) };
      });
      const { body } = await ask(bed, 'results(filter: { assetIds: ["a", "b"] }) { series { totalCount } }');
      expect(body).toEqual({
        data: { dataset: { results: { series: { totalCount: 2 } } } },
        errors: [invalidAt(RESULTS), invalidAt(RESULTS)],
      });
    });

    it.each([
      [{ assets: [] }, { totalCount: 0, nodes: [] }],
      [{ assets: [null] }, { totalCount: 0, nodes: [] }],
      [{ assets: null }, null],
      [{}, null],
    ])('has for %j the series %j', async (results, series) => {
      const bed = await start();
      respondWith(bed.simulator, { results });
      const { body } = await ask(bed, `results { series { ${seriesFields} } }`);
      expect(body).toEqual({ data: { dataset: { results: { series } } } });
    });
  });
});

/** One field of an answer of the service, and what its value becomes. */
interface Field {
  /** Where it stands in the body. */
  wire: Path;
  type: keyof typeof wrongValues;
  /** The fields that are null without it, from the object that was asked for on. */
  nulls: Path[];
  /** Where the errors are, where not at those. */
  errors?: Path[];
}

/** The answers whose fields are gone through, one by one. */
interface Answers {
  operation: 'metadata' | 'results';
  /** The answer of the service in which one field is changed. */
  body: object;
  selection: string;
  /** The dataset, where nothing is changed. */
  expected: object;
  /** Where the object stands that the fields belong to. */
  at: Path;
  fields: Field[];
}

/** The value with those places in it replaced. */
function replaced<T extends object>(value: T, places: readonly Path[], by: Json | undefined): T {
  const copy = structuredClone(value);
  for (const place of places) {
    const key = place.at(-1) as string;
    // biome-ignore lint/suspicious/noExplicitAny: a path leads through any shape
    const parent = place.slice(0, -1).reduce((at: any, step) => at[step], copy);
    if (by === undefined) delete parent[key];
    else parent[key] = by;
  }
  return copy;
}

const NODE = [...RESULTS, 'series', 'nodes', 0];

/** Asks for everything of one kind of answer, with one field changed in it. */
function describeFields(title: string, { operation, body, selection, expected, at, fields }: Answers): void {
  const called = operation === 'metadata' ? 'getDatasetMetadata' : 'getDatasetResults';
  async function expectResponses(values: readonly (Json | undefined)[], { wire }: Field, response: object) {
    const bed = await start();
    for (const value of values) {
      respondWith(bed.simulator, { [operation]: replaced(body, [wire], value) });
      expect((await ask(bed, selection)).body).toEqual(response);
    }
  }
  const named = fields.map((field) => ({ ...field, name: field.wire.join('.') }));
  const nullsOf = ({ nulls }: Field) =>
    replaced(
      { data: { dataset: expected } },
      nulls.map((path) => ['data', ...at, ...path]),
      null,
    );

  describe(title, () => {
    it.each(named)('gives null for $name where it is absent or null', (field) =>
      expectResponses([undefined, null], field, nullsOf(field)),
    );

    it.each(named)('gives null and an error at the field for $name of another type', (field) => {
      const errors = (field.errors ?? field.nulls).map((path) => invalidAt([...at, ...path], called));
      return expectResponses(wrongValues[field.type], field, { ...nullsOf(field), errors });
    });
  });
}

describe('3.17 Missing and odd data', () => {
  const text = (wire: string, ...path: string[]): Field => ({ wire: [wire], type: 'text', nulls: [path] });

  it('is shown whole where nothing is missing', async () => {
    const { body } = await ask(await start(), metadataSelection);
    expect(body).toEqual({ data: { dataset: metadataResponse } });
  });

  const metadataSelection = `
    name description assetCount attributionText attributionFile sharing processing { id name } source { id name }
    startDate stopDate startDateTime stopDateTime
  `;

  describeFields('of the metadata', {
    operation: 'metadata',
    body: dataset.metadata,
    selection: metadataSelection,
    expected: metadataResponse,
    at: ['dataset'],
    fields: [
      text('name', 'name'),
      text('description', 'description'),
      { wire: ['asset_count'], type: 'int32', nulls: [['assetCount']] },
      text('attributionText', 'attributionText'),
      text('attributionFile', 'attributionFile'),
      text('sharedOption', 'sharing'),
      text('processing_id', 'processing', 'id'),
      text('processing_name', 'processing', 'name'),
      text('source_id', 'source', 'id'),
      text('source_name', 'source', 'name'),
      { wire: ['start_date'], type: 'int64', nulls: [['startDate'], ['startDateTime']] },
      { wire: ['stop_date'], type: 'int64', nulls: [['stopDate'], ['stopDateTime']] },
    ],
  });

  const resultsBody = { processing_id: 'p-1', source_id: 's-1', assets: [assetResult('a')] };
  const assetSelection = `
    assetId name version categories centroid { latitude longitude } surfaceAreaM2 parent { assetId name version }
  `;
  const rowsSelection = `
    rowCount metricNames rows { valueDate metrics { name value } value(metric: "moisture") }
    columns { rowCount valueDates metrics { name values } }
  `;
  const assetResponse = {
    assetId: 'a',
    name: 'Field a',
    version: '1',
    categories: ['field'],
    centroid: { latitude: 45.5, longitude: 7.25 },
    surfaceAreaM2: 1200.5,
    parent: { assetId: 'farm', name: 'Farm', version: '2' },
  };
  const moisture = [0.5, 1.5, 2.5];
  const temperature = [-1.5, -2.5, -3.5];
  const valueDates = ['2024-01-01', '2024-01-02', '2024-01-03'];
  const rowsResponse = {
    rowCount: 3,
    metricNames: ['moisture', 'temperature'],
    rows: valueDates.map((valueDate, day) => ({
      valueDate,
      metrics: [
        { name: 'moisture', value: moisture[day] },
        { name: 'temperature', value: temperature[day] },
      ],
      value: moisture[day],
    })),
    columns: {
      rowCount: 3,
      valueDates,
      metrics: [
        { name: 'moisture', values: moisture },
        { name: 'temperature', values: temperature },
      ],
    },
  };

  describeFields('of the results', {
    operation: 'results',
    body: resultsBody,
    selection: 'results { processingId sourceId series { totalCount } }',
    expected: { results: { processingId: 'p-1', sourceId: 's-1', series: { totalCount: 1 } } },
    at: RESULTS,
    fields: [
      text('processing_id', 'processingId'),
      text('source_id', 'sourceId'),
      { wire: ['assets'], type: 'list', nulls: [['series']] },
    ],
  });

  const assetFieldsAt = (prefix: Path): Field[] =>
    [
      text('asset_name', 'name'),
      { wire: ['asset_version'], type: 'int64' as const, nulls: [['version']] },
      { wire: ['asset_categories'], type: 'texts' as const, nulls: [['categories']] },
      {
        wire: ['asset_centroid_latitude'],
        type: 'double' as const,
        nulls: [['centroid']],
        errors: [['centroid', 'latitude']],
      },
      {
        wire: ['asset_centroid_longitude'],
        type: 'double' as const,
        nulls: [['centroid']],
        errors: [['centroid', 'longitude']],
      },
      { wire: ['asset_surface_area_m2'], type: 'double' as const, nulls: [['surfaceAreaM2']] },
      text('parent_asset_id', 'parent', 'assetId'),
      text('parent_asset_name', 'parent', 'name'),
      { wire: ['parent_asset_version'], type: 'int64' as const, nulls: [['parent', 'version']] },
    ].map((field: Field) => ({ ...field, wire: [...prefix, ...field.wire] }));

  describeFields('of an asset in a series', {
    operation: 'results',
    body: resultsBody,
    selection: `results { series { nodes { asset { ${assetSelection} } } } }`,
    expected: { results: { series: { nodes: [{ asset: assetResponse }] } } },
    at: [...NODE, 'asset'],
    fields: assetFieldsAt(['assets', 0]),
  });

  describeFields('of an asset by its id', {
    operation: 'results',
    body: resultsBody,
    selection: `asset(assetId: "a") { ${assetSelection} }`,
    expected: { asset: assetResponse },
    at: ['dataset', 'asset'],
    fields: assetFieldsAt(['assets', 0]),
  });

  const row: Path = ['assets', 0, 'results', 1];
  const metric: Path = [...row, 'metrics', 0];

  describeFields('of a series', {
    operation: 'results',
    body: resultsBody,
    selection: `results { series { nodes { version ${rowsSelection} } } }`,
    expected: { results: { series: { nodes: [{ version: '1', ...rowsResponse }] } } },
    at: NODE,
    fields: [
      { wire: ['assets', 0, 'asset_version'], type: 'int64', nulls: [['version']] },
      {
        wire: ['assets', 0, 'results'],
        type: 'list',
        nulls: [['rowCount'], ['metricNames'], ['rows'], ['columns']],
      },
      {
        wire: [...row, 'value_date'],
        type: 'text',
        nulls: [
          ['rows', 1, 'valueDate'],
          ['columns', 'valueDates', 1],
        ],
      },
      {
        wire: [...row, 'metrics'],
        type: 'list',
        nulls: [
          ['rows', 1, 'metrics'],
          ['rows', 1, 'value'],
          ['columns', 'metrics', 0, 'values', 1],
          ['columns', 'metrics', 1, 'values', 1],
        ],
      },
      {
        wire: [...metric, 'name'],
        type: 'text',
        nulls: [
          ['rows', 1, 'metrics', 0, 'name'],
          ['rows', 1, 'value'],
          ['columns', 'metrics', 0, 'values', 1],
        ],
        errors: [['rows', 1, 'metrics', 0, 'name']],
      },
      {
        wire: [...metric, 'value'],
        type: 'double',
        nulls: [
          ['rows', 1, 'metrics', 0, 'value'],
          ['rows', 1, 'value'],
          ['columns', 'metrics', 0, 'values', 1],
        ],
      },
    ],
  });
});
