import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { ChartNotes } from './chart-notes.tsx';
import { ChartView } from './chart-view.tsx';
import type { ChartContent } from './content.ts';
import type { Zoom } from './echarts.ts';
import { Legend } from './legend.tsx';
import { assignSlots, candidatesOf, drawnOf, FIRST_LINES, type LineChoice } from './line-choice.ts';
import { queryResponse } from './response-client.ts';
import type { Colours } from './theme.ts';
import { useQuery } from './use-query.ts';
import type { DatasetSummary } from './worker/protocol.ts';

/** The most metrics that are drawn at first. */
const FIRST_METRICS = 8;

/** With at most so many dates, many assets are a histogram at first: lines would be dots one above another. */
const MAX_HISTOGRAM_DATES = 3;

/** How the values are drawn. */
type Kind = 'lines' | 'heat' | 'histograms';

/** The charts of one dataset: one for each metric, with lines, as heat maps or as histograms, and what chooses them. */
export function ChartTab(props: {
  responseId: number;
  index: number;
  dataset: DatasetSummary;
  choice: LineChoice;
  colours: Colours;
  onChoice: (choice: LineChoice) => void;
}) {
  const { responseId, index, dataset, choice, colours, onChoice } = props;
  const [metrics, setMetrics] = useState(() => dataset.metrics.map((_, metric) => metric).slice(0, FIRST_METRICS));
  const [isLogarithmic, setLogarithmic] = useState(false);
  const hasHistograms = dataset.dateCount <= MAX_HISTOGRAM_DATES && dataset.assets.length > FIRST_LINES;
  const [kind, setKind] = useState<Kind>(hasHistograms ? 'histograms' : 'lines');
  const candidates = useMemo(() => candidatesOf(dataset.assets, choice), [dataset, choice]);
  const drawn = useMemo(() => drawnOf(candidates, choice), [candidates, choice]);
  const previous = useRef<ReadonlyMap<number, number>>(new Map());
  const slots = useMemo(() => {
    previous.current = assignSlots(previous.current, drawn);
    return previous.current;
  }, [drawn]);

  const assets = kind === 'lines' ? drawn : candidates;
  const [range, onZoom] = useRange(dataset);
  const isReduced = useRef(false);
  const exact = isReduced.current ? range : undefined;
  const key = JSON.stringify([dataset.metrics, kind, assets, metrics, isLogarithmic, exact]);
  const request = { dataset: index, assets, metrics };
  const { result: content, error } = useQuery(key, async (): Promise<ChartContent> => {
    // With what was asked for, because the next question may differ.
    if (kind === 'heat') return { dataset, assets, heat: await queryResponse(responseId, 'heat', request) };
    if (kind === 'histograms') return { dataset, assets, ...(await queryResponse(responseId, 'histograms', request)) };
    const lines = await queryResponse(responseId, 'lines', {
      ...request,
      isLogarithmic,
      ...(exact && { range: exact }),
    });
    return { dataset, metrics, slots, isLogarithmic, ...lines };
  });
  isReduced.current = content !== undefined && 'lines' in content && content.isReduced;
  const kindButton = (of: Kind, name: string) => (
    <button type="button" aria-pressed={kind === of} onClick={() => setKind(kind === of ? 'lines' : of)}>
      {name}
    </button>
  );

  return (
    <>
      <div className="response-tools">
        {dataset.metrics.length > 1 && <MetricButtons dataset={dataset} metrics={metrics} onMetrics={setMetrics} />}
        {hasHistograms && kindButton('histograms', 'Histogram')}
        {dataset.assets.length > 1 && kindButton('heat', 'Heat map')}
        {kind === 'lines' && (
          <button type="button" aria-pressed={isLogarithmic} onClick={() => setLogarithmic(!isLogarithmic)}>
            Logarithmic
          </button>
        )}
      </div>
      <Legend {...{ dataset, candidates, choice, drawn: assets, slots, colours, onChoice }} hasAll={kind !== 'lines'} />
      {error !== undefined && <p role="alert">{error}</p>}
      {assets.length === 0 && <p className="response-hint">{noLines(candidates.length)}</p>}
      {metrics.length === 0 && <p className="response-hint">No metric is selected.</p>}
      <ChartNotes dataset={dataset} content={content} />
      {content !== undefined && assets.length > 0 && metrics.length > 0 && (
        <ChartView content={content} colours={colours} onZoom={onZoom} />
      )}
    </>
  );
}

/** The milliseconds without a zoom after which the lines are made exact. */
const SETTLE_MS = 200;

/** The visible part of the time, once it does not change any more; undefined for all of it. */
function useRange({ extent: [first, last] }: DatasetSummary) {
  const [range, setRange] = useState<readonly [first: number, last: number]>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const onZoom = useCallback(
    ({ start, end }: Zoom) => {
      clearTimeout(timer.current);
      const at = (percent: number) => first + ((last - first) * percent) / 100;
      timer.current = setTimeout(() => setRange(end - start > 99 ? undefined : [at(start), at(end)]), SETTLE_MS);
    },
    [first, last],
  );
  return [range, onZoom] as const;
}

function noLines(candidates: number): string {
  return candidates === 0 ? 'No name matches the filter.' : 'No line is selected.';
}

/** A button for each metric, which shows or hides its chart. */
function MetricButtons(props: {
  dataset: DatasetSummary;
  metrics: readonly number[];
  onMetrics: (metrics: number[]) => void;
}) {
  const { dataset, metrics, onMetrics } = props;
  const toggle = (metric: number) =>
    onMetrics(dataset.metrics.flatMap((_, other) => ((other === metric) !== metrics.includes(other) ? [other] : [])));
  return (
    <ul className="response-legend" aria-label="Metrics">
      {dataset.metrics.map((name, metric) => (
        <li key={name}>
          <button type="button" aria-pressed={metrics.includes(metric)} onClick={() => toggle(metric)}>
            {name}
          </button>
        </li>
      ))}
    </ul>
  );
}
