import { LEADING_COLUMNS } from '../../../../src/core/csv-field.ts';
import { valueText } from '../value-text.ts';
import type { StoredDataset } from './dataset.ts';

/** The most values of a metric whose texts are made. */
const MAX_TEXTS = 2000;

/**
 * The length of the longest text of each column of the table, in characters: the leading columns, then the metrics. Of a metric with
 * many values, the lowest, the highest and a sample count.
 */
export function columnLengths({ tables, dates, summary }: StoredDataset): number[] {
  const longest = (texts: Iterable<string>) => {
    let length = 0;
    for (const text of texts) length = Math.max(length, text.length);
    return length;
  };
  const leading = [
    tables.map(({ asset }) => asset.id),
    tables.map(({ asset }) => asset.name),
    tables.map(({ asset }) => asset.version),
    dates,
  ].slice(0, LEADING_COLUMNS.length);
  const metrics = summary.metrics.map((_, metric) => sampleOf(tables.map(({ columns }) => columns[metric])));
  return [...leading, ...metrics].map(longest);
}

/** The texts of some values: every so many-th, the lowest and the highest. */
function sampleOf(columns: readonly (Float64Array | undefined)[]): Set<string> {
  const count = columns.reduce((sum, column) => sum + (column?.length ?? 0), 0);
  const step = Math.max(1, Math.ceil(count / MAX_TEXTS));
  const texts = new Set<string>();
  let [row, low, high] = [0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const add = (value: number) => {
    if (Number.isFinite(value)) texts.add(valueText(value));
  };
  for (const column of columns) {
    for (const value of column ?? []) {
      if (row++ % step === 0) add(value);
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  add(low);
  add(high);
  return texts;
}
