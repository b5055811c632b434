import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LISTS, STATISTICS } from '../support/aggregates.ts';
import { DATASET_ID, start, type TestBed } from '../support/harness.ts';
import { randomCases } from '../support/random-cases.ts';
import { receive, resultsPath } from '../support/results-files.ts';

/** How many bodies are tried. */
const CASES = randomCases(16);

/** Rows are read in batches of some hundreds, and of fewer with many metrics. */
const LENGTHS = [0, 1, 2, 30, 30, 30, 30, 30, 30, 511, 512, 513, 1100];
const CHANGES = [0, 0, 0, 1, 5, 20, 29, 510, 512, 600];
const METRICS = ['m', 'n', 'o', 'p'];

/** What the series of a body have in common: the dates of their rows, which are in no order. */
const day = (row: number) => new Date(Date.UTC(2020, 0, 1, 12) + ((row * 389) % 1103) * 86_400_000).toISOString();

/** The forms of a date. Most have one of the usual form, whose bytes are equal in all series. */
const forms: readonly ((row: number) => object)[] = [
  (row) => ({ value_date: `${day(row).slice(0, 19)}Z` }),
  (row) => ({ value_date: day(row).slice(0, 10) }),
  (row) => ({ value_date: `${day(row + 400).slice(0, 19)}Z` }),
  (row) => ({ value_date: `${day(row - (row % 3)).slice(0, 19)}.00000000${row % 3}Z` }),
  () => ({ value_date: null }),
  () => ({}),
  () => ({}),
];

interface Plan {
  readonly length: number;
  readonly metrics: number;
  /** From which row on a further form of dates, and a further set of metrics, holds. */
  readonly changes: readonly { readonly at: number; readonly form: number; readonly without: number }[];
  readonly factor: number;
}

/** The rows of a series. What is at a row is the same in series of the same plan but for the values. */
function rowsOf({ length, metrics, changes, factor }: Plan) {
  return Array.from({ length }, (_, row) => {
    const { form, without } = changes.findLast(({ at }) => at <= row) ?? { form: 0, without: -1 };
    const names = METRICS.slice(0, metrics).filter((_, metric) => metric !== without);
    const number = (metric: number) => ((row * 7919 + metric * 104_729 + factor * 31) % 997) / 8 - 40;
    return {
      ...forms[form]?.(row),
      metrics: names.map((name, metric) => ({ name, value: (row + factor) % 11 === 7 ? null : number(metric) })),
    };
  });
}

const plan: fc.Arbitrary<Plan> = fc.record({
  length: fc.constantFrom(...LENGTHS),
  // Mostly the same, so that the memory of a batch fits the next series.
  metrics: fc.constantFrom(2, 2, 2, 2, 1, 4),
  changes: fc
    .array(
      fc.record({
        at: fc.constantFrom(...CHANGES),
        form: fc.nat(forms.length - 1),
        without: fc.constantFrom(-1, -1, 0, 1),
      }),
      { maxLength: 2 },
    )
    .map((changes) => changes.toSorted((one, other) => one.at - other.at)),
  factor: fc.nat(1000),
});
const plans = fc.array(plan, { minLength: 4, maxLength: 10 });

const fields = [
  `statistics { ${STATISTICS} }`,
  'latest { valueDate metrics { name value } }',
  'columns(points: $points) { valueDates metrics { name values } }',
  `periods(every: MONTH) { dates metrics { ${LISTS} quantiles(of: [0.1, 0.5]) } }`,
];
/** Their order counts: the memory of one is used for the next. */
const selections = fc.oneof(
  fc.constantFrom(...fields).map((field) => [field]),
  fc.shuffledSubarray(fields, { minLength: 1 }),
);

const bodyOf = (all: readonly Plan[]) =>
  JSON.stringify({ assets: all.map((each) => ({ asset_id: 'a', results: rowsOf(each) })) });

/** The nodes of the series, each with its errors, as they would be if it were the only one. */
async function nodesOf(bed: TestBed, selection: string, points: number): Promise<unknown[]> {
  const declared = selection.includes('$points') ? 'query ($points: Int!) ' : '';
  const document = `${declared}{ dataset(id: "${DATASET_ID}") { results { series { nodes { ${selection} } } } } }`;
  const { body } = await bed.query(document, { variables: { points } });
  const errors: { path: (string | number)[]; message: string }[] = body.errors ?? [];
  const { nodes } = body.data.dataset.results.series;
  return nodes.map((node: unknown, index: number) => ({
    node,
    errors: errors
      .filter(({ path }) => path[4] === index)
      .map(({ path, message }) => `${path.slice(5).join('.')} ${message}`)
      .toSorted(),
  }));
}

/** The lines of a file, without the one of the names. */
async function linesOf(bed: TestBed): Promise<string[]> {
  const file = await receive(bed, resultsPath('format=csv&of=statistics'));
  expect([file.status, file.isComplete]).toEqual([200, true]);
  return file.text.split('\r\n').slice(1, -1);
}

/*
 * Clause 3.45 of docs/contract.md in detail.
 * What is computed of a series, and its line in a file, depends on its own rows alone: not on the series before it in the response,
 * nor on other responses that are read at the same time.
 */
describe('3.45 What is computed of a series', () => {
  it('is the same alone and among others', { tags: ['random'], timeout: 60_000 + CASES * 3000 }, async () => {
    const bed = await start();
    let bodies: string[] = [];
    bed.simulator.intercept(() => ({ body: bodies.shift() ?? '' }));
    await fc.assert(
      fc.asyncProperty(plans, selections, fc.integer({ min: 1, max: 200 }), async (all, chosen, points) => {
        const ask = () => nodesOf(bed, chosen.join(' '), points);
        bodies = all.map((each) => bodyOf([each]));
        const alone: unknown[] = [];
        for (const _ of all) alone.push(...(await ask()));
        bodies = [bodyOf(all)];
        expect(await ask()).toEqual(alone);
        // At the same time, and in any order.
        const reversed = all.toReversed();
        bodies = [bodyOf(all), bodyOf(all), bodyOf(all)];
        for (const nodes of await Promise.all(bodies.map(() => ask()))) expect(nodes).toEqual(alone);
        bodies = [bodyOf(reversed)];
        expect(await ask()).toEqual(alone.toReversed());

        bodies = all.map((each) => bodyOf([each]));
        const lines: string[] = [];
        for (const _ of all) lines.push(...(await linesOf(bed)));
        bodies = [bodyOf(all)];
        expect(await linesOf(bed)).toEqual(lines);
      }),
      { numRuns: CASES },
    );
  });
});
