import { font } from '../../src/tokens.ts';
import { headingTop, LEFT, RIGHT, type StackLayout, shortNumber, stackOption, timeOption } from './axes.ts';
import { dateText } from './date-text.ts';
import { type ChartOption, type DrawApi, type DrawParams, echarts } from './echarts.ts';
import { cellsOf, enlarged } from './heat-image.ts';
import { type Colours, tooltipStyle } from './theme.ts';
import type { DatasetSummary, HeatMap, HeatMaps } from './worker/protocol.ts';

/** The heat maps of one dataset. */
export interface HeatContent {
  readonly dataset: DatasetSummary;
  readonly heat: HeatMaps;
  /** The assets, from the top to the bottom. */
  readonly assets: readonly number[];
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Where the pointer is in a heat map: the x of the axis, and the row. Undefined where it is in none. */
export type PointerIn = (map: number) => Point | undefined;

/**
 * The chart option for heat maps: one for each metric, a row for each asset. Each is one image, so that drawing and zooming cost the
 * same for any number of assets.
 */
export function heatOption(
  content: HeatContent,
  colours: Colours,
  alt: string,
  layout: StackLayout,
  pointer: PointerIn,
): ChartOption {
  const { dataset, heat, assets } = content;
  const { maps } = heat;
  const headings = maps.map(({ metric, min, max }) => {
    const name = dataset.metrics[metric] ?? '';
    return min > max ? `${name}: no values` : name;
  });
  const every = Math.ceil(assets.length / Math.floor((layout.height ?? 0) / LABEL_HEIGHT));
  const middles = assets.flatMap((_, row) => (row % every === 0 ? [row + 0.5] : []));
  return {
    ...stackOption(headings, layout, colours),
    ...timeOption(dataset, layout, colours),
    aria: { enabled: true, label: { description: alt } },
    graphic: maps.flatMap((map, index) =>
      map.min > map.max ? [] : [scaleOf(map, headingTop(layout, index), colours)],
    ),
    tooltip: {
      ...tooltipStyle(colours),
      trigger: 'item',
      formatter: ({ seriesIndex }: { seriesIndex: number }) => {
        const [map, at] = [maps[seriesIndex], pointer(seriesIndex)];
        if (map === undefined || at === undefined) return '';
        return echarts.format.encodeHTML(cellText(content, map, at));
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
      data: [[...dataset.extent, 0]],
      renderItem: drawMap(map, assets.length, colours),
    })),
  };
}

/** Draws the visible part of a heat map. */
function drawMap(map: HeatMap, rows: number, colours: Colours) {
  return ({ coordSys }: DrawParams, api: DrawApi) => {
    const [first] = api.coord([api.value(0), 0]);
    const [last] = api.coord([api.value(1), 0]);
    // The first and the last date are the middles of the outer cells.
    const cell = map.columns > 1 ? (last - first) / (map.columns - 1) : 10;
    const left = Math.max(first - cell / 2, coordSys.x);
    const right = Math.min(last + cell / 2, coordSys.x + coordSys.width);
    if (left >= right) return undefined;
    const ratio = api.getDevicePixelRatio() ?? 2;
    const part = { x: (left - first) / cell + 0.5, y: 0, width: (right - left) / cell, height: rows };
    const [width, height] = [right - left, coordSys.height].map((size) => Math.max(1, Math.round(size * ratio)));
    return {
      type: 'image',
      style: {
        image: enlarged(cellsOf(map, rows, colours.heat), part, width ?? 1, height ?? 1),
        x: left,
        y: coordSys.y,
        width: right - left,
        height: coordSys.height,
      },
    };
  };
}

/** The height of a name, the usual height of a row, and the distance of a name from the cells, in pixels. */
const LABEL_HEIGHT = 16;
const ROW_HEIGHT = 24;
const LABEL_MARGIN = 12;

/** The layout of heat maps. Names have up to a quarter of the screen. */
export function heatLayout({ dataset, heat, assets }: HeatContent): StackLayout {
  const count = heat.maps.length;
  const names = assets.map((asset) => dataset.assets[asset]?.label ?? '');
  const longest = names.reduce((a, b) => (b.length > a.length ? b : a), '');
  const { width } = echarts.format.getTextRect(longest, `12px ${font}`);
  return {
    count,
    height: Math.min(Math.max(assets.length * ROW_HEIGHT, 3 * ROW_HEIGHT), count === 1 ? 360 : 240),
    top: 0,
    left: Math.max(LEFT, Math.min(Math.ceil(width) + LABEL_MARGIN + 4, MAX_NAME_WIDTH, innerWidth / 4)),
    hasSlider: true,
  };
}

/** The most space for names, in pixels. */
const MAX_NAME_WIDTH = 240;

/** The size of a colour scale, in pixels. */
const SCALE = { width: 120, height: 10 };

/** The colours of a heat map, with its lowest and its highest value. */
function scaleOf({ min, max }: HeatMap, top: number, { heat, text }: Colours) {
  const numberText = shortNumber(min) === shortNumber(max) ? String : shortNumber;
  const label = { y: SCALE.height / 2, verticalAlign: 'middle', fill: text, font: `12px ${font}` };
  return {
    type: 'group',
    right: RIGHT,
    top: top + 2,
    silent: true,
    children: [
      { type: 'text', style: { ...label, text: numberText(min), x: -6, align: 'right' } },
      {
        type: 'rect',
        shape: { x: 0, y: 0, ...SCALE },
        style: {
          fill: new echarts.graphic.LinearGradient(
            0,
            0,
            1,
            0,
            heat.map((colour, index) => ({ offset: index / (heat.length - 1), color: `rgb(${colour.join(',')})` })),
          ),
        },
      },
      { type: 'text', style: { ...label, text: numberText(max), x: SCALE.width + 6 } },
    ],
  };
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
