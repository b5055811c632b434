import type { Page } from 'playwright-core';
import { PNG } from 'pngjs';

/** The colours of the first two lines of a chart in the light theme. */
export const FIRST = [0xd5, 0x5e, 0x00] as const;
export const SECOND = [0x00, 0x72, 0xb2] as const;
/** The colour of outliers. */
export const OUTLIER = [0xd6, 0x05, 0x90] as const;

type Colour = readonly [red: number, green: number, blue: number];

/** The position of a pixel from the upper left corner. */
export interface Pixel {
  readonly x: number;
  readonly y: number;
}

/** The image on the canvas of the first chart or map. */
export async function drawnOn(page: Page, part: '.response-chart' | '.response-map'): Promise<PNG> {
  const canvas = page.locator(`${part} canvas`).first();
  const url = await canvas.evaluate((element) => (element as HTMLCanvasElement).toDataURL('image/png'));
  return PNG.sync.read(Buffer.from(url.slice(url.indexOf(',') + 1), 'base64'));
}

/** The maximum difference of each channel from the expected colour, because lines are antialiased. */
const TOLERANCE = 24;

/** The pixels of about this colour, of which the last channel is the opacity. */
export function pixelsOf({ width, height, data }: PNG, colour: Colour, [min, max] = [129, 255]): Pixel[] {
  const found: Pixel[] = [];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const offset = (y * width + x) * 4;
      const isAlike = colour.every((part, index) => Math.abs((data[offset + index] ?? 0) - part) <= TOLERANCE);
      const alpha = data[offset + 3] ?? 0;
      if (isAlike && alpha >= min && alpha <= max) found.push({ x, y });
    }
  }
  return found;
}

/** The groups of pixels that touch each other, such as the dots on a map, each of at least so many pixels. */
export function groupsOf(pixels: readonly Pixel[], least: number): Pixel[][] {
  const keyOf = (x: number, y: number) => y * 100_000 + x;
  const left = new Map(pixels.map((pixel) => [keyOf(pixel.x, pixel.y), pixel]));
  const groups: Pixel[][] = [];
  for (const first of pixels) {
    const group = left.delete(keyOf(first.x, first.y)) ? [first] : [];
    // The group grows while it is read.
    for (const { x, y } of group) {
      for (const key of [keyOf(x + 1, y), keyOf(x - 1, y), keyOf(x, y + 1), keyOf(x, y - 1)]) {
        const next = left.get(key);
        if (next !== undefined && left.delete(key)) group.push(next);
      }
    }
    if (group.length >= least) groups.push(group);
  }
  return groups;
}

/** The pixels that an area covers, and no line. */
export function areaPixels({ width, height, data }: PNG): Pixel[] {
  const found: Pixel[] = [];
  for (let pixel = 0; pixel < width * height; pixel++) {
    const alpha = data[pixel * 4 + 3] ?? 0;
    if (alpha > 40 && alpha < 60) found.push({ x: pixel % width, y: Math.floor(pixel / width) });
  }
  return found;
}

/** The mean distance from the top of the pixels in a part of their width. `from` and `to` are from 0 to 1. */
export function meanHeight(pixels: readonly Pixel[], from: number, to: number): number {
  const left = Math.min(...pixels.map(({ x }) => x));
  const width = Math.max(...pixels.map(({ x }) => x)) - left;
  const within = pixels.filter(({ x }) => x >= left + from * width && x <= left + to * width);
  return within.reduce((sum, { y }) => sum + y, 0) / within.length;
}
