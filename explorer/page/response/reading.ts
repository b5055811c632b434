import { pointAt } from './chart-option.ts';
import { dateText } from './date-text.ts';
import { binText, type HistogramContent } from './histogram-option.ts';
import type { LineContent } from './line-content.ts';
import { valueText } from './value-text.ts';
import { valuesAt } from './worker/points.ts';

/** What a key reads out, and the item of the chart that then has the pointer. */
export interface Reading {
  readonly text: string;
  readonly seriesIndex: number;
  readonly dataIndex: number;
}

/** What the arrow keys read out, one after another. */
export interface Readings {
  readonly count: number;
  at(index: number): Reading;
}

/** The dates of lines, or the bins of histograms. */
export function readingsOf(content: LineContent | HistogramContent): Readings {
  return 'lines' in content ? readingsOfLines(content) : readingsOfBins(content);
}

/** The maximum number of values that are read out. */
const MAX_VALUES = 24;

/** A reading for each date. It names the assets and the metrics where there are several. */
function readingsOfLines(content: LineContent): Readings {
  const { dataset, lines, envelopes } = content;
  const hasAssets = new Set(lines.map(({ asset }) => asset)).size > 1;
  const hasMetrics = new Set(lines.map(({ metric }) => metric)).size > 1;
  const everyX = envelopes.flatMap(({ points }) => [...points.filter((_, index) => index % 2 === 0)]);
  const xs = Float64Array.from(new Set(everyX)).sort();
  const at = (index: number) => {
    const x = xs[index] ?? Number.NaN;
    const values = lines.flatMap((line) => valuesAt(line.points, x).map((y) => ({ line, y })));
    const texts = values.slice(0, MAX_VALUES).map(({ line: { asset, metric }, y }) => {
      const [label, name] = [dataset.assets[asset]?.label ?? '', dataset.labels[metric] ?? ''];
      const who = hasAssets && hasMetrics ? `${label}: ${name}` : hasAssets ? label : name;
      return `${who} ${valueText(y)}`;
    });
    const more = values.length > MAX_VALUES ? [`and ${values.length - MAX_VALUES} more`] : [];
    const text = `${dateText(dataset, x)}: ${[...texts, ...more].join(', ')}`;
    return { text, ...pointAt(content, values[0]?.line.metric ?? 0, x) };
  };
  return { count: xs.length, at };
}

/** A reading for each bin, which names the metric where there are several. */
function readingsOfBins({ dataset, histograms }: HistogramContent): Readings {
  const bins = histograms.flatMap((histogram, seriesIndex) =>
    [...histogram.counts.keys()].map((dataIndex) => ({ histogram, seriesIndex, dataIndex })),
  );
  return {
    count: bins.length,
    at: (index) => {
      const { histogram, seriesIndex, dataIndex } = bins[index] as (typeof bins)[number];
      const name = histograms.length > 1 ? `${dataset.labels[histogram.metric]} ` : '';
      return { text: `${name}${binText(histogram, dataIndex)}`, seriesIndex, dataIndex };
    },
  };
}
