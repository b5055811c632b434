import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { demoDatasetIds, loadDemoData } from '../../simulator/src/demo-data.ts';
import { LISTS } from '../support/aggregates.ts';
import { start, startService } from '../support/harness.ts';
import { receive, resultsPath } from '../support/results-files.ts';

const TOKEN = 'demo-token';
const DAYS = 1096;
const ROWS = 1_073_084;

/** The data of a selection on the results, by the default settings of the demo, in one REST call. */
async function resultsOf(selection: string, filter = '{}') {
  const bed = await start({ ...(await loadDemoData()), env: { OPERATION_PLAN: 'on' } });
  const document = `{ dataset(id: "${demoDatasetIds.fields}") { results(filter: ${filter}) { ${selection} } } }`;
  const { status, body } = await bed.query(document, { token: TOKEN });
  expect([status, body.errors]).toEqual([200, undefined]);
  expect(bed.filters()).toHaveLength(1);
  // All rows have one template.
  expect(bed.subgraph.oddRows.count).toBe(0);
  return body.data.dataset.results;
}

/*
 * The large dataset of the demo, through GraphQL: the events of its description can be found, and the default limits
 * (UPSTREAM_MAX_BYTES, MAX_OPERATION_WORK, MEMORY_BUDGET, OPERATION_TIMEOUT_MS) let all of it through.
 */
describe('The generated fields of the demo', () => {
  it('are the same bytes every time', async () => {
    const { url } = await startService(await loadDemoData());
    const response = await fetch(`${url}/v1/processingresult/dataset/${demoDatasetIds.fields}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    const digest = createHash('sha256');
    let bytes = 0;
    for await (const chunk of response.body ?? []) {
      digest.update(chunk);
      bytes += chunk.byteLength;
    }
    expect(bytes).toBe(162_209_467);
    expect(digest.digest('hex')).toBe('3173a1136a20d9a2db9b222d9b4d92b4935af0a06068d82c559ab8de9dda5777');
  });

  it('show the stuck sensor in the statistics of all of them', async () => {
    const selection = 'name count nullCount minimum { value } maximum { value valueDate assetId }';
    const { statistics } = await resultsOf(`statistics { ${selection} }`);
    expect(statistics).toEqual([
      {
        ...{ name: 'ndvi', count: 799_000, nullCount: 274_084, minimum: { value: 0.103 } },
        maximum: { value: 0.92, valueDate: '2023-07-26', assetId: expect.stringMatching(/^field-/) },
      },
      {
        ...{ name: 'soil_moisture', count: ROWS, nullCount: 0, minimum: { value: 10.4 } },
        maximum: { value: 97.3, valueDate: '2024-05-06', assetId: 'field-0417' },
      },
      {
        ...{ name: 'surface_temperature', count: ROWS, nullCount: 0, minimum: { value: -9 } },
        maximum: { value: 33.1, valueDate: '2024-07-31', assetId: expect.stringMatching(/^field-/) },
      },
    ]);
  });

  it('show it in the statistics of its field, and the hail in the columns of one that it hits', async () => {
    const { series: stuck } = await resultsOf(
      'series { nodes { asset { name } statistics(metrics: ["soil_moisture"]) { standardDeviation quantiles(of: [0, 1]) } } }',
      '{ assetIds: ["field-0416", "field-0417"], timeRange: { start: "2024-05-06" } }',
    );
    const statistics = (standardDeviation: number, ...quantiles: number[]) => [{ standardDeviation, quantiles }];
    expect(stuck.nodes).toEqual([
      { asset: { name: 'Field 0416, west' }, statistics: statistics(5.49548849993146, 14.9, 40.3) },
      { asset: { name: 'Field 0417, west' }, statistics: statistics(0, 97.3, 97.3) },
    ]);
    const { series: hit } = await resultsOf(
      'series { nodes { columns(metrics: ["ndvi"]) { valueDates metrics { values } } } }',
      '{ assetIds: ["field-0509"], timeRange: { start: "2024-06-14", stop: "2024-06-21" } }',
    );
    const valueDates = ['14', '15', '16', '17', '18', '19', '20', '21'].map((day) => `2024-06-${day}`);
    const metrics = [{ values: [0.605, 0.621, null, null, 0.303, 0.317, 0.318, null] }];
    expect(hit.nodes).toEqual([{ columns: { valueDates, metrics } }]);
  });

  it('are values by date', async () => {
    const { byDate } = await resultsOf(`byDate { dates metrics { ${LISTS} quantiles(of: [0.1, 0.5, 0.9]) } }`);
    expect(byDate.dates).toHaveLength(DAYS);
    expect([byDate.dates.at(0), byDate.dates.at(-1)]).toEqual(['2023-01-01', '2025-12-31']);
    const [ndvi, moisture, temperature] = byDate.metrics;
    expect([ndvi.name, moisture.name, temperature.name]).toEqual(['ndvi', 'soil_moisture', 'surface_temperature']);
    // All but those that begin later, the two weeks without the east, and all.
    const counts = (from: number) => temperature.counts.slice(from, from + 2);
    expect([counts(0), counts(byDate.dates.indexOf('2023-11-09')), counts(DAYS - 2)]).toEqual([
      [950, 950],
      [950, 831],
      [1000, 1000],
    ]);
    const stuck = byDate.dates.indexOf('2024-05-06');
    expect(Math.max(...moisture.maximums.slice(0, stuck))).toBeLessThan(60);
    expect(new Set(moisture.maximums.slice(stuck))).toEqual(new Set([97.3]));
  });

  it('are a file', async () => {
    const bed = await start(await loadDemoData());
    const file = await receive(bed, resultsPath('format=csv', demoDatasetIds.fields), {
      authorization: `Bearer ${TOKEN}`,
    });
    expect([file.status, file.isComplete]).toEqual([200, true]);
    expect(file.text.slice(0, 1000).split('\r\n', 3)).toEqual([
      'asset_id,asset_name,asset_version,value_date,metric,value',
      'field-0001,"Field 0001, north-west",1,2023-01-01,ndvi,',
      'field-0001,"Field 0001, north-west",1,2023-01-01,soil_moisture,32.7',
    ]);
    // A line for each metric of each row, and the header.
    let lines = 0;
    for (let at = file.bytes.indexOf('\n'); at >= 0; at = file.bytes.indexOf('\n', at + 1)) lines += 1;
    expect(lines).toBe(3 * ROWS + 1);
  });
});
