import { expect, it } from 'vitest';
import { row } from '../support/aggregates.ts';
import { ofDataset, respondWith, start } from '../support/harness.ts';

/**
 * An item of a list fails while items before it still wait. The first time graphql-js executes the operation, and
 * then this subgraph. A rejection that nobody handles fails the run; in a server it would end the process.
 */
it('An item that fails at once leaves no promise of another one', async () => {
  const bed = await start({ env: { MAX_OPERATION_WORK: '1000000' } });
  const assets = Array.from('abcdefghijklmnopqrst', (id) => ({
    ...{ asset_id: id, asset_name: id.repeat(10_000), results: [row(null, { m: 1 })] },
  }));
  respondWith(bed.simulator, { results: { assets } });
  const edges = 'edges { a: node { asset { name dataset { seriesCount } } } b: node { asset { name } } }';
  for (let round = 0; round < 3; round += 1) {
    const { body } = await bed.query(ofDataset(`results { series { ${edges} } }`));
    expect(body).toMatchObject({
      data: { dataset: { results: { series: null } } },
      errors: [{ path: ['dataset', 'results', 'series', 'edges', 0, 'b', 'asset'] }],
    });
  }
});
