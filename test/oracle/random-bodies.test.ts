import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DATASET_ID } from '../support/harness.ts';
import { bodies } from '../support/random-bodies.ts';
import { randomCases } from '../support/random-cases.ts';
import { documents, variables } from '../support/results-selections.ts';
import { compareOn, LIMITED } from './random-bodies.ts';
import { METADATA } from './random-service.ts';
import type { Reply } from './respond.ts';
import { startServer } from './server.ts';

/** Responses on bodies of any bytes against the oracle. A counterexample of the engine goes to engine/test/kept-bodies.ts, where it stays. */
const CASES = randomCases(2400);

/** How many bodies are tried with one document, about: reading a new one takes longer than executing it. */
const BODIES_EACH = 4;

/** Long white space between many tokens makes larger bodies now and then, for each of which the oracle takes ten seconds and more. */
const MAX_BYTES = 3_000_000;

describe('3 The response is what the oracle says', () => {
  it('to random operations on bodies of any bytes', {
    tags: ['random'],
    timeout: 120_000 + CASES * 200,
  }, async () => {
    const server = await startServer({ env: LIMITED });
    let cases = 0;
    let compared = 0;
    const asked = fc.array(fc.tuple(variables, bodies), { minLength: 1, maxLength: 2 * BODIES_EACH - 1 });
    await fc.assert(
      fc.asyncProperty(documents, asked, async (document, candidates) => {
        for (const [values, body] of candidates) {
          if (body.bytes(undefined, false).length > MAX_BYTES) continue;
          cases += 1;
          const reply = METADATA[cases % METADATA.length] as Reply;
          if (await compareOn(server, body, document, values, reply)) compared += 1;
        }
      }),
      { numRuns: Math.ceil(CASES / BODIES_EACH) },
    );
    const odd = server.bed.subgraph.oddRows.count;
    console.info(`Of ${cases} responses, ${compared} were compared. Odd rows:`, odd);
    expect(compared).toBeGreaterThan((cases * 3) / 4 - 10);
    expect(odd).toBeGreaterThan(0);
  });

  it.each([
    [
      'entries of an asset with another one between them',
      'asset(assetId: "a") { series { rows { valueDate } } }',
      JSON.stringify({ assets: ['a', 'b', 'a'].map((id) => ({ asset_id: id, results: [{ value_date: id }] })) }),
    ],
    [
      'a selection that needs another response',
      'results { series { nodes { asset { series { rowCount } } } } }',
      '{"assets":[{"asset_id":"a","results":[{"value_date":"d"}]}]}',
    ],
  ])('to %s', async (_, selection, body) => {
    const server = await startServer({});
    const document = `query ($id: ID!) { dataset(id: $id) { ${selection} } }`;
    const kept = { bytes: () => Buffer.from(body), isFiltered: true };
    expect(await compareOn(server, kept, document, { id: DATASET_ID }, METADATA[0] as Reply)).toBe(true);
  });
});
