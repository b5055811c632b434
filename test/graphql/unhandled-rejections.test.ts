import { buildSchema, GraphQLError } from 'graphql';
import { expect, it } from 'vitest';
import { row } from '../support/aggregates.ts';
import { ofDataset, respondWith, start } from '../support/harness.ts';

/**
 * An item of a list fails while items before it still wait. A rejection that nobody handles fails the run; in a server it would end
 * the process.
 */
it('An item that is an error leaves no promise of another one', async () => {
  const schema = buildSchema('type Query { list: [Int!] }');
  const failure = (message: string) => new GraphQLError(message, { extensions: { code: 'FORBIDDEN' } });
  const later = () => new Promise((_, reject) => setImmediate(() => reject(failure('later'))));
  Object.assign(schema.getQueryType()?.getFields().list ?? {}, { resolve: () => [later(), failure('first')] });
  const bed = await start({ makeSchema: () => schema });
  const { body } = await bed.query('{ list }');
  expect(body).toMatchObject({ data: { list: null }, errors: [{ message: 'first', path: ['list', 1] }] });
  expect(body.errors).toHaveLength(1);
  // By then the other one has failed, too.
  for (let times = 0; times < 3; times += 1) await bed.query('{ __typename }');
});

it('An item that fails at once leaves no promise of another one', async () => {
  const bed = await start({ env: { MAX_OPERATION_WORK: '1000000', FEDERATED_TRACING: 'on' } });
  const assets = Array.from('abcdefghijklmnopqrst', (id) => ({
    ...{ asset_id: id, asset_name: id.repeat(10_000), results: [row(null, { m: 1 })] },
  }));
  respondWith(bed.simulator, { results: { assets } });
  const edges = 'edges { a: node { asset { name dataset { seriesCount } } } b: node { asset { name } } }';
  // New, known, and executed by graphql-js.
  for (const trace of ['', '', 'ftv1']) {
    const headers = { 'apollo-federation-include-trace': trace };
    const { body } = await bed.query(ofDataset(`results { series { ${edges} } }`), { headers });
    expect(body).toMatchObject({
      data: { dataset: { results: { series: null } } },
      errors: [{ path: ['dataset', 'results', 'series', 'edges', 0, 'b', 'asset'] }],
    });
  }
});
