import { describe, expect, it } from 'vitest';
import { BOTH_PATHS, compareField, someMetrics, timeLimit } from '../oracle/field.ts';
import { randomCases } from '../support/random-cases.ts';

/** What is computed from rows. */
const CASES = randomCases(250);

const statistics =
  '{ name count nullCount min max mean standardDeviation first last minDate maxDate firstDate lastDate }';
const columnsBy = 'name counts means mins maxs';
const UNITS = ['DAY', 'WEEK', 'MONTH', 'QUARTER', 'YEAR'];

describe('3.45 What is computed from rows', () => {
  it('is what an oracle computes of random bodies', { tags: ['random'], timeout: timeLimit(CASES) }, async () => {
    const { codes } = await compareField({
      cases: CASES,
      settings: BOTH_PATHS,
      bodies: { odd: 12 },
      args: ({ dice }) => ({
        names: someMetrics(dice),
        points: dice.below(40),
        quantiles: Array.from({ length: dice.below(5) }, () =>
          dice.oneIn(2) ? dice.below(2 ** 32) / 2 ** 32 : dice.of([0, 0.1, 0.25, 0.5, 0.9, 1, 5e-324, 1 - 2 ** -53]),
        ),
      }),
      field: `dataset(id: $id) { results {
        statistics ${statistics}
        chosen: statistics(metrics: $names) ${statistics}
        bands(quantiles: $quantiles) { valueDates metrics { ${columnsBy} quantiles { quantile values } } }
        series { nodes {
          statistics ${statistics}
          ${UNITS.map((unit) => `${unit}: periods(every: ${unit}) { starts metrics { ${columnsBy} sums } }`).join(' ')}
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
      args: ({ dice }) => ({ names: dice.oneIn(2) ? null : someMetrics(dice) }),
      field: ({ dice }) =>
        `dataset(id: $id) { results { ${dice.of([
          `statistics(metrics: $names) ${statistics}`,
          `bands(metrics: $names) { valueDates metrics { ${columnsBy} quantiles { quantile values } } }`,
          `series { nodes { periods(every: MONTH, metrics: $names) { starts metrics { ${columnsBy} sums } } } }`,
          `series { nodes { statistics(metrics: $names) ${statistics} latest { valueDate } } }`,
        ])} } }`,
    });
  });
});
