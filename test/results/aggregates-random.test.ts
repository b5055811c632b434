import fc from 'fast-check';
import { parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { mismatchOf } from '../oracle/compare.ts';
import type { Unit } from '../oracle/periods.ts';
import { respond } from '../oracle/respond.ts';
import { bodies, METRICS } from '../support/aggregate-bodies.ts';
import { startPair } from '../support/fast-path.ts';
import { DATASET_ID } from '../support/harness.ts';
import { randomCases } from '../support/random-cases.ts';

/**
 * What is computed from rows, with the fast path and without it, against the oracle of test/oracle/.
 */
const CASES = randomCases(250);

const UNITS: readonly Unit[] = ['DAY', 'WEEK', 'MONTH', 'QUARTER', 'YEAR'];

const statistics =
  '{ name count nullCount min max mean standardDeviation first last minDate maxDate firstDate lastDate }';
const columnsBy = 'name counts means mins maxs';
const document = `query ($quantiles: [Float!]!, $points: Int!, $names: [String!]!) { dataset(id: "${DATASET_ID}") { results {
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
} } }`;

const parsed = parse(document);

describe('3.45 What is computed from rows', () => {
  it('is what an oracle computes of random bodies', { tags: ['random'], timeout: 120_000 + CASES * 300 }, async () => {
    const pair = await startPair({ OPERATION_TIMEOUT_MS: '300000' });
    let body = '';
    pair.fast.simulator.intercept(() => ({ body }));
    const quantiles = fc.array(
      fc.oneof(fc.constantFrom(0, 0.1, 0.25, 0.5, 0.9, 1), fc.double({ min: 0, max: 1, noNaN: true })),
      {
        maxLength: 4,
      },
    );
    const names = fc.uniqueArray(fc.constantFrom(...METRICS, 'nothing'), { maxLength: 3 });
    let limited = 0;
    let dateless = 0;
    const asked = fc.tuple(bodies, quantiles, fc.nat(40), names);
    await fc.assert(
      fc.asyncProperty(asked, async ([text, quantiles, points, names]) => {
        body = text;
        const variables = JSON.parse(JSON.stringify({ quantiles, points, names }));
        const results = { status: 200, body };
        const expected = respond(parsed, variables, { metadata: () => results, results: () => results });
        const codes = expected.result.errors?.map(({ extensions }) => extensions.code) ?? [];
        if (codes.includes('REQUEST_LIMIT_EXCEEDED')) limited += 1;
        if (codes.includes('UPSTREAM_INVALID_RESPONSE')) dateless += 1;
        for (const [path, response] of Object.entries(await pair.ask(document, variables))) {
          const wrong = mismatchOf(JSON.parse(response.text), expected);
          if (wrong !== undefined) throw new Error(`${path}: ${wrong}`);
        }
      }),
      { numRuns: CASES },
    );
    if (CASES >= 2000) expect(Math.min(limited, dateless)).toBeGreaterThan(CASES / 200);
  });
});
