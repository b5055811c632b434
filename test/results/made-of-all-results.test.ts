import { describe, expect, it } from 'vitest';
import { row, startWith } from '../support/aggregates.ts';
import { errorAt, invalidAt } from '../support/expected-errors.ts';
import {
  assetReference,
  DATASET_ID,
  datasetReference,
  getSummary,
  ofDataset,
  ofEntities,
  postResults,
  respondWith,
  start,
  times,
} from '../support/harness.ts';

const BOTH = 'seriesCount metricNames';
const ofAssets = (...assets: readonly string[]) => `{"assets":[${assets.join()}]}`;
const asset = (id: string, rows: unknown) => JSON.stringify({ asset_id: id, results: rows });

/*
 * Clause 3.14 of docs/contract.md in detail: what is made of all results.
 * `Dataset.seriesCount` is the number of entries of the results without a filter, and null without a list of them.
 * `metricNames`, of a dataset or of its results, has the names of the metrics of every entry, in the order of their
 * first appearance. It is null if no entry has a list of rows, also if there is no entry, and null with an error if one
 * has something else in its place. What is wrong in a row changes nothing.
 * The fields of a dataset share its call without a filter with whatever needs it, under all their aliases.
 */
describe('3.14 What is made of all results', () => {
  it.each([
    [
      'of every entry, in the order of first appearance',
      ofAssets(
        asset('a', [row('2024-01-02', { b: 1 }), row('2024-01-01', { a: 1, b: 2 })]),
        asset('b', null),
        asset('a', [row('2024-01-02', { c: 1, a: 2 })]),
        '{"asset_id":"c"}',
      ),
      { seriesCount: 4, metricNames: ['b', 'a', 'c'] },
    ],
    [
      'whatever is wrong in a row',
      ofAssets(
        asset('a', [row(5, { odd: '1' }), { value_date: '2024-01-01', metrics: 7 }, { metrics: [{ name: 7 }, {}] }, 7]),
        asset('b', [row(null, { 'q"\\': 1, größe: 1e300 }), row(null)]),
      ),
      { seriesCount: 2, metricNames: ['odd', 'q"\\', 'größe'] },
    ],
    ['of no metrics', ofAssets(asset('a', []), asset('b', null)), { seriesCount: 2, metricNames: [] }],
    ['of no rows', ofAssets(asset('a', null)), { seriesCount: 1, metricNames: null }],
    ['of no entries', ofAssets(), { seriesCount: 0, metricNames: null }],
    ['of no list', '{"processing_id":"p"}', { seriesCount: null, metricNames: null }],
    ['of null', '{"assets":null}', { seriesCount: null, metricNames: null }],
  ])('is %s, in one call', async (_title, body, expected) => {
    const bed = await startWith(body);
    const { body: response } = await bed.query(ofDataset(`${BOTH} results { metricNames series { totalCount } }`));
    const series = expected.seriesCount === null ? null : { totalCount: expected.seriesCount };
    expect(response.data).toEqual({ dataset: { ...expected, results: { metricNames: expected.metricNames, series } } });
    expect((await bed.query(ofDataset(BOTH))).body.data).toEqual({ dataset: expected });
    expect((await bed.query(ofDataset('results { metricNames }'))).body.data).toEqual({
      dataset: { results: { metricNames: expected.metricNames } },
    });
    expect(bed.calls()).toEqual([postResults({}), postResults({}), postResults({})]);
  });

  it.each([
    ['an entry has something else in place of its rows', ofAssets(asset('b', {})), { seriesCount: 1 }, ['metricNames']],
    ['the list is none', '{"assets":{}}', { seriesCount: null }, ['seriesCount', 'metricNames']],
    ['entries are omitted', ofAssets(asset('a', []), '7'), { seriesCount: 1, metricNames: [] }, ['seriesCount']],
  ])('has an error where %s', async (_title, body, data, errors) => {
    const bed = await startWith(body);
    expect((await bed.query(ofDataset(BOTH))).body).toEqual({
      data: { dataset: { metricNames: null, ...data } },
      errors: errors.map((name) => invalidAt(['dataset', name])),
    });
  });

  it('takes one call for twenty aliases in several places, and for what else needs all results', async () => {
    const bed = await start();
    const names = ['moisture', 'temperature'];
    const aliases = Array.from({ length: 20 }, (_, index) => index);
    const document = `query ($references: [_Any!]!) {
      dataset(id: "${DATASET_ID}") { ${times(20, (index) => `c${index}: seriesCount n${index}: metricNames`)} }
      again: dataset(id: "${DATASET_ID}") { ${BOTH} }
      datasetsByIds(ids: ["${DATASET_ID}"]) { seriesCount asset(assetId: "a") { metricNames } }
      _entities(representations: $references) {
        ... on Dataset { metricNames results(filter: { assetIds: ["b"] }) { metricNames series { totalCount } } }
        ... on Asset { dataset { seriesCount } }
      }
    }`;
    const references = [datasetReference(), assetReference('c'), assetReference('b')];
    const { body } = await bed.query(document, { variables: { references } });
    expect(body).toEqual({
      data: {
        dataset: Object.fromEntries(
          aliases.flatMap((index) => [
            [`c${index}`, 3],
            [`n${index}`, names],
          ]),
        ),
        again: { seriesCount: 3, metricNames: names },
        datasetsByIds: [{ seriesCount: 3, asset: { metricNames: names } }],
        _entities: [
          { metricNames: names, results: { metricNames: names, series: { totalCount: 1 } } },
          { dataset: { seriesCount: 3 } },
          { dataset: { seriesCount: 3 } },
        ],
      },
    });
    expect(bed.calls()).toEqual([postResults({})]);
  });

  it('is loaded again on datasets of assets', async () => {
    const bed = await start();
    const references = ['a', 'b'].map((id) => assetReference(id));
    const nested = `parent { asset { dataset { ...F } } } dataset { ...F results { series { nodes { rowCount } } } }`;
    const document = `${ofEntities(`... on Asset { ${nested} }`)} fragment F on Dataset { ${BOTH} }`;
    const { body } = await bed.query(document, { variables: { references } });
    const all = { seriesCount: 3, metricNames: ['moisture', 'temperature'] };
    const results = { series: { nodes: Array(3).fill({ rowCount: 3 }) } };
    const entity = { parent: { asset: { dataset: all } }, dataset: { ...all, results } };
    expect(body).toEqual({ data: { _entities: [entity, entity] } });
    expect(new Set(bed.calls())).toEqual(new Set([postResults({}), postResults({ mo_ids: ['a', 'b'] })]));
  });

  it('has the names of the metrics under a filter', async () => {
    const bed = await start();
    bed.simulator.intercept(({ body }) => ({
      body: body.includes('time_range')
        ? ofAssets(asset('a', [row(null, { late: 1 })]))
        : ofAssets(asset('a', [row(null, { m: 1 })])),
    }));
    const { body } = await bed.query(
      ofDataset(`
        one: results(filter: { assetIds: ["a"] }) { metricNames }
        late: results(filter: { timeRange: { start: 5 } }) { metricNames }
        none: results(filter: { assetIds: [] }) { metricNames }
      `),
    );
    expect(body).toEqual({
      data: { dataset: { one: { metricNames: ['m'] }, late: { metricNames: ['late'] }, none: { metricNames: null } } },
    });
    expect(bed.calls().toSorted()).toEqual(
      [postResults({ mo_ids: ['a'] }), postResults({ time_range: { start_date: 5 } })].toSorted(),
    );
  });

  it('is null with an error of the results call, beside the metadata', async () => {
    const bed = await start();
    bed.simulator.intercept(({ operation }) =>
      operation === 'getDatasetResults' ? { status: 500, body: '{}' } : undefined,
    );
    const { body } = await bed.query(ofDataset(`name ${BOTH}`));
    const rest = expect.objectContaining({ operation: 'getDatasetResults', status: 500 });
    expect(body).toEqual({
      data: { dataset: { name: 'Soil moisture', seriesCount: null, metricNames: null } },
      errors: ['seriesCount', 'metricNames'].map((name) => ({
        ...errorAt(['dataset', name], 'UPSTREAM_ERROR'),
        extensions: { code: 'UPSTREAM_ERROR', rest },
      })),
    });
    expect(bed.calls().toSorted()).toEqual([getSummary(), postResults({})]);
  });
});

