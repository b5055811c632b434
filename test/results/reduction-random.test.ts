import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { instantOf } from '../oracle/dates.ts';
import { reducedRows } from '../oracle/reduction.ts';
import { startPair } from '../support/fast-path.ts';
import { Dice } from '../support/fast-path-json.ts';
import { DATASET_ID, postResults } from '../support/harness.ts';
import { randomCases } from '../support/random-cases.ts';
import { METRICS, type SeriesRow, seriesOf } from '../support/reducible-series.ts';

/**
 * Columns of fewer rows, of random series.
 */
const CASES = randomCases(20);
const SERIES_PER_BODY = 10;
/** More than rows of one batch. */
const MANY = 700;

interface Columns {
  rowCount: number;
  valueDates: (string | null)[];
  metrics: { name: string; values: (number | null)[] }[];
}

const document = `query ($points: Int!, $names: [String!]) { dataset(id: "${DATASET_ID}") { results { series { nodes {
  columns(metrics: $names, points: $points) { rowCount valueDates metrics { name values } }
} } } } }`;

const valueIn = ({ metrics }: SeriesRow, metric: string) => metrics.find(({ name }) => name === metric)?.value ?? null;

/** What a series is in columns, with the rows in this order. */
function columnsOf(rows: readonly SeriesRow[], order: readonly number[], names: readonly string[]): Columns {
  const chosen = order.map((row) => rows[row] as SeriesRow);
  return {
    rowCount: order.length,
    valueDates: chosen.map((row) => row.value_date ?? null),
    metrics: names.map((name) => ({ name, values: chosen.map((row) => valueIn(row, name)) })),
  };
}

/** Asks both paths for the columns of series. Their answers are the same. */
async function startReducing() {
  const pair = await startPair({ OPERATION_TIMEOUT_MS: '300000' });
  let body = '';
  pair.fast.simulator.intercept(() => ({ body }));
  return async (series: readonly (readonly SeriesRow[])[], points: number, names: readonly string[]) => {
    const { simulator } = pair.fast;
    simulator.clear();
    body = JSON.stringify({ assets: series.map((results, index) => ({ asset_id: `a${index}`, results })) });
    const { fast, plain } = await pair.ask(document, { points, names });
    expect(plain.text).toBe(fast.text);
    expect(pair.fast.calls()).toEqual([postResults({}), postResults({})]);
    const { data, errors } = JSON.parse(fast.text);
    expect(errors).toBeUndefined();
    return (data.dataset.results.series.nodes as { columns: Columns }[]).map(({ columns }) => columns);
  };
}

/** Small numbers would make odd cases rare. */
const seeds = fc.noBias(fc.tuple(fc.integer({ min: 1 }), fc.integer({ min: 1 })));

describe('3.45 Columns of fewer rows', () => {
  it('have the rows that the schema describes', { tags: ['random'], timeout: 60_000 + CASES * 2000 }, async () => {
    const reduce = await startReducing();
    await fc.assert(
      fc.asyncProperty(seeds, async ([kinds, seed]) => {
        const [kind, dice] = [new Dice(kinds), new Dice(seed)];
        const names = METRICS.slice(0, kind.below(METRICS.length + 1));
        const series = Array.from({ length: SERIES_PER_BODY }, (_, index) =>
          seriesOf(index === 0 ? MANY : kind.below(kind.of([5, 40, 150])), kind, dice),
        );
        const rows = (kind.of(series) as readonly SeriesRow[]).length;
        const some = kind.of([kind.below(30), kind.below(100), kind.below(400), rows, rows + 1, rows - 1]);
        const points = kind.oneIn(5) ? kind.below(4) : some;
        const found = await reduce(series, Math.max(0, points), names);
        for (const [index, rowsOfSeries] of series.entries()) {
          const dates = rowsOfSeries.map(({ value_date: date }) => timeOf(date));
          const values = names.map((name) => rowsOfSeries.map((row) => valueIn(row, name)));
          const order = reducedRows(dates, values, Math.max(0, points));
          expect(found[index]).toEqual(columnsOf(rowsOfSeries, order, names));
        }
      }),
      { numRuns: CASES },
    );
  });

  it('look the same in as many columns of pixels as there are groups', {
    tags: ['random'],
    timeout: 60_000 + CASES * 2000,
  }, async () => {
    const reduce = await startReducing();
    await fc.assert(
      fc.asyncProperty(seeds, async ([kinds, seed]) => {
        const [kind, dice] = [new Dice(kinds), new Dice(seed)];
        const names = METRICS.slice(0, 1 + kind.below(METRICS.length));
        const pixels = 1 + kind.below(40);
        const series = Array.from({ length: SERIES_PER_BODY }, () => withoutGaps(kind, dice));
        const found = await reduce(series, pixels * (2 + 2 * names.length) + kind.below(2), names);
        for (const [index, rows] of series.entries()) {
          const reduced = found[index] as Columns;
          const all = columnsOf(rows, byDate(rows), names);
          for (const [metric, { values }] of all.metrics.entries()) {
            const picture = pictureOf(all.valueDates, values, pixels);
            expect(pictureOf(reduced.valueDates, reduced.metrics[metric]?.values ?? [], pixels)).toEqual(picture);
          }
        }
      }),
      { numRuns: CASES },
    );
  });

  it('keep ends, extremes and the longest gap, and use all points', {
    tags: ['random'],
    timeout: 60_000 + CASES * 2000,
  }, async () => {
    const reduce = await startReducing();
    let gaps = 0;
    await fc.assert(
      fc.asyncProperty(seeds, async ([kinds, seed]) => {
        const [kind, dice] = [new Dice(kinds), new Dice(seed)];
        const names = METRICS.slice(0, 1 + kind.below(METRICS.length));
        const points = 2 + 6 * names.length + kind.below(100);
        const series = Array.from({ length: SERIES_PER_BODY }, () => seriesOf(kind.below(300), kind, dice));
        const found = await reduce(series, points, names);
        for (const [index, rows] of series.entries()) {
          const reduced = found[index] as Columns;
          const order = byDate(rows);
          const all = columnsOf(rows, order, names);
          expect(reduced.rowCount).toBe(Math.min(points, rows.length));
          if (order.length === 0) continue;
          expect([reduced.valueDates[0], reduced.valueDates.at(-1)]).toEqual([
            all.valueDates[0],
            all.valueDates.at(-1),
          ]);
          if (isDated(rows)) expect(reduced.valueDates).toEqual(reduced.valueDates.toSorted(byInstant));
          for (const [metric, { values }] of all.metrics.entries()) {
            const kept = reduced.metrics[metric]?.values ?? [];
            expect(summaryOf(kept)).toEqual(summaryOf(values));
            const longest = longestGap(values, all.valueDates);
            if (longest === undefined || !isDated(rows)) continue;
            gaps += 1;
            expect(hasNullBetween(kept, reduced.valueDates, longest)).toBe(true);
          }
        }
      }),
      { numRuns: CASES },
    );
    expect(gaps).toBeGreaterThan(CASES);
  });
});

