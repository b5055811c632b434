import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { type Chart, type ChartOption, echarts, type Zoom } from './echarts.ts';
import { addGestures, type Margins } from './gestures.ts';

/** A chart in an element. */
export interface DrawnChart {
  readonly element: RefObject<HTMLDivElement | null>;
  readonly chart: Chart | undefined;
  /** The current zoom. */
  readonly zoom: () => Zoom;
}

const whole: Zoom = { start: 0, end: 100 };

/**
 * Draws a chart in an element, redraws it for each option, and resizes it with the element. A new option keeps the zoom.
 *
 * @param zooming the margins of charts that the mouse zooms, and what is called after each zoom
 * @param firstZoom the zoom at first
 */
export function useChart(
  option: ChartOption | undefined,
  zooming?: { readonly margins: Margins; readonly onZoom: (zoom: Zoom) => void },
  firstZoom: Zoom = whole,
): DrawnChart {
  const element = useRef<HTMLDivElement>(null);
  const [chart, setChart] = useState<Chart>();
  const zoomed = useRef<Zoom>(firstZoom);
  const current = useRef(zooming);
  current.current = zooming;
  const isZoomable = zooming !== undefined;
  useEffect(() => {
    if (element.current === null) return;
    const made = echarts.init(element.current, null, { locale: 'EN' });
    const container = element.current;
    const resizing = new ResizeObserver(() => {
      // The first call comes without a change, and would draw everything again.
      if (made.getWidth() !== container.clientWidth || made.getHeight() !== container.clientHeight) made.resize();
    });
    resizing.observe(container);
    made.on('dataZoom', (event) => {
      const { start, end, batch } = event as Partial<Zoom> & { batch?: Zoom[] };
      const [first = { start, end }] = batch ?? [];
      if (first.start === undefined || first.end === undefined) return;
      zoomed.current = { start: first.start, end: first.end };
      current.current?.onZoom(zoomed.current);
    });
    setChart(made);
    return () => {
      resizing.disconnect();
      made.dispose();
      setChart(undefined);
    };
  }, []);
  useEffect(() => {
    if (!isZoomable || chart === undefined || element.current === null) return;
    const margins = () => current.current?.margins ?? { left: 0, right: 0 };
    return addGestures(chart, element.current, margins, () => zoomed.current);
  }, [chart, isZoomable]);
  const isDrawn = useRef(false);
  useEffect(() => {
    if (option === undefined || chart === undefined) return;
    const sliders = (option.dataZoom as object[] | undefined)?.map((each) => ({ ...each, ...zoomed.current }));
    const whole = { ...option, ...(sliders && { dataZoom: sliders }) };
    // What is drawn again comes in the next frame, so that this task is short.
    const again = { notMerge: true, lazyUpdate: isDrawn.current };
    if (isDrawn.current || !isZoomable) return chart.setOption(whole, again);
    const parts = partsOf(whole);
    const timers = parts.map((part, index) =>
      setTimeout(() => {
        chart.setOption(part, { notMerge: index === 0 });
        isDrawn.current = index === parts.length - 1;
      }),
    );
    return () => timers.forEach(clearTimeout);
  }, [chart, option, isZoomable]);
  const zoom = useCallback(() => zoomed.current, []);
  return { element, chart, zoom };
}

/**
 * The parts of an option; each needs those before. The first chart of a page takes long, because code is compiled for it: part by part,
 * the page responds meanwhile.
 */
function partsOf({
  grid,
  xAxis,
  yAxis,
  axisPointer,
  tooltip,
  dataZoom,
  series,
  ...others
}: ChartOption): ChartOption[] {
  // Of lines, the first one is that of the slider, and the next two are those of a chart.
  const some = [1, 3].map((count) => ({ series: (series as object[]).slice(0, count) }));
  return [others, { grid, xAxis, yAxis, axisPointer }, { tooltip, dataZoom }, ...some, { series }];
}

/** What is zoomed, in percent of the time, where the ends of the slider have met. */
const JOINED_SPAN = 1;

/** Scales the visible part of the time by a factor, around its middle. */
export function zoomBy({ chart, zoom }: DrawnChart, factor: number): void {
  const { start, end } = zoom();
  const span = end - start > 1e-6 ? end - start : JOINED_SPAN;
  const half = Math.min((span * factor) / 2, 50);
  const middle = Math.min(Math.max((start + end) / 2, half), 100 - half);
  chart?.dispatchAction({ type: 'dataZoom', start: middle - half, end: middle + half });
}
