import type { StoredDataset, StoredTable } from './dataset.ts';
import type { PlaceValues } from './protocol.ts';

/** The x of all dates, each once, upwards. */
export function sortedDates({ xs }: StoredDataset): Float64Array<ArrayBuffer> {
  return Float64Array.from(new Set(xs)).sort();
}

/** The latest value of a metric at or before an x, for each place, and the range of all values of the metric. */
export function placeValuesOf({ tables, xs, summary }: StoredDataset, metric: number, x: number): PlaceValues {
  const count = summary.places.length;
  const values = new Float64Array(count).fill(Number.NaN);
  const dates = new Float64Array(count).fill(Number.NEGATIVE_INFINITY);
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const visit = ({ columns, dates: rows }: StoredTable, place: number) => {
    const column = columns[metric];
    if (column === undefined) return;
    for (let row = 0; row < column.length; row++) {
      const value = column[row] ?? Number.NaN;
      const at = xs[rows[row] ?? -1];
      if (Number.isNaN(value) || at === undefined) continue;
      min = Math.min(min, value);
      max = Math.max(max, value);
      // Of equal dates, the last row counts: it is that of the newest version.
      if (at > x || at < (dates[place] ?? 0)) continue;
      values[place] = value;
      dates[place] = at;
    }
  };
  summary.places.forEach(({ assets }, place) => {
    for (const asset of assets) {
      const table = tables[asset];
      if (table !== undefined) visit(table, place);
    }
  });
  return { values, dates, min, max };
}
