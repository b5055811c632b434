import type { HeatMap } from './worker/protocol.ts';

type Scale = readonly (readonly [red: number, green: number, blue: number])[];

/** The size of a part of an image, and where it begins. */
export interface Part {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const images = new WeakMap<HeatMap, HTMLCanvasElement>();

/** A heat map as an image, with a pixel for each cell. Missing values are transparent. */
export function cellsOf(map: HeatMap, rows: number, scale: Scale): HTMLCanvasElement {
  const made = images.get(map);
  if (made !== undefined) return made;
  const [canvas, context] = canvasOf(map.columns, rows);
  const image = new ImageData(map.columns, rows);
  const steps = scale.length - 1;
  for (let cell = 0; cell < map.cells.length; cell++) {
    const value = map.cells[cell] ?? Number.NaN;
    if (Number.isNaN(value)) continue;
    const place = (map.max === map.min ? 0.5 : (value - map.min) / (map.max - map.min)) * steps;
    const step = Math.min(Math.floor(place), steps - 1);
    for (let channel = 0; channel < 3; channel++) {
      const [low, high] = [scale[step]?.[channel] ?? 0, scale[step + 1]?.[channel] ?? 0];
      image.data[cell * 4 + channel] = low + (high - low) * (place - step);
    }
    image.data[cell * 4 + 3] = 255;
  }
  context.putImageData(image, 0, 0);
  images.set(map, canvas);
  return canvas;
}

/** Cells of at least so many pixels have an edge. */
const MIN_EDGED = 6;

/**
 * A part of the cells, enlarged so that each has an edge: colours never run into each other. Cells that are smaller than a pixel
 * are averaged.
 *
 * @param part the visible cells; they may be parts of cells
 * @param width the width in pixels of the screen, as `height`
 */
export function enlarged(cells: HTMLCanvasElement, part: Part, width: number, height: number): HTMLCanvasElement {
  // One direction after the other: in one, cells may be smaller than a pixel, and in the other larger.
  const [tall, tallContext] = canvasOf(cells.width, height);
  tallContext.imageSmoothingEnabled = part.height > height;
  tallContext.drawImage(cells, 0, part.y, cells.width, part.height, 0, 0, cells.width, height);
  const [canvas, context] = canvasOf(width, height);
  context.imageSmoothingEnabled = part.width > width;
  context.drawImage(tall, part.x, 0, part.width, height, 0, 0, width, height);
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
