import fc from 'fast-check';
import { describe, it } from 'vitest';
import { compareField, timeLimit } from '../oracle/field.ts';
import { STATISTICS } from '../support/aggregates.ts';
import { randomCases } from '../support/random-cases.ts';

/** How many bodies are tried. */
const CASES = randomCases(80);

const statistics = `{ ${STATISTICS} until: last { valueDate } }`;
const lists = '{ dates metrics { name counts minimums maximums } }';

describe('3.45 Dates of random rows', () => {
  it('are compared exactly, in all forms, positions and orders', {
    tags: ['random'],
    timeout: timeLimit(CASES),
  }, async () => {
    await compareField({
      cases: CASES,
      settings: [{}],
      bodies: {
        entries: 4,
        rows: fc.oneof({ weight: 12, arbitrary: fc.nat(20) }, fc.constantFrom(512, 530)),
        oddDates: 2,
        nearDates: 2,
        odd: 12,
      },
      field: `dataset(id: $id) { results {
        all: statistics ${statistics}
        byDate ${lists}
        series { nodes {
          latest { valueDate metrics { name value } }
          statistics ${statistics}
          periods(every: DAY) ${lists}
        } }
      } }`,
      filters: [{}],
    });
  });
});
