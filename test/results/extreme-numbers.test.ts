import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Check, deviation, quantileOf, sumOver } from '../oracle/numbers.ts';
import { ask, startWith } from '../support/aggregates.ts';
import { randomCases } from '../support/random-cases.ts';
import { receive, resultsPath } from '../support/results-files.ts';

/** How many random lists are tried. */
const CASES = randomCases(24);

const MAX = Number.MAX_VALUE;
/** Numbers whose sums, differences and squares leave the range of doubles, and some beside which they are nothing. */
const extreme = fc.oneof(
  fc.constantFrom(MAX, -MAX, 1e308, -1e308, 2 ** 1023, -(2 ** 1023), 8.99e307, 1e200, -1e160),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, 1, -1, 1e-300, 5e-324, 1e16),
);
const lists = fc.oneof(
  fc.array(extreme, { minLength: 1, maxLength: 6 }),
  fc.array(extreme, { minLength: 500, maxLength: 1300, size: 'max' }),
  // Equal ones, or nearly.
  fc
    .tuple(fc.constantFrom(MAX, -MAX, 1.2e308), fc.integer({ min: 1, max: 40 }))
    .map(([value, count]) => Array(count).fill(value)),
);

interface Numbers {
  sum: number | null;
  mean: number | null;
  standardDeviation: number | null;
  quantiles: readonly number[];
}

/** Those of one date. */
interface ByDate {
  metrics: [
    {
      sums: [number | null];
      means: [number | null];
      standardDeviations: [number | null];
      quantiles: readonly [number][];
    },
  ];
}

function check(what: string, value: number | null, expected: Check): void {
  const mismatch = expected.mismatch(value);
  if (mismatch !== undefined) throw new Error(`${what} is ${value}: ${mismatch}.`);
}

function expectNumbers({ sum, mean, standardDeviation, quantiles }: Numbers, values: readonly number[]): void {
  check('The sum', sum, sumOver(values, 1));
  check('The mean', mean, sumOver(values, values.length));
  // A mean of doubles is a double.
  expect(mean).not.toBeNull();
  check('The deviation', standardDeviation, deviation(values));
  const sorted = values.toSorted((one, other) => one - other);
  for (const [at, quantile] of QUANTILES.entries())
    check('The quantile', quantiles[at] ?? null, quantileOf(sorted, quantile));
}

function ofDate({ metrics: [{ sums, means, standardDeviations, quantiles }] }: ByDate): Numbers {
  const [sum, mean, standardDeviation] = [sums[0], means[0], standardDeviations[0]];
  return { sum, mean, standardDeviation, quantiles: quantiles.map(([value]) => value) };
}

const bodyOf = (lists: readonly (readonly number[])[]) => {
  const assets = lists.map((values, index) => {
    // All of one day, for one period and one date.
    const rows = values.map((value) => `{"value_date":"2024-01-01","metrics":[{"name":"m","value":${value}}]}`);
    return `{"asset_id":"a${index}","results":[${rows.join()}]}`;
  });
  return `{"assets":[${assets.join()}]}`;
};

const QUANTILES = [0, 0.25, 0.5, 1];
const NUMBERS = `sum mean standardDeviation quantiles(of: [${QUANTILES}])`;
const LISTS = `metrics { sums means standardDeviations quantiles(of: [${QUANTILES}]) }`;
const SELECTION = `statistics { ${NUMBERS} } byDate { ${LISTS} }
  series { nodes { statistics { ${NUMBERS} } periods(every: YEAR) { ${LISTS} } } }`;

/*
 * Clause 3.45 of docs/contract.md in detail: sums beyond the range of doubles.
 * A sum may leave the range and come back, in any order of the values. A mean and a standard deviation never leave it: they are
 * null only without values. A sum is null if it is beyond the range itself.
 */
describe('3.45 Numbers near the end of the range', () => {
  it('have the same figures in every order', { tags: ['random'], timeout: 120_000 }, async () => {
    const bed = await startWith([]);
    const cases = lists.chain((values) =>
      fc.tuple(
        fc.shuffledSubarray(values, { minLength: values.length }),
        fc.array(fc.nat(values.length), { maxLength: 3 }),
      ),
    );
    await fc.assert(
      fc.asyncProperty(cases, async ([values, cuts]) => {
        const ends = [...cuts.toSorted((one, other) => one - other), values.length];
        const series = ends.map((end, index) => values.slice(ends[index - 1] ?? 0, end));
        bed.simulator.intercept(() => ({ body: bodyOf(series) }));
        const { data, errors } = await ask(bed, SELECTION);
        expect(errors).toBeUndefined();
        const {
          statistics,
          byDate,
          series: found,
        } = data as {
          statistics: [Numbers];
          byDate: ByDate;
          series: { nodes: { statistics: [Numbers]; periods: ByDate }[] };
        };
        expectNumbers(statistics[0], values);
        expectNumbers(ofDate(byDate), values);
        for (const [index, { statistics, periods }] of found.nodes.entries()) {
          const of = series[index] as number[];
          if (of.length === 0) continue;
          expectNumbers(statistics[0], of);
          expectNumbers(ofDate(periods), of);
        }
      }),
      { numRuns: CASES },
    );
  });

  it.each([
    [[1e308, 1e308, -1e308], 1e308, 3.333333333333333e307],
    [[1e308, 1e308, -1e308, -1e308, 3], 3, 0.6],
    [[MAX, MAX, MAX], null, MAX],
    [[-MAX, -MAX], null, -MAX],
  ])('have the sum and the mean of %j in every order, also as a file', async (values, sum, mean) => {
    for (const order of permutationsOf(values)) {
      const bed = await startWith(bodyOf([order]));
      const lists = { metrics: [{ sums: [sum], means: [mean] }] };
      const byDate = '{ metrics { sums means } }';
      expect(
        (await ask(bed, `statistics { sum mean } byDate ${byDate} series { nodes { periods(every: DAY) ${byDate} } }`))
          .data,
      ).toEqual({ statistics: [{ sum, mean }], byDate: lists, series: { nodes: [{ periods: lists }] } });
      for (const kind of ['statistics', 'byDate', 'periods&every=day']) {
        const { text } = await receive(bed, resultsPath(`format=ndjson&of=${kind}`));
        expect(JSON.parse(text)).toMatchObject({ sum, mean, count: values.length });
      }
    }
  });
});

/** The distinct ones, six at most. */
function permutationsOf(values: readonly number[]): number[][] {
  if (values.length <= 1) return [[...values]];
  const all = values.flatMap((value, at) => permutationsOf(values.toSpliced(at, 1)).map((rest) => [value, ...rest]));
  return [...new Map(all.map((each) => [each.join(), each])).values()].slice(0, 6);
}
