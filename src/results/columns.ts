import type { MetricValue, Row, WireField } from '../rest/wire.ts';

/** The rows of a series, column by column. Every column has one value for each row. */
export interface Columns {
  readonly valueDates: readonly WireField<string>[];
  readonly metrics: readonly Column[];
}

/** All values of one metric. */
export interface Column {
  readonly name: string;
  readonly values: readonly WireField<number>[];
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
 * @param names the columns, in this order; a repeated name counts once, an unknown name gives nulls
 */
export function toColumns(rows: readonly Row[], names: readonly string[]): Columns {
  const columns = new ColumnsBuilder(names, rows.length);
  columns.add(rows);
  return columns;
}

/** Builds columns from batches of rows. */
export class ColumnsBuilder implements Columns {
  readonly valueDates: WireField<string>[] = [];
  readonly metrics: readonly Column[];
  readonly #columns: ReadonlyMap<string, { readonly values: WireField<number>[]; lastRow: number }>;

  /** @param rowCount the number of rows to come */
  constructor(names: readonly string[], rowCount: number) {
    const column = () => ({ values: new Array<WireField<number>>(rowCount).fill(null), lastRow: -1 });
    this.#columns = new Map([...new Set(names)].map((name) => [name, column()]));
    this.metrics = [...this.#columns].map(([name, { values }]) => ({ name, values }));
  }

  /** Adds the next rows. */
  add(rows: readonly Row[]): void {
    for (const { valueDate, metrics } of rows) {
      const row = this.valueDates.push(valueDate) - 1;
      if (metrics === null || metrics === undefined) continue;
      if (metrics instanceof Error) {
        for (const column of this.#columns.values()) column.values[row] = metrics;
        continue;
      }
      for (const { name, value } of metrics) {
        const column = typeof name === 'string' ? this.#columns.get(name) : undefined;
        // If a row repeats a metric, the first one wins.
        if (column === undefined || column.lastRow === row) continue;
        column.lastRow = row;
        column.values[row] = value;
      }
    }
  }
}

/** The first metric of that name in a row. Undefined if there is none. */
export function findMetric(metrics: readonly MetricValue[], name: string): MetricValue | undefined {
  return metrics.find((metric) => metric.name === name);
}
