import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inputBound } from '../oracle/dates.ts';
import { inputText, instantNear, randomInstant, refusedInput } from '../oracle/random-dates.ts';
import { DATASET_ID, ofDataset, postResults, start } from '../support/harness.ts';
import { Dice } from '../support/json-text.ts';
import { randomCases } from '../support/random-cases.ts';
import { receive, resultsPath } from '../support/results-files.ts';

/** How many operations are tried. */
const CASES = randomCases(20);
/** The dates of one operation. */
const DATES = 20;

/** Distinct dates near each other, with their milliseconds. */
const dates = fc.nat().map((seed) => {
  const dice = new Dice(seed + 1);
  const begin = randomInstant(dice);
  const found = new Map<bigint, string>();
  for (let count = 0; count < DATES; count += 1) {
    const instant = instantNear(begin, dice);
    const milliseconds = instant / 1_000_000n - (instant % 1_000_000n < 0n ? 1n : 0n);
    if (!found.has(milliseconds)) found.set(milliseconds, inputText(instant, dice));
  }
  return [...found];
});

describe('3.18 Dates in input', () => {
  it('are sent as milliseconds, in all forms, and those below are cut off', {
    tags: ['random'],
    timeout: 60_000 + CASES * 1000,
  }, async () => {
    const bed = await start();
    await fc.assert(
      fc.asyncProperty(dates, async (all) => {
        bed.simulator.clear();
        const variables = Object.fromEntries(all.map(([, text], index) => [`d${index}`, text]));
        const ranges = all.map(([, text], index) => {
          // As a literal or as a variable, and as a bound of either kind.
          const bound = `${index % 3 === 0 ? 'stop' : 'start'}: ${index % 2 === 0 ? JSON.stringify(text) : `$d${index}`}`;
          return `r${index}: results(filter: { timeRange: { ${bound} } }) { processingId }`;
        });
        const used = all.flatMap((_, index) => (index % 2 === 0 ? [] : `$d${index}: TimeBound`));
        const head = used.length === 0 ? '' : `query (${used.join()})`;
        const { status, body } = await bed.query(`${head} { dataset(id: "${DATASET_ID}") { ${ranges.join(' ')} } }`, {
          variables,
        });
        expect([status, body.errors]).toEqual([200, undefined]);
        const sent = all.map(([milliseconds, text], index) =>
          index % 3 === 0
            ? postResults({ time_range: { stop_date: Number(inputBound(text)?.last) } })
            : postResults({ time_range: { start_date: Number(milliseconds) } }),
        );
        // The end of a day may be another date, too.
        expect(bed.calls().toSorted()).toEqual([...new Set(sent)].toSorted());
        bed.simulator.clear();
        const [[milliseconds, text] = [0n, '']] = all;
        const bound = encodeURIComponent(text);
        const file = await receive(bed, resultsPath(`format=csv&start=${bound}&stop=${bound}`));
        const range = { start_date: Number(milliseconds), stop_date: Number(inputBound(text)?.last) };
        expect([file.status, bed.calls()]).toEqual([200, [postResults({ time_range: range })]]);
      }),
      { numRuns: CASES },
    );
  });

  it('are refused in other forms', async () => {
    const bed = await start();
    for (const text of refusedInput) {
      const range = `results(filter: { timeRange: { start: ${JSON.stringify(text)} } }) { processingId }`;
      const { status, body } = await bed.query(ofDataset(range));
      expect([text, status, body.errors?.[0]?.extensions.code]).toEqual([text, 400, 'GRAPHQL_VALIDATION_FAILED']);
    }
    expect(bed.calls()).toEqual([]);
  });
});
