import { describe, expect, it } from 'vitest';
import { invalidAt } from '../support/expected-errors.ts';
import { DATASET_ID, dataset, ofDataset, respondWith, start, type TestBed } from '../support/harness.ts';

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
 * than 1 MiB is null with `UPSTREAM_RESPONSE_TOO_LARGE`. The values are compared by test/oracle.
 */
describe('3.17 Missing and odd data', () => {
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
  });
});
