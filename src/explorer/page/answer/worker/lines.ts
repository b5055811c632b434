import type { StoredDataset, StoredTable } from './dataset.ts';
import type { HeatMap, HeatMaps, Lines, LinesRequest } from './protocol.ts';
import { reduce } from './reduce.ts';

/** The most points of all lines together. More would take the page too long to draw. */
const MAX_POINTS = 100_000;

/** The lines of some metrics of some assets. */
export function linesOf(dataset: StoredDataset, { assets, metrics, range }: LinesRequest): Lines {
  const lines = metrics.flatMap((metric) =>
    assets.flatMap((asset) => {
      const table = dataset.tables[asset];
      const values = table?.columns[metric];
      if (table === undefined || values === undefined) return [];
      return [{ asset, metric, ...pointsOf(dataset, table, values) }];
    }),
  );
  const total = lines.reduce((sum, { points }) => sum + points.length / 2, 0);
  if (total <= MAX_POINTS) return { lines, isReduced: false };
  const most = Math.floor(MAX_POINTS / lines.length);
  return { lines: lines.map((line) => ({ ...line, points: reduce(line.points, most, range) })), isReduced: true };
}

function pointsOf({ xs }: StoredDataset, { dates }: StoredTable, values: Float64Array) {
  const points = new Float64Array(dates.length * 2);
  let length = 0;
  for (let row = 0; row < dates.length; row++) {
    const x = xs[dates[row] ?? -1];
    if (x === undefined) continue;
    points[length++] = x;
    points[length++] = values[row] ?? Number.NaN;
  }
  const trimmed = length === points.length ? points : points.slice(0, length);
  return { points: trimmed, hasLonelyPoint: hasLonelyPoint(trimmed) };
}

/** Whether a point is between gaps: it is on no line, so only a mark can show it. */
function hasLonelyPoint(points: Float64Array): boolean {
  const isGap = (row: number) => Number.isNaN(points[row * 2 + 1] ?? Number.NaN);
  for (let row = 0; row * 2 < points.length; row++) {
    if (!isGap(row) && isGap(row - 1) && isGap(row + 1)) return true;
  }
  return false;
}

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
  const columns = Math.max(1, Math.min(MAX_COLUMNS, xs.length));
  // The first and the last date are the middles of the outer cells.
  const columnOfDate = Int32Array.from(xs, (x) =>
    last === first ? 0 : Math.round(((x - first) / (last - first)) * (columns - 1)),
  );
  return {
    maps: metrics.map((metric) => heatMapOf(dataset, assets, metric, columns, columnOfDate)),
  };
}

function heatMapOf(
  { tables }: StoredDataset,
  assets: readonly number[],
  metric: number,
  columns: number,
  columnOfDate: Int32Array,
): HeatMap {
  const sums = new Float64Array(assets.length * columns);
  const counts = new Uint32Array(assets.length * columns);
  assets.forEach((asset, position) => {
    const table = tables[asset];
    const values = table?.columns[metric];
    if (table === undefined || values === undefined) return;
    for (let row = 0; row < values.length; row++) {
      const [value, column] = [values[row] ?? Number.NaN, columnOfDate[table.dates[row] ?? -1]];
      if (Number.isNaN(value) || column === undefined) continue;
      const cell = position * columns + column;
      sums[cell] = (sums[cell] ?? 0) + value;
      counts[cell] = (counts[cell] ?? 0) + 1;
    }
  });
  const cells = new Float32Array(sums.length).fill(Number.NaN);
  let [min, max] = [Infinity, -Infinity];
  for (let cell = 0; cell < cells.length; cell++) {
    if (counts[cell] === 0) continue;
    const mean = (sums[cell] ?? 0) / (counts[cell] ?? 1);
    cells[cell] = mean;
    min = Math.min(min, mean);
    max = Math.max(max, mean);
  }
  return { metric, cells, columns, min, max };
}
