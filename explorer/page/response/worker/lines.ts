import type { StoredDataset, StoredTable } from './dataset.ts';
import { overviewOf } from './overview.ts';
import type { Envelope, Line, LineStatistics, Lines, LinesRequest } from './protocol.ts';
import { type IsGap, keptRows } from './reduce.ts';
import { stepsOf } from './steps.ts';

/** The most points of all lines together. More would take the page too long to draw. */
const MAX_POINTS = 50_000;

/** The lines of some metrics of some assets. */
export function linesOf(
  dataset: StoredDataset,
  { assets, metrics, isLogarithmic = false, range }: LinesRequest,
): Lines {
  const isGap: IsGap = isLogarithmic ? (value) => !(value > 0) : Number.isNaN;
  const dated = new Map(
    assets.flatMap((asset) => {
      const table = dataset.tables[asset];
      return table === undefined ? [] : [[asset, datedRows(dataset, table)]];
    }),
  );
  const all = metrics.flatMap((metric) =>
    assets.flatMap((asset) => {
      const [rows, table] = [dated.get(asset), dataset.tables[asset]];
      const values = table?.columns[metric];
      if (rows === undefined || values === undefined) return [];
      const points = pointsOf(rows, values);
      return [{ asset, metric, points, runs: rows.runs, statistics: statisticsOf(points, table?.isReduced) }];
    }),
  );
  const isReduced = all.reduce((sum, { points }) => sum + points.length / 2, 0) > MAX_POINTS;
  const most = Math.floor(MAX_POINTS / all.length);
  const lines = all.map(({ asset, metric, points, runs, statistics }): Line => {
    if (!isReduced) return { asset, metric, points, starts: startsOf(runs), statistics };
    const kept = Uint32Array.from(keptRows(points, most, isGap, range));
    const at = (index: number) => points[(kept[index >> 1] ?? 0) * 2 + (index & 1)] ?? Number.NaN;
    return {
      asset,
      metric,
      points: new Float64Array(kept.length * 2).map((_, index) => at(index)),
      starts: startsOf(kept.map((row) => runs[row] ?? 0)),
      statistics,
    };
  });
  const envelopes = metrics.map((metric) => envelopeOf(lines, metric, isGap));
  return {
    lines,
    envelopes,
    overview: overviewOf(
      lines.filter(({ metric }) => metric === metrics[0]),
      dataset.summary.extent,
      isGap,
      envelopes[0] ?? { min: 0, max: 0 },
    ),
    isReduced,
    omitted: isLogarithmic ? countNonPositive(all) : 0,
  };
}

/** The number of values that have no place on a logarithmic axis. */
function countNonPositive(lines: readonly { readonly points: Float64Array }[]): number {
  let count = 0;
  for (const { points } of lines) for (let at = 1; at < points.length; at += 2) if ((points[at] ?? 1) <= 0) count++;
  return count;
}

/** The rows of an asset that have a date, in the order of their dates. */
interface DatedRows {
  readonly rows: Int32Array;
  readonly xs: Float64Array;
  /** The number of gaps in time before each row. */
  readonly runs: Uint32Array;
}

function datedRows(dataset: StoredDataset, { dates }: StoredTable): DatedRows {
  const { times, ranks, xs: xOfDate, summary } = dataset;
  const timeOf = (row: number) => times[dates[row] ?? -1] ?? 0;
  const rankOf = (row: number) => ranks[dates[row] ?? -1] ?? 0;
  const rows = Int32Array.from(dates.keys())
    .filter((row) => dates[row] !== -1)
    .sort((a, b) => rankOf(a) - rankOf(b) || a - b);
  const sorted = Float64Array.from(rows, timeOf);
  const longest = (summary.isTime ? stepsOf(sorted)?.longest : undefined) ?? Number.POSITIVE_INFINITY;
  let gaps = 0;
  const runs = Uint32Array.from(sorted, (time, index) => {
    if (time - (sorted[index - 1] ?? time) > longest) gaps++;
    return gaps;
  });
  return { rows, xs: Float64Array.from(rows, (row) => xOfDate[dates[row] ?? -1] ?? 0), runs };
}

function pointsOf({ rows, xs }: DatedRows, values: Float64Array): Float64Array<ArrayBuffer> {
  const points = new Float64Array(rows.length * 2);
  for (let index = 0; index < rows.length; index++) {
    points[index * 2] = xs[index] ?? 0;
    points[index * 2 + 1] = values[rows[index] ?? -1] ?? Number.NaN;
  }
  return points;
}

function statisticsOf(points: Float64Array, isReduced = false): LineStatistics {
  let [min, max, sum, count] = [Infinity, -Infinity, 0, 0];
  for (let at = 1; at < points.length; at += 2) {
    const value = points[at] ?? Number.NaN;
    if (Number.isNaN(value)) continue;
    min = Math.min(min, value);
    max = Math.max(max, value);
    sum += value;
    count++;
  }
  if (count === 0) return { min: Number.NaN, mean: Number.NaN, max: Number.NaN };
  return { min, mean: isReduced ? Number.NaN : sum / count, max };
}

/** 1 for each point that begins a run. */
function startsOf(runs: Uint32Array): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(runs, (run, index) => Number(run !== runs[index - 1]));
}

/** The lowest and the highest value of a metric at each date that a line has a point at. */
function envelopeOf(lines: readonly Line[], metric: number, isGap: IsGap): Envelope {
  const ranges = new Map<number, { low: number; high: number }>();
  let [min, max] = [Infinity, -Infinity];
  for (const { points } of lines.filter((line) => line.metric === metric)) {
    for (let at = 0; at < points.length; at += 2) {
      const [x = 0, value = Number.NaN] = [points[at], points[at + 1]];
      let range = ranges.get(x);
      if (range === undefined) {
        range = { low: Infinity, high: -Infinity };
        ranges.set(x, range);
      }
      if (isGap(value)) continue;
      if (value < range.low) range.low = value;
      if (value > range.high) range.high = value;
      if (value < min) min = value;
      if (value > max) max = value;
    }
  }
  const points = [...ranges]
    .sort(([a], [b]) => a - b)
    .flatMap(([x, { low, high }]) => (low < high ? [x, low, x, high] : [x, low === high ? low : Number.NaN]));
  return { metric, points: Float64Array.from(points), min, max };
}
