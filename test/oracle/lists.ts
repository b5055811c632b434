import { type Check, deviation, highest, lowest, sumOver } from './numbers.ts';
import { quantileOrNull, quantilesField } from './quantiles.ts';

/** What is computed by date, or by period. */

export interface AggregatesByDate {
  readonly dates: readonly string[];
  readonly metrics: readonly Lists[];
}

/** Lists with an entry for each date. */
export interface Lists {
  readonly name: string;
  readonly counts: readonly number[];
  readonly sums: () => readonly (Check | null)[];
  readonly means: () => readonly (Check | null)[];
  readonly minimums: () => readonly (number | null)[];
  readonly maximums: () => readonly (number | null)[];
  readonly standardDeviations: () => readonly (Check | null)[];
  readonly quantile: (quantile: number) => readonly (Check | null)[];
  readonly quantiles: (args: { of: readonly number[] }) => readonly (readonly (Check | null)[])[] | Error;
}

/** The figures of some groups of values. @param count how many values all metrics have */
export function listsOf(name: string, groups: readonly (readonly number[])[], count: number): Lists {
  const list = <T>(of: (values: readonly number[]) => T) =>
    groups.map((values) => (values.length === 0 ? null : of(values)));
  let sorted: readonly (readonly number[])[] | undefined;
  const quantile = (each: number) => {
    sorted ??= groups.map((values) => values.toSorted((one, other) => one - other));
    return sorted.map((values) => quantileOrNull(values, each));
  };
  return {
    name,
    counts: groups.map(({ length }) => length),
    sums: () => list((values) => sumOver(values, 1)),
    means: () => list((values) => sumOver(values, values.length)),
    minimums: () => list(lowest),
    maximums: () => list(highest),
    standardDeviations: () => list(deviation),
    quantile,
    quantiles: quantilesField(count, quantile),
  };
}
