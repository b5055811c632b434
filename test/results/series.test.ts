import { describe, expect, it } from 'vitest';
import { errorAt } from '../support/expected-errors.ts';
import { assetResult, DATASET_ID, respondWith, start, type TestBed } from '../support/harness.ts';

/*
 * Clause 3.15 of docs/contract.md in detail.
 * Pages. `series(first:, after:)` cuts a page out of one REST response. A cursor holds the index and the asset id of
 * the entry. A cursor that does not match is `BAD_USER_INPUT`; paging never restarts silently. What cannot be a cursor
 * costs no call. `hasPreviousPage` is true exactly when an entry precedes the page. `first: 0` is an empty page.
 * `first` or `offset` below 0 is `BAD_USER_INPUT`. The values are compared by test/oracle.
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

  it('leads through the whole response, page by page', async () => {
    const bed = await startWith(assetIds);
    const pages: unknown[] = [];
    let after: string | null = null;
    for (let more = true; more; ) {
      const { body } = await page(bed, { first: 1, after });
      const { edges, pageInfo } = body.data.dataset.results.series;
      expect([pageInfo.startCursor, pageInfo.endCursor]).toEqual([edges[0].cursor, edges[0].cursor]);
      pages.push([edges[0].node.asset.assetId, pageInfo.hasPreviousPage, pageInfo.hasNextPage]);
      after = pageInfo.endCursor;
      more = pageInfo.hasNextPage;
    }
    expect(pages).toEqual(assetIds.map((assetId, index) => [assetId, index > 0, index < 3]));
    expect(bed.filters()).toEqual([{}, {}, {}, {}]);
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

  it('refuses what is no cursor, and makes no call for what cannot be one if nothing else needs it', async () => {
    const bed = await startWith(assetIds);
    const [, cursor = ''] = await cursorsOf(bed);
    const impossible = ['', '0', 'ä€😀\ud800', 'W'.repeat(100_000), Buffer.from('["1",]').toString('base64url')];
    for (const after of [...impossible, cursor.slice(0, -1), `${cursor}A`, `${cursor}=`])
      expect((await page(bed, { after })).body).toEqual(refused);
    bed.simulator.clear();
    const alone = `query ($after: String) { dataset(id: "${DATASET_ID}") { results { series(after: $after) { totalCount } } } }`;
    const { errors } = refused;
    for (const after of impossible)
      expect((await bed.query(alone, { variables: { after } })).body).toEqual({
        data: { dataset: { results: { series: null } } },
        errors,
      });
    expect(bed.calls()).toEqual([]);
  });
});
