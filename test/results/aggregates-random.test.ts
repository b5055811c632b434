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

function someQuantiles(dice: Dice): number[] {
  const fixed = [0, 0.1, 0.25, 0.5, 0.9, 1, 5e-324, 1 - 2 ** -53];
  return Array.from({ length: dice.below(5) }, () => (dice.oneIn(2) ? dice.below(2 ** 32) / 2 ** 32 : dice.of(fixed)));
}

describe('3.45 What is computed from rows', () => {
  it('is what an oracle computes of random bodies', { tags: ['random'], timeout: timeLimit(CASES) }, async () => {
    const { codes } = await compareField({
      cases: CASES,
      settings: [{}],
      bodies: { odd: 12 },
      args: ({ dice }) => ({ names: someMetrics(dice), points: dice.below(40), quantiles: someQuantiles(dice) }),
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

  it('is what it computes of random bodies, one field at a time, so that bodies may pass', {
    tags: ['random'],
    timeout: timeLimit(CASES),
  }, async () => {
    await compareField({
      cases: CASES,
      bodies: { odd: 12 },
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
});