const instants = new Map<string, bigint | undefined>();

/** The instant of a date. Each date is read once. */
function timeOf(date: string | null | undefined): bigint | undefined {
  if (typeof date !== 'string') return undefined;
  if (!instants.has(date)) instants.set(date, instantOf(date));
  return instants.get(date);
}

const byInstant = (one: string | null, other: string | null) => Number((timeOf(one) ?? 0n) - (timeOf(other) ?? 0n));

const isDated = (rows: readonly SeriesRow[]) => rows.every((row) => timeOf(row.value_date) !== undefined);

/** The rows in the order of the response. */
function byDate(rows: readonly SeriesRow[]): number[] {
  const order = [...rows.keys()];
  const dateOf = (row: number) => rows[row]?.value_date ?? null;
  return isDated(rows) ? order.toSorted((one, other) => byInstant(dateOf(one), dateOf(other)) || one - other) : order;
}

/** A series with a date and all values in each row. */
function withoutGaps(kind: Dice, dice: Dice): SeriesRow[] {
  const rows = seriesOf(kind.below(500), kind, dice);
  return rows.map(({ value_date: date }, index) => ({
    value_date: timeOf(date) === undefined ? '2024-01-01T00:00:00Z' : (date as string),
    metrics: METRICS.map((name) => ({ name, value: dice.below(1000) + index / 1000 })),
  }));
}

/** What a line covers of each column of pixels: its first, lowest, highest and last value. */
function pictureOf(dates: readonly (string | null)[], values: readonly (number | null)[], pixels: number) {
  const times = dates.map((date) => Number((timeOf(date) as bigint) / 1_000_000n));
  const first = times[0] as number;
  const span = (times.at(-1) as number) - first;
  const columns = new Map<number, number[]>();
  for (const [at, time] of times.entries()) {
    const column = span === 0 ? 0 : Math.min(pixels - 1, Math.floor(((time - first) * pixels) / span));
    columns.set(column, [...(columns.get(column) ?? []), values[at] as number]);
  }
  return Array.from(columns, ([column, own]) => ({ column, first: own[0], last: own.at(-1), ...lowHigh(own) }));
}

const lowHigh = (values: readonly number[]) => ({ low: Math.min(...values), high: Math.max(...values) });

/** The ends and the extremes of what has a value. */
function summaryOf(values: readonly (number | null)[]) {
  const found = values.filter((value) => value !== null);
  return { first: found[0], last: found.at(-1), ...lowHigh(found) };
}

/** The dates of the values around the longest gap between two values. */
function longestGap(values: readonly (number | null)[], dates: readonly (string | null)[]) {
  const withValue = [...values.keys()].filter((at) => values[at] !== null);
  const gaps = withValue.slice(1).flatMap((end, index) => {
    const start = withValue[index] as number;
    const [from, to] = [dates[start] ?? null, dates[end] ?? null];
    return end - start > 1 ? [{ from, to, time: byInstant(to, from) }] : [];
  });
  const longest = gaps.toSorted((one, other) => other.time - one.time)[0];
  // Two of equal length are equally good.
  return gaps.filter(({ time }) => time > (longest?.time ?? 0) - 2e6).length === 1 ? longest : undefined;
}

/** Whether there is no value between values, in rows with dates from one to another one. */
function hasNullBetween(
  values: readonly (number | null)[],
  dates: readonly (string | null)[],
  { from, to }: { from: string | null; to: string | null },
): boolean {
  const inside = values.filter((_, at) => {
    const date = dates[at] ?? null;
    return byInstant(date, from) >= 0 && byInstant(date, to) <= 0;
  });
  return inside.includes(null);
}
