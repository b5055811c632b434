import { describe, expect, it } from 'vitest';
import { errorAt } from '../support/expected-errors.ts';
import { assetResult, DATASET_ID, ofDataset, respondWith, start, type TestBed } from '../support/harness.ts';

/*
 * Clause 3.15 of docs/contract.md in detail.
 * Pages. `series(first:, after:)` cuts a page out of one REST response. A cursor holds the index and the asset id of
 * the entry. A cursor that does not match is `BAD_USER_INPUT`; paging never restarts silently. What cannot be a cursor
 * costs no call. `hasPreviousPage` is true exactly when an entry precedes the page. `first: 0` is an empty page.
 * `first` or `offset` below 0 is `BAD_USER_INPUT`.
 */
describe('3.15 Pages of series', () => {
  /** Asset `a` stands in the answer twice. */
  const assetIds = ['a', 'b', 'a', 'c'];

  async function startWith(ids: readonly string[]): Promise<TestBed> {
    const bed = await start();
    respondWith(bed.simulator, { results: { processing_id: 'p', assets: ids.map(assetResult) } });
    return bed;
  }

  const pageFields = `
    edges { cursor node { asset { assetId } } } nodes { asset { assetId } } totalCount
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  `;

  function page({ query }: TestBed, variables: { first?: number | null; after?: string | null | undefined }) {
    const document = `query ($first: Int, $after: String) {
      dataset(id: "${DATASET_ID}") { results { processingId series(first: $first, after: $after) { ${pageFields} } } }
    }`;
    return query(document, { variables });
  }

  async function cursorsOf(bed: TestBed): Promise<string[]> {
    const { body } = await page(bed, {});
    return body.data.dataset.results.series.edges.map(({ cursor }: { cursor: string }) => cursor);
  }

  it.each([
    { first: undefined, after: undefined, start: 0, end: 4, previous: false, next: false },
    { first: null, after: null, start: 0, end: 4, previous: false, next: false },
    { first: 2_147_483_647, after: undefined, start: 0, end: 4, previous: false, next: false },
    { first: 3, after: undefined, start: 0, end: 3, previous: false, next: true },
    { first: 0, after: undefined, start: 0, end: 0, previous: false, next: true },
    { first: undefined, after: 0, start: 1, end: 4, previous: true, next: false },
    { first: null, after: 2, start: 3, end: 4, previous: true, next: false },
    { first: 1, after: 0, start: 1, end: 2, previous: true, next: true },
    { first: 3, after: 1, start: 2, end: 4, previous: true, next: false },
    { first: 0, after: 0, start: 1, end: 1, previous: true, next: true },
    { first: undefined, after: 3, start: 4, end: 4, previous: true, next: false },
  ])(
    'slices the response: first $first after entry $after',
    async ({ first, after, start: from, end, previous, next }) => {
      const bed = await startWith(assetIds);
      const cursors = await cursorsOf(bed);
      const { body } = await page(bed, {
        ...(first !== undefined && { first }),
        ...(after !== undefined && { after: after === null ? null : cursors[after] }),
      });
      const nodes = assetIds.slice(from, end).map((assetId) => ({ asset: { assetId } }));
      const shown = cursors.slice(from, end);
      expect(body).toEqual({
        data: {
          dataset: {
            results: {
              processingId: 'p',
              series: {
                edges: nodes.map((node, index) => ({ cursor: shown[index], node })),
                nodes,
                totalCount: 4,
                pageInfo: {
                  hasNextPage: next,
                  hasPreviousPage: previous,
                  startCursor: shown[0] ?? null,
                  endCursor: shown.at(-1) ?? null,
                },
              },
            },
          },
        },
      });
    },
  );

  it('leads through the whole response, page by page', async () => {
    const bed = await startWith(assetIds);
    const seen: string[] = [];
    let after: string | null = null;
    for (let more = true; more; ) {
      const { body } = await page(bed, { first: 1, after });
      const { nodes, pageInfo } = body.data.dataset.results.series;
      seen.push(...nodes.map(({ asset }: { asset: { assetId: string } }) => asset.assetId));
      after = pageInfo.endCursor;
      more = pageInfo.hasNextPage;
    }
    expect(seen).toEqual(assetIds);
    expect(bed.filters()).toEqual([{}, {}, {}, {}]);
  });

  it('cuts several pages of one operation out of one REST response', async () => {
    const bed = await startWith(assetIds);
    const [cursor] = await cursorsOf(bed);
    bed.simulator.clear();
    const { body } = await bed.query(
      ofDataset(`results {
        one: series(first: 1) { nodes { asset { assetId } } }
        two: series(first: 1, after: "${cursor}") { nodes { asset { assetId } } }
        }`),
    );
    const nodes = (assetId: string) => ({ nodes: [{ asset: { assetId } }] });
    expect(body).toEqual({ data: { dataset: { results: { one: nodes('a'), two: nodes('b') } } } });
    expect(bed.filters()).toEqual([{}]);
  });

  const refused = {
    data: { dataset: { results: { processingId: 'p', series: null } } },
    errors: [errorAt(['dataset', 'results', 'series'], 'BAD_USER_INPUT')],
  };

  it.each([
    { of: 'an answer in another order', ids: ['b', 'a', 'c', 'a'], index: 0 },
    { of: 'the same asset at another place', ids: ['b', 'a'], index: 1 },
    { of: 'the entry that would come next', ids: ['a', 'b', 'a', 'c', 'a'], index: 4 },
    { of: 'an entry far beyond the end', ids: Array(12).fill('a') as string[], index: 11 },
    { of: 'another asset at the same place', ids: ['A'], index: 0 },
  ])('refuses the cursor of $of', async ({ ids, index }) => {
    const cursor = (await cursorsOf(await startWith(ids)))[index];
    expect(cursor).toEqual(expect.any(String));
    const bed = await startWith(assetIds);
    for (const first of [undefined, 0, 1]) {
      const { body } = await page(bed, { after: cursor, ...(first !== undefined && { first }) });
      expect(body).toEqual(refused);
    }
  });

  it.each([
    ['empty', () => ''],
    ['a number', () => '0'],
    ['no ASCII', () => 'ä€😀\ud800'],
    ['long', () => 'W'.repeat(100_000)],
    ['shortened', (cursor: string) => cursor.slice(0, -1)],
    ['lengthened', (cursor: string) => `${cursor}A`],
    ['padded', (cursor: string) => `${cursor}=`],
  ])('refuses what is no cursor: %s', async (_name, spoil) => {
    const bed = await startWith(assetIds);
    const [, cursor = ''] = await cursorsOf(bed);
    const { body } = await page(bed, { after: spoil(cursor) });
    expect(body).toEqual(refused);
  });

  it.each([-1, -2_147_483_648])('refuses first: %i', async (first) => {
    const bed = await startWith(assetIds);
    const { body } = await page(bed, { first });
    expect(body).toEqual(refused);
  });
});
