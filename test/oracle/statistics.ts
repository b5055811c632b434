import { instantOf } from './dates.ts';
import { type Check, deviation, highest, lowest, sumOver } from './numbers.ts';
import { invalidRow, type Problem, type Values } from './rows.ts';

/** `statistics`: of one series, or of all of a dataset. */

/** The most metrics. */
const MAX_METRICS = 10_000;

export const tooMany: Problem = { code: 'REQUEST_LIMIT_EXCEEDED', text: '' };

export interface Statistics {
  readonly name: string;
  readonly count: number;
  readonly nullCount: number;
  readonly min: number | null;
  readonly max: number | null;
  readonly mean: Check | null;
  readonly standardDeviation: Check | null;
  readonly first: number | null | Problem;
  readonly last: number | null | Problem;
  readonly minDate: string | null;
  readonly maxDate: string | null;
  readonly firstDate: string | null | Problem;
  readonly lastDate: string | null | Problem;
}

/** A value with its row. */
interface Found {
  readonly value: number;
  readonly date: string | null;
  readonly row: number;
  readonly series: number | undefined;
}

/** The statistics of metrics. @param series the values of each, undefined for one that has no list of rows; its index is in errors */
export function statisticsOf(
  series: readonly (Values | undefined)[],
  names: readonly string[],
  isOne: boolean,
): Statistics[] | Problem {
  if (names.length > MAX_METRICS) return tooMany;
  const rows = series.reduce((sum, values) => sum + (values?.dates.length ?? 0), 0);
  return names.map((name) => {
    const found: Found[] = [];
    for (const [index, values] of series.entries()) {
      for (const [row, value] of (values?.columns.get(name) ?? []).entries()) {
        const date = (values as Values).dates[row] ?? null;
        if (value !== null) found.push({ value, date, row, series: isOne ? undefined : index });
      }
    }
    return ofMetric(name, found, rows);
  });
}

function ofMetric(name: string, found: readonly Found[], rows: number): Statistics {
  const values = found.map(({ value }) => value);
  const counts = { name, count: found.length, nullCount: rows - found.length };
  if (found.length === 0) {
    const numbers = { min: null, max: null, mean: null, standardDeviation: null, first: null, last: null };
    return { ...counts, ...numbers, minDate: null, maxDate: null, firstDate: null, lastDate: null };
  }
  const [min, max] = [lowest(values), highest(values)];
  const dateOf = (value: number) => found.find((each) => each.value === value)?.date ?? null;
  return {
    ...counts,
    min,
    max,
    mean: sumOver(values, values.length),
    standardDeviation: deviation(values),
    minDate: dateOf(min),
    maxDate: dateOf(max),
    ...endsOf(found),
  };
}

/**
 * The first value and the last. Rows without a date are passed over; if none has one, the order received decides. A date that cannot
 * be read is an error of both.
 */
function endsOf(found: readonly Found[]): Pick<Statistics, 'first' | 'last' | 'firstDate' | 'lastDate'> {
  const dated = found.filter(({ date }) => date !== null);
  const unreadable = dated.find(({ date }) => instantOf(date as string) === undefined);
  if (unreadable !== undefined) {
    const problem = invalidRow(unreadable.row, 'has a date that cannot be read', unreadable.series);
    return { first: problem, last: problem, firstDate: problem, lastDate: problem };
  }
  const instants = new Map(dated.map((each) => [each, instantOf(each.date as string) as bigint]));
  const [start] = dated.length === 0 ? found : dated;
  let [first, last] = [start as Found, (dated.length === 0 ? found.at(-1) : start) as Found];
  for (const each of dated) {
    const instant = instants.get(each) as bigint;
    if (instant < (instants.get(first) as bigint)) first = each;
    if (instant >= (instants.get(last) as bigint)) last = each;
  }
  return { first: first.value, last: last.value, firstDate: first.date, lastDate: last.date };
}
