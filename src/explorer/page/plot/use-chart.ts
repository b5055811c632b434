import { type RefObject, useEffect, useRef, useState } from 'react';
import { type Chart, type ChartOption, echarts } from './echarts.ts';

/** Draws a chart in an element, redraws it for each option, and resizes it with the element. */
export function useChart(option: ChartOption | undefined): [RefObject<HTMLDivElement | null>, Chart | undefined] {
  const element = useRef<HTMLDivElement>(null);
  const [chart, setChart] = useState<Chart>();
  useEffect(() => {
    if (element.current === null) return;
    const made = echarts.init(element.current);
    const resizing = new ResizeObserver(() => made.resize());
    resizing.observe(element.current);
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
  return [element, chart];
}
