import type { MetricValue, Received, Row } from '../rest/wire.ts';

/** The rows of a series, column by column; every column is as long as there are rows. */
export interface Columns {
  readonly valueDates: readonly Received<string>[];
  readonly metrics: readonly Column[];
}

/** All values of one metric. */
export interface Column {
  readonly name: string;
  readonly values: readonly Received<number>[];
}

/** The distinct names of the metrics of rows, in the order of their first appearance. */
export function metricNames(rows: readonly Row[]): string[] {
  const names = new Set<string>();
  for (const { metrics } of rows) {
    if (metrics === null || metrics === undefined || metrics instanceof Error) continue;
    for (const { name } of metrics) if (typeof name === 'string') names.add(name);
  }
  return [...names];
}

/**
 * Turns rows into columns.
 *
 * @param names the columns wanted, in this order; a repeated one counts once, an unknown one is all null
 */
export function toColumns(rows: readonly Row[], names: readonly string[]): Columns {
  const wanted = [...new Set(names)];
  const columns = new Map(wanted.map((name) => [name, new Array<Received<number>>(rows.length).fill(null)]));
  const lastRow = new Map(wanted.map((name) => [name, -1]));
  for (const [index, { metrics }] of rows.entries()) {
    if (metrics === null || metrics === undefined) continue;
    if (metrics instanceof Error) {
      for (const column of columns.values()) column[index] = metrics;
      continue;
    }
    for (const { name, value } of metrics) {
      if (typeof name !== 'string') continue;
      const column = columns.get(name);
      // A metric repeated within a row: the first wins.
      if (column === undefined || lastRow.get(name) === index) continue;
      lastRow.set(name, index);
      column[index] = value;
    }
  }
  return {
    valueDates: rows.map((row) => row.valueDate),
    metrics: [...columns].map(([name, values]) => ({ name, values })),
  };
}

/** The first metric of that name in a row; undefined where there is none. */
export function findMetric(metrics: readonly MetricValue[], name: string): MetricValue | undefined {
  return metrics.find((metric) => metric.name === name);
}
