import { LEADING_COLUMNS } from '../src/core/csv-field.ts';
import { spreadsheetDateColumn } from '../src/core/spreadsheet-field.ts';

/** A column of one metric. */
export interface WideColumn {
  readonly metric: string;
  /** The name of the column: that of the metric, or with a number where that is empty or another column's in any case. */
  readonly name: string;
}

/**
 * The columns of metrics. Their names differ from each other and from those of the columns before them, not only in case:
 * many readers, such as DuckDB, do not see that.
 */
export function wideColumns(metrics: Iterable<string>): WideColumn[] {
  // In each format the same names are taken.
  const taken = new Set<string>(['', ...LEADING_COLUMNS, ...LEADING_COLUMNS.map(spreadsheetDateColumn)]);
  /** The last number behind each name. */
  const numbers = new Map<string, number>();
  return Array.from(metrics, (metric) => {
    const wanted = metric.toWellFormed();
    const lower = wanted.toLowerCase();
    let name = wanted;
    for (let count = numbers.get(lower) ?? 1; taken.has(name.toLowerCase()); ) {
      count += 1;
      numbers.set(lower, count);
      name = `${wanted}_${count}`;
    }
    taken.add(name.toLowerCase());
    return { metric, name };
  });
}
