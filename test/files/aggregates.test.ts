import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { demoDatasetIds, loadDemoData } from '../../simulator/src/demo-data.ts';
import { DATASET_ID, type TestBed } from '../support/harness.ts';
import { randomCases } from '../support/random-cases.ts';
import { download, startWith } from './files.ts';
import { quoted, sql } from './readers.ts';
import { type Asset, bodyOf } from './table.ts';

/** How many random bodies are tried. */
const CASES = randomCases(56);

/*
 * What is computed from rows, against DuckDB on the file of the same results. Counts and extremes are equal. A mean, a sum or a
 * quantile differs by 1e-12 of the largest value at most, and a deviation by 1e-9 of itself: DuckDB rounds, too.
 */

const QUANTILES = [0, 0.1, 0.25, 0.5, 0.9, 1];
const UNITS = ['DAY', 'WEEK', 'MONTH', 'QUARTER', 'YEAR'] as const;
type Unit = (typeof UNITS)[number];

const quantiles = `quantiles(of: [${QUANTILES}])`;
const statistics = `statistics { name count minimum { value } maximum { value } mean sum standardDeviation ${quantiles} }`;
const byDate = `{ dates metrics { name counts minimums maximums means sums standardDeviations ${quantiles} } }`;
const documentOf = (units: readonly Unit[]) => `{ dataset(id: "${DATASET_ID}") { results { ${statistics}
  byDate ${byDate}
  series { nodes { asset { assetId } ${statistics}
    ${units.map((unit) => `${unit}: periods(every: ${unit}) ${byDate}`).join(' ')} } } } } }`;

type Numbers = readonly (number | null)[];
type Line = readonly (string | number | null)[];
interface Columns {
  name: string;
  counts: number[];
  minimums: Numbers;
  maximums: Numbers;
  means: Numbers;
  sums: Numbers;
  standardDeviations: Numbers;
  quantiles: Numbers[];
}
interface ByDate {
  dates: string[];
  metrics: Columns[];
}

/** Lines of columns by their dates: those with values. */
const linesOf = ({ dates, metrics }: ByDate): Line[] =>
  metrics.flatMap(({ name, counts, minimums, maximums, means, sums, standardDeviations, quantiles }) => {
    const lists = [minimums, maximums, means, ...quantiles, standardDeviations, sums];
    return dates.flatMap((date, at) =>
      counts[at] === 0
        ? []
        : [[date.slice(0, 10), name, counts[at] as number, ...lists.map((list) => list[at] as number)]],
    );
  });

const keyOf = (line: Line) => line.filter((value) => typeof value === 'string').join(' ');

/** @param exact how many of the columns are the same to the last digit */
function expectSame(found: readonly Line[], expected: readonly Line[], exact: number, scale: number): void {
  const [one, other] = [found, expected].map((lines) => lines.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))) as [
    Line[],
    Line[],
  ];
  expect(one.map((line) => line.slice(0, exact))).toEqual(other.map((line) => line.slice(0, exact)));
  for (const [index, line] of one.entries())
    for (const [at, value] of line.entries()) {
      if (at < exact) continue;
      const difference = Math.abs(Number(value) - Number(other[index]?.[at]));
      // Welford's method has the rounding of the values, and a sum has that of many.
      const allowed = [scale * 1000, scale + 1e-9][line.length - 1 - at] ?? scale;
      if (!(difference <= allowed)) throw new Error(`${line} differs from ${other[index]}.`);
    }
}

interface Statistics {
  name: string;
  count: number;
  minimum: { value: number };
  maximum: { value: number };
  mean: number;
  sum: number;
  standardDeviation: number;
  quantiles: Numbers;
}
interface Results {
  statistics: Statistics[];
  byDate: ByDate;
  series: {
    nodes: ({ asset: { assetId: string }; statistics: Statistics[] } & Record<Unit, ByDate>)[];
  };
}

