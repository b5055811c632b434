import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { instantOf } from '../oracle/dates.ts';
import { compareField, type Drawn, timeLimit } from '../oracle/field.ts';
import type { Dice } from '../support/json-text.ts';
import { randomCases } from '../support/random-cases.ts';
import { METRIC_NAMES } from '../support/results-selections.ts';

/** Columns of fewer rows. */
const CASES = randomCases(40);

interface Columns {
  rowCount: number;
  valueDates: (string | null)[];
  metrics: { name: string; values: (number | null)[] }[];
}

const selection = '{ rowCount valueDates metrics { name values } }';
const field = `dataset(id: $id) { results { series { nodes {
  few: columns(metrics: $names, points: $points) ${selection} all: columns(metrics: $names) ${selection}
} } } }`;

/** Several hundred rows in one series of some, which are more than those of one batch. */
const rows = fc.oneof(
  { weight: 3, arbitrary: fc.nat(40) },
  { weight: 3, arbitrary: fc.nat(150) },
  { weight: 1, arbitrary: fc.integer({ min: 510, max: 700 }) },
);
const asked = { cases: CASES, settings: [{}], field };
const bodies = { rows, entries: 10, odd: Number.POSITIVE_INFINITY, oddDates: 9, sparse: 2 };

const metricsOf = (dice: Dice, least: number) => dice.shuffled(METRIC_NAMES).slice(0, least + dice.below(4));

type Check = (few: Columns, all: Columns, points: number) => void;

/** Checks the columns of each series. */
const ofEach =
  (check: Check) =>
  (
    data: { dataset: { results: { series: { nodes: { few: Columns; all: Columns }[] } } } },
    { points }: Record<string, unknown>,
  ) => {
    for (const { few, all } of data.dataset.results.series.nodes)
      if (all !== null) check(few, inOrder(all), points as number);
  };

describe('3.45 Columns of fewer rows, of random series', () => {
  it('have the rows that the schema describes', { tags: ['random'], timeout: timeLimit(CASES) }, async () => {
    const args = ({ dice, rows: counts }: Drawn) => {
      const count = dice.of(counts.length === 0 ? [0] : counts);
      const some = dice.of([
        dice.below(30),
        dice.below(100),
        dice.below(400),
        count,
        count + 1,
        Math.max(0, count - 1),
      ]);
      return { names: metricsOf(dice, 0), points: dice.oneIn(5) ? dice.below(4) : some };
    };
    await compareField({ ...asked, bodies, args, filters: [{}] });
  });

  it('look the same in as many columns of pixels as there are groups', {
    tags: ['random'],
    timeout: timeLimit(CASES),
  }, async () => {
    let pictures = 0;
    const args = ({ dice }: Drawn) => {
      const [names, pixels] = [metricsOf(dice, 1), 1 + dice.below(40)];
      return { names, points: pixels * (2 + 2 * names.length) + dice.below(2) };
    };
    const also = ofEach((few, all, points) => {
      const pixels = Math.floor(points / (2 + 2 * all.metrics.length));
      for (const [metric, { values }] of all.metrics.entries()) {
        if (all.rowCount === 0 || !isDated(all) || values.includes(null)) continue;
        pictures += 1;
        const reduced = few.metrics[metric]?.values ?? [];
        expect(pictureOf(few.valueDates, reduced, pixels)).toEqual(pictureOf(all.valueDates, values, pixels));
      }
    });
    await compareField({ ...asked, bodies: { ...bodies, sparse: Number.POSITIVE_INFINITY }, args, also });
    if (CASES > 20) expect(pictures).toBeGreaterThan(CASES);
  });

  it('keep ends, extremes and the longest gap, and use all points', {
    tags: ['random'],
    timeout: timeLimit(CASES),
  }, async () => {
    let gaps = 0;
    const args = ({ dice }: Drawn) => {
      const names = metricsOf(dice, 1);
      return { names, points: 2 + 6 * names.length + dice.below(100) };
    };
    const also = ofEach((few, all, points) => {
      expect(few.rowCount).toBe(Math.min(points, all.rowCount));
      if (all.rowCount === 0) return;
      const endsOf = ({ valueDates }: Columns) => [valueDates[0], valueDates.at(-1)];
      expect(endsOf(few)).toEqual(endsOf(all));
      if (isDated(all)) expect(few.valueDates).toEqual(few.valueDates.toSorted(byInstant));
      for (const [metric, { values }] of all.metrics.entries()) {
        const kept = few.metrics[metric]?.values ?? [];
        expect(summaryOf(kept)).toEqual(summaryOf(values));
        const longest = isDated(all) ? longestGap(values, all.valueDates) : undefined;
        if (longest === undefined) continue;
        gaps += 1;
        expect(hasNullBetween(kept, few.valueDates, longest)).toBe(true);
      }
    });
    await compareField({ ...asked, bodies, args, also });
    if (CASES > 20) expect(gaps).toBeGreaterThan(CASES / 4);
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

const isDated = ({ valueDates }: Columns) => valueDates.every((date) => timeOf(date) !== undefined);

/** All rows in the order of those that are chosen. */
function inOrder(all: Columns): Columns {
  if (!isDated(all)) return all;
  const { rowCount, valueDates, metrics } = all;
  const order = [...valueDates.keys()].toSorted(
    (one, other) => byInstant(valueDates[one] as string, valueDates[other] as string) || one - other,
  );
  const sorted = <T>(values: readonly T[]) => order.map((row) => values[row] as T);
  return {
    rowCount,
    valueDates: sorted(valueDates),
    metrics: metrics.map(({ name, values }) => ({ name, values: sorted(values) })),
  };
}

/** What a line covers of each column of pixels: its first, lowest, highest and last value. */
function pictureOf(dates: readonly (string | null)[], values: readonly (number | null)[], pixels: number) {
  const times = dates.map((date) => millisOf(timeOf(date) as bigint));
  const first = times[0] as bigint;
  const span = (times.at(-1) as bigint) - first;
  const columns = new Map<number, number[]>();
  for (const [at, time] of times.entries()) {
    const column = span === 0n ? 0 : Math.min(pixels - 1, Number(((time - first) * BigInt(pixels)) / span));
    columns.set(column, [...(columns.get(column) ?? []), values[at] as number]);
  }
  return Array.from(columns, ([column, own]) => ({ column, first: own[0], last: own.at(-1), ...lowHigh(own) }));
}

/** Rounded down. */
const millisOf = (instant: bigint) => (instant - (((instant % 1_000_000n) + 1_000_000n) % 1_000_000n)) / 1_000_000n;

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
