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

    const { _service, ...data } = body.data;
    expect(body.errors).toBeUndefined();
    expect(_service).toEqual({ sdl: expect.stringContaining('type Dataset') });
    // Nothing of the dataset is left out.
    expect(JSON.stringify(data)).not.toMatch(/[:,[]null\b/);
    const { dataset } = data;
    expect(data).toEqual({ dataset, datasetsByIds: [dataset], _entities: [dataset.asset, dataset] });
    const moisture = { name: 'moisture', count: 1, nullCount: 0, sum: 1.5, mean: 1.5, quantiles: [1.5] };
    const series = {
      version: '1',
      rowCount: 1,
      rows: [{ valueDate: '2024-01-02', value: -2.5 }],
      statistics: [{ ...moisture, minimum: { value: 1.5, valueDate: '2024-01-02', assetId: 'b' } }, {}],
    };
    const file = `/download/results/${DATASET_ID}?format=arrow&of=byDate&metric=moisture&assetId=b&start=${instant}&stop=${instant}`;
    expect(dataset).toMatchObject({
      ...metadataResponse,
      seriesCount: 3,
      metricNames: ['moisture', 'temperature'],
      results: {
        byDateFile: { url: new URL(file, subgraph.url).href },
        series: { nodes: [series], totalCount: 1, pageInfo: { hasNextPage: false } },
        byDate: { dates: ['2024-01-02'] },
      },
      asset: { assetId: 'b', name: 'Field b', centroid: { latitude: 45.5, longitude: 7.25 }, series },
      downloadUrlWithToken: `${simulator.url}/v1/collection/staticdataset/${DATASET_ID}/download?authToken=${TOKEN}`,
    });
    const range = { start_date: instant, stop_date: instant };
    // The names of the metrics are those of all time.
    const filters = [{ mo_ids: ['b'], time_range: range }, {}];
    expect(calls().sort()).toEqual([getSummary(), ...filters.map((filter) => postResults(filter))]);
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
