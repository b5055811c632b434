import { describe, expect, it } from 'vitest';
import { invalidAt } from '../support/expected-errors.ts';
import { assetResult, dataset, respondWith, start } from '../support/harness.ts';
import { ask, wrongValues } from './odd-data.ts';

/*
 * Clause 3.17 of docs/contract.md in detail.
 * Missing and odd data. Absent or null is null. `processing`, `source` and `parent` are null if all their parts are,
 * `centroid` unless both coordinates are present, and `rowCount`, `metricNames` and `columns` if `rows` is. A known
 * field of the wrong type is null with `UPSTREAM_INVALID_RESPONSE` at that field, if it is selected. A list of strings
 * with a wrong element is null as a whole. A column continues, with null and an error at the index. Unknown fields are
 * ignored, and null entries of lists are omitted. An asset without `asset_id`, or a list entry that is not an object,
 * is omitted. A body that is an object with members, none of which the specification names (§2.1, §2.4), is
 * `UPSTREAM_INVALID_RESPONSE` as a whole and is not kept; an empty object is not. Each REST response causes one error for all of these, at the first field in the document that used it;
 * the rest is kept. An unknown `sharedOption` is `UNRECOGNIZED`. Results with a string of more than 2 MB (2,097,152
 * bytes, with its quotes) in a known field are `UPSTREAM_INVALID_RESPONSE` as a whole, unless `RESULTS_FAST_PATH` is
 * `off`.
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
