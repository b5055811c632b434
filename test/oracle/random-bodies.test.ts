import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DATASET_ID } from '../support/harness.ts';
import { bodies } from '../support/random-bodies.ts';
import { randomCases } from '../support/random-cases.ts';
import { documents, variables } from '../support/results-selections.ts';
import { keptBodies } from './kept-bodies.ts';
import { compareOn, LIMITED } from './random-bodies.ts';
import { METADATA } from './random-service.ts';
import type { Reply } from './respond.ts';
import { startServer } from './server.ts';

/** Responses on bodies of any bytes against the oracle. A counterexample goes to kept-bodies.ts, where it stays. */
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

  it('to every body that was kept', async () => {
    const server = await startServer({});
    for (const { title, document, body } of keptBodies) {
      const bytes = Buffer.from(body);
      const isCompared = await compareOn(
        server,
        { bytes: () => bytes, isFiltered: true },
        document,
        { id: DATASET_ID },
        METADATA[0] as Reply,
      );
      expect(isCompared, title).toBe(true);
    }
  });
});
