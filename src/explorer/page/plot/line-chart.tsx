import { type KeyboardEvent, useEffect, useId, useMemo, useState } from 'react';
import { chartOption, timeText } from './chart-option.ts';
import type { Chart } from './echarts.ts';
import type { PictureOptions } from './export.ts';
import { Legend } from './legend.tsx';
import { readingsByDate } from './reading.ts';
import type { Plot } from './response.ts';
import { headingOf, linesOf } from './series.ts';
import type { Colours } from './theme.ts';
import { useChart } from './use-chart.ts';

/** A plot's lines, with a legend, zoom, and values at the pointer or by the arrow keys. */
export function LineChart(props: { plot: Plot; colours: Colours; onChart: (picture: () => PictureOptions) => void }) {
  const { plot, colours, onChart } = props;
  const lines = useMemo(() => linesOf(plot), [plot]);
  const alt = `${headingOf(plot)}. Lines: ${lines.series.map(({ name }) => name).join(', ')}. The arrow keys read out the values.`;
  const option = useMemo(() => chartOption(lines, colours, alt), [lines, colours, alt]);
  const [element, chart] = useChart(option);
  const [off, setOff] = useState<ReadonlySet<string>>(new Set());
  const [reading, setReading] = useState({ index: -1, text: '' });
  const readings = useMemo(() => readingsByDate(lines), [lines]);
  const readingId = useId();

  useEffect(() => {
    if (chart === undefined) return;
    onChart(() => ({ screen: { ...option, ...shownPart(chart) }, title: headingOf(plot), colours }));
  }, [chart, option, plot, colours, onChart]);

  const toggle = (name: string) => {
    chart?.dispatchAction({ type: 'legendToggleSelect', name });
    setOff((names) => new Set(names.has(name) ? [...names].filter((other) => other !== name) : [...names, name]));
  };
  const read = (index: number) => {
    const at = readings[Math.min(Math.max(index, 0), readings.length - 1)];
    if (at === undefined) return;
    const values = at.values.filter(({ name }) => !off.has(name));
    const date = typeof at.x === 'number' ? timeText(at.x) : at.x;
    setReading({
      index: readings.indexOf(at),
      text: `${date}: ${values.map(({ name, y }) => `${name} ${y ?? 'no value'}`).join(', ')}`,
    });
    const [first] = values;
    if (first !== undefined)
      chart?.dispatchAction({ type: 'showTip', seriesIndex: first.series, dataIndex: first.row });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const distance = event.shiftKey ? 10 : 1;
    const steps: Record<string, () => void> = {
      ArrowRight: () => read(reading.index + distance),
      ArrowLeft: () => read(reading.index - distance),
      Home: () => read(0),
      End: () => read(readings.length - 1),
      '+': () => chart && zoom(chart, 0.5),
      '-': () => chart && zoom(chart, 2),
      '0': () => chart && zoom(chart, Number.POSITIVE_INFINITY),
    };
    const step = steps[event.key];
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    step();
  };
  return (
    <>
      <Legend names={lines.series.map(({ name }) => name)} off={off} colours={colours} onToggle={toggle} />
      <div
        className="plot-chart"
        role="application"
        aria-roledescription="line chart"
        aria-label={alt}
        aria-describedby={readingId}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys read its values
        tabIndex={0}
        onKeyDown={onKeyDown}
      >
        <div ref={element} className="plot-canvas" aria-hidden="true" />
      </div>
      <p id={readingId} className="plot-reading" aria-live="polite">
        {reading.text}
      </p>
      <p className="plot-zoom">
        <button type="button" onClick={() => chart && zoom(chart, 0.5)}>
          Zoom in
        </button>
        <button type="button" onClick={() => chart && zoom(chart, 2)}>
          Zoom out
        </button>
        <button type="button" onClick={() => chart && zoom(chart, Number.POSITIVE_INFINITY)}>
          Whole time
        </button>
      </p>
    </>
  );
}

/** Scales the visible time range by a factor, around its middle. */
function zoom(chart: Chart, factor: number): void {
  const { dataZoom } = chart.getOption() as { dataZoom: { start: number; end: number }[] };
  const [{ start, end } = { start: 0, end: 100 }] = dataZoom;
  const half = Math.min(((end - start) * factor) / 2, 50);
  const middle = Math.min(Math.max((start + end) / 2, half), 100 - half);
  chart.dispatchAction({ type: 'dataZoom', start: middle - half, end: middle + half });
}

/** The current zoom and visible lines. */
function shownPart(chart: Chart): object {
  const { dataZoom, legend } = chart.getOption() as { dataZoom: object[]; legend: { selected: object }[] };
  return { dataZoom, legend: { show: false, selected: legend[0]?.selected ?? {} } };
}
