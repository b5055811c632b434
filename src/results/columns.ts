import type { RestError } from '../rest/contract/rest-error.ts';
import type { MetricValue, Row, WireField } from '../rest/contract/wire.ts';

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
  const columns = new ColumnsBuilder(rows.length);
  for (const name of names) columns.addColumn(name);
  for (const [place, { valueDate, metrics }] of rows.entries()) {
    columns.addRow(place, valueDate);
    if (metrics instanceof Error) columns.addError(metrics);
    else if (metrics !== null && metrics !== undefined) columns.addMetrics(metrics);
  }
  return columns;
}

/** Builds columns: first all columns, then row by row. */
export class ColumnsBuilder implements Columns {
  readonly valueDates: WireField<string>[];
  readonly metrics: Column[] = [];
  readonly #rowCount: number;
  readonly #columns = new Map<string, { readonly values: WireField<number>[]; lastRow: number }>();
  /** The place of the last row. */
  #row = -1;

  /** @param rowCount the number of rows to come */
  constructor(rowCount: number) {
    this.#rowCount = rowCount;
    this.valueDates = new Array<WireField<string>>(rowCount).fill(null);
  }

  /** Adds a column, unless there is one of this name. */
  addColumn(name: string): void {
    if (this.#columns.has(name)) return;
    const values = new Array<WireField<number>>(this.#rowCount).fill(null);
    this.#columns.set(name, { values, lastRow: -1 });
    this.metrics.push({ name, values });
  }

  /** Adds a row. @param place where it is in the columns */
  addRow(place: number, valueDate: WireField<string>): void {
    this.#row = place;
    this.valueDates[place] = valueDate;
  }

  /** Adds metrics to the last row. */
  addMetrics(metrics: readonly MetricValue[]): void {
    const row = this.#row;
    for (const { name, value } of metrics) {
      const column = typeof name === 'string' ? this.#columns.get(name) : undefined;
      // If a row repeats a metric, the first one wins.
      if (column === undefined || column.lastRow === row) continue;
      column.lastRow = row;
      column.values[row] = value;
    }
  }

  /** Every column has this error in the last row. */
  addError(error: RestError): void {
    for (const { values } of this.#columns.values()) values[this.#row] = error;
  }
}

/** The first metric of that name in a row. Undefined if there is none. */
export function findMetric(metrics: readonly MetricValue[], name: string): MetricValue | undefined {
  return metrics.find((metric) => metric.name === name);
}
