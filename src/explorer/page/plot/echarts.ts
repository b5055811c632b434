import { LineChart, ScatterChart } from 'echarts/charts';
import {
  AriaComponent,
  DataZoomComponent,
  GeoComponent,
  GridComponent,
  LegendComponent,
  TitleComponent,
  TooltipComponent,
} from 'echarts/components';
import * as echarts from 'echarts/core';
import { CanvasRenderer, SVGRenderer } from 'echarts/renderers';

// Only the parts of the library that the page uses.
echarts.use([
  AriaComponent,
  CanvasRenderer,
  DataZoomComponent,
  GeoComponent,
  GridComponent,
  LegendComponent,
  LineChart,
  SVGRenderer,
  ScatterChart,
  TitleComponent,
  TooltipComponent,
]);

export { echarts };
export type Chart = echarts.EChartsType;
export type { EChartsCoreOption as ChartOption } from 'echarts/core';
