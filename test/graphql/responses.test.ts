import {
  buildClientSchema,
  getIntrospectionQuery,
  isObjectType,
  parse,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { DATASET_ID, getSummary, metadataResponse, postResults, start, TOKEN } from '../support/harness.ts';
import { everything, instant, variables } from './everything.ts';

describe('2 The schema', () => {
  it('answers every field that it has', async () => {
    const env = { DOWNLOAD_TICKET_SECRET: 'x'.repeat(32), DOWNLOAD_TOKEN_IN_URL: 'allow' };
    const { query, calls, simulator, subgraph } = await start({ env });
    const { body } = await query(everything, { variables });

    const day = '2024-01-02';
    const statisticsOf = (name: string, value: number) => {
      const point = { value, valueDate: day, assetId: 'b' };
      return {
        ...{ name, count: 1, nullCount: 0, sum: value, mean: value, standardDeviation: 0, quantiles: [value] },
        ...{ first: point, last: point, minimum: point, maximum: point },
      };
    };
    const statistics = [statisticsOf('moisture', 1.5), statisticsOf('temperature', -2.5)];
    const listsOf = (name: string, value: number) => ({
      name,
      counts: [1],
      sums: [value],
      means: [value],
      minimums: [value],
      maximums: [value],
      standardDeviations: [0],
      quantiles: [[value]],
    });
    const metricsByDate = [listsOf('moisture', 1.5), listsOf('temperature', -2.5)];
    const series = {
      version: '1',
      rowCount: 1,
      metricNames: ['moisture', 'temperature'],
      none: [],
      rows: [
        {
          valueDate: '2024-01-02',
          metrics: [
            { name: 'moisture', value: 1.5 },
            { name: 'temperature', value: -2.5 },
          ],
          value: -2.5,
        },
      ],
      columns: {
        rowCount: 1,
        valueDates: ['2024-01-02'],
        metrics: [
          { name: 'moisture', values: [1.5] },
          { name: 'temperature', values: [-2.5] },
        ],
      },
      latest: { valueDate: day },
      statistics,
      periods: { dates: ['2024-01-01'], metrics: metricsByDate },
    };
    const asset = {
      id: Buffer.from(JSON.stringify([DATASET_ID, 'b'])).toString('base64url'),
      datasetId: DATASET_ID,
      assetId: 'b',
      name: 'Field b',
      version: '1',
      categories: ['field'],
      metricNames: ['moisture', 'temperature'],
      centroid: { latitude: 45.5, longitude: 7.25 },
      surfaceAreaM2: 1200.5,
      parent: { assetId: 'farm', name: 'Farm', version: '2', asset: { assetId: 'farm' } },
      dataset: { id: DATASET_ID },
      series,
      again: { rowCount: 1 },
    };
    const downloadAt = (url: string) => ({
      url,
      method: 'GET',
      requiredHeaders: ['Authorization: Bearer <ACCESS_TOKEN>'],
      ticketUrl: expect.stringMatching(/\/download\/[\w./-]+$/),
    });
    const fileOf = (query: string) => {
      const path = `/download/results/${DATASET_ID}?format=${query}&assetId=b&start=${instant}&stop=${instant}`;
      return downloadAt(new URL(path, subgraph.url).href);
    };
    const staticUrl = `${simulator.url}/v1/collection/staticdataset/${DATASET_ID}/download`;
    const cursor = body.data?.dataset?.results?.series?.pageInfo?.startCursor;
    const dataset = {
      id: DATASET_ID,
      ...metadataResponse,
      seriesCount: 3,
      metricNames: ['moisture', 'temperature'],
      results: {
        processingId: 'p-1',
        sourceId: 's-1',
        metricNames: ['moisture', 'temperature'],
        rowsFile: fileOf('csv&layout=long'),
        seriesPeriodsFile: fileOf('ndjson&of=periods&every=week'),
        seriesStatisticsFile: fileOf('parquet&of=statistics&quantile=0.5'),
        byDateFile: fileOf('arrow&of=byDate&metric=moisture'),
        series: {
          edges: [{ cursor, node: series }],
          nodes: [{ ...series, asset: { datasetId: DATASET_ID, assetId: 'b' } }],
          pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: cursor, endCursor: cursor },
          totalCount: 1,
        },
        statistics,
        byDate: { dates: [day], metrics: metricsByDate },
      },
      asset,
      assetsByIds: [{ assetId: 'b' }],
      download: downloadAt(staticUrl),
      downloadUrlWithToken: `${staticUrl}?authToken=${TOKEN}`,
    };
    expect(cursor).toEqual(expect.any(String));
    const _service = { sdl: expect.stringContaining('type Dataset') };
    expect(body).toEqual({ data: { dataset, datasetsByIds: [dataset], _entities: [asset, dataset], _service } });
    const range = { start_date: instant, stop_date: instant };
    expect(calls().sort()).toEqual([
      getSummary(),
      postResults({ mo_ids: ['b'], time_range: range }),
      // The names of the metrics are those of all time.
      postResults({}),
    ]);
  });

  it('has no field that the test above leaves out', async () => {
    const { query } = await start();
    const { body } = await query(getIntrospectionQuery());
    const schema = buildClientSchema(body.data);
    const fields = Object.values(schema.getTypeMap())
      .filter((type) => isObjectType(type) && !type.name.startsWith('__'))
      .flatMap((type) =>
        isObjectType(type) ? Object.keys(type.getFields()).map((name) => `${type.name}.${name}`) : [],
      );

    const selected = new Set<string>();
    const typeInfo = new TypeInfo(schema);
    const note = {
      Field: () => void selected.add(`${typeInfo.getParentType()?.name}.${typeInfo.getFieldDef()?.name}`),
    };
    visit(parse(everything), visitWithTypeInfo(typeInfo, note));
    expect([...selected].sort()).toEqual(fields.sort());
  });
});
