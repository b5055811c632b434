import fc from 'fast-check';
import { describe, it } from 'vitest';
import { BOTH_PATHS, compareField, timeLimit } from '../oracle/field.ts';
import { randomCases } from '../support/random-cases.ts';

/** How many bodies are tried. */
const CASES = randomCases(80);

const ends = '{ name count first last firstDate until: lastDate minDate maxDate }';
const columnsBy = '{ name counts mins maxs }';

describe('3.45 Dates of random rows', () => {
  it('are compared exactly, in all forms, positions and orders', {
    tags: ['random'],
    timeout: timeLimit(CASES),
  }, async () => {
    await compareField({
      cases: CASES,
      settings: BOTH_PATHS,
      bodies: {
        entries: 4,
        rows: fc.oneof({ weight: 12, arbitrary: fc.nat(20) }, fc.constantFrom(512, 530)),
        oddDates: 2,
        nearDates: 2,
        odd: 12,
      },
      field: `dataset(id: $id) { results {
        all: statistics ${ends}
        bands(quantiles: []) { valueDates metrics ${columnsBy} }
        series { nodes {
          latest { valueDate metrics { name value } }
          statistics ${ends}
          periods(every: DAY) { starts metrics ${columnsBy} }
        } }
      } }`,
      filters: [{}],
    });
  });
});
