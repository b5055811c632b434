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
import {
  assetReference,
  DATASET_ID,
  datasetReference,
  getSummary,
  metadataResponse,
  postResults,
  start,
} from '../support/harness.ts';

const everything = `
  query Everything($id: ID!, $day: TimeRangeInput!, $representations: [_Any!]!) {
    dataset(id: $id) { ...DatasetFields }
    datasets(ids: [$id]) { ...DatasetFields }
    _entities(representations: $representations) { ...DatasetFields ...AssetFields }
    _service { sdl }
  }
  fragment DatasetFields on Dataset {
    id name description assetCount attributionText attributionFile sharing
    processing { id name }
    source { id name }
    startDate stopDate startDateTime stopDateTime
    results(filter: { assetIds: ["b"], timeRange: $day }) {
      processingId sourceId seriesCount
      file(format: CSV, auth: AUTHORIZATION_HEADER)
      series(first: 1) {
        edges { cursor node { ...SeriesFields } }
        nodes { ...SeriesFields asset { datasetId assetId } }
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
        totalCount
      }
      statistics { ...StatisticsFields }
      bands(quantiles: [0.5]) { valueDates metrics { name counts means mins maxs quantiles { quantile values } } }
    }
    asset(assetId: "b") { ...AssetFields }
    assets(assetIds: ["b"]) { assetId }
    download { url method requiredHeaders }
  }
  fragment AssetFields on Asset {
    id datasetId assetId name version categories metricNames
    centroid { latitude longitude }
    surfaceAreaM2
    parent { assetId name version asset { assetId } }
    dataset { id }
    series(timeRange: $day) { ...SeriesFields }
  }
  fragment SeriesFields on AssetSeries {
    version rowCount metricNames
    none: rows(first: 0) { valueDate }
    rows { valueDate metrics { name value } value(metric: "temperature") }
    columns { rowCount valueDates metrics { name values } }
    latest { valueDate }
    statistics { ...StatisticsFields }
    periods(every: MONTH) { starts metrics { name counts means mins maxs sums } }
  }
  fragment StatisticsFields on MetricStatistics {
    name count nullCount min max mean standardDeviation first last minDate maxDate firstDate lastDate
  }
`;

const instant = Date.parse('2024-01-02T00:00:00Z');
const variables = {
  id: DATASET_ID,
  day: { start: instant, stop: instant },
  representations: [assetReference('b'), datasetReference()],
};

describe('2 The schema', () => {
  it('answers every field that it has', async () => {
    const { query, calls, simulator, subgraph } = await start();
    const { body } = await query(everything, { variables });

    const day = '2024-01-02';
    const statisticsOf = (name: string, value: number) => ({
      ...{ name, count: 1, nullCount: 0, min: value, max: value, mean: value, standardDeviation: 0 },
      ...{ first: value, last: value, minDate: day, maxDate: day, firstDate: day, lastDate: day },
    });
    const statistics = [statisticsOf('moisture', 1.5), statisticsOf('temperature', -2.5)];
    const listsOf = (name: string, value: number) => ({
      name,
      counts: [1],
      means: [value],
      mins: [value],
      maxs: [value],
    });
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
      periods: {
        starts: ['2024-01-01'],
        metrics: [
          { ...listsOf('moisture', 1.5), sums: [1.5] },
          { ...listsOf('temperature', -2.5), sums: [-2.5] },
        ],
      },
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
    };
    const cursor = body.data?.dataset?.results?.series?.pageInfo?.startCursor;
    const dataset = {
      id: DATASET_ID,
      ...metadataResponse,
      results: {
        processingId: 'p-1',
        sourceId: 's-1',
        seriesCount: 1,
        file: new URL(
          `/download/results/${DATASET_ID}?format=csv&layout=long&assetId=b&start=${instant}&stop=${instant}`,
          subgraph.url,
        ).href,
        series: {
          edges: [{ cursor, node: series }],
          nodes: [{ ...series, asset: { datasetId: DATASET_ID, assetId: 'b' } }],
          pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: cursor, endCursor: cursor },
          totalCount: 1,
        },
        statistics,
        bands: {
          valueDates: [day],
          metrics: [
            { ...listsOf('moisture', 1.5), quantiles: [{ quantile: 0.5, values: [1.5] }] },
            { ...listsOf('temperature', -2.5), quantiles: [{ quantile: 0.5, values: [-2.5] }] },
          ],
        },
      },
      asset,
      assets: [{ assetId: 'b' }],
      download: {
        url: `${simulator.url}/v1/collection/staticdataset/${DATASET_ID}/download`,
        method: 'GET',
        requiredHeaders: ['Authorization: Bearer <ACCESS_TOKEN>'],
      },
    };
    expect(cursor).toEqual(expect.any(String));
    const _service = { sdl: expect.stringContaining('type Dataset') };
    expect(body).toEqual({ data: { dataset, datasets: [dataset], _entities: [asset, dataset], _service } });
    const range = { start_date: instant, stop_date: instant };
    expect(calls().sort()).toEqual([
      getSummary(),
      postResults({ mo_ids: ['b'], time_range: range }),
      // The names of the metrics are those of all time.
      postResults({ mo_ids: ['b'] }),
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
