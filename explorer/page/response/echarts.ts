import { CustomChart, LineChart, ScatterChart } from 'echarts/charts';
import {
  AriaComponent,
  AxisPointerComponent,
  DataZoomComponent,
  GeoComponent,
  GraphicComponent,
  GridComponent,
  TitleComponent,
  TooltipComponent,
} from 'echarts/components';
import * as echarts from 'echarts/core';
import { CanvasRenderer, SVGRenderer } from 'echarts/renderers';

// Only the parts of the library that the page uses.
echarts.use([
  AriaComponent,
  AxisPointerComponent,
  CanvasRenderer,
  CustomChart,
  DataZoomComponent,
  GeoComponent,
  GraphicComponent,
  GridComponent,
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
