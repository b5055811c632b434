import { axisNumber, type StackLayout, shortNumber, stackOption } from './axes.ts';
import { type ChartOption, type DrawApi, echarts } from './echarts.ts';
import { type Colours, tooltipStyle } from './theme.ts';
import type { DatasetSummary, Histogram } from './worker/protocol.ts';

/** The histograms of one dataset. */
export interface HistogramContent {
  readonly dataset: DatasetSummary;
  readonly histograms: readonly Histogram[];
  /** The assets whose values are counted. */
  readonly assets: readonly number[];
}

/** The chart option for histograms: one for each metric. */
export function histogramOption(
  { dataset, histograms }: HistogramContent,
  colours: Colours,
  alt: string,
  layout: StackLayout,
): ChartOption {
  const headings = histograms.map(({ metric, total }) => {
    const name = dataset.labels[metric] ?? '';
    return total === 0 ? `${name}: no values` : `${name}: number of values in each range`;
  });
  return {
    ...stackOption(headings, layout, colours),
    aria: { enabled: true, label: { description: alt } },
    axisPointer: { zlevel: 1 },
    tooltip: {
      ...tooltipStyle(colours),
      trigger: 'axis',
      formatter: ([item]: readonly { seriesIndex: number; dataIndex: number }[]) => {
        const histogram = histograms[item?.seriesIndex ?? -1];
        return histogram && item ? echarts.format.encodeHTML(binText(histogram, item.dataIndex)) : '';
      },
    },
    xAxis: histograms.map(({ first, width, counts }, index) => ({
      gridIndex: index,
      type: 'value',
      min: first * width,
      max: (first + Math.max(1, counts.length)) * width,
      axisLine: { lineStyle: { color: colours.faint }, onZero: false },
      splitLine: { show: false },
      axisLabel: {
        color: colours.soft,
        formatter: axisNumber(first * width, (first + counts.length) * width),
        hideOverlap: true,
        showMinLabel: true,
      },
    })),
    yAxis: histograms.map((_, index) => ({
      gridIndex: index,
      type: 'value',
      min: 0,
      minInterval: 1,
      axisLine: { show: false },
      axisTick: { show: false },
      splitNumber: histograms.length > 2 ? 3 : 5,
      axisLabel: { color: colours.soft, formatter: shortNumber, hideOverlap: true },
      splitLine: { lineStyle: { color: colours.faint } },
    })),
    series: histograms.map(({ first, width, counts }, index) => ({
      type: 'custom',
      xAxisIndex: index,
      yAxisIndex: index,
      silent: true,
      dimensions: ['middle', 'count'],
      encode: { x: 0, y: 1 },
      data: [...counts].map((count, bin) => [(first + bin + 0.5) * width, count]),
      renderItem: (_: unknown, api: DrawApi) => {
        const [left, top] = api.coord([api.value(0) - width / 2, api.value(1)]);
        const [right, bottom] = api.coord([api.value(0) + width / 2, 0]);
        return {
          type: 'rect',
          shape: { x: left, y: top, width: Math.max(1, right - left - 1), height: bottom - top },
          style: { fill: colours.lines[0] },
        };
      },
    })),
  };
}

/** The range of a bin and the number of its values. */
export function binText({ first, width, counts }: Histogram, bin: number): string {
  // Further digits are rounding errors.
  const [from, to] = [first + bin, first + bin + 1].map((edge) => Number((edge * width).toPrecision(12)));
  const count = counts[bin] ?? 0;
  return `${from} to ${to}: ${count} ${count === 1 ? 'value' : 'values'}`;
}
