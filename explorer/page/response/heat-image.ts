import { echarts } from './echarts.ts';
import type { Colours } from './theme.ts';
import type { HeatMap } from './worker/protocol.ts';

/** The size of a part of an image, and where it begins. */
export interface Part {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A heat map as an image of at most so many pixels. */
export interface HeatImage {
  readonly canvas: HTMLCanvasElement;
  /** The cell of the heat map that each pixel shows; -1 without a value. */
  readonly cells: Int32Array;
}

/**
 * A heat map as an image, with a pixel for each cell, or for several: of these, the value that is farthest from the median of all is
 * shown, so that no extreme disappears. Missing values are transparent.
 */
export function imageOf(map: HeatMap, columns: number, rows: number, colours: Colours): HeatImage {
  const cells = new Int32Array(columns * rows).fill(-1);
  const mapRows = map.cells.length / map.columns;
  const distanceOf = (cell = -1) => Math.abs((map.cells[cell] ?? Number.NaN) - map.median);
  for (let row = 0, cell = 0; row < mapRows; row++) {
    const from = Math.floor((row * rows) / mapRows) * columns;
    for (let column = 0; column < map.columns; column++, cell++) {
      if (map.counts[cell] === 0) continue;
      const pixel = from + Math.floor((column * columns) / map.columns);
      if (cells[pixel] === -1 || distanceOf(cell) > distanceOf(cells[pixel])) cells[pixel] = cell;
    }
  }
  const [canvas, context] = canvasOf(columns, rows);
  const image = new ImageData(columns, rows);
  for (let pixel = 0; pixel < cells.length; pixel++) {
    const value = map.cells[cells[pixel] ?? -1];
    if (value !== undefined) image.data.set([...channelsOf(map, value, colours), 255], pixel * 4);
  }
  context.putImageData(image, 0, 0);
  return { canvas, cells };
}

/** The channels of the colour of a value: between those of the usual ones, or that of outliers. */
function channelsOf({ usual: { min, max } }: HeatMap, value: number, { heat, outlier }: Colours): readonly number[] {
  if (value < min || value > max) return echarts.color.parse(outlier)?.slice(0, 3) ?? [];
  const steps = heat.length - 1;
  const place = (max === min ? 0.5 : (value - min) / (max - min)) * steps;
  const step = Math.min(Math.floor(place), steps - 1);
  const [from = [], to = []] = [heat[step], heat[step + 1]];
  return from.map((channel, index) => channel + ((to[index] ?? 0) - channel) * (place - step));
}

/** Pixels that are enlarged to at least so many have an edge. */
const MIN_EDGED = 6;

/**
 * A part of an image, enlarged so that each of its pixels has an edge: colours never run into each other.
 *
 * @param part may have parts of pixels
 * @param width the width in pixels of the screen, as `height`: not smaller than the part
 */
export function enlarged(image: HTMLCanvasElement, part: Part, width: number, height: number): HTMLCanvasElement {
  const [canvas, context] = canvasOf(width, height);
  context.imageSmoothingEnabled = false;
  context.drawImage(image, part.x, part.y, part.width, part.height, 0, 0, width, height);
  for (let row = Math.ceil(part.y); height / part.height >= MIN_EDGED && row < part.y + part.height; row++) {
    context.clearRect(0, Math.round(((row - part.y) / part.height) * height), width, 1);
  }
  for (let column = Math.ceil(part.x); width / part.width >= MIN_EDGED && column < part.x + part.width; column++) {
    context.clearRect(Math.round(((column - part.x) / part.width) * width), 0, 1, height);
  }
  return canvas;
}

function canvasOf(width: number, height: number): [HTMLCanvasElement, CanvasRenderingContext2D] {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [width, height];
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('The browser cannot draw the heat map.');
  return [canvas, context];
}
