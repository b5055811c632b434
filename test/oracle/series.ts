import { type Entry, type Field, type Row, WRONG } from './body.ts';
import { instantOf } from './dates.ts';
import { latestOf } from './latest.ts';
import { assetWith, shown } from './objects.ts';
import { periodsOf, type Unit } from './periods.ts';
import { reducedRows } from './reduction.ts';
import { badInput, errorOf, type Reader } from './respond.ts';
import {
  columnsOf,
  firstOfEach,
  isProblem,
  joinedRows,
  metricNames,
  metricsOf,
  type Problem,
  valuesOf,
} from './rows.ts';
import { statisticsOf, tooMany } from './statistics.ts';

/** A series: one entry of `DatasetResults.series`, or all entries of the highest version of an asset. */

const MAX_NAMES = 1000;

type Metrics = { readonly metrics?: readonly string[] | null };

/** The metrics of an argument, each once. Undefined: all. */
export function distinct(metrics: readonly string[] | null | undefined): readonly string[] | undefined | Problem {
  if (metrics === null || metrics === undefined) return undefined;
  return metrics.length > MAX_NAMES ? tooMany : [...new Set(metrics)];
}

/** What is computed may be an error, in itself or in its fields. */
export const orError = <T>(value: T | Problem) => (isProblem(value) ? errorOf(value) : value);

export function withErrors<T extends object>(object: T): T {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, orError(value)])) as T;
}

/** @param latest the entries of the asset's highest version */
export function seriesOf(
  datasetId: string,
  entries: readonly Entry[],
  latest: readonly Entry[],
  reader: Reader,
): object {
  const [{ version, assetId }] = entries as [Entry];
  const rows = joinedRows(entries);
  const of =
    <Args, T>(read: (rows: readonly Row[], args: Args) => T) =>
    (args: Args) =>
      rows === null || rows === WRONG ? shown(rows) : read(rows, args);
  /** A field that names metrics. */
  const named =
    <Args extends Metrics, T>(read: (rows: readonly Row[], names: readonly string[], args: Args) => T) =>
    (args: Args) => {
      const names = distinct(args.metrics);
      if (isProblem(names)) return errorOf(names);
      return of((all: readonly Row[]) => read(all, names ?? metricNames(all), args))(args);
    };
  return {
    asset: () => assetWith(datasetId, assetId, latest[0], reader),
    version: () => (typeof version === 'bigint' ? String(version) : shown(version)),
    rowCount: of((all) => all.length),
    metricNames: of(metricNames),
    rows: ({ first, offset }: { first?: number | null; offset: number }) => {
      if (offset < 0 || (first ?? 0) < 0) return errorOf(badInput);
      const end = first === null || first === undefined ? undefined : offset + first;
      return of((all) => all.slice(offset, end).map(rowOf))({});
    },
    columns: (args: Metrics & { points?: number | null }) => {
      const names = distinct(args.metrics);
      if (isProblem(names)) return errorOf(names);
      if ((args.points ?? 0) < 0) return errorOf(badInput);
      return of((all) => {
        const chosen = names ?? metricNames(all);
        return shownColumns(pointsOf(all, chosen, args.points ?? undefined), chosen);
      })(args);
    },
    latest: of((all) => {
      const latestRow = latestOf(all);
      return isProblem(latestRow) ? errorOf(latestRow) : latestRow && rowOf(latestRow);
    }),
    statistics: named((all, names) => {
      const values = valuesOf(all, names);
      const found = values.invalid ?? statisticsOf([values], [assetId], names, true);
      return isProblem(found) ? errorOf(found) : found.map(withErrors);
    }),
    periods: named((all, names, { every }: Metrics & { every: Unit }) =>
      orError(periodsOf(valuesOf(all, names), every)),
    ),
  };
}

/** The rows of so many points. What is no number does not count. */
function pointsOf(rows: readonly Row[], names: readonly string[], points: number | undefined): readonly Row[] {
  if (points === undefined) return rows;
  const dates = rows.map(({ date }) => (typeof date === 'string' ? instantOf(date) : undefined));
  const columns = Array.from(columnsOf(rows, names).values(), (values) =>
    values.map((value) => (value === WRONG ? null : value)),
  );
  return reducedRows(dates, columns, points).map((row) => rows[row] as Row);
}

function shownColumns(rows: readonly Row[], names: readonly string[]): object {
  const columns = columnsOf(rows, names);
  return {
    rowCount: rows.length,
    valueDates: rows.map(({ date }) => shown(date)),
    metrics: Array.from(columns, ([name, values]) => ({ name, values: values.map(shown) })),
  };
}

/** The fields of a row. */
function rowOf(row: Row): object {
  return {
    valueDate: shown(row.date),
    metrics: ({ metrics: names }: Metrics) => {
      if ((names?.length ?? 0) > MAX_NAMES) return errorOf(tooMany);
      if (row.metrics === null || row.metrics === WRONG) return shown(row.metrics);
      const chosen = row.metrics.filter(({ name }) => !names || (typeof name === 'string' && names.includes(name)));
      return chosen.map(({ name, value }) => ({ name: shown(name), value: shown(value as Field<number>) }));
    },
    value: ({ metric }: { metric: string }) => {
      if (row.metrics === WRONG) return shown(row.metrics);
      return metricsOf(row).length === 0 ? null : shown(firstOfEach(row, new Set([metric])).get(metric)?.value ?? null);
    },
  };
}
