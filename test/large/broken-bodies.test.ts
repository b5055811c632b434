import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assetResult, ofDataset, start, TOKEN } from '../support/harness.ts';
import { randomCases } from '../support/random-cases.ts';
import { receive, resultsPath } from '../support/results-files.ts';

/** How many bodies are broken. */
const CASES = randomCases(490);
const HOLD_BYTES = 2 ** 20;
const TIMEOUT_MS = 60_000 + CASES * 200;

const nodes = 'asset { assetId name } version rows { valueDate metrics { name value } }';
const document = ofDataset(`results { processingId series { nodes { ${nodes} } } }`);
const asset = JSON.stringify(assetResult('x'));
/** Ids that hardly can be compressed, so that a compressed file begins before its end, too. */
const assets = Array.from({ length: 4000 }, (_, at) => asset.replace('"asset_id":"x"', `"asset_id":"${digest(at)}"`));
/** Twice as long as what is held back. */
const body = Buffer.from(`{"processing_id":"p","assets":[${assets.join()}]}`);

/** How many bytes of it come: at least one, and never all. */
const cuts = fc.noBias(fc.integer({ min: 1, max: body.length - 1 }));

const codings = [{}, { 'accept-encoding': 'gzip' }];
const authorization = `Bearer ${TOKEN}`;

describe('3.33 A large body that is cut at random', () => {
  const bed = () => start({ env: { RESULTS_HOLD_BYTES: String(HOLD_BYTES), UPSTREAM_OUTAGE_MS: '0' } });

  it('never looks like a complete GraphQL response', { tags: ['random'], timeout: TIMEOUT_MS }, async () => {
    const { simulator, query } = await bed();
    let broken = 0;
    await fc.assert(
      fc.asyncProperty(cuts, async (cutAfterBytes) => {
        simulator.intercept(() => ({ body, cutAfterBytes }));
        const received = await query(document).catch(() => undefined);
        if (received === undefined) broken += 1;
        else expect(received.body?.errors).toEqual(expect.any(Array));
      }),
      { numRuns: Math.ceil(CASES / 2) },
    );
    expect(broken).toBeGreaterThan(0);
  });

  it.each(codings)(
    'never looks like a complete file, with %o',
    { tags: ['random'], timeout: TIMEOUT_MS },
    async (headers) => {
      const files = await bed();
      let begun = 0;
      await fc.assert(
        fc.asyncProperty(cuts, fc.constantFrom('csv', 'parquet'), async (cutAfterBytes, format) => {
          files.simulator.intercept(({ operation }) =>
            operation === 'getDatasetResults' ? { body, cutAfterBytes } : undefined,
          );
          // Undefined if the connection breaks before the headers.
          const file = await receive(files, resultsPath(`format=${format}`), { authorization, ...headers }).catch(
            () => undefined,
          );
          if (file?.status === 200) begun += 1;
          expect(file?.status === 200 && file.isComplete).toBe(false);
        }),
        { numRuns: Math.ceil(CASES / 4) },
      );
      expect(begun).toBeGreaterThan(0);
    },
  );
});

function digest(value: number): string {
  return createHash('sha256').update(String(value)).digest('hex');
}
