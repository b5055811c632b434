import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareField, someMetrics, timeLimit } from '../oracle/field.ts';
import { LISTS, STATISTICS } from '../support/aggregates.ts';
import type { Dice } from '../support/json-text.ts';
import { randomCases } from '../support/random-cases.ts';

/** What is computed from rows. */
const CASES = randomCases(250);

const QUANTILES = 'quantiles(of: $quantiles) low: quantiles(of: 0.1)';
const statistics = `{ ${STATISTICS} ${QUANTILES} }`;
const byDate = `{ dates metrics { ${LISTS} ${QUANTILES} } }`;
const UNITS = ['DAY', 'WEEK', 'MONTH', 'QUARTER', 'YEAR'];

/** Some hundreds are read in several batches. */
const rows = fc.oneof(
  { weight: 12, arbitrary: fc.nat(20) },
  { weight: 2, arbitrary: fc.nat(150) },
  fc.constantFrom(511, 512, 513, 700),
);

function someQuantiles(dice: Dice): number[] {
  const fixed = [0, 0.1, 0.25, 0.5, 0.9, 1, 5e-324, 1 - 2 ** -53];
  return Array.from({ length: dice.below(5) }, () => (dice.oneIn(2) ? dice.below(2 ** 32) / 2 ** 32 : dice.of(fixed)));
}

describe('3.45 What is computed from random rows', () => {
  it('is what the oracle says', { tags: ['random'], timeout: timeLimit(CASES) }, async () => {
    const { codes } = await compareField({
      cases: CASES,
      settings: [{}],
      bodies: { odd: 12, rows },
      args: ({ dice }) => ({
        ...{ names: someMetrics(dice), quantiles: someQuantiles(dice) },
        points: dice.of([dice.below(9), dice.below(40), dice.below(400)]),
      }),
      field: `dataset(id: $id) { results {
        statistics ${statistics}
        chosen: statistics(metrics: $names) ${statistics}
        byDate ${byDate}
        series { nodes {
          statistics ${statistics}
          ${UNITS.map((unit) => `${unit}: periods(every: ${unit}) ${byDate}`).join(' ')}
          latest { valueDate metrics { name value } }
          rows { valueDate metrics { name value } }
          columns(metrics: $names, points: $points) { rowCount valueDates metrics { name values } }
        } }
      } }`,
      filters: [{}],
    });
    if (CASES < 2000) return;
    for (const code of ['REQUEST_LIMIT_EXCEEDED', 'UPSTREAM_INVALID_RESPONSE'])
      expect(codes[code]).toBeGreaterThan(CASES / 200);
  });

  it('is what it says of one field at a time, so that bodies may pass', {
    tags: ['random'],
    timeout: timeLimit(CASES),
  }, async () => {
    await compareField({
      cases: CASES,
      bodies: { odd: 12, rows },
      args: ({ dice }) => ({ names: dice.oneIn(2) ? null : someMetrics(dice), quantiles: someQuantiles(dice) }),
      field: ({ dice }) =>
        `dataset(id: $id) { results { ${dice.of([
          `statistics(metrics: $names) ${statistics}`,
          `byDate(metrics: $names) ${byDate}`,
          `series { nodes { periods(every: MONTH, metrics: $names) ${byDate} } }`,
          `series { nodes { statistics(metrics: $names) ${statistics} latest { valueDate } } }`,
        ])} } }`,
    });
  });

  it('has dates that are compared exactly, in all forms, positions and orders', {
    tags: ['random'],
    timeout: timeLimit(CASES),
  }, async () => {
    const lists = '{ dates metrics { name counts minimums maximums } }';
    await compareField({
      cases: randomCases(80),
      settings: [{}],
      bodies: { entries: 4, rows, oddDates: 2, nearDates: 2, odd: 12 },
      field: `dataset(id: $id) { results {
        all: statistics { ${STATISTICS} until: last { valueDate } }
        byDate ${lists}
        series { nodes {
          latest { valueDate metrics { name value } }
          statistics { ${STATISTICS} until: last { valueDate } }
          periods(every: DAY) ${lists}
          few: columns(points: 9) { valueDates metrics { name values } }
        } }
      } }`,
      filters: [{}],
    });
  });
});