describe('3.27 The names of many metrics, as often as the client selects them', () => {
  it.each([
    ['with results that are held', undefined],
    ['with results of which nothing is held', 4096],
  ])('are charged, %s', async (_, holdBytes) => {
    const env = { MAX_OPERATION_WORK: '1000000' };
    const bed = await start(holdBytes === undefined ? { env } : { env, holdBytes });
    const names = Array.from({ length: 100 }, (_, index) => 'x'.repeat(2000) + index);
    const rows = [row(null, Object.fromEntries(names.map((name) => [name, 1])))];
    respondWith(bed.simulator, { results: { assets: [{ asset_id: 'a', results: rows }] } });
    for (const where of ['', 'results']) {
      const within = (selection: string) => ofDataset(where === '' ? selection : `${where} { ${selection} }`);
      const { body } = await bed.query(within(times(6, (index) => `n${index}: metricNames`)));
      expect(new Set(body.errors.map((error: { extensions: { code: string } }) => error.extensions.code))).toEqual(
        new Set(['REQUEST_LIMIT_EXCEEDED']),
      );
      const { body: one } = await bed.query(within('metricNames'));
      expect(one).toEqual({
        data: { dataset: where === '' ? { metricNames: names } : { results: { metricNames: names } } },
      });
    }
  });
});
