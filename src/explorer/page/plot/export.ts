import { pictureOption } from './chart-option.ts';
import { type ChartOption, echarts } from './echarts.ts';
import type { Colours } from './theme.ts';

/** The content and the style of a picture. */
export interface PictureOptions {
  /** The chart on the screen, with its zoom and its visible lines. */
  readonly screen: ChartOption;
  readonly title: string;
  readonly colours: Colours;
}

const WIDTH = 1200;
const HEIGHT = 675;

/** The chart as a PNG of high resolution. */
export async function pngOf(options: PictureOptions): Promise<Blob> {
  const element = document.createElement('div');
  const chart = echarts.init(element, null, { renderer: 'canvas', width: WIDTH, height: HEIGHT, devicePixelRatio: 2 });
  chart.setOption(pictureOption(options.screen, options.title, options.colours));
  const canvas = chart.renderToCanvas();
  chart.dispose();
  const picture = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (picture === null) throw new Error('The browser cannot make a PNG of the chart.');
  return picture;
}

/** The chart as an SVG. */
export function svgOf(options: PictureOptions): Blob {
  const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height: HEIGHT });
  chart.setOption(pictureOption(options.screen, options.title, options.colours));
  const drawing = chart.renderToSVGString();
  chart.dispose();
  return new Blob([drawing], { type: 'image/svg+xml' });
}
