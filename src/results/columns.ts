import type { RestError } from '../rest/contract/rest-error.ts';
import type { MetricValue, WireField } from '../rest/contract/wire.ts';

/** All values of one metric. */
interface Column {
  readonly name: string;
  readonly values: readonly WireField<number>[];
}

/** Builds the columns of a series, each with one value for each row: first all columns, then row by row. */
export class ColumnsBuilder {
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
