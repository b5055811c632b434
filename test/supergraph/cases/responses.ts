import { expect } from 'vitest';
import { DATASET_ID, getSummary, postResults, respondWith } from '../../support/harness.ts';
import { visit, WIDE_ID } from '../data.ts';
import type { Cases } from './case.ts';

const asset = `{
  datasetId assetId name version categories centroid { latitude longitude } surfaceAreaM2
  parent { assetId name version }
}`;

const series = `{
  asset ${asset}
  version rowCount metricNames
  rows { valueDate metrics { name value } temperature: value(metric: "temperature") }
  columns { rowCount valueDates metrics { name values } }
}`;

/** Every field of this subgraph. */
const everything = `{
  __typename
  datasetsByIds(ids: ["${DATASET_ID}", "${WIDE_ID}"]) { id name }
  dataset(id: "${DATASET_ID}") {
    __typename id name description assetCount attributionText attributionFile sharing
    processing { id name }
    source { id name }
    startDate stopDate startDateTime stopDateTime
    results {
      processingId sourceId
      series {
        edges { cursor node ${series} }
        nodes ${series}
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
        totalCount
      }
    }
    asset(assetId: "b") { __typename series ${series} }
    download { url method requiredHeaders }
  }
}`;

const INT64 = { min: '-9223372036854775808', max: '9223372036854775807', odd: '9007199254740993' };

export const responses: Cases = {
  'returns every field like the subgraph itself, with the same REST calls': async (rig) => {
    const direct = await rig.querySubgraph(everything);
    const callsOfDirect = rig.calls();
    rig.simulator.clear();
    const { body } = await rig.query(everything);
    expect(body).toEqual(direct.body);
    expect(rig.calls().toSorted()).toEqual(callsOfDirect.toSorted());
    expect(callsOfDirect).toHaveLength(3);
    expect(body.data.dataset.results.series.nodes[2].asset.name).toBe('Field c');
    expect(body.data.dataset.download).toEqual({
      url: `${rig.simulator.url}/v1/collection/staticdataset/${DATASET_ID}/download`,
      method: 'GET',
      requiredHeaders: ['Authorization: Bearer <ACCESS_TOKEN>'],
    });
  },

  'returns every 64-bit integer exactly, also to a subgraph that requires it': async ({ simulator, query, others }) => {
    respondWith(simulator, {
      metadata: `{"start_date":${INT64.odd},"stop_date":${INT64.min}}`,
      results: `{"assets":[{"asset_id":"a","asset_name":"A","asset_version":${INT64.max}}]}`,
    });
    others.inspections.set('r', [visit('i', 'a')]);
    const { body } = await query(`{
      dataset(id: "${DATASET_ID}") { startDate stopDate asset(assetId: "a") { version sign } }
      inspections(round: "r") { asset { version sign } }
    }`);
    const exact = { version: INT64.max, sign: `A, version ${INT64.max}` };
    expect(body).toEqual({
      data: {
        dataset: { startDate: INT64.odd, stopDate: INT64.min, asset: exact },
        inspections: [{ asset: exact }],
      },
    });
  },

  'accepts variables of every kind': async ({ query, calls }) => {
    const document = `
      query (
        $id: ID!, $asset: ID!, $every: PeriodUnit!, $filter: ResultsFilterInput, $range: TimeRangeInput,
        $start: TimeBound, $stop: TimeBound, $first: Int, $after: String, $metrics: [String!], $with: Boolean!
      ) {
        dataset(id: $id) {
          stopDateTime @include(if: $with)
          name @skip(if: $with)
          filtered: results(filter: $filter) { series { totalCount } }
          page: results { series(first: $first, after: $after) {
            nodes { asset { assetId } columns(metrics: $metrics) { metrics { name values } } }
          } }
          bounds: results(filter: { assetIds: [$asset], timeRange: { start: $start, stop: $stop } }) {
            series { totalCount }
          }
          asset(assetId: $asset) { series(filter: { timeRange: $range }) { periods(every: $every) { metrics { name } } } }
        }
      }`;
    const variables = {
      id: DATASET_ID,
      asset: 'b',
      every: 'QUARTER',
      filter: { assetIds: ['a', 'c'], timeRange: { start: 1_704_067_200_000, stop: '2024-01-02T01:00:00+01:00' } },
      range: { stop: null, start: INT64.min },
      start: '1704153600000',
      stop: INT64.max,
      first: 1,
      after: Buffer.from(JSON.stringify([0, 'a'])).toString('base64url'),
      metrics: ['temperature', 'unknown'],
      with: true,
    };
    const { body } = await query(document, { variables });
    const columns = {
      metrics: [
        { name: 'temperature', values: [-1.5, -2.5, -3.5] },
        { name: 'unknown', values: [null, null, null] },
      ],
    };
    expect(body).toEqual({
      data: {
        dataset: {
          stopDateTime: '2024-01-04T00:00:00.000Z',
          filtered: { series: { totalCount: 2 } },
          page: { series: { nodes: [{ asset: { assetId: 'b' }, columns }] } },
          bounds: { series: { totalCount: 1 } },
          asset: { series: { periods: { metrics: [{ name: 'moisture' }, { name: 'temperature' }] } } },
        },
      },
    });
    const post = `POST /v1/processingresult/dataset/${DATASET_ID}`;
    const filter = { mo_ids: ['a', 'c'], time_range: { start_date: 1_704_067_200_000, stop_date: 1_704_153_600_000 } };
    expect(calls().toSorted()).toEqual(
      [
        getSummary(),
        postResults({}),
        postResults(filter),
        `${post} {"mo_ids":["b"],"time_range":{"start_date":${INT64.min}}}`,
        `${post} {"mo_ids":["b"],"time_range":{"start_date":1704153600000,"stop_date":${INT64.max}}}`,
      ].toSorted(),
    );
  },

  'accepts every form of TimeBound as a literal': async ({ query, calls }) => {
    const bounds = [`1704067200001`, `"${INT64.odd}"`, `"2024-01-01T00:00:00.002Z"`, `-1`];
    const fields = bounds.map(
      (stop, index) => `r${index}: results(filter: { timeRange: { stop: ${stop} } }) { sourceId }`,
    );
    const { body } = await query(`{ dataset(id: "${DATASET_ID}") { ${fields.join(' ')} } }`);
    expect(body.errors).toBeUndefined();
    expect(calls().toSorted()).toEqual(
      ['1704067200001', INT64.odd, '1704067200002', '-1']
        .map((stop) => `POST /v1/processingresult/dataset/${DATASET_ID} {"time_range":{"stop_date":${stop}}}`)
        .toSorted(),
    );
  },
};
