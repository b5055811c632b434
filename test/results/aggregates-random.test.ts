import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reducedRows } from '../oracle/reduction.ts';
import { bodies, METRICS } from '../support/aggregate-bodies.ts';
import * as oracle from '../support/aggregate-oracle.ts';
import { nanosecondsOf } from '../support/dates.ts';
import { startPair } from '../support/fast-path.ts';
import { DATASET_ID } from '../support/harness.ts';

/**
 * What is computed from rows against oracles: test/support/aggregate-oracle.ts and test/oracle/reduction.ts. `AGGREGATE_CASES` says how many bodies are
 * tried, 50 unless given: the gate tries more.
 */
const CASES = Number(process.env.AGGREGATE_CASES ?? 50);

const UNITS: readonly oracle.Unit[] = ['DAY', 'WEEK', 'MONTH', 'QUARTER', 'YEAR'];

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

type Statistics = ReturnType<typeof oracle.statisticsOf>['exactly'] & {
  mean: number | null;
  standardDeviation: number | null;
};
interface Columns {
  name: string;
  counts: number[];
  means: (number | null)[];
  mins: (number | null)[];
  maxs: (number | null)[];
  sums?: (number | null)[];
  quantiles?: { quantile: number; values: (number | null)[] }[];
}

/** Numbers with -0 as 0, as JSON has them. */
const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value));

/** The same as `toEqual`, which takes most of the time for so many values that are equal. */
function expectEqual(found: unknown, expected: unknown): void {
  if (JSON.stringify(found) !== JSON.stringify(expected)) expect(found).toEqual(expected);
}

/** The fields that need the dates of rows. */
const ENDS = ['first', 'last', 'firstDate', 'lastDate'];

/** Returns for each field that is null because of a date its path and the row. */
function expectStatistics(
  found: Statistics[],
  rows: readonly oracle.OracleRow[],
  names: readonly string[],
): [path: string, row: oracle.OracleRow][] {
  const failed: [string, oracle.OracleRow][] = [];
  expect(found.map(({ name }) => name)).toEqual(names);
  for (const [index, { mean, standardDeviation, ...exactly }] of found.entries()) {
    const expected = oracle.statisticsOf(rows, exactly.name);
    expectEqual(exactly, plain(expected.exactly));
    const { invalid } = expected;
    if (invalid !== undefined)
      failed.push(...ENDS.map((key): [string, oracle.OracleRow] => [`${index}.${key}`, invalid]));
    expectClose([mean, expected.mean, exactly.name]);
    if (expected.values.length === 0) expect(standardDeviation).toBeNull();
    else if (!oracle.isDeviation(standardDeviation, expected.values))
      throw new Error(`Deviation of ${expected.values}`);
  }
  return failed;
}

/** What an error says of a row whose date is needed. */
function problemOf({ value_date: date }: oracle.OracleRow): string {
  return typeof date === 'string' ? 'has a date that cannot be read.' : 'has no date.';
}

function expectClose([value, expected, title]: [number | null, oracle.Expected | undefined, string]): void {
  // An assertion for each value would take most of the time.
  const isRight = expected === undefined ? value === null : oracle.isClose(value, expected);
  if (!isRight) throw new Error(`${title} is not ${value}.`);
}

function expectColumns(found: Columns, groups: readonly oracle.OracleGroup[]): void {
  expectEqual(
    found.counts,
    groups.map(({ values }) => values.length),
  );
  expectEqual(found.mins, plain(groups.map(({ min }) => min)));
  expectEqual(found.maxs, plain(groups.map(({ max }) => max)));
  for (const [index, { mean, sum, values }] of groups.entries()) {
    expectClose([found.means[index] as number | null, mean, 'The mean']);
    if (found.sums !== undefined) expectClose([found.sums[index] as number | null, sum, 'The sum']);
    for (const { quantile, values: of } of found.quantiles ?? []) {
      const expected = values.length === 0 ? undefined : oracle.quantileOf(values, quantile);
      expectClose([of[index] as number | null, expected, 'The quantile']);
    }
  }
  for (const list of [found.means, found.sums ?? found.means]) expect(list).toHaveLength(groups.length);
}

/** The rows of reduced columns. */
function expectReduced(found: unknown, rows: readonly oracle.OracleRow[], names: readonly string[], points: number) {
  const columns = names.map((name) => rows.map((row) => oracle.valueIn(row, name)));
  const chosen = reducedRows(
    rows.map(({ value_date: date }) => nanosecondsOf(date)),
    columns,
    points,
  );
  const expected = {
    rowCount: chosen.length,
    valueDates: chosen.map((row) => rows[row]?.value_date ?? null),
    metrics: names.map((name, index) => ({ name, values: chosen.map((row) => columns[index]?.[row] ?? null) })),
  };
  expectEqual(found, plain(expected));
}

