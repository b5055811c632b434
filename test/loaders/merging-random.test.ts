import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assetResult, dataset, ofDataset, outline, start, type TestBed } from '../support/harness.ts';
import { askedFor, ids, onResults, resultsOf } from '../support/merging.ts';
import { randomCases } from '../support/random-cases.ts';

describe('3.2 and 3.3 ResultsRequests of one dataset, whichever they are', () => {
  const late = assetResult('b');
  const datasets = [
    {
      ...dataset,
      results: {
        ...dataset.results,
        assets: [
          assetResult('a'),
          { ...late, results: late.results.slice(1) },
          assetResult('c'),
          { ...assetResult('d'), results: [] },
        ],
      },
    },
  ];

  const assetId = fc.constantFrom(...'abcdx');
  /** Of the dataset's three days these hold all, the first, the last two, and none. */
  const timeRange = fc.constantFrom(
    '',
    'timeRange: { start: "2024-01-01", stop: "2024-01-01" }',
    'timeRange: { start: "2024-01-02", stop: "2024-01-31" }',
    'timeRange: { start: "2025-01", stop: "2026-01-01" }',
  );
  const results = (filter: string) =>
    `results(filter: { ${filter} }) { processingId series { nodes { asset { assetId name } rowCount } } }`;
  const list = fc
    .tuple(fc.array(assetId, { maxLength: 4 }), timeRange)
    .map(([assetIds, range]) => results(`${ids(...assetIds)} ${range}`));
  const all = timeRange.map(results);
  const asset = fc
    .tuple(assetId, fc.constantFrom('', 'name surfaceAreaM2'), fc.uniqueArray(timeRange, { maxLength: 2 }))
    .map(([id, attributes, ranges]) => {
      const series = ranges.map(
        (range, index) => `series${index}: series(filter: { ${range} }) { rowCount asset { name } }`,
      );
      return `asset(assetId: "${id}") { assetId ${attributes} ${series.join(' ')} }`;
    });
  const wantsOf = (...kinds: fc.Arbitrary<string>[]) => fc.array(fc.oneof(...kinds), { minLength: 2, maxLength: 6 });

  /** The answer to these fields in one operation, and how many calls it made; the order of chunks is left out. */
  async function ask(bed: TestBed, fields: readonly string[]) {
    bed.simulator.clear();
    const response = await bed.query(ofDataset(fields.join(' ')));
    const body = JSON.parse(response.text, (key, value) =>
      key === 'nodes'
        ? value.toSorted((one: Node, other: Node) => (one.asset.assetId < other.asset.assetId ? -1 : 1))
        : value,
    );
    return { ...outline({ ...response, body }), posts: bed.filters().length };
  }
  type Node = { asset: { assetId: string } };

  /** Asks for all in one operation, and for each in one of its own. */
  async function compare(bed: TestBed, wants: readonly string[]) {
    const fields = wants.map((want, index) => `field${index}: ${want}`);
    const alone = [];
    for (const field of fields) alone.push(await ask(bed, [field]));
    const together = await ask(bed, fields);
    expect({ data: together.data, errors: together.errors }).toEqual({
      data: { dataset: Object.assign({}, ...alone.map(({ data }) => (data as { dataset: object }).dataset)) },
      errors: alone.flatMap(({ errors }) => errors).toSorted(),
    });
    return { together: together.posts, alone: alone.reduce((sum, { posts }) => sum + posts, 0) };
  }

  it.each(['500', '2'])(
    'get what each gets alone, with no more calls, %s assets a call',
    { tags: ['random'] },
    async (ASSET_IDS_PER_CALL) => {
      const bed = await start({ env: { ASSET_IDS_PER_CALL }, datasets });
      await fc.assert(
        fc.asyncProperty(wantsOf(list, all, asset), async (wants) => {
          const posts = await compare(bed, wants);
          expect(posts.together).toBeLessThanOrEqual(posts.alone);
        }),
        { numRuns: randomCases(120) },
      );
    },
  );

  it.each([
    ['500', 403],
    ['500', 404],
    ['2', 403],
  ])(
    'get the verdict that each gets alone, %s assets a call, refused with %i',
    { tags: ['random'] },
    async (ASSET_IDS_PER_CALL, status) => {
      const bed = await start({ env: { ASSET_IDS_PER_CALL }, datasets });
      bed.simulator.intercept(onResults((request) => (askedFor(request)?.includes('b') ? { status } : undefined)));
      await fc.assert(
        fc.asyncProperty(wantsOf(list, asset), async (wants) => void (await compare(bed, wants))),
        { numRuns: randomCases(80) },
      );
    },
  );

  it('get what each gets alone from a service that does not read asset ids', { tags: ['random'] }, async () => {
    await fc.assert(
      fc.asyncProperty(wantsOf(list, asset), async (wants) => {
        const bed = await start({ datasets });
        // Nobody asks for `z`: with it every answer shows that the service reads no asset ids.
        bed.simulator.intercept(onResults(() => ({ body: resultsOf('abcdz') })));
        await compare(bed, wants);
      }),
      { numRuns: randomCases(80) },
    );
  });
});
