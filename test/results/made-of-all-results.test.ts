import { describe, expect, it } from 'vitest';
import { row } from '../support/aggregates.ts';
import {
  assetReference,
  DATASET_ID,
  datasetReference,
  ofDataset,
  postResults,
  respondWith,
  start,
  times,
} from '../support/harness.ts';

const BOTH = 'seriesCount metricNames';

/*
 * Clause 3.14 of docs/contract.md in detail: what is made of all results.
 * `Dataset.seriesCount` is the number of entries of the results without a filter, and null without a list of them.
 * `metricNames`, of a dataset or of its results, has the names of the metrics of every entry, in the order of their
 * first appearance. It is null if no entry has a list of rows, also if there is no entry, and null with an error if one
 * has something else in its place. What is wrong in a row changes nothing.
 * The fields of a dataset share its call without a filter with whatever needs it, under all their aliases. The values are
 * compared by test/oracle.
 */
describe('3.14 What is made of all results', () => {
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
