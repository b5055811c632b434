import { font } from '../../src/tokens.ts';
import {
  axisNumber,
  headingTop,
  LABEL_MARGIN,
  LEFT,
  leftFor,
  RIGHT,
  type StackLayout,
  stackOption,
  timeOption,
} from './axes.ts';
import { dateText } from './date-text.ts';
import { type ChartOption, type DrawApi, type DrawParams, echarts } from './echarts.ts';
import type { HeatContent } from './heat-content.ts';
import { enlarged, type HeatImage, imageOf } from './heat-image.ts';
import { cellText } from './heat-text.ts';
import { type Colours, tooltipStyle } from './theme.ts';
import { valueText } from './value-text.ts';
import type { DatasetSummary, HeatMap } from './worker/protocol.ts';

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Where the pointer is in a heat map: the x of the axis, and the row. Undefined where it is in none. */
export type PointerIn = (map: number) => Point | undefined;

/** The chart option for heat maps: one for each metric, a row for each asset. Each is one image, so that a zoom is fast. */
export function heatOption(
  content: HeatContent,
  colours: Colours,
  alt: string,
  layout: StackLayout,
  pointer: PointerIn,
): ChartOption {
  const { dataset, heat, assets } = content;
  const { maps } = heat;
  const axis = axisOf(content);
  const columns = Math.max(1, ...maps.map((map) => map.columns));
  const images: HeatImage[] = [];
  const headings = maps.map(({ metric, min, max }) => {
    const name = dataset.labels[metric] ?? '';
    return min > max ? `${name}: no values` : name;
  });
  const every = Math.ceil(assets.length / Math.floor((layout.height ?? 0) / LABEL_HEIGHT));
  const middles = assets.flatMap((_, row) => (row % every === 0 ? [row + 0.5] : []));
  return {
    ...stackOption(headings, layout, colours),
    ...timeOption({ ...axis, extent: withOuterCells(axis.extent, columns) }, layout, colours),
    aria: { enabled: true, label: { description: alt } },
    graphic: maps.flatMap((map, index) =>
      map.min > map.max ? [] : [scaleOf(map, headingTop(layout, index), colours)],
    ),
    tooltip: {
      ...tooltipStyle(colours),
      trigger: 'item',
      formatter: ({ seriesIndex }: { seriesIndex: number }) => {
        const [map, image, at] = [maps[seriesIndex], images[seriesIndex], pointer(seriesIndex)];
        if (map === undefined || image === undefined || at === undefined) return '';
        return echarts.format.encodeHTML(pointText(content, map, image, at));
      },
    },
    yAxis: maps.map((_, index) => ({
      gridIndex: index,
      type: 'value',
      inverse: true,
      min: 0,
      max: assets.length,
      splitLine: { show: false },
      axisTick: { show: false },
      axisLabel: {
        color: colours.text,
        width: (layout.left ?? LEFT) - LABEL_MARGIN,
        overflow: 'truncate',
        customValues: middles,
        formatter: (middle: number) => dataset.assets[assets[Math.floor(middle)] ?? -1]?.label ?? '',
      },
    })),
    series: maps.map((map, index) => ({
      type: 'custom',
      xAxisIndex: index,
      yAxisIndex: index,
      clip: true,
      dimensions: ['first', 'last', 'row'],
      encode: { x: [0, 1], y: 2 },
      data: [[...axis.extent, 0]],
      renderItem: drawMap(map, rowsOf(content, layout), colours, (image) => {
        images[index] = image;
      }),
    })),
  };
}

/** The axis of the columns: that of the dataset, or a place for each date. */
function axisOf({ dataset, heat: { columnXs } }: HeatContent): DatasetSummary {
  if (columnXs === undefined) return dataset;
  const texts = Array.from(columnXs, (x) => dateText(dataset, x));
  return { ...dataset, isTime: false, texts, extent: [0, texts.length - 1] };
}

/** The ends of an axis with whole cells at both. The first and the last date are the middles of these. */
function withOuterCells([first, last]: DatasetSummary['extent'], columns: number): DatasetSummary['extent'] {
  const half = columns > 1 ? (last - first) / (columns - 1) / 2 : 0;
  return [first - half, last + half];
}

/** The least height of a row, in pixels: so an extreme can be seen. Where there is no space for it, assets share a row. */
const MIN_ROW_HEIGHT = 2;

function rowsOf({ assets }: HeatContent, { height = 0 }: StackLayout): number {
  return Math.min(assets.length, Math.floor(height / MIN_ROW_HEIGHT));
}

/**
 * Draws the visible part of a heat map.
 *
 * @param onImage called with the image of the whole heat map
 */
