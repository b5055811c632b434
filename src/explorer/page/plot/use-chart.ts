import { type RefObject, useEffect, useRef, useState } from 'react';
import { type Chart, type ChartOption, echarts } from './echarts.ts';

/** Draws a chart in an element, anew with each option, and fits it to the element's size. */
export function useChart(option: ChartOption | undefined): [RefObject<HTMLDivElement | null>, Chart | undefined] {
  const place = useRef<HTMLDivElement>(null);
  const [chart, setChart] = useState<Chart>();
  useEffect(() => {
    if (place.current === null) return;
    const made = echarts.init(place.current);
    const resizing = new ResizeObserver(() => made.resize());
    resizing.observe(place.current);
    setChart(made);
    return () => {
      resizing.disconnect();
      made.dispose();
      setChart(undefined);
    };
  }, []);
  useEffect(() => {
    if (option !== undefined) chart?.setOption(option, { notMerge: true });
  }, [chart, option]);
  return [place, chart];
}
