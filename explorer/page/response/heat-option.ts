import { shortNumber, stackOption } from './axes.ts';
import { dateText } from './date-text.ts';
import { type ChartOption, echarts } from './echarts.ts';
import { type Colours, tooltipStyle } from './theme.ts';
import type { DatasetSummary, HeatMap, HeatMaps } from './worker/protocol.ts';

/** The heat maps of one dataset. */
export interface HeatContent {
  readonly dataset: DatasetSummary;
  readonly heat: HeatMaps;
  /** The assets, from the top to the bottom. */
  readonly assets: readonly number[];
}

/** The part of a custom series that draws an item. */
interface DrawApi {
  value(dimension: number): number;
  coord(point: readonly [x: number, y: number]): [number, number];
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/**
 * The chart option for heat maps: one for each metric, a row for each asset. Each is one image, so that drawing and zooming cost the
 * same for any number of assets.
 *
 * @param pointer the value under the pointer; undefined where there is none
 */
export function heatOption(
  { dataset, heat, assets }: HeatContent,
  colours: Colours,
  alt: string,
  pointer: (map: number) => Point | undefined,
): ChartOption {
  const { maps } = heat;
  const headings = maps.map(({ metric, min, max }) => {
    const name = dataset.metrics[metric] ?? '';
    const text = shortNumber(min) === shortNumber(max) ? String : shortNumber;
    return min > max ? `${name}: no values` : `${name}: ${text(min)} (dark) to ${text(max)} (bright)`;
  });
  return {
    ...stackOption(dataset, headings, heatLayout(maps.length), colours),
    aria: { enabled: true, label: { description: alt } },
    tooltip: {
      ...tooltipStyle(colours),
      trigger: 'item',
      formatter: ({ seriesIndex }: { seriesIndex: number }) => {
        const [map, at] = [maps[seriesIndex], pointer(seriesIndex)];
        if (map === undefined || at === undefined) return '';
        return echarts.format.encodeHTML(cellText({ dataset, heat, assets }, map, at));
      },
    },
    yAxis: maps.map((_, index) => ({
      gridIndex: index,
      type: 'value',
      inverse: true,
      min: 0,
      max: assets.length,
      interval: Math.max(1, Math.ceil(assets.length / 5)),
      splitLine: { show: false },
      axisLabel: {
        color: colours.text,
        width: 52,
        overflow: 'truncate',
        formatter: (row: number) => dataset.assets[assets[row] ?? -1]?.label ?? '',
      },
    })),
    series: maps.map((map, index) => ({
      type: 'custom',
      xAxisIndex: index,
      yAxisIndex: index,
      clip: true,
      dimensions: ['first', 'last', 'row'],
      encode: { x: [0, 1], y: 2 },
      data: [[...dataset.extent, 0]],
      renderItem: (_: unknown, api: DrawApi) => {
        const [left, top] = api.coord([api.value(0), 0]);
        const [right, bottom] = api.coord([api.value(1), assets.length]);
        // The first and the last date are the middles of the outer cells.
        const half = map.columns > 1 ? (right - left) / (map.columns - 1) / 2 : 5;
        return {
          type: 'image',
          style: {
            image: imageOf(map, assets.length, colours),
            x: left - half,
            y: top,
            width: right - left + 2 * half,
            height: bottom - top,
          },
        };
      },
    })),
  };
}

/** The layout of heat maps. */
export function heatLayout(count: number) {
  return { count, height: count === 1 ? 360 : 240, top: 0, hasSlider: true };
}

/** The asset, the dates and the value at a point of a heat map. */
function cellText({ dataset, heat, assets }: HeatContent, map: HeatMap, { x, y }: Point): string {
  const [first, last] = dataset.extent;
  const part = last === first ? 0 : (x - first) / (last - first);
  const column = Math.min(Math.max(Math.round(part * (map.columns - 1)), 0), map.columns - 1);
  const row = Math.min(Math.max(Math.floor(y), 0), assets.length - 1);
  const label = dataset.assets[assets[row] ?? -1]?.label ?? '';
  const cell = row * map.columns + column;
  const [value = 0, count = 0] = [map.cells[cell], map.counts[cell]];
  if (count === 0) return `${label}: no value`;
  const dates = [map.firsts, map.lasts].map((indexes) => dateText(dataset, heat.xs[indexes[cell] ?? 0] ?? 0));
  // The digits of a mean beyond these are those of its rounding.
  const text = count === 1 ? value : `${Number(value.toPrecision(12))} (mean of ${count})`;
  return `${label}, ${[...new Set(dates)].join(' to ')}: ${text}`;
}

const images = new WeakMap<HeatMap, HTMLCanvasElement>();

/** A heat map as an image, with a pixel for each cell. Missing values are transparent. */
function imageOf(map: HeatMap, rows: number, { heat }: Colours): HTMLCanvasElement {
  const made = images.get(map);
  if (made !== undefined) return made;
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [map.columns, rows];
  const context = canvas.getContext('2d');
  const image = new ImageData(map.columns, rows);
  const steps = heat.length - 1;
  for (let cell = 0; cell < map.cells.length; cell++) {
    const value = map.cells[cell] ?? Number.NaN;
    if (Number.isNaN(value)) continue;
    const place = (map.max === map.min ? 0.5 : (value - map.min) / (map.max - map.min)) * steps;
    const step = Math.min(Math.floor(place), steps - 1);
    for (let channel = 0; channel < 3; channel++) {
      const [low, high] = [heat[step]?.[channel] ?? 0, heat[step + 1]?.[channel] ?? 0];
      image.data[cell * 4 + channel] = low + (high - low) * (place - step);
    }
    image.data[cell * 4 + 3] = 255;
  }
  context?.putImageData(image, 0, 0);
  images.set(map, canvas);
  return canvas;
}