function drawMap(map: HeatMap, rows: number, colours: Colours, onImage: (image: HeatImage) => void) {
  let image: HeatImage | undefined;
  return ({ coordSys }: DrawParams, api: DrawApi) => {
    if (map.min > map.max) return undefined;
    const [first] = api.coord([api.value(0), 0]);
    const [last] = api.coord([api.value(1), 0]);
    // The first and the last date are the middles of the outer cells.
    const cell = map.columns > 1 ? (last - first) / (map.columns - 1) : coordSys.width;
    const start = first - cell / 2;
    const left = Math.max(start, coordSys.x);
    const right = Math.min(last + cell / 2, coordSys.x + coordSys.width);
    if (left >= right) return undefined;
    const ratio = api.getDevicePixelRatio() ?? 2;
    const columns = Math.max(1, Math.min(map.columns, Math.floor(cell * map.columns * ratio)));
    if (image?.canvas.width !== columns) {
      image = imageOf(map, columns, rows, colours);
      onImage(image);
    }
    const perPixel = columns / (cell * map.columns);
    const part = { x: (left - start) * perPixel, y: 0, width: (right - left) * perPixel, height: rows };
    const [width, height] = [right - left, coordSys.height].map((size) => Math.max(1, Math.round(size * ratio)));
    return {
      type: 'image',
      style: {
        image: enlarged(image.canvas, part, width ?? 1, height ?? 1),
        x: left,
        y: coordSys.y,
        width: right - left,
        height: coordSys.height,
      },
    };
  };
}

/** The height of a name, and the usual height of a row, in pixels. */
const LABEL_HEIGHT = 16;
const ROW_HEIGHT = 24;

/** The layout of heat maps. Names have up to a quarter of the screen. */
export function heatLayout({ dataset, heat, assets }: HeatContent): StackLayout {
  const count = heat.maps.length;
  const names = assets.map((asset) => dataset.assets[asset]?.label ?? '');
  const longest = names.reduce((a, b) => (b.length > a.length ? b : a), '');
  return {
    count,
    height: Math.min(Math.max(assets.length * ROW_HEIGHT, 3 * ROW_HEIGHT), count === 1 ? 360 : 240),
    top: 0,
    left: Math.max(LEFT, Math.min(leftFor([longest]), MAX_NAME_WIDTH, innerWidth / 4)),
    hasSlider: true,
  };
}

/** The most space for names, in pixels. */
const MAX_NAME_WIDTH = 240;

/** The size of a colour scale, also on a narrow screen, of a sample of a colour beside it, and the space between them, in pixels. */
const SCALE = { width: 120, height: 10 };
const NARROW_SCALE = { width: 40, height: 10 };
const NARROW_SCREEN = 600;
const SAMPLE = { width: 10, height: 10 };
const SPACE = 6;

/** The colours of the usual values, with the lowest and the highest of them, and on both sides those of outliers. */
function scaleOf({ min, max, usual }: HeatMap, top: number, { heat, outlier, text }: Colours) {
  const numberText = usual.min === usual.max ? String : axisNumber(usual.min, usual.max);
  let x = 0;
  const after = (width: number) => {
    const at = x;
    x += width + SPACE;
    return at;
  };
  const label = (words: string) => {
    const style = { text: words, verticalAlign: 'middle', fill: text, font: `12px ${font}` };
    const { width } = echarts.format.getTextRect(words, style.font);
    return { type: 'text', style: { ...style, x: after(width), y: SCALE.height / 2 } };
  };
  const box = (size: typeof SCALE, fill: unknown) => {
    return { type: 'rect', shape: { ...size, x: after(size.width), y: 0 }, style: { fill } };
  };
  const stops = heat.map((colour, index) => ({ offset: index / (heat.length - 1), color: `rgb(${colour.join(',')})` }));
  return {
    type: 'group',
    right: RIGHT,
    top: top + 2,
    silent: true,
    children: [
      ...(min < usual.min ? [box(SAMPLE, outlier), label(`down to ${valueText(min)}`)] : []),
      label(numberText(usual.min)),
      box(innerWidth < NARROW_SCREEN ? NARROW_SCALE : SCALE, new echarts.graphic.LinearGradient(0, 0, 1, 0, stops)),
      label(numberText(usual.max)),
      ...(max > usual.max ? [box(SAMPLE, outlier), label(`up to ${valueText(max)}`)] : []),
    ],
  };
}

/** The text of the cell at a point of a heat map: of assets that share a row, that of the one that is shown. */
function pointText(content: HeatContent, map: HeatMap, { canvas, cells }: HeatImage, { x, y }: Point): string {
  const { assets } = content;
  const [first, last] = axisOf(content).extent;
  const part = last === first ? 0 : (x - first) / (last - first);
  const column = Math.min(Math.max(Math.round(part * (map.columns - 1)), 0), map.columns - 1);
  const row = Math.min(Math.max(Math.floor(y), 0), assets.length - 1);
  const pixelRow = Math.floor((row * canvas.height) / assets.length);
  const cell = cells[pixelRow * canvas.width + Math.floor((column * canvas.width) / map.columns)] ?? -1;
  if (cell === -1) return cellText(content, map, row * map.columns + column);
  const firstRow = (pixel: number) => Math.ceil((pixel * assets.length) / canvas.height);
  return cellText(content, map, cell, firstRow(pixelRow + 1) - firstRow(pixelRow));
}
