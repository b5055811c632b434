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

type Path = (string | number)[];

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
    for (const assets of ['x', 0, true, { 0: {} }]) {
      respondWith(bed.simulator, { results: { assets } });
      const { body } = await ask(bed, 'asset(assetId: "a") { assetId name version series { version } }');
      expect(body).toEqual({
        data: { dataset: { asset: { assetId: 'a', name: null, version: null, series: null } } },
        errors: ['name', 'version', 'series'].map((name) => invalidAt(['dataset', 'asset', name])),
      });
    }
  });

  const METADATA = `name description assetCount attributionText attributionFile sharing processing { id name }
    source { id name } startDate stopDate startDateTime stopDateTime`;
  const ASSET = `name version categories centroid { latitude } surfaceAreaM2 parent { assetId name version }
    series { version }`;

  it('is whole where nothing is missing, and null where all is absent or null', async () => {
    const bed = await start();
    expect((await ask(bed, METADATA)).body).toEqual({ data: { dataset: metadataResponse } });
    const nothing = (fields: object) => Object.fromEntries(Object.keys(fields).map((key) => [key, null]));
    const { asset_id: _, ...attributes } = assetResult('a');
    for (const [metadata, entry] of [
      [nothing(dataset.metadata), nothing(attributes)],
      [{ id: DATASET_ID }, {}],
    ]) {
      respondWith(bed.simulator, { metadata, results: { assets: [{ asset_id: 'a', ...entry }] } });
      const { body } = await ask(bed, `${METADATA} asset(assetId: "a") { ${ASSET} } results { processingId sourceId }`);
      const asset = { ...nothing(attributesOf('')), series: { version: null } };
      const results = { processingId: null, sourceId: null };
      expect(body).toEqual({ data: { dataset: { ...nothing(metadataResponse), asset, results } } });
    }
  });

  /** The attributes of an asset, of which each is a value of another type. */
  function attributesOf(wrong: unknown) {
    return { name: wrong, version: wrong, categories: wrong, centroid: wrong, surfaceAreaM2: wrong, parent: wrong };
  }

  it('is null with an error at each field of another type', async () => {
    const bed = await start();
    for (const wrong of [true, [3], { x: 1 }, 1.5, 'x']) {
      const odd = (fields: object) =>
        Object.fromEntries(
          Object.entries(fields).map(([key, value]) => {
            // These are of the right type, or another one is.
            const isRight = typeof value === typeof wrong && !Array.isArray(value) && !/version|count|date$/.test(key);
            return [key, isRight ? [] : wrong];
          }),
        );
      const { asset_id: _, results: __, ...attributes } = assetResult('a');
      const entry = { ...odd(attributes), asset_id: 'a', results: [] };
      const results = { processing_id: [wrong], source_id: [wrong], assets: [entry] };
      respondWith(bed.simulator, { metadata: odd(dataset.metadata), results });
      const { body } = await ask(
        bed,
        `${METADATA} results { processingId sourceId series { nodes { version asset { ${ASSET.replace(/series.*/, '')} } } } }`,
      );
      const parts = { id: null, name: null };
      const nulls = Object.fromEntries(Object.keys(metadataResponse).map((key) => [key, null]));
      const parent = { assetId: null, name: null, version: null };
      const node = { version: null, asset: { ...attributesOf(null), parent } };
      expect(body.data).toEqual({
        dataset: {
          ...{ ...nulls, processing: parts, source: parts },
          results: { processingId: null, sourceId: null, series: { nodes: [node] } },
        },
      });
      const at = (keys: readonly string[], ...path: Path) => keys.map((key) => [...path, ...key.split('.')]);
      const ofDataset = ['processing.id', 'processing.name', 'source.id', 'source.name'];
      const whole = Object.keys(metadataResponse).filter((key) => key !== 'processing' && key !== 'source');
      const ofAsset = ['name', 'version', 'categories', 'centroid.latitude', 'surfaceAreaM2'];
      const ofParent = ['parent.assetId', 'parent.name', 'parent.version'];
      const series: Path = [...RESULTS, 'series', 'nodes', 0];
      const expected = [
        ...at([...whole, ...ofDataset], 'dataset').map((path) => invalidAt(path, 'getDatasetMetadata')),
        ...at(['processingId', 'sourceId'], ...RESULTS).map((path) => invalidAt(path)),
        ...at(['version'], ...series).map((path) => invalidAt(path)),
        ...at([...ofAsset, ...ofParent], ...series, 'asset').map((path) => invalidAt(path)),
      ];
      expect(body.errors).toHaveLength(expected.length);
      expect(body.errors).toEqual(expect.arrayContaining(expected));
    }
  });

  it.each(['processing', 'source'])('has no %s only where it has neither id nor name', async (object) => {
    const bed = await start();
    const [id, name] = [`${object}_id`, `${object}_name`];
    for (const [metadata, expected] of [
      [{ [id]: null }, null],
      [{ [id]: 'i' }, { id: 'i', name: null }],
      [{ [name]: 'n' }, { id: null, name: 'n' }],
      [{ [id]: '' }, { id: '', name: null }],
    ]) {
      respondWith(bed.simulator, { metadata });
      expect((await ask(bed, `${object} { id name }`)).body).toEqual({ data: { dataset: { [object]: expected } } });
    }
  });

  it('has a parent if one of its parts is present, and a centroid if both coordinates are', async () => {
    const bed = await start();
    const none = { assetId: null, name: null, version: null };
    const [parent, centroid] = ['parent { assetId name version }', 'centroid { latitude longitude }'];
    for (const [fields, entry, asset] of [
      [parent, { parent_asset_id: null }, { parent: null }],
      [parent, { parent_asset_id: 'i' }, { parent: { ...none, assetId: 'i' } }],
      [parent, { parent_asset_name: '' }, { parent: { ...none, name: '' } }],
      [parent, { parent_asset_version: 0 }, { parent: { ...none, version: '0' } }],
      ['parent { name }', { parent_asset_id: 'i' }, { parent: { name: null } }],
      [centroid, {}, { centroid: null }],
      [centroid, { asset_centroid_longitude: 1 }, { centroid: null }],
      ['centroid { latitude }', { asset_centroid_latitude: 1 }, { centroid: null }],
      [
        centroid,
        { asset_centroid_latitude: 0, asset_centroid_longitude: 0 },
        { centroid: { latitude: 0, longitude: 0 } },
      ],
    ] as const) {
      respondWith(bed.simulator, { results: { assets: [{ asset_id: 'a', ...entry }] } });
      expect((await ask(bed, `asset(assetId: "a") { ${fields} }`)).body).toEqual({ data: { dataset: { asset } } });
    }
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

  it('shows a sharedOption that is unknown as UNRECOGNIZED', async () => {
    const bed = await start();
    const known = ['OWNED', 'SHARED', 'NON_SHARED'];
    for (const sharedOption of [...known, 'PUBLIC', 'owned', ' OWNED', '', 'UNRECOGNIZED', '__proto__']) {
      respondWith(bed.simulator, { metadata: { sharedOption } });
      const sharing = known.includes(sharedOption) ? sharedOption : 'UNRECOGNIZED';
      expect((await ask(bed, 'sharing')).body).toEqual({ data: { dataset: { sharing } } });
    }
  });

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

    const noObjects = [5, 'x', true, false, [], [{ asset_id: 'x' }]];

    it.each([
      ['assets that are no objects', { assets: [...noObjects, entry('a'), ...noObjects, entry('b')] }],
      [
        'assets without an id, or whose id is no text',
        { assets: [entry('a'), {}, { asset_id: null }, { asset_id: 5 }, { asset_id: ['a'] }, entry('b')] },
      ],
      ['rows that are no objects', { assets: [entry('a', { results: noObjects }), entry('b')] }],
    ])('leaves out %s, with one error at the field that asked', async (_name, results) => {
      const bed = await start();
      respondWith(bed.simulator, { results: { processing_id: 'p', ...results } });
      const { body } = await ask(bed, `results { processingId series { ${seriesFields} } }`);
      expect(body).toEqual({
        data: { dataset: { results: { processingId: 'p', series: { totalCount: 2, nodes: [node('a'), node('b')] } } } },
        errors: [invalidAt(RESULTS)],
      });
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

    it('reports in the order of a list, whichever response arrives first', async () => {
      const metadata = { ...dataset.metadata, id: 'other' };
      const bed = await start({ datasets: [dataset, { ...dataset, metadata }] });
      const first = Promise.withResolvers<void>();
      bed.simulator.intercept(({ datasetId }) => ({
        body: (async function* () {
          if (datasetId === DATASET_ID) await first.promise;
          yield JSON.stringify(incomplete);
        })(),
      }));
      const asked = bed.query(`{ datasetsByIds(ids: ["${DATASET_ID}", "other"]) { results { processingId } } }`);
      await expect.poll(() => bed.log.filter((line) => line.includes('getDatasetResults'))).toHaveLength(1);
      first.resolve();
      const results = { processingId: null };
      expect((await asked).body).toEqual({
        data: { datasetsByIds: [{ results }, { results }] },
        errors: [0, 1].map((index) => invalidAt(['datasetsByIds', index, 'results'])),
      });
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

    it('has no series without a list, and an empty one without assets', async () => {
      const bed = await start();
      const empty = { totalCount: 0, nodes: [] };
      for (const [assets, series] of [
        [[], empty],
        [[null], empty],
        [null, null],
        [undefined, null],
      ]) {
        respondWith(bed.simulator, { results: { assets, processing_id: 'p' } });
        const { body } = await ask(bed, `results { series { ${seriesFields} } }`);
        expect(body).toEqual({ data: { dataset: { results: { series } } } });
      }
    });

    it('are odd one by one, in one call', async () => {
      const bed = await start();
      const rows = (value: unknown) => ({ results: [{ metrics: [{ name: 'm', value }] }] });
      const odd = { asset_id: 'odd', asset_name: 5, ...rows('none') };
      const first = { asset_id: 'a', results: [{ metrics: [{ name: 'm', value: 1 }, 5] }] };
      respondWith(bed.simulator, { results: { assets: [first, odd, { asset_id: 'b', ...rows(2) }, {}, 5] } });
      const series = (assetId: string) =>
        `${assetId}: asset(assetId: "${assetId}") { series { rows { metrics { value } } } }`;
      const { body } = await ask(bed, ['a', 'odd', 'b'].map(series).join(' '));
      const seriesWith = (value: number | null) => ({ series: { rows: [{ metrics: [{ value }] }] } });
      expect(body).toEqual({
        data: { dataset: { a: seriesWith(1), odd: seriesWith(null), b: seriesWith(2) } },
        // What is found while writing comes last.
        errors: [
          invalidAt(['dataset', 'a']),
          invalidAt(['dataset', 'odd', 'series', 'rows', 0, 'metrics', 0, 'value']),
        ],
      });
      expect(bed.subgraph.oddRows.count).toBe(2);
      expect(bed.filters()).toHaveLength(1);
    });
  });
});
