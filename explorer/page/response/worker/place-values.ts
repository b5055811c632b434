import type { StoredDataset, StoredTable } from './dataset.ts';
import type { PlaceValues } from './protocol.ts';
import { sortedValues } from './sorted-values.ts';
import { usualRange } from './usual-range.ts';

/** The x of all dates, each once, upwards. */
export function sortedDates({ xs }: StoredDataset): Float64Array<ArrayBuffer> {
  return Float64Array.from(new Set(xs)).sort();
}

/** The latest value of a metric at or before an x, for each place, and the usual range of all values of the metric. */
export function placeValuesOf(dataset: StoredDataset, metric: number, x: number): PlaceValues {
  const { tables, xs, summary } = dataset;
  const count = summary.places.length;
  const values = new Float64Array(count).fill(Number.NaN);
  const dates = new Float64Array(count).fill(Number.NEGATIVE_INFINITY);
  const visit = ({ columns, dates: rows }: StoredTable, place: number) => {
    const column = columns[metric];
    if (column === undefined) return;
    for (let row = 0; row < column.length; row++) {
      const value = column[row] ?? Number.NaN;
      const at = xs[rows[row] ?? -1];
      // Of equal dates, the last row counts: it is that of the newest version.
      if (Number.isNaN(value) || at === undefined || at > x || at < (dates[place] ?? 0)) continue;
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
  return { values, dates, ...rangeOf(dataset, metric) };
}

/** The ranges that are known: the same for all dates, so that a colour means the same at each. */
const ranges = new WeakMap<StoredDataset, Map<number, ReturnType<typeof usualRange>>>();

function rangeOf(dataset: StoredDataset, metric: number): ReturnType<typeof usualRange> {
  const known = ranges.get(dataset) ?? new Map<number, ReturnType<typeof usualRange>>();
  ranges.set(dataset, known);
  const range = known.get(metric) ?? usualRange(sortedValues(columnsOf(dataset, metric)));
  known.set(metric, range);
  return range;
}

/** The values of a metric at the places of a dataset. */
function columnsOf({ tables, summary: { places } }: StoredDataset, metric: number): Float64Array[] {
  return places.flatMap(({ assets }) => assets.flatMap((asset) => tables[asset]?.columns[metric] ?? []));
}
