import { type StackLayout, shortNumber, stackOption } from './axes.ts';
import type { ChartOption } from './echarts.ts';
import { type Colours, lineStyleOf, tooltipStyle } from './theme.ts';
import { type ChartPoint, tooltipOf } from './tooltip.ts';
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

/**
 * The chart option for these lines: a chart for each metric.
 *
 * @param alt the text alternative
 * @param pointer the position of the pointer on the axes of a chart; undefined where there is none
 */
export function chartOption(
  content: LineContent,
  colours: Colours,
  alt: string,
  pointer: (chart: number) => ChartPoint | undefined,
): ChartOption {
  const { dataset, lines, metrics, slots, isLogarithmic } = content;
  const headings = metrics.map((metric) => `${dataset.metrics[metric]}${isLogarithmic ? ' (logarithmic)' : ''}`);
  return {
    ...stackOption(dataset, headings, layoutOf(metrics.length), colours),
    aria: { enabled: true, label: { description: alt } },
    tooltip: { ...tooltipStyle(colours), trigger: 'axis', formatter: tooltipOf(content, colours, pointer) },
    yAxis: metrics.map((_, index) => ({
      gridIndex: index,
      type: isLogarithmic ? 'log' : 'value',
      scale: true,
      splitNumber: metrics.length > 2 ? 3 : 5,
      axisLabel: { color: colours.text, formatter: shortNumber, hideOverlap: true },
      splitLine: { lineStyle: { color: colours.faint } },
    })),
    series: lines.map((line) => ({
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
      symbol: line.points.length / 2 <= MAX_MARKS ? 'circle' : markOf(line, isLogarithmic),
      symbolSize: 5,
      ...(line.points.length / 2 > MANY_POINTS && { sampling: 'lttb' }),
      itemStyle: { color: lineStyleOf(colours, slots.get(line.asset) ?? 0).color },
      lineStyle: strokeOf(content, line, colours),
      emphasis: { disabled: true },
      silent: true,
    })),
  };
}

/** Marks only the points of a line that are between gaps: no line shows them. */
function markOf({ points }: Line, isLogarithmic: boolean) {
  const isGap = (at: number) => {
    const value = points[at * 2 + 1] ?? Number.NaN;
    return Number.isNaN(value) || (isLogarithmic && value <= 0);
  };
  return (_: unknown, { dataIndex }: { dataIndex: number }) =>
    isGap(dataIndex - 1) && isGap(dataIndex + 1) ? 'circle' : 'none';
}

/** With more lines, they are thinner, because drawing a wide line takes several times as long. */
const MAX_WIDE_LINES = 8;

/** With more lines, they have no dashes: no reader can tell so many apart, and dashes take longest to draw. */
const MAX_DASHED_LINES = 24;

function strokeOf({ slots }: LineContent, { asset }: Line, colours: Colours): object {
  const style = lineStyleOf(colours, slots.get(asset) ?? 0);
  return {
    ...style,
    width: slots.size > MAX_WIDE_LINES ? 1 : 1.5,
    ...(slots.size > MAX_DASHED_LINES && { type: 'solid' }),
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