async function compare(bed: TestBed, units: readonly Unit[]): Promise<number> {
  const path = await download(bed, 'parquet', 'long');
  const { data, errors } = (await bed.query(documentOf(units))).body;
  expect(errors).toBeUndefined();
  const results: Results = data.dataset.results;
  const table = `(SELECT * FROM read_parquet(${quoted(path)}) WHERE value IS NOT NULL)`;
  const [[largest = 0] = []] = (await sql(`SELECT max(abs(value)) FROM ${table}`)).rows as number[][];
  const scale = (largest ?? 0) * 1e-12;
  const day = (unit: string) => `strftime(date_trunc('${unit}', value_date::TIMESTAMP), '%Y-%m-%d')`;
  const ofQuantiles = QUANTILES.map((quantile) => `quantile_cont(value, ${quantile})`).join();
  const numbers = `count(value)::DOUBLE, min(value), max(value), favg(value), ${ofQuantiles}, stddev_pop(value), fsum(value)`;
  const statisticsOf = (all: Statistics[], lead: string[] = []): Line[] =>
    all.flatMap(({ name, count, minimum, maximum, mean, standardDeviation, sum, quantiles }) =>
      count === 0
        ? []
        : [[...lead, name, count, minimum.value, maximum.value, mean, ...quantiles, standardDeviation, sum]],
    );
  const together = (await sql(`SELECT metric, ${numbers} FROM ${table} GROUP BY metric`)).rows;
  expectSame(statisticsOf(results.statistics), together, 4, scale);
  const each = (await sql(`SELECT asset_id, metric, ${numbers} FROM ${table} GROUP BY asset_id, metric`)).rows;
  expectSame(
    results.series.nodes.flatMap((node) => statisticsOf(node.statistics, [node.asset.assetId])),
    each,
    5,
    scale,
  );

  for (const unit of units) {
    const expected = await sql(
      `SELECT asset_id, ${day(unit)}, metric, ${numbers} FROM ${table} GROUP BY asset_id, ${day(unit)}, metric`,
    );
    const found = results.series.nodes.flatMap(({ asset: { assetId }, [unit]: periods }) =>
      linesOf(periods).map((line) => [assetId, ...line]),
    );
    expectSame(found, expected.rows, 6, scale);
  }

  const ofDates = `SELECT ${day('day')}, metric, ${numbers} FROM ${table} GROUP BY ${day('day')}, metric`;
  const found = linesOf(results.byDate);
  expectSame(found, (await sql(ofDates)).rows, 5, scale);
  expect(bed.subgraph.oddRows.count).toBe(0);
  return found.length;
}

const pad = (value: number) => String(value).padStart(2, '0');

const date = fc
  .tuple(fc.constantFrom(1999, 2000, 2023, 2024), fc.nat(11), fc.nat(27))
  .map(([year, month, day]) => `${year}-${pad(month + 1)}-${pad(day + 1)}`);
const value = fc.option(
  fc.oneof(
    fc.integer({ min: -1000, max: 1000 }).map(String),
    fc.double({ min: -1e6, max: 1e6, noNaN: true }).map((each) => String(each + 0)),
    fc.constant('1000000.1'),
  ),
  { freq: 8 },
);
const rows = fc.array(
  fc.record({
    date,
    metrics: fc
      .array(value, { maxLength: 3 })
      .map((values) => values.map((each, index) => [`m${index}`, each] as const)),
  }),
  { maxLength: 60, size: 'max' },
);
const assets: fc.Arbitrary<Asset[]> = fc
  .array(rows, { minLength: 1, maxLength: 4 })
  .map((all) => all.map((own, index) => ({ id: `a${index}`, name: null, version: '1', rows: own })));

describe('3.45 What is computed from rows is what DuckDB computes', () => {
  it.each(['weather', 'co2', 'electricity'] as const)('of the demo data: %s', async (name) => {
    const demo = await loadDemoData();
    const id = demoDatasetIds[name];
    const results = demo.datasets.find(({ metadata }) => metadata.id === id)?.results;
    const bed = await startWith(JSON.stringify(results));
    // More than 10,000 days.
    expect(await compare(bed, UNITS.slice(name === 'co2' ? 1 : 0))).toBeGreaterThan(10);
  });

  it('of random data', { tags: ['random'], timeout: 60_000 + CASES * 2000 }, async () => {
    const bed = await startWith([]);
    await fc.assert(
      fc.asyncProperty(assets, async (all) => {
        bed.simulator.intercept(({ operation }) =>
          operation === 'getDatasetResults' ? { body: bodyOf(all) } : undefined,
        );
        await compare(bed, UNITS);
      }),
      { numRuns: CASES },
    );
  });
});
