import { describe, expect, it } from 'vitest';
import { ofDataset, respondWith, start } from '../support/harness.ts';
import { errorsOf } from '../support/limits.ts';

const MEGABYTE = 1 << 20;

// The tests of engine/ have each place, to the byte.
describe('3.17 A row, an attribute or an id of results', () => {
  it('of more than 1 MiB is null with an error, and what is beside it is there', async () => {
    const bed = await start();
    const long = 'x'.repeat(MEGABYTE);
    const rows = [{ metrics: [] }, { other: long }, { metrics: null }];
    const assets = [{ asset_id: 'a', asset_name: 'x'.repeat(MEGABYTE - 2), other: long, results: rows }];
    respondWith(bed.simulator, { results: { processing_id: long, assets } });
    const selection = 'results { processingId series { nodes { asset { name } rowCount rows { metrics { name } } } } }';
    const answer = await bed.query(ofDataset(selection));
    expect(answer.body.data.dataset.results).toEqual({
      processingId: null,
      series: {
        nodes: [{ asset: { name: long.slice(2) }, rowCount: 3, rows: [{ metrics: [] }, null, { metrics: null }] }],
      },
    });
    const paths = ['dataset.results.processingId', 'dataset.results.series.nodes.0.rows.1'];
    const expected = paths.map((path) => expect.objectContaining({ path, code: 'UPSTREAM_RESPONSE_TOO_LARGE' }));
    expect(errorsOf(answer)).toHaveLength(expected.length);
    expect(errorsOf(answer)).toEqual(expect.arrayContaining(expected));
  });
});
