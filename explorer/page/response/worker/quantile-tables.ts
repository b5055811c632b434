import type { QuantilesAt } from './selected-quantiles.ts';
import { type Fields, fieldsOf, type Table } from './shapes.ts';

/** An edge of the area between the lowest and the highest quantile. */
export type AreaEdge = 'low' | 'high';

/** One quantile by date: a line in each chart. */
export interface QuantileTable extends Table {
  /** What the line is called: "median" or "10 %". */
  readonly label: string;
  /** Which edge of the area the line is; undefined for a line within it. */
  readonly edge: AreaEdge | undefined;
}

/** A list of numbers for each quantile. */
type Lists = readonly (readonly (number | null)[])[];

/**
 * Reads quantiles by date, `{ dates metrics { name quantiles } }`, under any aliases. There is a table for each quantile; the lowest
 * and the highest are the edges of the area. Empty for any other value.
 *
 * @param quantilesAt which quantiles the field at a path within the value has
 */
export function quantileTablesOf(value: unknown, quantilesAt: QuantilesAt): QuantileTable[] {
  const lists = Object.entries(fieldsOf(value) ?? {}).filter((entry): entry is [string, unknown[]] =>
    Array.isArray(entry[1]),
  );
  // The first item tells, so that other large lists are not searched.
  const [key, metrics] = lists.find(([, [first]]) => keysOfLists(first).length > 0) ?? [];
  const [, dates] = lists.find(([, list]) => list !== metrics && list.every(isText)) ?? [];
  if (key === undefined || metrics === undefined || dates === undefined) return [];
  const locations = keysOfLists(metrics[0]).flatMap((member) =>
    (quantilesAt([key, member]) ?? []).map((quantile, index) => ({ quantile, member, index })),
  );
  const distinct = [...new Map(locations.map((location) => [location.quantile, location])).values()];
  const upwards = distinct.sort((a, b) => a.quantile - b.quantile);
  return upwards.map(({ quantile, member, index }, at) => ({
    label: quantile === 0.5 ? 'median' : `${Number((quantile * 100).toPrecision(6))} %`,
    edge: upwards.length < 2 ? undefined : at === 0 ? 'low' : at === upwards.length - 1 ? 'high' : undefined,
    dates: dates as string[],
    columns: new Map(
      metrics.flatMap((metric) => {
        const fields = fieldsOf(metric) ?? {};
        const values = (fields[member] as Lists | null | undefined)?.[index];
        if (values === undefined) return [];
        return [[nameOf(fields), Float64Array.from(dates, (_, row) => values[row] ?? Number.NaN)] as const];
      }),
    ),
    isRows: false,
    hasDates: true,
    omittedCount: 0,
  }));
}

/** Whether a value has a list of objects with quantiles, such as statistics. */
export function hasQuantiles(value: unknown, quantilesAt: QuantilesAt): boolean {
  return Object.entries(fieldsOf(value) ?? {}).some(
    ([key, list]) =>
      Array.isArray(list) &&
      Object.keys(fieldsOf(list[0]) ?? {}).some((member) => quantilesAt([key, member]) !== undefined),
  );
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function nameOf(metric: Fields): string {
  return Object.values(metric).find(isText) ?? 'value';
}

/** The keys of a metric that have lists of lists. */
function keysOfLists(metric: unknown): string[] {
  return Object.entries(fieldsOf(metric) ?? {})
    .filter(([, part]) => Array.isArray(part) && Array.isArray(part[0]))
    .map(([key]) => key);
}
