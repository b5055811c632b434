import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareOn, LIMITED } from '../oracle/random-bodies.ts';
import { startServer } from '../oracle/server.ts';
import { stopClock } from '../support/clock.ts';
import { bodies } from '../support/random-bodies.ts';
import { randomCases } from '../support/random-cases.ts';
import { documents, variables } from '../support/results-selections.ts';

const CASES = randomCases(200);

const METADATA = { status: 200, body: '{"name":"N"}' };

describe('3.40 A kept response', () => {
  it('gives each operation what the oracle says', {
    tags: ['random'],
    timeout: 120_000 + CASES * 200,
  }, async () => {
    const server = await startServer({ env: { ...LIMITED, CACHE: 'memory' } });
    const { simulator } = server.bed;
    const clock = stopClock();
    let operations = 0;
    let compared = 0;
    let calls = 0;
    const asked = fc.array(fc.tuple(documents, variables), { minLength: 3, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(bodies, asked, async (body, questions) => {
        // Nothing of the body before is left.
        clock.advance(60_000);
        for (const [document, values] of questions) {
          for (let times = 0; times < 2; times += 1) {
            operations += 1;
            simulator.clear();
            if (await compareOn(server, body, document, values, METADATA)) compared += 1;
            calls += simulator.requests.length;
          }
        }
      }),
      { numRuns: Math.ceil(CASES / 10) },
    );
    // Of a few bodies, all may be of those whose operations need several calls, or damaged.
    if (operations > 100) expect(calls).toBeLessThan(2 * operations);
    if (operations > 100) expect(compared).toBeGreaterThan(operations / 2);
  });
});
