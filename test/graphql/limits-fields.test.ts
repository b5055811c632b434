import { describe, expect, it } from 'vitest';
import { type Answer, DATASET_ID, datasetReference, ofDataset, ofEntities, start, times } from '../support/harness.ts';
import { errorsOf, exceeded, exceedsWork, expectExecuted, expectRefused } from '../support/limits.ts';

describe('3.27 Limits on what an operation asks for', () => {
  /** The most fields on the objects of lists, by the default of MAX_OPERATION_WORK. */
  const MAX_FIELDS = Math.floor(268_435_456 / 2500);

  it('107374 fields on the objects of lists, and no more', async () => {
    const bed = await start();
    const ask = (fields: number, count: number) =>
      bed.query(ofEntities(`... on Dataset { ${times(fields, (index) => `a${index}: id`)} }`), {
        variables: { references: Array(count).fill(datasetReference()) },
      });
    expect((await ask(49, Math.floor(MAX_FIELDS / 49))).body.data._entities).toHaveLength(2191);
    expect(errorsOf(await ask(49, 2192))).toEqual([exceedsWork('_entities')]);
  });

  it('fields count under the conditions of each request', async () => {
    const bed = await start({ env: { MAX_OPERATION_WORK: '1000000' } });
    const document = `query ($ids: [ID!]!, $more: Boolean!) {
      datasetsByIds(ids: $ids) { id } datasetsByIds(ids: $ids) @include(if: $more) { ${times(20, (index) => `a${index}: id`)} }
    }`;
    const ask = (more: boolean) => bed.query(document, { variables: { ids: Array(20).fill('x'), more } });
    expect((await ask(false)).body.errors).toBeUndefined();
    expect(errorsOf(await ask(true))).toEqual([exceedsWork('datasetsByIds', 1_000_000)]);
    expect((await ask(false)).body.errors).toBeUndefined();
  });

  it('the values of a literal list count for each object that reads it', async () => {
    const bed = await start({ env: { MAX_OPERATION_WORK: '1000000' } });
    const ask = (literals: number) =>
      bed.query(
        ofEntities(`... on Dataset { results(filter: { assetIds: [${'"a" '.repeat(literals)}] }) { sourceId } }`),
        { variables: { references: Array(10).fill(datasetReference()) } },
      );
    // Two fields, the filter's list, and what is in it.
    expect(errorsOf(await ask(38))).toEqual([exceedsWork('_entities', 1_000_000)]);
    expect(bed.calls()).toEqual([]);
    expect(errorsOf(await ask(36))).toBeUndefined();
  });

  it('10000 fields with fragments put in, and no more', async () => {
    const bed = await start();
    const document = (count: number) =>
      `{ ${times(100, (index) => `d${index}: dataset(id: "a") { ...F }`)} } fragment F on Dataset { ${'id '.repeat(count)} }`;
    await expectExecuted(bed, document(99));
    await expectRefused(
      bed,
      document(100),
      'The operation has more than 10000 fields, with fragments expanded (MAX_DOCUMENT_TOKENS).',
    );
  });

  it('1000 metric names in a list, and no more; the rest of the selection stands', async () => {
    const bed = await start();
    const document = `query ($id: ID!, $names: [String!]) { dataset(id: $id) { results(filter: { assetIds: ["a"] }) { series { nodes {
        columns(metrics: $names) { rowCount } rows(first: 2) { valueDate metrics(metrics: $names) { name } } } } } } }`;
    const ask = (count: number) => {
      const names = ['moisture', ...Array.from({ length: count - 1 }, (_, index) => `n${index}`)];
      return bed.query(document, { variables: { id: DATASET_ID, names } });
    };
    const node = ({ body }: Answer) => body.data.dataset.results.series.nodes[0];
    const row = (day: number, metrics: unknown) => ({ valueDate: `2024-01-0${day}`, metrics });
    const most = await ask(1000);
    expect(errorsOf(most)).toBeUndefined();
    expect(node(most)).toEqual({
      columns: { rowCount: 3 },
      rows: [row(1, [{ name: 'moisture' }]), row(2, [{ name: 'moisture' }])],
    });
    const tooMany = await ask(1001);
    const message = 'A list of metric names must have at most 1000 entries.';
    const at = 'dataset.results.series.nodes.0';
    expect(
      errorsOf(tooMany)?.toSorted((one: { path: string }, other: { path: string }) => (one.path < other.path ? -1 : 1)),
    ).toEqual([
      exceeded(`${at}.columns`, message),
      exceeded(`${at}.rows.0.metrics`, message),
      exceeded(`${at}.rows.1.metrics`, message),
    ]);
    expect(node(tooMany)).toEqual({ columns: null, rows: [row(1, null), row(2, null)] });
  });

  it('a bad argument is an error of its field, and decides nothing for its neighbours', async () => {
    const bed = await start();
    const { body } = await bed.query(
      ofDataset('results { series { totalCount nodes { bad: rows(first: -1) { valueDate } rowCount } } }'),
    );
    expect(body.data.dataset.results.series).toEqual({
      totalCount: 3,
      nodes: Array(3).fill({ bad: null, rowCount: 3 }),
    });
    expect(
      body.errors.map(({ path, extensions }: { path: unknown; extensions: unknown }) => [path, extensions]),
    ).toEqual(
      [0, 1, 2].map((index) => [['dataset', 'results', 'series', 'nodes', index, 'bad'], { code: 'BAD_USER_INPUT' }]),
    );
    expect(bed.subgraph.oddRows.count).toBe(0);
  });
});
