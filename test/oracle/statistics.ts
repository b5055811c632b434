import { instantOf } from './dates.ts';
import { type Check, deviation, highest, lowest, sumOver } from './numbers.ts';
import { quantileOrNull, quantilesField } from './quantiles.ts';
import { invalidRow, type Problem, type Values } from './rows.ts';

/** `statistics`: of one series, or of all of a dataset. */

/** The most metrics. */
const MAX_METRICS = 10_000;

export const tooMany: Problem = { code: 'REQUEST_LIMIT_EXCEEDED', text: '' };

export interface Statistics {
  readonly name: string;
  readonly count: number;
  readonly nullCount: number;
  readonly sum: Check | null;
  readonly mean: Check | null;
  readonly standardDeviation: Check | null;
  readonly first: Point | null | Problem;
  readonly last: Point | null | Problem;
  readonly minimum: Point | null;
  readonly maximum: Point | null;
  readonly quantile: (quantile: number) => Check | null;
  readonly quantiles: (args: { of: readonly number[] }) => readonly (Check | null)[] | Error;
}

/** A value with its row. */
export interface Point {
  readonly value: number;
  readonly valueDate: string | null;
  readonly assetId: string;
}

interface Found extends Point {
  readonly row: number;
  readonly series: number | undefined;
}

/**
 * The statistics of metrics.
 *
 * @param series the values of each, undefined for one that has no list of rows; its index is in errors
 * @param assetIds that of each series
 */
export function statisticsOf(
  series: readonly (Values | undefined)[],
  assetIds: readonly string[],
  names: readonly string[],
  isOne: boolean,
): Statistics[] | Problem {
  if (names.length > MAX_METRICS) return tooMany;
  const rows = series.reduce((sum, values) => sum + (values?.dates.length ?? 0), 0);
  const all = names.map((name) => {
    const found: Found[] = [];
    for (const [index, values] of series.entries()) {
      for (const [row, value] of (values?.columns.get(name) ?? []).entries()) {
        const valueDate = (values as Values).dates[row] ?? null;
        const assetId = assetIds[index] as string;
        if (value !== null) found.push({ value, valueDate, assetId, row, series: isOne ? undefined : index });
      }
    }
    return found;
  });
  const count = all.reduce((sum, { length }) => sum + length, 0);
  return all.map((found, index) => ofMetric(names[index] as string, found, rows, count));
}

function ofMetric(name: string, found: readonly Found[], rows: number, count: number): Statistics {
  const values = found.map(({ value }) => value);
  const sorted = values.toSorted((one, other) => one - other);
  const quantile = (each: number) => quantileOrNull(sorted, each);
  const counts = { name, count: found.length, nullCount: rows - found.length };
  const quantiles = { quantile, quantiles: quantilesField(count, quantile) };
  if (found.length === 0) {
    const points = { first: null, last: null, minimum: null, maximum: null };
    return { ...counts, sum: null, mean: null, standardDeviation: null, ...points, ...quantiles };
  }
  const firstWith = (value: number) => found.find((each) => each.value === value) as Found;
  return {
    ...counts,
    sum: sumOver(values, 1),
    mean: sumOver(values, values.length),
    standardDeviation: deviation(values),
    ...endsOf(found),
    minimum: firstWith(lowest(values)),
    maximum: firstWith(highest(values)),
    ...quantiles,
  };
}

/**
 * The first value and the last. Rows without a date are passed over; if none has one, the order received decides. A date that cannot
 * be read is an error of both.
 */
function endsOf(found: readonly Found[]): Pick<Statistics, 'first' | 'last'> {
  const dated = found.filter(({ valueDate }) => valueDate !== null);
  const unreadable = dated.find(({ valueDate }) => instantOf(valueDate as string) === undefined);
  if (unreadable !== undefined) {
    const problem = invalidRow(unreadable.row, 'has a date that cannot be read', unreadable.series);
    return { first: problem, last: problem };
  }
  const instants = new Map(dated.map((each) => [each, instantOf(each.valueDate as string) as bigint]));
  const [start] = dated.length === 0 ? found : dated;
  let [first, last] = [start as Found, (dated.length === 0 ? found.at(-1) : start) as Found];
  for (const each of dated) {
    const instant = instants.get(each) as bigint;
    if (instant < (instants.get(first) as bigint)) first = each;
    if (instant >= (instants.get(last) as bigint)) last = each;
  }
  return { first, last };
}
