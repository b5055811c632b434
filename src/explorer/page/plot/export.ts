import { pictureOption } from './chart-option.ts';
import { type ChartOption, echarts } from './echarts.ts';
import type { Colours } from './theme.ts';

/** What a picture shows, and how. */
export interface PictureOptions {
  /** The chart as it is on the screen: the part of the time that is zoomed to, and the lines that are switched on. */
  readonly screen: ChartOption;
  readonly title: string;
  readonly colours: Colours;
}

const WIDTH = 1200;
const HEIGHT = 675;

/** A chart as a picture of many pixels. */
export async function pngOf(options: PictureOptions): Promise<Blob> {
  const place = document.createElement('div');
  const chart = echarts.init(place, null, { renderer: 'canvas', width: WIDTH, height: HEIGHT, devicePixelRatio: 2 });
  chart.setOption(pictureOption(options.screen, options.title, options.colours));
  const canvas = chart.renderToCanvas();
  chart.dispose();
  const picture = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (picture === null) throw new Error('The browser cannot make a PNG of the chart.');
  return picture;
}

/** A chart as a drawing that keeps its sharpness at any size. */
export function svgOf(options: PictureOptions): Blob {
  const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height: HEIGHT });
  chart.setOption(pictureOption(options.screen, options.title, options.colours));
  const drawing = chart.renderToSVGString();
  chart.dispose();
  return new Blob([drawing], { type: 'image/svg+xml' });
}
