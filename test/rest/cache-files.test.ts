import { describe, expect, it } from 'vitest';
import { dataset, getSummary, ofDataset, postResults, start } from '../support/harness.ts';
import { receive, resultsPath } from '../support/results-files.ts';

const memory = { CACHE: 'memory' };
const invalid = ['<html></html>', '[]', '{"assets":{}}', '{"assets":[5]}'];

describe('3.40 An invalid body that a file reads', () => {
  it.each(invalid)('of results is not kept: %s', async (body) => {
    const bed = await start({ env: memory });
    bed.simulator.intercept(() => ({ body }));
    const path = resultsPath('format=csv&layout=wide');
    for (let times = 0; times < 2; times += 1) expect((await receive(bed, path)).status).toBe(502);
    bed.simulator.intercept(() => undefined);
    const { body: response } = await bed.query(ofDataset('results { processingId }'));
    expect(response).toEqual({ data: { dataset: { results: { processingId: 'p-1' } } } });
    expect(await receive(bed, path)).toMatchObject({ status: 200, isComplete: true });
    expect(bed.calls()).toEqual(Array(3).fill(postResults({})));
  });

  it.each(['<html></html>', '[]'])('of metadata is not kept: %s', async (body) => {
    const bed = await start({ env: memory });
    bed.simulator.intercept(() => ({ body }));
    const path = resultsPath('format=parquet');
    for (let times = 0; times < 2; times += 1) expect((await receive(bed, path)).status).toBe(502);
    bed.simulator.intercept(() => undefined);
    const { name } = dataset.metadata;
    expect((await bed.query(ofDataset('name'))).body).toEqual({ data: { dataset: { name } } });
    expect(await receive(bed, path)).toMatchObject({ status: 200, isComplete: true });
    expect(bed.calls()).toEqual([getSummary(), getSummary(), getSummary(), postResults({})]);
  });
});
