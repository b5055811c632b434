import { font } from '../../src/tokens.ts';
import { stackHeight } from './axes.ts';
import { type ChartContent, layoutOf, optionOf } from './content.ts';
import { type ChartOption, echarts, type Zoom } from './echarts.ts';
import type { LineContent } from './line-content.ts';
import { type Colours, lineStyleOf } from './theme.ts';

/** What a picture shows: the charts on the screen, with their zoom. */
export interface Picture {
  readonly title: string;
  readonly content: ChartContent;
  readonly zoom: Zoom;
  readonly colours: Colours;
}

const WIDTH = 1200;
const MARGIN = 16;
const TITLE = 44;
/** The height of a row of the legend, and the space of a line's sample in it. */
const LEGEND_ROW = 22;
const SAMPLE = 48;
/** The maximum width of a name in the legend. */
const MAX_NAME = 360;

/** The picture as a PNG of high resolution. */
export async function pngOf(picture: Picture): Promise<Blob> {
  const element = document.createElement('div');
  const { option, height } = pictureOption(picture);
  const chart = echarts.init(element, null, {
    renderer: 'canvas',
    width: WIDTH,
    height,
    devicePixelRatio: 2,
    locale: 'EN',
  });
  chart.setOption(option);
  const canvas = chart.renderToCanvas();
  chart.dispose();
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (blob === null) throw new Error('The browser cannot make a PNG of the chart.');
  return blob;
}

/** The picture as an SVG. */
export function svgOf(picture: Picture): Blob {
  const { option, height } = pictureOption(picture);
  const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height, locale: 'EN' });
  chart.setOption(option);
  const drawing = chart.renderToSVGString();
  chart.dispose();
  return new Blob([drawing], { type: 'image/svg+xml' });
}

/** The chart with its title and a legend of all lines above it, without interactive parts. */
function pictureOption({ title, content, zoom, colours }: Picture): { option: ChartOption; height: number } {
  const names = 'lines' in content ? namesOf(content) : [];
  const columns = columnsFor(names);
  const screen = layoutOf(content);
  const layout = {
    ...screen,
    height: screen.height ?? (screen.count === 1 ? 480 : 240),
    top: TITLE + Math.ceil(names.length / columns) * LEGEND_ROW,
    hasSlider: false,
  };
  const option = optionOf(content, colours, title, layout, () => undefined);
  const { title: headings, dataZoom = [], graphic = [] } = option as Record<'title' | 'dataZoom' | 'graphic', object[]>;
  const heading = {
    left: MARGIN,
    top: 12,
    textStyle: { color: colours.text, fontSize: 17, width: WIDTH - 2 * MARGIN },
  };
  const legend = names.map(({ label, slot }, index) => ({
    type: 'group',
    left: MARGIN + ((WIDTH - 2 * MARGIN) / columns) * (index % columns),
    top: TITLE + Math.floor(index / columns) * LEGEND_ROW,
    children: sampleOf(label, slot, colours),
  }));
  return {
    height: stackHeight(layout),
    option: {
      ...option,
      backgroundColor: colours.paper,
      title: [{ ...heading, text: title }, ...headings.map((each) => ({ ...each, left: MARGIN }))],
      dataZoom: dataZoom.map((each) => ({ ...each, ...zoom })),
      tooltip: { show: false },
      graphic: [...graphic, ...legend],
    },
  };
}

/** The name of each drawn asset. A single line without a name needs no legend. */
function namesOf({ dataset, slots }: LineContent): { label: string; slot: number }[] {
  return [...slots]
    .map(([asset, slot]) => ({ label: dataset.assets[asset]?.label ?? '', slot }))
    .filter(({ label }) => label !== '');
}

/** The number of names in a row of the legend, by the longest name. */
function columnsFor(names: readonly { label: string }[]): number {
  const longest = Math.max(0, ...names.map(({ label }) => echarts.format.getTextRect(label, `13px ${font}`).width));
  return Math.max(1, Math.floor((WIDTH - 2 * MARGIN) / (Math.min(longest, MAX_NAME) + SAMPLE)));
}

/** A sample of a line, with its name. */
function sampleOf(label: string, slot: number, colours: Colours) {
  const { color, type } = lineStyleOf(colours, slot);
  return [
    {
      type: 'line',
      shape: { x1: 0, y1: 8, x2: 24, y2: 8 },
      style: { stroke: color, lineWidth: 3, lineDash: type },
    },
    {
      type: 'text',
      style: {
        text: label,
        x: 30,
        y: 8,
        verticalAlign: 'middle',
        fill: colours.text,
        font: `13px ${font}`,
        width: MAX_NAME,
        overflow: 'truncate',
      },
    },
  ];
}
