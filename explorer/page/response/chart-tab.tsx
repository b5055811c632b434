import { useMemo, useRef } from 'react';
import { type ChartKind, chosenKind, chosenMetrics, drawnMetrics, kindsOf } from './chart-choice.ts';
import { ChartNotes } from './chart-notes.tsx';
import { ChartView } from './chart-view.tsx';
import type { ChartContent } from './content.ts';
import { Legend } from './legend.tsx';
import { assignSlots, candidatesOf, drawnOf, firstChoice } from './line-choice.ts';
import { LineTable } from './line-table.tsx';
import { LogarithmicButton } from './logarithmic-button.tsx';
import type { Viewing } from './pane-view.ts';
import { queryResponse } from './response-client.ts';
import type { Colours } from './theme.ts';
import { useQuery } from './use-query.ts';
import { useSettledZoom } from './use-settled-zoom.ts';
import type { DatasetSummary } from './worker/protocol.ts';
import { rangeOf } from './zoom-text.ts';

/** The charts of one dataset: one for each metric, with lines, as heat maps or as histograms, and what chooses them. */
export function ChartTab(
  props: { responseId: number; index: number; dataset: DatasetSummary; colours: Colours } & Viewing,
) {
  const { responseId, index, dataset, colours, view, onView } = props;
  const { isLogarithmic = false, lines: choice = firstChoice } = view;
  const metrics = useMemo(() => drawnMetrics(dataset, view.metrics), [dataset, view.metrics]);
  const kinds = kindsOf(dataset);
  const { kind = kinds[0] } = view;
  const candidates = useMemo(() => candidatesOf(dataset.assets, choice), [dataset, choice]);
  const drawn = useMemo(() => drawnOf(dataset.assets, candidates, choice), [dataset, candidates, choice]);
  const previous = useRef<ReadonlyMap<number, number>>(new Map());
  const slots = useMemo(() => {
    previous.current = assignSlots(previous.current, drawn);
    return previous.current;
  }, [drawn]);

  const assets = kind === 'lines' ? drawn : candidates;
  const [zoom, onZoom] = useSettledZoom(dataset, view, onView);
  // Not known before the first lines: they are exact within the zoom of the view.
  const isReduced = useRef(true);
  const exact = isReduced.current && zoom !== undefined ? rangeOf(dataset, zoom) : undefined;
  const key = JSON.stringify([dataset.labels, kind, assets, metrics, isLogarithmic, exact]);
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
  const kindButton = (of: ChartKind, name: string) => (
    <button
      type="button"
      aria-pressed={kind === of}
      onClick={() => onView({ kind: chosenKind(dataset, kind === of ? 'lines' : of) })}
    >
      {name}
    </button>
  );

  return (
    <>
      <div className="response-tools">
        {dataset.metrics.length > 1 && <MetricButtons {...{ dataset, metrics, onView }} />}
        {kindButton('histograms', 'Histogram')}
        {kinds.includes('heat') && kindButton('heat', 'Heat map')}
        {kind === 'lines' && <LogarithmicButton isLogarithmic={isLogarithmic} onChange={onView} />}
      </div>
      <Legend
        {...{ dataset, candidates, choice, drawn: assets, slots, colours }}
        onChoice={(lines) => onView({ lines })}
        hasAll={kind !== 'lines'}
      />
      {error !== undefined && <p role="alert">{error}</p>}
      {assets.length === 0 && <p className="response-hint">{noLines(candidates.length)}</p>}
      {metrics.length === 0 && <p className="response-hint">No metric is selected.</p>}
      <ChartNotes dataset={dataset} content={content} />
      {content !== undefined && assets.length > 0 && metrics.length > 0 && (
        <>
          <ChartView {...{ content, colours, zoom, onZoom }} />
          {'lines' in content && <LineTable content={content} colours={colours} />}
        </>
      )}
    </>
  );
}

function noLines(candidates: number): string {
  return candidates === 0 ? 'No name matches the filter.' : 'No line is selected.';
}

/** A button for each metric, which shows or hides its chart. */
function MetricButtons(props: { dataset: DatasetSummary; metrics: readonly number[]; onView: Viewing['onView'] }) {
  const { dataset, metrics, onView } = props;
  const toggle = (metric: number) => {
    const next = [...dataset.metrics.keys()].filter((other) => (other === metric) !== metrics.includes(other));
    onView({ metrics: chosenMetrics(dataset, next) });
  };
  return (
    <ul className="response-legend" aria-label="Metrics">
      {dataset.labels.map((name, metric) => (
        <li key={name}>
          <button type="button" aria-pressed={metrics.includes(metric)} onClick={() => toggle(metric)}>
            {name}
          </button>
        </li>
      ))}
    </ul>
  );
}
