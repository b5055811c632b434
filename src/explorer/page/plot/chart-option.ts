import type { ChartOption } from './echarts.ts';
import type { Lines, Series } from './series.ts';
import { type Colours, tooltipStyle } from './theme.ts';

/** The maximum number of points of a line that have marks. */
const MAX_MARKS = 60;

/** A line with at least so many points is downsampled to its width. */
const MANY_POINTS = 2000;

/** The chart option for these lines; `alt` is the text alternative. */
export function chartOption({ isTime, texts, series }: Lines, colours: Colours, alt: string): ChartOption {
  const axisLine = { lineStyle: { color: colours.faint } };
  return {
    animation: false,
    useUTC: true,
    color: [...colours.lines],
    textStyle: { color: colours.text, fontFamily: 'system-ui, sans-serif' },
    aria: { enabled: true, label: { description: alt } },
    grid: { left: 12, right: 24, top: 16, bottom: 64, containLabel: true },
    // The pane's own legend is accessible by keyboard, and toggles the lines of this hidden one.
    legend: { show: false },
    tooltip: { ...tooltipStyle(colours), trigger: 'axis', order: 'valueDesc', valueFormatter: valueText },
    xAxis: {
      type: isTime ? 'time' : 'category',
      ...(!isTime && { data: [...texts] }),
      axisLine,
      axisLabel: { color: colours.text, hideOverlap: true },
      ...(isTime && { axisPointer: { label: { formatter: ({ value }: { value: number }) => timeText(value) } } }),
    },
    yAxis: {
      type: 'value',
      scale: true,
      axisLabel: { color: colours.text },
      splitLine: { lineStyle: { color: colours.faint } },
    },
    dataZoom: [
      { type: 'inside' },
      { type: 'slider', height: 24, bottom: 16, borderColor: colours.faint, textStyle: { color: colours.text } },
    ],
    series: series.map(lineOf),
  };
}

/** The same chart for a picture: with title and legend, without interactive parts. */
export function pictureOption(screen: ChartOption, title: string, colours: Colours): ChartOption {
  const [, slider] = screen.dataZoom as [object, object];
  return {
    ...screen,
    backgroundColor: colours.paper,
    title: { text: title, left: 16, top: 12, textStyle: { color: colours.text, fontSize: 16 } },
    legend: {
      ...(screen.legend as object),
      show: true,
      top: 40,
      left: 12,
      right: 24,
      textStyle: { color: colours.text },
    },
    grid: { left: 16, right: 32, top: 88, bottom: 24, containLabel: true },
    dataZoom: [{ ...slider, show: false }],
    tooltip: { show: false },
  };
}

function lineOf({ name, points }: Series) {
  return {
    name,
    type: 'line',
    data: points.map(([x, y]) => [x, y]),
    connectNulls: false,
    showSymbol: points.length <= MAX_MARKS || hasLonelyPoint(points),
    symbolSize: 5,
    ...(points.length > MANY_POINTS && { sampling: 'lttb' }),
    lineStyle: { width: 1.5 },
    emphasis: { disabled: true },
  };
}

/** Whether a point is between gaps: it is on no line, so only a mark can show it. */
function hasLonelyPoint(points: Series['points']): boolean {
  const isGap = (index: number) => (points[index]?.[1] ?? null) === null;
  return points.some((_, index) => !isGap(index) && isGap(index - 1) && isGap(index + 1));
}

function valueText(value: unknown): string {
  return typeof value === 'number' ? String(value) : 'no value';
}

/** A point in time as text, without a time of day that is midnight. */
export function timeText(time: number): string {
  const text = new Date(time).toISOString();
  return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text.replace('T', ' ').replace('.000Z', ' UTC');
}
