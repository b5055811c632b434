import type { StackLayout } from './axes.ts';
import { chartOption, lineLayout } from './chart-option.ts';
import type { ChartOption } from './echarts.ts';
import { headingOf } from './heading.ts';
import type { HeatContent } from './heat-content.ts';
import { heatLayout, heatOption, type PointerIn } from './heat-option.ts';
import { type HistogramContent, histogramOption } from './histogram-option.ts';
import type { LineContent } from './line-content.ts';
import type { Colours } from './theme.ts';

/** What the charts show of one dataset. */
export type ChartContent = LineContent | HeatContent | HistogramContent;

/** The metrics that have a chart. */
function metricsOf(content: ChartContent): readonly number[] {
  if ('lines' in content) return content.metrics;
  return ('heat' in content ? content.heat.maps : content.histograms).map(({ metric }) => metric);
}

/** The layout of the charts on the screen. */
export function layoutOf(content: ChartContent): StackLayout {
  if ('heat' in content) return heatLayout(content);
  if ('lines' in content) return lineLayout(content);
  return { count: content.histograms.length, top: 0, hasSlider: false };
}

/** The chart option. `alt` is the text alternative. */
export function optionOf(
  content: ChartContent,
  colours: Colours,
  alt: string,
  layout: StackLayout,
  pointer: PointerIn,
): ChartOption {
  if ('lines' in content) return chartOption(content, colours, alt, layout, pointer);
  if ('heat' in content) return heatOption(content, colours, alt, layout, pointer);
  return histogramOption(content, colours, alt, layout);
}

/** The kind of the charts, for screen readers. */
export function roleOf(content: ChartContent): string {
  if ('lines' in content) return 'line chart';
  return 'heat' in content ? 'heat map' : 'histogram';
}

/** The most names in the text alternative. */
const MAX_NAMES = 20;

/** The text alternative of the charts. */
export function altOf(content: ChartContent): string {
  const { dataset } = content;
  const assets = 'lines' in content ? [...content.slots.keys()] : content.assets;
  const charts = metricsOf(content).map((metric) => dataset.labels[metric]);
  const names = assets.map((asset) => dataset.assets[asset]?.label ?? '').filter((label) => label !== '');
  const rows = names.length > MAX_NAMES ? `${names.length} assets` : names.join(', ');
  const [kind, rowKind] =
    'lines' in content ? ['Charts', 'Lines'] : 'heat' in content ? ['Heat maps', 'Rows'] : ['Histograms', 'Values of'];
  return [
    `${headingOf(dataset)}.`,
    `${kind}: ${charts.join(', ')}.`,
    ...(rows === '' ? [] : [`${rowKind}: ${rows}.`]),
    'The arrow keys read out the values.',
  ].join(' ');
}
