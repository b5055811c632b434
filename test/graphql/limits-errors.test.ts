import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  assetResult,
  DATASET_ID,
  datasetReference,
  getSummary,
  ofDataset,
  ofEntities,
  postResults,
  respondWith,
  type Setup,
  start,
} from '../support/harness.ts';

describe('3.27 Limits on what an operation asks for', () => {
  it('errors beyond 1000 are counted and not made, also those of rows', async () => {
    const bed = await start();
    const results = Array.from({ length: 400 }, (_, day) => ({ value_date: `day ${day}`, metrics: [] }));
    respondWith(bed.simulator, { results: { assets: ['a', 'b', 'c'].map((id) => ({ ...assetResult(id), results })) } });
    const { body } = await bed.query(
      `query ($id: ID!, $names: [String!]) { dataset(id: $id) { results { series { nodes { rows { metrics(metrics: $names) { name } } } } } } }`,
      { variables: { id: DATASET_ID, names: Array(1001).fill('m') } },
    );
    expect(body.data.dataset.results.series.nodes).toEqual(Array(3).fill({ rows: Array(400).fill({ metrics: null }) }));
    expect(body.errors).toHaveLength(1001);
    expect(body.errors[999].path).toEqual(['dataset', 'results', 'series', 'nodes', 2, 'rows', 199, 'metrics']);
    expect(body.errors[1000].message).toBe('A response has at most 1000 errors; 200 more are omitted.');
  });

  it('an error has the location of one of the fields that were merged', async () => {
    const bed = await start();
    const results = Array.from({ length: 1000 }, (_, day) => ({ value_date: `day ${day}`, metrics: [] }));
    respondWith(bed.simulator, { results: { assets: [{ ...assetResult('a'), results }] } });
    const merged = Array(100).fill('metrics(metrics: $names) { name }').join(' ');
    const document = `query ($id: ID!, $names: [String!]) { dataset(id: $id) { results { series { nodes { rows { ${merged} } } } } } }`;
    for (let times = 0; times < 2; times += 1) {
      const { body, text } = await bed.query(document, { variables: { id: DATASET_ID, names: Array(1001).fill('m') } });
      expect(body.errors).toHaveLength(1000);
      expect(body.errors[7].locations).toHaveLength(1);
      expect(text.length).toBeLessThan(400_000);
    }
  });

  it('an error of a document has the locations of all that are wrong, but ten at most', async () => {
    const bed = await start();
    const counts = fc.integer({ min: 2, max: 40 });
    await fc.assert(
      fc.asyncProperty(counts, fc.nat(5), async (count, indent) => {
        const definitions = Array.from({ length: count }, () => `\n${' '.repeat(indent)}$v: ID`).join(',');
        const { body } = await bed.query(`query (${definitions}) { datasetsByIds(ids: [$v]) { id } }`);
        const locations = Array.from({ length: Math.min(count, 10) }, (_, index) => ({
          line: index + 2,
          column: indent + 2,
        }));
        expect(body.errors).toContainEqual({
          message: 'There can be only one variable named "$v".',
          locations,
          extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
        });
      }),
      { numRuns: 8 },
    );
  });

  it('a message is short, also where it quotes without quotation marks', async () => {
    const bed = await start();
    const { body, text } = await bed.query(`{ dataset(id: ${'x'.repeat(500_000)}) { id } }`);
    expect(body.errors[0].extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
    expect(text.length).toBeLessThan(2000);
  });

  it('1000 errors in a response, and one more that says how many were left out', async () => {
    const bed = await start();
    const references = (count: number) => Array.from({ length: count }, () => ({ __typename: 'Dataset' }));
    const ask = (count: number) =>
      bed.query(ofEntities('... on Dataset { name }'), { variables: { references: references(count) } });
    const bad = (index: number) => ({
      message: 'A reference to a dataset needs "id" as a string or an integer.',
      locations: expect.any(Array),
      path: ['_entities', index],
      extensions: { code: 'BAD_USER_INPUT' },
    });
    const first = Array.from({ length: 1000 }, (_, index) => bad(index));
    expect((await ask(1000)).body.errors).toEqual(first);
    expect((await ask(1003)).body).toEqual({
      data: { _entities: Array(1003).fill(null) },
      errors: [
        ...first,
        {
          message: 'A response has at most 1000 errors; 3 more are omitted.',
          extensions: { code: 'REQUEST_LIMIT_EXCEEDED' },
        },
      ],
    });
  });

  it('a field that is wrong in every row does not fill a response with errors', async () => {
    const bed = await start();
    const results = Array.from({ length: 5000 }, () => ({ value_date: 5, metrics: [] }));
    respondWith(bed.simulator, { results: { assets: [{ ...assetResult('a'), results }] } });
    const { body } = await bed.query(ofDataset('results { series { nodes { rows { valueDate } } } }'));
    expect(body.data.dataset.results.series.nodes[0].rows).toEqual(Array(5000).fill({ valueDate: null }));
    expect(body.errors).toHaveLength(1001);
    expect(body.errors[999].extensions.code).toBe('UPSTREAM_INVALID_RESPONSE');
    expect(body.errors[1000].message).toBe('A response has at most 1000 errors; 4000 more are omitted.');
  });

  it.each<[string, Setup]>([
    ['held', {}],
    ['passing', { holdBytes: 1024 }],
  ])('an error for omitted entries counts like any other: results that are %s', async (_, setup) => {
    const bed = await start(setup);
    const rows = Array.from({ length: 1000 }, () => ({ value_date: 5, metrics: [] }));
    respondWith(bed.simulator, { results: { assets: [{ ...assetResult('a'), results: [...rows, 'no row'] }] } });
    const { body } = await bed.query(ofDataset('results { series { nodes { rows { valueDate } } } }'));
    expect(body.data.dataset.results.series.nodes[0].rows).toEqual(Array(1000).fill({ valueDate: null }));
    expect(body.errors).toHaveLength(1001);
    expect(body.errors[1000].message).toBe('A response has at most 1000 errors; 1 more are omitted.');
  });

  it('a known document makes no more errors of its variables than the response has', async () => {
    const bed = await start();
    const variables = { ids: Array(300_000).fill([]) };
    const ask = async (name: string) => {
      const started = performance.now();
      const { status, body } = await bed.query(`query ${name}($ids: [ID!]!) { datasetsByIds(ids: $ids) { id } }`, {
        variables,
      });
      return { elapsed: performance.now() - started, status, body };
    };
    await bed.query('query First($ids: [ID!]!) { datasetsByIds(ids: $ids) { id } }', { variables: { ids: [] } });
    const unknown = await ask('Other');
    const known = await ask('First');
    expect([known.status, known.body]).toEqual([400, unknown.body]);
    expect(known.body.errors).toHaveLength(51);
    expect(known.body.errors[49]).toEqual({
      message:
        'Variable "$ids" got invalid value [] at "ids[49]"; An ID must be a text, or an integer of at most 2^53 - 1.',
      locations: [{ line: 1, column: 13 }],
      extensions: { code: 'BAD_USER_INPUT' },
    });
    // With an error for each value it takes a hundred times as long.
    expect(known.elapsed).toBeLessThan(10 * unknown.elapsed);
    expect(bed.calls()).toEqual([]);
  });

  it('routers stay below: 200 entities with everything selected', async () => {
    const bed = await start();
    const references = Array.from({ length: 200 }, () => datasetReference());
    const { body } = await bed.query(ofEntities('... on Dataset { name results { series { nodes { version } } } }'), {
      variables: { references },
    });
    expect(body.errors).toBeUndefined();
    expect(bed.calls().toSorted()).toEqual([getSummary(), postResults({})]);
  });
});
