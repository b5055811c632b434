import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { invalidAt } from '../support/expected-errors.ts';
import { DATASET_ID, respondWith, start } from '../support/harness.ts';
import { ask, type Path, RESULTS } from './odd-data.ts';

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
        'asset(assetId: "a") { series(timeRange: { start: 0 }) { version } }',
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
