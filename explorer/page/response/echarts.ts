import { CustomChart, LineChart, ScatterChart } from 'echarts/charts';
import {
  AriaComponent,
  AxisPointerComponent,
  DataZoomSliderComponent,
  GraphicComponent,
  GridComponent,
  TitleComponent,
  TooltipComponent,
} from 'echarts/components';
import * as echarts from 'echarts/core';
import { LabelLayout } from 'echarts/features';
import { CanvasRenderer, SVGRenderer } from 'echarts/renderers';

// Only the parts of the library that the page uses.
echarts.use([
  AriaComponent,
  AxisPointerComponent,
  CanvasRenderer,
  CustomChart,
  DataZoomSliderComponent,
  GraphicComponent,
  GridComponent,
  LabelLayout,
  LineChart,
  SVGRenderer,
  ScatterChart,
  TitleComponent,
  TooltipComponent,
]);

export { echarts };
export type Chart = echarts.EChartsType;
export type { EChartsCoreOption as ChartOption } from 'echarts/core';

/** The part of an axis that is visible, in percent. */
export interface Zoom {
  readonly start: number;
  readonly end: number;
}

/** The part of a chart that a custom series draws in, in pixels. */
export interface DrawParams {
  readonly coordSys: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
}

/** What a custom series draws an item with. */
export interface DrawApi {
  value(dimension: number): number;
  coord(point: readonly [x: number, y: number]): [x: number, y: number];
  getDevicePixelRatio(): number | undefined;
}
