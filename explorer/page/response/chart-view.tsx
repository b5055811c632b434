import { type KeyboardEvent, type PointerEvent, useId, useMemo, useRef, useState } from 'react';
import { stackHeight } from './axes.ts';
import { chartOption, type LineContent, layoutOf } from './chart-option.ts';
import type { Zoom } from './echarts.ts';
import { headingOf } from './heading.ts';
import { type HeatContent, heatLayout, heatOption } from './heat-option.ts';
import { pngOf, svgOf } from './picture.ts';
import { type Reading, readingsByDate, readingText } from './reading.ts';
import { fileName, saveFile } from './save.ts';
import type { Colours } from './theme.ts';
import { useChart, zoomBy } from './use-chart.ts';

/** The most names in the text alternative. */
const MAX_NAMES = 20;

/** The charts, with zoom, values at the pointer or by the arrow keys, and buttons to save them. */
export function ChartView(props: {
  content: LineContent | HeatContent;
  colours: Colours;
  onZoom: (zoom: Zoom) => void;
}) {
  const { content, colours, onZoom } = props;
  const isHeat = 'heat' in content;
  const heading = headingOf(content.dataset);
  const alt = altOf(content);
  const pointer = useRef({ x: 0, y: 0 });
  const drawn = useRef<ReturnType<typeof useChart>>(undefined);
  const option = useMemo(() => {
    const pointed = (index: number) => {
      const { x, y } = pointer.current;
      const found = drawn.current?.chart?.convertFromPixel({ gridIndex: index }, [x, y]);
      return Array.isArray(found) ? { x: Number(found[0]), y: Number(found[1]) } : undefined;
    };
    return isHeat ? heatOption(content, colours, alt, pointed) : chartOption(content, colours, alt, pointed);
  }, [content, colours, alt, isHeat]);
  const chart = useChart(option, onZoom);
  drawn.current = chart;
  // Before the chart hears of the pointer, so that its tooltip is not that of the place before.
  const onPointer = ({ nativeEvent: { offsetX, offsetY } }: PointerEvent) => {
    pointer.current = { x: offsetX, y: offsetY };
  };

  const readings = useRef<{ content: LineContent | HeatContent; all: Reading[] }>(undefined);
  const [reading, setReading] = useState({ index: -1, text: '' });
  const readingId = useId();
  const read = (indexOf: (current: number, last: number) => number) => {
    if (isHeat) return;
    // Made by the first key, because it takes time for many lines.
    if (readings.current?.content !== content) readings.current = { content, all: readingsByDate(content.lines) };
    const { all } = readings.current;
    const index = Math.min(Math.max(indexOf(reading.index, all.length - 1), 0), all.length - 1);
    const at = all[index];
    if (at === undefined) return;
    setReading({ index, text: readingText(at, content.dataset, content.lines) });
    const [first] = at.values;
    if (first) chart.chart?.dispatchAction({ type: 'showTip', seriesIndex: first.line, dataIndex: first.row });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const distance = event.shiftKey ? 10 : 1;
    const steps: Record<string, () => void> = {
      ArrowRight: () => read((current) => current + distance),
      ArrowLeft: () => read((current) => current - distance),
      Home: () => read(() => 0),
      End: () => read((_, last) => last),
      '+': () => zoomBy(chart, 0.5),
      '-': () => zoomBy(chart, 2),
      '0': () => zoomBy(chart, Number.POSITIVE_INFINITY),
    };
    const step = steps[event.key];
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    step();
  };

  const picture = () => ({ title: heading, content, zoom: chart.zoom(), colours });
  const height = stackHeight(isHeat ? heatLayout(content.heat.maps.length) : layoutOf(content.metrics.length));
  return (
    <>
      <div className="response-tools">
        <button type="button" onClick={() => zoomBy(chart, 0.5)}>
          Zoom in
        </button>
        <button type="button" onClick={() => zoomBy(chart, 2)}>
          Zoom out
        </button>
        <button type="button" onClick={() => zoomBy(chart, Number.POSITIVE_INFINITY)}>
          Whole time
        </button>
        <span className="response-space" />
        <button
          type="button"
          aria-label="Save as PNG"
          onClick={async () => saveFile(fileName(heading, 'png'), await pngOf(picture()))}
        >
          PNG
        </button>
        <button
          type="button"
          aria-label="Save as SVG"
          onClick={() => saveFile(fileName(heading, 'svg'), svgOf(picture()))}
        >
          SVG
        </button>
      </div>
      <div
        className="response-chart"
        role="application"
        aria-roledescription={isHeat ? 'heat map' : 'line chart'}
        aria-label={alt}
        aria-describedby={readingId}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys read its values
        tabIndex={0}
        onKeyDown={onKeyDown}
        onPointerMoveCapture={onPointer}
        onPointerDownCapture={onPointer}
      >
        <div ref={chart.element} className="response-canvas" style={{ height }} aria-hidden="true" />
      </div>
      <p id={readingId} className="response-reading" aria-live="polite">
        {reading.text}
      </p>
    </>
  );
}

/** The text alternative of the charts. */
function altOf(content: LineContent | HeatContent): string {
  const { dataset } = content;
  const isHeat = 'heat' in content;
  const assets = isHeat ? content.assets : [...content.slots.keys()];
  const metrics = isHeat ? content.heat.maps.map(({ metric }) => metric) : content.metrics;
  const charts = metrics.map((metric) => dataset.metrics[metric]).join(', ');
  const names = assets.map((asset) => dataset.assets[asset]?.label ?? '').filter((label) => label !== '');
  const lines = names.length > MAX_NAMES ? `${names.length} assets` : names.join(', ');
  return [
    `${headingOf(dataset)}.`,
    `${isHeat ? 'Heat maps' : 'Charts'}: ${charts}.`,
    ...(lines === '' ? [] : [`${isHeat ? 'Rows' : 'Lines'}: ${lines}.`]),
    ...(isHeat ? [] : ['The arrow keys read out the values.']),
  ].join(' ');
}
