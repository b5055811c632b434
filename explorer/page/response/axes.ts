import type { ChartOption } from './echarts.ts';
import type { Colours } from './theme.ts';
import type { DatasetSummary } from './worker/protocol.ts';

/** The measures of stacked charts, in pixels. */
const LEFT = 64;
const RIGHT = 24;
const HEADING = 28;
const GAP = 12;
/** The labels of the time axis, which only the last chart has. */
const LABELS = 28;
const SLIDER = 24;

/** The least time between two frames of a zoom, in milliseconds: thirty frames a second. */
const FRAME_MS = 33;

/** The height of each chart, by the number of charts. */
function plotHeight(count: number): number {
  if (count === 1) return 300;
  return count === 2 ? 190 : 150;
}

/** Where a stack of charts begins, and what it has at its end. */
export interface StackLayout {
  readonly count: number;
  /** The height of each chart, if it is not the usual one. */
  readonly height?: number;
  readonly top: number;
  readonly hasSlider: boolean;
}

/** The height of a stack of charts, in pixels. */
export function stackHeight({ count, height = plotHeight(count), top, hasSlider }: StackLayout): number {
  return top + count * (HEADING + height + GAP) + LABELS + (hasSlider ? SLIDER + GAP : 0);
}

/** The grids, headings and time axes of charts one below another, which share the time, the zoom and the pointer. */
export function stackOption(
  dataset: DatasetSummary,
  headings: readonly string[],
  layout: StackLayout,
  colours: Colours,
) {
  const { count, height = plotHeight(count), top, hasSlider } = layout;
  const topOf = (index: number) => top + index * (HEADING + height + GAP);
  const [first, last] = dataset.extent;
  const lineStyle = { color: colours.faint };
  const all = headings.map((_, index) => index);
  return {
    animation: false,
    useUTC: true,
    textStyle: { color: colours.text, fontFamily: 'system-ui, sans-serif' },
    axisPointer: { link: [{ xAxisIndex: 'all' }] },
    title: headings.map((text, index) => ({
      text,
      left: 12,
      top: topOf(index) + 4,
      padding: 0,
      textStyle: { color: colours.text, fontSize: 13, width: 600, overflow: 'truncate' },
    })),
    grid: headings.map((_, index) => ({
      left: LEFT,
      right: RIGHT,
      top: topOf(index) + HEADING,
      height,
      outerBoundsMode: 'none',
    })),
    xAxis: headings.map((_, index) => ({
      gridIndex: index,
      type: dataset.isTime ? 'time' : 'category',
      ...(!dataset.isTime && { data: dataset.texts }),
      // The same in all charts, whatever is drawn in them.
      ...(dataset.isTime && first < last && { min: first, max: last }),
      axisLine: { lineStyle, onZero: false },
      axisTick: { lineStyle },
      axisLabel: {
        show: index === count - 1,
        color: colours.text,
        hideOverlap: true,
        ...(dataset.isTime && { formatter: timeLabels }),
      },
      axisPointer: { label: { show: false } },
    })),
    dataZoom: [
      { type: 'inside', xAxisIndex: all, throttle: FRAME_MS },
      {
        type: 'slider',
        xAxisIndex: all,
        show: hasSlider,
        height: SLIDER,
        bottom: 8,
        left: LEFT,
        right: RIGHT,
        showDetail: false,
        borderColor: colours.faint,
        textStyle: { color: colours.text },
      },
    ],
  } satisfies ChartOption;
}

/** The labels of a time axis. Each says its month, because a zoomed axis need not show where the month begins. */
const timeLabels = {
  year: '{yyyy}',
  month: '{MMM} {yyyy}',
  day: '{d} {MMM}',
  hour: '{d} {MMM} {HH}:{mm}',
  minute: '{HH}:{mm}',
  second: '{HH}:{mm}:{ss}',
  millisecond: '{HH}:{mm}:{ss}.{SSS}',
};

const usual = new Intl.NumberFormat('en', { maximumSignificantDigits: 5, useGrouping: false });
const large = new Intl.NumberFormat('en', { maximumSignificantDigits: 4, notation: 'compact' });
const extreme = new Intl.NumberFormat('en', { maximumSignificantDigits: 3, notation: 'scientific' });

/** A number for an axis: at most about eight characters. */
export function shortNumber(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size < 0.0001 || size >= 1e15)) return extreme.format(value);
  return size >= 100_000 ? large.format(value) : usual.format(value);
}