function expectLatest(
  found: { metrics: unknown } | null,
  rows: readonly oracle.OracleRow[],
  received: readonly unknown[],
): number | undefined {
  const times = rows.map(({ value_date: date }) => nanosecondsOf(date));
  const unreadable = rows.findIndex(
    ({ value_date: date }, row) => typeof date === 'string' && times[row] === undefined,
  );
  if (unreadable >= 0) {
    expect(found).toBeNull();
    return unreadable;
  }
  const known = times.filter((time) => time !== undefined);
  const last = known.reduce((one, other) => (other > one ? other : one), known[0] ?? 0n);
  const latest = rows.flatMap((_, row) => (times[row] === last ? row : []));
  if (latest.length < 2) expect(found).toEqual(received[latest[0] ?? rows.length - 1] ?? null);
  return undefined;
}

describe('3.45 What is computed from rows', () => {
  it('is what an oracle computes of random bodies', { timeout: 120_000 + CASES * 300 }, async () => {
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
        const { fast, plain: generic } = await pair.ask(document, { quantiles, points, names });
        const { data, errors = [] } = JSON.parse(fast.text);
        expectEqual(JSON.parse(generic.text).data, data);
        expect(fast.text.includes('NaN') || fast.text.includes('Infinity')).toBe(false);
        const { results } = data.dataset;
        const assets = JSON.parse(text).assets as { results: oracle.OracleRow[] | null }[];
        const all = assets.flatMap(({ results: rows }) => rows ?? []);
        // Equal times keep the order of the rows, so the values of equal dates of many assets have it, too.
        const messages: string[] = [];
        for (const [field, of] of [
          ['statistics', oracle.namesIn(all)],
          ['chosen', names],
        ] as const) {
          for (const [path, row] of expectStatistics(results[field], all, of)) {
            const series = assets.findIndex(({ results: rows }) => rows?.includes(row));
            const at = `row ${assets[series]?.results?.indexOf(row)} of series ${series}`;
            messages.push(`dataset.results.${field}.${path} ${at} ${problemOf(row)}`);
          }
        }
        const bands = oracle.bandsOf(all, oracle.namesIn(all));
        expectEqual(results.bands.valueDates, bands.valueDates);
        for (const [index, { groups }] of bands.metrics.entries()) {
          expect(results.bands.metrics[index].quantiles.map((each: { quantile: number }) => each.quantile)).toEqual(
            plain(quantiles),
          );
          expectColumns(results.bands.metrics[index], groups);
        }
        for (const [index, { results: rows }] of assets.entries()) {
          const node = results.series.nodes[index];
          if (rows === null) {
            expect([node.statistics, node.DAY, node.columns, node.latest]).toEqual([null, null, null, null]);
            continue;
          }
          for (const [path, row] of expectStatistics(node.statistics, rows, oracle.namesIn(rows))) {
            const field = `dataset.results.series.nodes.${index}.statistics.${path}`;
            messages.push(`${field} row ${rows.indexOf(row)} ${problemOf(row)}`);
          }
          const unreadable = expectLatest(node.latest, rows, node.rows);
          if (unreadable !== undefined)
            messages.push(
              `dataset.results.series.nodes.${index}.latest row ${unreadable} has a date that cannot be read.`,
            );
          expectReduced(node.columns, rows, names, points);
          for (const unit of UNITS) {
            const expected = oracle.periodsOf(rows, unit, oracle.namesIn(rows));
            if (expected === undefined || typeof expected === 'number') {
              expect(node[unit]).toBeNull();
              const path = `dataset.results.series.nodes.${index}.${unit}`;
              messages.push(
                `${path} ${expected === undefined ? 'A series has' : `row ${expected} ${problemOf(rows[expected] as oracle.OracleRow)}`}`,
              );
              if (expected === undefined) limited += 1;
              else dateless += 1;
              continue;
            }
            expectEqual(node[unit].starts, expected.starts);
            for (const [at, { groups }] of expected.metrics.entries()) expectColumns(node[unit].metrics[at], groups);
          }
        }
        const found = errors.map(({ path, message }: { path: string[]; message: string }) => {
          const cause = /row \d+.*|A series has/.exec(message);
          return `${path.join('.')} ${cause}`;
        });
        expect(found.toSorted()).toEqual(messages.toSorted());
      }),
      { numRuns: CASES },
    );
    if (CASES >= 2000) expect(Math.min(limited, dateless)).toBeGreaterThan(CASES / 200);
  });
});
