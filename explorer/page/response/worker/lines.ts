import type { StoredDataset, StoredTable } from './dataset.ts';
import type { HeatMap, HeatMaps, Lines, LinesRequest } from './protocol.ts';
import { type IsGap, reduce } from './reduce.ts';

/** The most points of all lines together. More would take the page too long to draw. */
const MAX_POINTS = 100_000;

/** The lines of some metrics of some assets. */
export function linesOf(
  dataset: StoredDataset,
  { assets, metrics, isLogarithmic = false, range }: LinesRequest,
): Lines {
  const isGap: IsGap = isLogarithmic ? (value) => !(value > 0) : Number.isNaN;
  const all = metrics.flatMap((metric) =>
    assets.flatMap((asset) => {
      const table = dataset.tables[asset];
      const values = table?.columns[metric];
      if (table === undefined || values === undefined) return [];
      return [{ asset, metric, points: pointsOf(dataset, table, values) }];
    }),
  );
  const isReduced = all.reduce((sum, { points }) => sum + points.length / 2, 0) > MAX_POINTS;
  const most = Math.floor(MAX_POINTS / all.length);
  const lines = all.map((line) => {
    const points = isReduced ? reduce(line.points, most, isGap, range) : line.points;
    return { ...line, points, hasLonelyPoint: hasLonelyPoint(points, isGap) };
  });
  return { lines, isReduced, leftOut: isLogarithmic ? countNonPositive(all) : 0 };
}

/** The number of values that have no place on a logarithmic axis. */
function countNonPositive(lines: readonly { readonly points: Float64Array }[]): number {
  let count = 0;
  for (const { points } of lines) for (let at = 1; at < points.length; at += 2) if ((points[at] ?? 1) <= 0) count++;
  return count;
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
  return length === points.length ? points : points.slice(0, length);
}

/** Whether a point is between gaps: it is on no line, so only a mark can show it. */
function hasLonelyPoint(points: Float64Array, isGap: IsGap): boolean {
  const isGapAt = (row: number) => isGap(points[row * 2 + 1] ?? Number.NaN);
  for (let row = 0; row * 2 < points.length; row++) {
    if (!isGapAt(row) && isGapAt(row - 1) && isGapAt(row + 1)) return true;
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
  return { maps: metrics.map((metric) => heatMapOf(dataset, assets, metric, columns, columnOfDate)), xs };
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
