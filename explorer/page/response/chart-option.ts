import { axisNumber, leftFor, type StackLayout, shortNumber, stackOption, timeOption } from './axes.ts';
import { type Area, drawLines, type Stroke } from './draw-lines.ts';
import type { ChartOption } from './echarts.ts';
import type { LineContent } from './line-content.ts';
import { styleOf } from './line-style.ts';
import { type Colours, lineStyleOf, tooltipStyle } from './theme.ts';
import { type ChartPoint, tooltipOf } from './tooltip.ts';
import { firstRowFrom } from './worker/points.ts';
import type { Envelope, Line } from './worker/protocol.ts';

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
  layout: StackLayout,
  pointer: (chart: number) => ChartPoint | undefined,
): ChartOption {
  const { dataset, lines, envelopes, metrics, isLogarithmic } = content;
  const headings = metrics.map((metric) => `${dataset.labels[metric]}${isLogarithmic ? ', logarithmic' : ''}`);
  return {
    ...stackOption(headings, layout, colours),
    ...timeOption(dataset, layout, colours),
    aria: { enabled: true, label: { description: alt } },
    tooltip: { ...tooltipStyle(colours), trigger: 'axis', formatter: tooltipOf(content, colours, pointer) },
    yAxis: envelopes.map((envelope, index) => ({
      gridIndex: index,
      type: isLogarithmic ? 'log' : 'value',
      scale: true,
      splitNumber: metrics.length > 2 ? 3 : 5,
      axisLabel: { color: colours.soft, formatter: numberOf(content, envelope), hideOverlap: true },
      splitLine: { lineStyle: { color: colours.faint } },
    })),
    series: [
      // The slider shows the first one.
      { ...unseen, tooltip: { show: false }, data: content.overview },
      ...envelopes.flatMap((envelope, index) => {
        const axes = { xAxisIndex: index, yAxisIndex: index };
        const own = lines.filter(({ metric }) => metric === envelope.metric);
        const area = areaOf(content, own, colours);
        // The last one is above the others: the latest of those that are compared come first.
        const upwards = dataset.overlay === undefined ? own : own.reverse();
        return [
          // Draws nothing: it gives the axis its range, and the pointer its dates.
          { ...axes, ...unseen, data: envelope.points },
          {
            ...axes,
            type: 'custom',
            silent: true,
            clip: false,
            tooltip: { show: false },
            dimensions: ['first', 'last', 'none'],
            encode: { x: [0, 1], y: 2 },
            data: [[...dataset.extent, Number.NaN]],
            renderItem: drawLines(upwards, area, envelope, isLogarithmic, (line) => strokeOf(content, line, colours)),
          },
        ];
      }),
    ],
  };
}

/** A line that is not drawn. */
const unseen = {
  type: 'line',
  silent: true,
  dimensions: ['x', 'y'],
  showSymbol: false,
  symbol: 'none',
  lineStyle: { width: 0 },
  emphasis: { disabled: true },
};

/** How the numbers of an axis are written. */
function numberOf({ isLogarithmic }: LineContent, { min, max }: Envelope): (value: number) => string {
  return isLogarithmic ? shortNumber : axisNumber(min, max);
}

/** The layout of lines: the numbers of all axes have space. */
export function lineLayout(content: LineContent): StackLayout {
  const { envelopes, metrics } = content;
  const labels = envelopes.flatMap((envelope) =>
    [envelope.min, envelope.max].filter(Number.isFinite).map(numberOf(content, envelope)),
  );
  return { count: metrics.length, top: 0, left: leftFor(labels), hasSlider: true };
}

/** The area between the lowest and the highest quantile. Undefined if there is none, or if reduced edges have different rows. */
function areaOf({ dataset, slots }: LineContent, own: readonly Line[], colours: Colours): Area | undefined {
  const low = own.find(({ asset }) => dataset.assets[asset]?.edge === 'low');
  const high = own.find(({ asset }) => dataset.assets[asset]?.edge === 'high');
  if (low === undefined || high === undefined || low.points.length !== high.points.length) return undefined;
  return { low, high, color: lineStyleOf(colours, slots.get(high.asset) ?? 0).color };
}

/** The point of a chart that has the pointer at an x. */
export function pointAt({ envelopes }: LineContent, metric: number, x: number) {
  const chart = envelopes.findIndex((envelope) => envelope.metric === metric);
  return { seriesIndex: 1 + chart * 2, dataIndex: firstRowFrom(envelopes[chart]?.points ?? new Float64Array(), x) };
}

/** With more lines, they are thinner, because drawing a wide line takes several times as long. */
const MAX_WIDE_LINES = 8;

/** With more lines, they have no dashes: no reader can tell so many apart, and dashes take longest to draw. */
const MAX_DASHED_LINES = 24;

function strokeOf(content: LineContent, { asset }: Line, colours: Colours): Stroke {
  const { isStrong, ...style } = styleOf(content, asset, colours);
  const count = content.slots.size;
  return {
    ...style,
    width: isStrong ? 2.5 : count > MAX_WIDE_LINES ? 1 : 1.5,
    ...(count > MAX_DASHED_LINES && { type: 'solid' }),
  };
}
