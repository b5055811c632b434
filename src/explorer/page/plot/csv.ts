import { textField } from '../../../core/csv-field.ts';
import type { Plot } from './response.ts';

/**
 * The plot's values as CSV (RFC 4180), with a line for each date of each asset and a column for each metric. A missing value
 * is an empty cell.
 */
export function csvOf({ title, rows }: Plot): string {
  const metrics = [...new Set(rows.flatMap(({ columns }) => columns.map(({ name }) => name)))];
  const lines = rows.flatMap(({ asset, dates, columns }) => {
    const byName = new Map(columns.map((column) => [column.name, column.values]));
    return dates.map((date, row) => [
      textField(title),
      textField(asset),
      textField(date ?? ''),
      ...metrics.map((metric) => String(byName.get(metric)?.[row] ?? '')),
    ]);
  });
  const header = ['dataset', 'asset', 'date', ...metrics].map(textField);
  return [header, ...lines].map((cells) => `${cells.join(',')}\r\n`).join('');
}
