import { font } from '../../src/tokens.ts';
import { type ChartOption, echarts } from './echarts.ts';
import type { Colours } from './theme.ts';
import type { DatasetSummary } from './worker/protocol.ts';

/** The measures of stacked charts, in pixels. */
export const LEFT = 64;
export const RIGHT = 24;
const HEADING = 28;
/** The labels below each chart. */
const LABELS = 28;
const SLIDER = 24;
const SLIDER_MARGIN = 8;

/** The least time between two frames of a zoom, in milliseconds: thirty frames a second. */
const FRAME_MS = 33;

/** The height of each chart, by the number of charts: several show their dates on the first screen. */
function plotHeight(count: number): number {
  if (count === 1) return 300;
  return count === 2 ? 170 : 120;
}

/** Where a stack of charts begins, and what it has at its end. */
export interface StackLayout {
  readonly count: number;
  /** The height of each chart, if it is not the usual one. */
  readonly height?: number;
  readonly top: number;
  /** The space for the labels at the left, if it is not the usual one. */
  readonly left?: number;
  readonly hasSlider: boolean;
}

/** The distance of a label at the left from its chart, and of a long label from the edge, in pixels. */
export const LABEL_MARGIN = 12;

/** The space at the left for the longest of these labels. */
export function leftFor(labels: readonly string[]): number {
  const widths = labels.map((label) => echarts.format.getTextRect(label, `12px ${font}`).width);
  return Math.max(LEFT, Math.ceil(Math.max(0, ...widths)) + LABEL_MARGIN + 4);
}

/** The height of a stack of charts, in pixels. */
export function stackHeight({ count, height = plotHeight(count), top, hasSlider }: StackLayout): number {
  return top + count * (HEADING + height + LABELS) + (hasSlider ? SLIDER + SLIDER_MARGIN : 0);
}

/** The distance of the heading of a chart from the top, in pixels. */
export function headingTop({ count, height = plotHeight(count), top }: StackLayout, index: number): number {
  return top + index * (HEADING + height + LABELS) + 4;
}

/** The grids and headings of charts one below another. */
export function stackOption(headings: readonly string[], layout: StackLayout, colours: Colours) {
  const { count, height = plotHeight(count), left = LEFT } = layout;
  return {
    animation: false,
    useUTC: true,
    textStyle: { color: colours.text, fontFamily: font },
    title: headings.map((text, index) => ({
      text,
      left: 0,
      top: headingTop(layout, index),
      padding: 0,
      textStyle: {
        color: colours.text,
        fontSize: 13,
        fontWeight: 500,
        width: Math.min(600, innerWidth - LEFT),
        overflow: 'truncate',
      },
    })),
    grid: headings.map((_, index) => ({
      left,
      right: RIGHT,
      top: headingTop(layout, index) - 4 + HEADING,
      height,
      outerBoundsMode: 'none',
    })),
  } satisfies ChartOption;
}

/** The time axes of charts one below another, which share the time, the zoom and the pointer. */
export function timeOption(dataset: DatasetSummary, layout: StackLayout, colours: Colours) {
  const { count, left = LEFT, hasSlider } = layout;
  const [first, last] = dataset.extent;
  const lineStyle = { color: colours.faint };
  const all = Array.from({ length: count }, (_, index) => index);
  return {
    // A layer of its own: where the pointer moves, the charts are not drawn again.
    axisPointer: { link: [{ xAxisIndex: 'all' }], zlevel: 1 },
    xAxis: all.map((index) => ({
      gridIndex: index,
      type: dataset.isTime ? 'time' : 'category',
      ...(!dataset.isTime && { data: dataset.texts }),
      // The same in all charts, whatever is drawn in them.
      ...(dataset.isTime && first < last && { min: first, max: last }),
      axisLine: { lineStyle, onZero: false },
      axisTick: { lineStyle },
      axisLabel: {
        color: colours.soft,
        margin: 10,
        hideOverlap: true,
        ...(dataset.isTime && { formatter: labelsOf(dataset) }),
      },
      axisPointer: { label: { show: false } },
    })),
    dataZoom: [
      {
        type: 'slider',
        xAxisIndex: all,
        filterMode: 'weakFilter',
        throttle: FRAME_MS,
        show: hasSlider,
        height: SLIDER,
        bottom: SLIDER_MARGIN,
        left,
        right: RIGHT,
        showDetail: false,
        ...sliderStyle(colours),
      },
    ],
  } satisfies ChartOption;
}

/** The labels of the time axis of a dataset: of years that are compared, without the year. */
function labelsOf({ overlay }: DatasetSummary): object {
  return overlay?.kind === 'years' ? { ...timeLabels, year: '{MMM}', month: '{MMM}' } : timeLabels;
}

/** The slider in the colours of the page: what is visible is dark, on the lines of the first chart. */
function sliderStyle({ text, faint, paper }: Colours) {
  const shape = (color: string) => ({ lineStyle: { color }, areaStyle: { color } });
  const handles = { handleStyle: { color: paper, borderColor: text }, moveHandleStyle: { color: faint } };
  return {
    ...handles,
    borderColor: faint,
    fillerColor: `${text}33`,
    dataBackground: shape(faint),
    selectedDataBackground: shape(text),
    emphasis: handles,
  };
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

function shortFormat(value: number): Intl.NumberFormat {
  const size = Math.abs(value);
  if (size !== 0 && (size < 0.0001 || size >= 1e15)) return extreme;
  return size >= 100_000 ? large : usual;
}

/** A number for an axis: at most about eight characters. */
export function shortNumber(value: number): string {
  return shortFormat(value).format(value);
}

/** More digits a number does not have. */
const MAX_DIGITS = 17;

/** How numbers from `min` to `max` are written on an axis: short, or with as many digits as they need to differ from tick to tick. */
export function axisNumber(min: number, max: number): (value: number) => string {
  const size = Math.max(Math.abs(min), Math.abs(max));
  const short = shortFormat(size);
  const place = (number: number) => Math.floor(Math.log10(number));
  // Ticks are at least a tenth of the range apart.
  const digits = max > min ? place(size) - place((max - min) / 10) + 1 : 0;
  if (digits <= (short.resolvedOptions().maximumSignificantDigits ?? MAX_DIGITS)) return shortNumber;
  return new Intl.NumberFormat('en', {
    maximumSignificantDigits: Math.min(digits, MAX_DIGITS),
    useGrouping: short !== usual,
    notation: short === extreme ? 'scientific' : 'standard',
  }).format;
}
