import { areasOf } from './area-option.ts';
import { type StackLayout, shortNumber, stackOption } from './axes.ts';
import { type ChartOption, echarts } from './echarts.ts';
import { type Colours, lineStyleOf, tooltipStyle } from './theme.ts';
import { timeText } from './worker/dates.ts';
import type { DatasetSummary, Line } from './worker/protocol.ts';

/** The lines of one dataset, and how they are drawn. */
export interface LineContent {
  readonly dataset: DatasetSummary;
  readonly lines: readonly Line[];
  /** The metrics that have a chart. */
  readonly metrics: readonly number[];
  /** The slot of each drawn asset, which decides its colour and dash. */
  readonly slots: ReadonlyMap<number, number>;
  readonly isLogarithmic: boolean;
}

/** The maximum number of points of a line that have marks. */
const MAX_MARKS = 60;

/** A line with at least so many points is downsampled to its width. */
const MANY_POINTS = 2000;

/** The chart option for these lines: a chart for each metric. `alt` is the text alternative. */
export function chartOption(content: LineContent, colours: Colours, alt: string): ChartOption {
  const { dataset, lines, metrics, slots, isLogarithmic } = content;
  const headings = metrics.map((metric) => `${dataset.metrics[metric]}${isLogarithmic ? ' (logarithmic)' : ''}`);
  return {
    ...stackOption(dataset, headings, layoutOf(metrics.length), colours),
    aria: { enabled: true, label: { description: alt } },
    tooltip: { ...tooltipStyle(colours), trigger: 'axis', formatter: tooltipOf(content, colours) },
    yAxis: metrics.map((_, index) => ({
      gridIndex: index,
      type: isLogarithmic ? 'log' : 'value',
      scale: true,
      splitNumber: metrics.length > 2 ? 3 : 5,
      axisLabel: { color: colours.text, formatter: shortNumber, hideOverlap: true },
      splitLine: { lineStyle: { color: colours.faint } },
    })),
    // The areas come last, because the place of a line among the series is that among the lines.
    series: [
      ...lines.map((line) => ({
        id: `${line.asset} ${line.metric}`,
        name: dataset.assets[line.asset]?.label ?? '',
        type: 'line',
        xAxisIndex: metrics.indexOf(line.metric),
        yAxisIndex: metrics.indexOf(line.metric),
        dimensions: ['x', 'y'],
        data: isLogarithmic ? positive(line.points) : line.points,
        connectNulls: false,
        showSymbol: line.points.length / 2 <= MAX_MARKS || line.hasLonelyPoint,
        showAllSymbol: true,
        symbolSize: 5,
        ...(line.points.length / 2 > MANY_POINTS && { sampling: 'lttb' }),
        itemStyle: { color: lineStyleOf(colours, slots.get(line.asset) ?? 0).color },
        lineStyle: strokeOf(content, line, colours),
        emphasis: { disabled: true },
        silent: true,
      })),
      ...areasOf(content, colours),
    ],
  };
}

/** With more lines, they are thinner, because drawing a wide line takes several times as long. */
const MAX_WIDE_LINES = 8;

/** With more lines, they have no dashes: no reader can tell so many apart, and dashes take longest to draw. */
const MAX_DASHED_LINES = 24;

function strokeOf({ dataset, slots }: LineContent, { asset }: Line, colours: Colours): object {
  const style = lineStyleOf(colours, slots.get(asset) ?? 0);
  return {
    ...style,
    width: slots.size > MAX_WIDE_LINES ? 1 : 1.5,
    ...(slots.size > MAX_DASHED_LINES && { type: 'solid' }),
    ...(dataset.assets[asset]?.edge && { opacity: 0.3 }),
  };
}

/** The layout of the charts on the screen. */
export function layoutOf(count: number): StackLayout {
  return { count, top: 0, hasSlider: true };
}

/** The points without those that have no place on a logarithmic scale. */
function positive(points: Float64Array): Float64Array {
  return points.map((value, index) => (index % 2 === 1 && value <= 0 ? Number.NaN : value));
}

/** The maximum number of values in the tooltip. */
const MAX_VALUES = 24;

interface TooltipItem {
  readonly value: readonly [x: number, y: number];
}

/**
 * The text of the tooltip: the date, and the values of each metric from the highest to the lowest. The date is that of the chart
 * under the pointer. The other items may have other dates, so the values come from the lines.
 */
function tooltipOf({ dataset, lines, metrics, slots }: LineContent, colours: Colours) {
  const encode = echarts.format.encodeHTML;
  const perMetric = Math.max(1, Math.floor(MAX_VALUES / metrics.length));
  return (items: readonly TooltipItem[]): string => {
    const [first] = items;
    if (first === undefined) return '';
    const [x] = first.value;
    const rows = metrics.flatMap((metric) => {
      const values = lines
        .filter((line) => line.metric === metric)
        .flatMap((line) => valuesAt(line, x).map((y) => ({ line, y })))
        .sort((a, b) => Number(Number.isNaN(a.y)) - Number(Number.isNaN(b.y)) || b.y - a.y);
      const shown = values.slice(0, perMetric).map(({ line, y }) => {
        const { color } = lineStyleOf(colours, slots.get(line.asset) ?? 0);
        const swatch = `<i class="response-swatch" style="background:${color}"></i>`;
        const label = dataset.assets[line.asset]?.label ?? '';
        return `<div>${swatch}<span>${encode(label)}</span> <b>${Number.isNaN(y) ? 'no value' : y}</b></div>`;
      });
      const more = values.length > perMetric ? [`<div>and ${values.length - perMetric} more</div>`] : [];
      return values.length === 0 ? [] : [`<div>${encode(dataset.metrics[metric] ?? '')}</div>`, ...shown, ...more];
    });
    return `<div>${encode(dateText(dataset, x))}</div>${rows.join('')}`;
  };
}

/** The values of a line at an x. The dates of a line need not be sorted. */
function valuesAt({ points }: Line, x: number): number[] {
  const values: number[] = [];
  for (let at = 0; at < points.length; at += 2) if (points[at] === x) values.push(points[at + 1] ?? Number.NaN);
  return values;
}

/** The date at an x as text. */
export function dateText({ isTime, texts }: DatasetSummary, x: number): string {
  return isTime ? timeText(x) : (texts[x] ?? '');
}
