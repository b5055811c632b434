import { pointAt } from './chart-option.ts';
import type { ChartContent } from './content.ts';
import { dateText } from './date-text.ts';
import type { HeatContent } from './heat-content.ts';
import { cellText } from './heat-text.ts';
import { binText, type HistogramContent } from './histogram-option.ts';
import type { LineContent } from './line-content.ts';
import { valueText } from './value-text.ts';
import { valuesAt } from './worker/points.ts';
import type { HeatMap } from './worker/protocol.ts';

/** What a key reads out, and the item of the chart that then has the pointer; undefined if none has. */
export interface Reading {
  readonly text: string;
  readonly item?: { readonly seriesIndex: number; readonly dataIndex: number };
}

/** What the arrow keys read out, one after another. */
export interface Readings {
  readonly count: number;
  /** The number of readings in a row, where they have rows. */
  readonly rowLength?: number;
  at(index: number): Reading;
}

/** The dates of lines, the cells of heat maps, or the bins of histograms. */
export function readingsOf(content: ChartContent): Readings {
  if ('heat' in content) return readingsOfCells(content);
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
    return { text, item: pointAt(content, values[0]?.line.metric ?? 0, x) };
  };
  return { count: xs.length, at };
}

/** A reading for each cell, which names the metric where there are several. */
function readingsOfCells(content: HeatContent): Readings {
  const { dataset, assets } = content;
  const { maps } = content.heat;
  const rowLength = maps[0]?.columns ?? 0;
  const size = assets.length * rowLength;
  return {
    count: maps.length * size,
    rowLength,
    at: (index) => {
      const map = maps[Math.floor(index / size)] as HeatMap;
      const name = maps.length > 1 ? `${dataset.labels[map.metric]} ` : '';
      return { text: `${name}${cellText(content, map, index % size)}` };
    },
  };
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
      return { text: `${name}${binText(histogram, dataIndex)}`, item: { seriesIndex, dataIndex } };
    },
  };
}
