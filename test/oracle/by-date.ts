import { instantOf } from './dates.ts';
import { type AggregatesByDate, listsOf } from './lists.ts';
import type { Problem, Values } from './rows.ts';
import { tooMany } from './statistics.ts';

/** `byDate`: the values of all assets by date. */

const MAX_METRICS = 10_000;
const MAX_DATES = 20_000;
const MAX_ENTRIES = 100_000;

/** A date: its text as received first, its point in time if it can be read, and the values of each metric. */
interface Dated {
  readonly text: string;
  readonly instant: bigint | undefined;
  readonly values: ReadonlyMap<string, number[]>;
}

/** Rows without a date are left out, and the same point in time is one date. */
export function byDateOf(
  series: readonly (Values | undefined)[],
  names: readonly string[],
): AggregatesByDate | Problem {
  const dates = new Map<bigint | string, Dated>();
  let count = 0;
  for (const values of series) {
    for (const [row, text] of (values?.dates ?? []).entries()) {
      if (text === null) continue;
      const instant = instantOf(text);
      const key = instant ?? text;
      const date = dates.get(key) ?? { text, instant, values: new Map(names.map((name) => [name, []])) };
      dates.set(key, date);
      for (const [name, of] of date.values) {
        const value = (values as Values).columns.get(name)?.[row] ?? null;
        if (value === null) continue;
        of.push(value);
        count += 1;
      }
    }
  }
  const isWithin = names.length <= MAX_METRICS && dates.size <= MAX_DATES && dates.size * names.length <= MAX_ENTRIES;
  if (!isWithin) return tooMany;
  const all = [...dates.values()];
  const areTimes = all.every(({ instant }) => instant !== undefined);
  const keyOf = ({ instant, text }: Dated) => (areTimes ? (instant as bigint) : text);
  const sorted = all.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : keyOf(one) > keyOf(other) ? 1 : 0));
  return {
    dates: sorted.map(({ text }) => text),
    metrics: names.map((name) => {
      const groups = sorted.map(({ values }) => values.get(name) as number[]);
      return listsOf(name, groups, count);
    }),
  };
}
