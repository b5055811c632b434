import type { StoredDataset } from './dataset.ts';
import { sortedDates } from './place-values.ts';
import type { HeatMap, HeatMaps, LinesRequest } from './protocol.ts';
import { sortedValues } from './sorted-values.ts';
import { stepsOf } from './steps.ts';
import { usualRange } from './usual-range.ts';

/** The maximum number of columns of a heat map: about its width in pixels. */
const MAX_COLUMNS = 800;

/** The columns of heat maps, and the column of each date. */
interface Columns {
  readonly count: number;
  readonly ofDate: Int32Array;
  /** The x of each column; undefined where columns are time slices. */
  readonly xs: Float64Array<ArrayBuffer> | undefined;
}

/** The values of some metrics of some assets as heat maps. */
export function heatMapsOf(dataset: StoredDataset, { assets, metrics }: LinesRequest): HeatMaps {
  const columns = columnsOf(dataset);
  return {
    maps: metrics.map((metric) => heatMapOf(dataset, assets, metric, columns)),
    xs: dataset.xs,
    columnXs: columns.xs,
  };
}

/** Regular times have a column for each step, so that a gap is as wide as it is long; other dates have one for each. */
function columnsOf(dataset: StoredDataset): Columns {
  const {
    xs,
    summary: {
      isTime,
      extent: [first, last],
    },
  } = dataset;
  const dates = sortedDates(dataset);
  const steps = isTime ? stepsOf(dates) : undefined;
  if (steps === undefined && dates.length <= MAX_COLUMNS) {
    const indexes = new Map(Array.from(dates, (x, index) => [x, index]));
    return { count: dates.length, ofDate: Int32Array.from(xs, (x) => indexes.get(x) ?? -1), xs: dates };
  }
  const slices = steps === undefined ? MAX_COLUMNS : Math.round((last - first) / steps.mean) + 1;
  const count = Math.min(MAX_COLUMNS, slices);
  // The first and the last date are the middles of the outer cells.
  const ofDate = Int32Array.from(xs, (x) => Math.round(((x - first) / (last - first)) * (count - 1)));
  return { count, ofDate, xs: undefined };
}

function heatMapOf(
  { tables, xs }: StoredDataset,
  assets: readonly number[],
  metric: number,
  columns: Columns,
): HeatMap {
  const size = assets.length * columns.count;
  const sorted = sortedValues(assets.flatMap((asset) => tables[asset]?.columns[metric] ?? []));
  const median = sorted[sorted.length >> 1] ?? Number.NaN;
  const cells = new Float64Array(size).fill(Number.NaN);
  const [counts, firsts, lasts] = [new Uint32Array(size), new Uint32Array(size), new Uint32Array(size)];
  const xOf = (date = 0) => xs[date] ?? 0;
  const distanceOf = (value = Number.NaN) => Math.abs(value - median);
  assets.forEach((asset, position) => {
    const table = tables[asset];
    const values = table?.columns[metric];
    if (table === undefined || values === undefined) return;
    for (let row = 0; row < values.length; row++) {
      const value = values[row] ?? Number.NaN;
      const date: number = table.dates[row] ?? -1;
      const column: number | undefined = columns.ofDate[date];
      if (Number.isNaN(value) || column === undefined) continue;
      const cell = position * columns.count + column;
      if (counts[cell] === 0 || distanceOf(value) > distanceOf(cells[cell])) cells[cell] = value;
      if (counts[cell] === 0 || xOf(date) < xOf(firsts[cell])) firsts[cell] = date;
      if (counts[cell] === 0 || xOf(date) > xOf(lasts[cell])) lasts[cell] = date;
      counts[cell] = (counts[cell] ?? 0) + 1;
    }
  });
  const [min = Infinity, max = -Infinity] = [sorted[0], sorted.at(-1)];
  return { metric, cells, counts, firsts, lasts, columns: columns.count, median, min, max, usual: usualRange(sorted) };
}
