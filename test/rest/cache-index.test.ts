import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stopClock } from '../support/clock.ts';
import { expectSame, isCutOff, startPair } from '../support/fast-path.ts';
import { bodies, idsIn } from '../support/fast-path-bodies.ts';
import { documents, variables } from '../support/fast-path-selections.ts';
import { randomCases } from '../support/random-cases.ts';

const CASES = randomCases(200);

const cursorOf = (index: number, assetId: string | undefined) =>
  Buffer.from(JSON.stringify([index, assetId])).toString('base64url');

describe('3.40 The index of a kept response', () => {
  it('gives each operation the response of the generic path', {
    tags: ['random'],
    timeout: 120_000 + CASES * 100,
  }, async () => {
    // The work limit keeps the response of a large body to a deep document from filling the memory of the process.
    const pair = await startPair({ CACHE: 'memory', OPERATION_TIMEOUT_MS: '300000', MAX_OPERATION_WORK: '50000000' });
    const { simulator } = pair.fast;
    const clock = stopClock();
    let operations = 0;
    let calls = 0;
    let cutOff = 0;
    const asked = fc.array(fc.tuple(documents, variables), { minLength: 3, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(bodies, asked, async (body, questions) => {
        // Nothing of the body before is left.
        clock.advance(60_000);
        simulator.clear();
        simulator.intercept(({ operation, body: filter }) => {
          if (operation === 'getDatasetMetadata') return { status: 200, body: '{"name":"N"}' };
          const { mo_ids: assetIds, time_range: range } = JSON.parse(filter);
          return { status: 200, body: body.bytes(assetIds, range !== undefined) };
        });
        const ids = idsIn(body.bytes(undefined, false));
        for (const [document, values] of questions) {
          const cursors = { after0: cursorOf(0, ids[0]), after1: cursorOf(1, ids[1]) };
          for (let times = 0; times < 2; times += 1) {
            const responses = await pair.ask(document, { ...values, ...cursors });
            if (!Object.values(responses).some(isCutOff)) expectSame(responses);
            else cutOff += 2;
          }
          operations += 4;
        }
        calls += simulator.requests.length;
      }),
      { numRuns: Math.ceil(CASES / 10) },
    );
    // Of a few bodies, all may be of those whose operations need several calls.
    if (operations > 100) expect(calls).toBeLessThan(operations);
    expect(cutOff).toBeLessThan(10 + operations / 50);
  });
});
