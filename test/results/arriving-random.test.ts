import { setImmediate } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { mismatchOf } from '../oracle/compare.ts';
import { respond } from '../oracle/respond.ts';
import { assetResult, ofDataset, start } from '../support/harness.ts';
import { randomCases } from '../support/random-cases.ts';

/** How many bodies are tried, each with a subgraph of its own. */
const CASES = randomCases(80);

/** Assets of about so many bytes in all, with such numbers of rows. */
function assetsOf(bytes: number, rowCounts: readonly number[]): object[] {
  const assets: object[] = [];
  for (let size = 0, index = 0; size < bytes; index += 1) {
    const results = Array.from({ length: rowCounts[index % rowCounts.length] as number }, (_, day) => ({
      value_date: `2024-01-${10 + day}`,
      metrics: [{ name: 'm', value: index * 31 + day }],
    }));
    const asset = { ...assetResult(`a${index}`), asset_name: 'ä'.repeat(index % 50), results };
    assets.push(asset);
    size += JSON.stringify(asset).length + 1;
  }
  return assets;
}

/** Selections on the results. The first one needs what may come behind the assets. */
const selections = [
  'processingId series { nodes { statistics { count } } }',
  'series { nodes { asset { assetId name } rows { valueDate value(metric: "m") } } totalCount } sourceId',
  'processingId metricNames',
  'sourceId statistics { name count minimum { value assetId } maximum { valueDate } quantiles(of: 0.5) }',
  'byDate { dates metrics { counts maximums } }',
  'processingId series(first: 3) { nodes { version asset { assetId } } totalCount }',
  'series { totalCount } sourceId',
  'statistics { name count minimum { value } maximum { value } } series { nodes { rowCount } }',
];

/** A body in chunks of these sizes. After so many of them it waits for a turn of the event loop. */
async function* chunksOf(body: Buffer, sizes: readonly number[], chunksPerTurn: number) {
  for (let at = 0, index = 0; at < body.length; index += 1) {
    const size = sizes[index % sizes.length] as number;
    yield body.subarray(at, at + size);
    at += size;
    if (index % chunksPerTurn === chunksPerTurn - 1) await setImmediate();
  }
}

/** About as long as what is held back: that is where the reader decides while the rest arrives. */
const share = fc.oneof(
  { weight: 4, arbitrary: fc.double({ min: 0.98, max: 1.12, noNaN: true }) },
  { weight: 1, arbitrary: fc.double({ min: 0.1, max: 6, noNaN: true }) },
);
const chunkSize = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 50, max: 1500 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 70_000 }) },
);
const [withIdFirst = '', ...others] = selections;
const selection = fc.oneof(
  { weight: 3, arbitrary: fc.constant(withIdFirst) },
  { weight: 2, arbitrary: fc.constantFrom(...others) },
);
const cases = fc.record({
  holdBytes: fc.constantFrom(4096, 8192, 16_384),
  share,
  rowCounts: fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 4 }),
  sizes: fc.array(chunkSize, { minLength: 1, maxLength: 2 }),
  chunksPerTurn: fc.constantFrom(1, 4, 1000, 1000),
  length: fc.constantFrom('unknown', 'unknown', 'unknown', 'announced', 'compressed'),
  idsFirst: fc.constantFrom(false, false, false, true),
  cache: fc.constantFrom('off', 'off', 'off', 'memory'),
  asked: fc.array(selection, { minLength: 1, maxLength: 2 }),
});

/*
 * Clause 3.33 in detail: the end of a body.
 * Its reader goes on when bytes arrive, when it has decided what is held, and when the body is complete. All of these may come at
 * the same moment, in any order, and none is missed: every operation ends with all data.
 */
describe('3.33 Results about as large as what is held back', () => {
  it(`give whole responses, whatever their length, their chunks and what is selected`, {
    tags: ['random'],
    timeout: 120_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        cases,
        async ({ holdBytes, share, rowCounts, sizes, chunksPerTurn, length, idsFirst, cache, asked }) => {
          const assets = assetsOf(holdBytes * share, rowCounts);
          const ids = { processing_id: 'p', source_id: 's' };
          const text = JSON.stringify(idsFirst ? { ...ids, assets } : { assets, ...ids });
          const body = length === 'compressed' ? gzipSync(text) : Buffer.from(text);
          const headers = {
            announced: { 'content-length': String(body.length) },
            unknown: {},
            compressed: { 'content-encoding': 'gzip' },
          }[length];

          const bed = await start({ holdBytes, env: { CACHE: cache } });

          bed.simulator.intercept(() => ({ headers, body: chunksOf(body, sizes, chunksPerTurn) }));
          const results = { status: 200, body: text };
          for (const asks of asked) {
            const document = ofDataset(`results { ${asks} }`);
            const response = await bed.query(document);
            const expected = respond(parse(document), {}, { metadata: () => results, results: () => results });
            expect(mismatchOf(response.body, expected)).toBeUndefined();
          }

          await bed.subgraph.stop();
        },
      ),
      { numRuns: CASES, endOnFailure: true },
    );
  });
});
