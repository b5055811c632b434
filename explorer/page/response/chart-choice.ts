import { FIRST_LINES } from './line-choice.ts';
import type { DatasetSummary } from './worker/protocol.ts';

/** How values are drawn. */
export const chartKinds = ['lines', 'heat', 'histograms'] as const;
export type ChartKind = (typeof chartKinds)[number];

/** The most metrics that are drawn at first. */
const FIRST_METRICS = 8;

/** With at most so many dates, many assets are a histogram at first: lines would be dots one above another. */
const MAX_HISTOGRAM_DATES = 3;

/** How a dataset can be drawn. The first one is how it is drawn at first. */
export function kindsOf({ dateCount, assets }: DatasetSummary): readonly [ChartKind, ...ChartKind[]] {
  if (dateCount <= MAX_HISTOGRAM_DATES && assets.length > FIRST_LINES) return ['histograms', 'lines', 'heat'];
  return assets.length > 1 ? ['lines', 'heat', 'histograms'] : ['lines', 'histograms'];
}

/** A kind that the user chose, as a view has it. */
export function chosenKind(dataset: DatasetSummary, kind: ChartKind): ChartKind | undefined {
  return kind === kindsOf(dataset)[0] ? undefined : kind;
}

/** The metrics that have a chart, as indexes: those with these names, or the first ones. */
export function drawnMetrics({ metrics }: DatasetSummary, names: readonly string[] | undefined): number[] {
  return metrics.flatMap((name, metric) => ((names?.includes(name) ?? metric < FIRST_METRICS) ? [metric] : []));
}

/** The metrics that the user chose, as a view has them. */
export function chosenMetrics(dataset: DatasetSummary, metrics: readonly number[]): readonly string[] | undefined {
  const isFirst = String(metrics) === String(drawnMetrics(dataset, undefined));
  return isFirst ? undefined : dataset.metrics.filter((_, metric) => metrics.includes(metric));
}
