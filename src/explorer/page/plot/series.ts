import { type Plot, timeOf } from './response.ts';

/** A line of the chart. */
export interface Series {
  readonly name: string;
  /** In the order of the rows: the time in milliseconds, or the date as text unless all dates are points in time. */
  readonly points: readonly (readonly [x: number | string, y: number | null])[];
}

/** The lines of a chart. */
export interface Lines {
  /** Whether all dates are points in time. */
  readonly isTime: boolean;
  /** All dates as texts, in the order of their first appearance; empty if they are points in time. */
  readonly texts: readonly string[];
  readonly series: readonly Series[];
}

/** The title of a plot: the dataset, and the asset if there is only one. */
export function headingOf({ title, rows }: Plot): string {
  const [asset = '', ...others] = new Set(rows.map((table) => table.asset));
  return asset === '' || others.length > 0 ? title : `${title}: ${asset}`;
}

/** Makes a line for each metric of each asset. */
export function linesOf({ rows }: Plot): Lines {
  const dates = [...new Set(rows.flatMap((table) => table.dates))].filter((date) => date !== null);
  const times = new Map(dates.map((date) => [date, timeOf(date)]));
  const isTime = [...times.values()].every((time) => time !== undefined);
  const manyAssets = new Set(rows.map(({ asset }) => asset)).size > 1;
  const manyMetrics = new Set(rows.flatMap(({ columns }) => columns.map(({ name }) => name))).size > 1;
  const names = new Map<string, number>();
  const series = rows.flatMap(({ asset, dates, columns }) =>
    columns.map(({ name, values }) => ({
      name: uniqueName(names, nameOf(asset, name, manyAssets, manyMetrics)),
      points: dates.flatMap((date, row) => {
        if (date === null) return [];
        const x = isTime ? times.get(date) : date;
        return x === undefined ? [] : [[x, values[row] ?? null] as const];
      }),
    })),
  );
  return { isTime, texts: isTime ? [] : dates, series };
}

function nameOf(asset: string, metric: string, manyAssets: boolean, manyMetrics: boolean): string {
  if (asset === '' || (!manyAssets && manyMetrics)) return metric;
  return manyMetrics ? `${asset}: ${metric}` : asset;
}

/** Makes names unique: two versions of an asset have the same name, but are two lines. */
function uniqueName(names: Map<string, number>, name: string): string {
  const count = (names.get(name) ?? 0) + 1;
  names.set(name, count);
  return count === 1 ? name : `${name} (${count})`;
}
