import { type KeyboardEvent, type PointerEvent, type ReactNode, useId, useMemo, useRef, useState } from 'react';
import { LEFT, RIGHT, stackHeight } from './axes.ts';
import { altOf, type ChartContent, layoutOf, optionOf, roleOf } from './content.ts';
import type { Zoom } from './echarts.ts';
import { zoomKey } from './gestures.ts';
import { headingOf } from './heading.ts';
import { pngOf, svgOf } from './picture.ts';
import { type Readings, readingsOf } from './reading.ts';
import { fileTitle, saveFile } from './save.ts';
import type { Colours } from './theme.ts';
import { useChart, zoomBy } from './use-chart.ts';

/** The charts, with zoom, values at the pointer or by the arrow keys, and buttons to save them. */
export function ChartView(props: {
  content: ChartContent;
  colours: Colours;
  /** The zoom at first. */
  zoom?: Zoom | undefined;
  onZoom: (zoom: Zoom) => void;
  /** What else changes the charts. */
  tools?: ReactNode;
}) {
  const { content, colours, zoom, onZoom, tools } = props;
  const hasTime = !('histograms' in content);
  const alt = altOf(content);
  const layout = useMemo(() => layoutOf(content), [content]);
  const pointer = useRef({ x: 0, y: 0 });
  const drawn = useRef<ReturnType<typeof useChart>>(undefined);
  const option = useMemo(
    () =>
      optionOf(content, colours, alt, layout, (index) => {
        const { x, y } = pointer.current;
        const found = drawn.current?.chart?.convertFromPixel({ gridIndex: index }, [x, y]);
        return Array.isArray(found) ? { x: Number(found[0]), y: Number(found[1]) } : undefined;
      }),
    [content, colours, alt, layout],
  );
  const margins = { left: layout.left ?? LEFT, right: RIGHT };
  const chart = useChart(option, hasTime ? { margins, onZoom } : undefined, zoom);
  drawn.current = chart;
  // Before the chart hears of the pointer, so that its tooltip is not that of the place before.
  const onPointer = ({ nativeEvent: { offsetX, offsetY } }: PointerEvent) => {
    pointer.current = { x: offsetX, y: offsetY };
  };

  const readings = useRef<{ content: ChartContent; all: Readings }>(undefined);
  const [reading, setReading] = useState({ index: -1, text: '' });
  const readingId = useId();
  const read = (indexOf: (current: number, last: number, rowLength: number) => number) => {
    // Made by the first key, because it takes time for many lines.
    if (readings.current?.content !== content) readings.current = { content, all: readingsOf(content) };
    const { all } = readings.current;
    if (all.count === 0) return;
    const last = all.count - 1;
    const index = Math.min(Math.max(indexOf(reading.index, last, all.rowLength ?? 0), 0), last);
    const { text, item } = all.at(index);
    setReading({ index, text });
    if (item !== undefined) chart.chart?.dispatchAction({ type: 'showTip', ...item });
  };
  /** Moves by rows, as far as there are so many. */
  const readRow = (rows: number) =>
    read((current, last, rowLength) => {
      const next = current + rows * rowLength;
      return current < 0 || next < 0 || next > last ? current : next;
    });
  const onKeyDown = (event: KeyboardEvent) => {
    const distance = event.shiftKey ? 10 : 1;
    const steps: Record<string, () => void> = {
      ArrowRight: () => read((current) => current + distance),
      ArrowLeft: () => read((current) => current - distance),
      ...('heat' in content && { ArrowDown: () => readRow(distance), ArrowUp: () => readRow(-distance) }),
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

  const picture = () => ({ title: headingOf(content.dataset), content, zoom: chart.zoom(), colours });
  const title = fileTitle(content.dataset, roleOf(content));
  return (
    <>
      <div className="response-tools">
        {hasTime && (
          <>
            <button type="button" onClick={() => zoomBy(chart, 0.5)}>
              Zoom in
            </button>
            <button type="button" onClick={() => zoomBy(chart, 2)}>
              Zoom out
            </button>
            <button type="button" onClick={() => zoomBy(chart, Number.POSITIVE_INFINITY)}>
              Whole time
            </button>
            <span className="response-gesture">Drag, or {zoomKey} and wheel, to zoom</span>
          </>
        )}
        {tools}
        <span className="response-space" />
        <button
          type="button"
          aria-label="Save as PNG"
          onClick={async () => saveFile(title, 'png', await pngOf(picture()))}
        >
          PNG
        </button>
        <button type="button" aria-label="Save as SVG" onClick={() => saveFile(title, 'svg', svgOf(picture()))}>
          SVG
        </button>
      </div>
      <div
        className="response-chart"
        role="application"
        aria-roledescription={roleOf(content)}
        aria-label={alt}
        aria-describedby={readingId}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys read its values
        tabIndex={0}
        onKeyDown={onKeyDown}
        onPointerMoveCapture={onPointer}
        onPointerDownCapture={onPointer}
      >
        <div
          ref={chart.element}
          className="response-canvas"
          style={{ height: stackHeight(layout) }}
          aria-hidden="true"
        />
      </div>
      <p id={readingId} className="response-reading" aria-live="polite">
        {reading.text}
      </p>
    </>
  );
}
