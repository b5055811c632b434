import type { StoredDataset } from './dataset.ts';
import type { HeatMap, HeatMaps, LinesRequest } from './protocol.ts';
import { stepsOf } from './steps.ts';

/** The maximum number of time slices of a heat map: about its width in pixels. */
const MAX_COLUMNS = 800;

/** The values of some metrics of some assets as heat maps. A cell is the mean of its values. */
export function heatMapsOf(dataset: StoredDataset, { assets, metrics }: LinesRequest): HeatMaps {
  const {
    xs,
    summary: {
      extent: [first, last],
    },
  } = dataset;
  const columns = Math.max(1, Math.min(MAX_COLUMNS, countSlices(dataset)));
  // The first and the last date are the middles of the outer cells.
  const columnOfDate = Int32Array.from(xs, (x) =>
    last === first ? 0 : Math.round(((x - first) / (last - first)) * (columns - 1)),
  );
  return { maps: metrics.map((metric) => heatMapOf(dataset, assets, metric, columns, columnOfDate)), xs };
}

/** The number of usual steps in the whole time, so that a gap is as wide as it is long; without one, the number of dates. */
function countSlices({ xs, summary: { isTime, extent } }: StoredDataset): number {
  const steps = isTime ? stepsOf(xs.toSorted()) : undefined;
  return steps === undefined ? xs.length : Math.round((extent[1] - extent[0]) / steps.usual) + 1;
}

function heatMapOf(
  { tables, xs }: StoredDataset,
  assets: readonly number[],
  metric: number,
  columns: number,
  columnOfDate: Int32Array,
): HeatMap {
  const size = assets.length * columns;
  // The sums of the values first, then their means.
  const cells = new Float64Array(size);
  const [counts, firsts, lasts] = [new Uint32Array(size), new Uint32Array(size), new Uint32Array(size)];
  const xOf = (date = 0) => xs[date] ?? 0;
  assets.forEach((asset, position) => {
    const table = tables[asset];
    const values = table?.columns[metric];
    if (table === undefined || values === undefined) return;
    for (let row = 0; row < values.length; row++) {
      const value = values[row] ?? Number.NaN;
      const date: number = table.dates[row] ?? -1;
      const column: number | undefined = columnOfDate[date];
      if (Number.isNaN(value) || column === undefined) continue;
      const cell = position * columns + column;
      cells[cell] = (cells[cell] ?? 0) + value;
      if (counts[cell] === 0 || xOf(date) < xOf(firsts[cell])) firsts[cell] = date;
      if (counts[cell] === 0 || xOf(date) > xOf(lasts[cell])) lasts[cell] = date;
      counts[cell] = (counts[cell] ?? 0) + 1;
    }
  });
  let [min, max] = [Infinity, -Infinity];
  for (let cell = 0; cell < cells.length; cell++) {
    // A cell without values gets NaN.
    const mean = (cells[cell] ?? 0) / (counts[cell] ?? 0);
    cells[cell] = mean;
    if (counts[cell] === 0) continue;
    min = Math.min(min, mean);
    max = Math.max(max, mean);
  }
  return { metric, cells, counts, firsts, lasts, columns, min, max };
}
