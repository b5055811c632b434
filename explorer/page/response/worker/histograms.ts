import type { StoredDataset } from './dataset.ts';
import type { Histogram, Histograms, LinesRequest } from './protocol.ts';

/** The most bins of a histogram. */
const MAX_BINS = 40;

/** How many values of some assets are in which range, for each of some metrics. */
export function histogramsOf({ tables }: StoredDataset, { assets, metrics }: LinesRequest): Histograms {
  return {
    histograms: metrics.map((metric) => {
      const columns = assets.flatMap((asset) => tables[asset]?.columns[metric] ?? []);
      return histogramOf(metric, columns);
    }),
  };
}

function histogramOf(metric: number, columns: readonly Float64Array[]): Histogram {
  let [min, max, total] = [Infinity, -Infinity, 0];
  for (const column of columns) {
    for (const value of column) {
      if (Number.isNaN(value)) continue;
      min = Math.min(min, value);
      max = Math.max(max, value);
      total++;
    }
  }
  if (total === 0) return { metric, first: 0, width: 1, counts: new Uint32Array(0), total };
  const width = binWidth(min, max);
  const first = binOf(min, width);
  const counts = new Uint32Array(binOf(max, width) - first + 1);
  for (const column of columns) {
    for (const value of column) {
      const bin = binOf(value, width) - first;
      if (!Number.isNaN(bin)) counts[bin] = (counts[bin] ?? 0) + 1;
    }
  }
  return { metric, first, width, counts, total };
}

/** The number of a value's bin, counted from zero. 0.3 is at the lower end of a bin with the width 0.1, whatever the division says. */
function binOf(value: number, width: number): number {
  return Math.floor(value / width + 1e-9);
}

/** A width of 1, 2 or 5 times a power of ten, with which the values fill at most so many bins. */
function binWidth(min: number, max: number): number {
  const least = (max - min) / (MAX_BINS - 1) || Math.abs(max) / MAX_BINS || 1;
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5].find((factor) => power * factor >= least) ?? 10);
}
