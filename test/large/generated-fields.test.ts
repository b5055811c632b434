import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { demoDatasetIds, loadDemoData } from '../../simulator/src/demo-data.ts';
import { start, startService } from '../support/harness.ts';

const TOKEN = 'demo-token';
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
});
