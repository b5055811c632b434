import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { LineContent } from './chart-option.ts';
import { ChartView } from './chart-view.tsx';
import type { Zoom } from './echarts.ts';
import type { HeatContent } from './heat-option.ts';
import { Legend } from './legend.tsx';
import { assignSlots, candidatesOf, drawnOf, type LineChoice } from './line-choice.ts';
import { queryResponse } from './response-client.ts';
import type { Colours } from './theme.ts';
import { useQuery } from './use-query.ts';
import type { DatasetSummary } from './worker/protocol.ts';

/** The most metrics that are drawn at first. */
const FIRST_METRICS = 8;

/** The charts of one dataset: one for each metric, with lines or as heat maps, and what chooses them. */
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
  const [isHeat, setHeat] = useState(false);
  const candidates = useMemo(() => candidatesOf(dataset.assets, choice), [dataset, choice]);
  const drawn = useMemo(() => drawnOf(candidates, choice), [candidates, choice]);
  const previous = useRef<ReadonlyMap<number, number>>(new Map());
  const slots = useMemo(() => {
    previous.current = assignSlots(previous.current, drawn);
    return previous.current;
  }, [drawn]);

  const assets = isHeat ? candidates : drawn;
  const [range, onZoom] = useRange(dataset);
  const isReduced = useRef(false);
  const exact = isReduced.current ? range : undefined;
  const key = JSON.stringify([isHeat, assets, metrics, isLogarithmic, exact]);
  const { result, error } = useQuery(key, async () => ({
    // What was asked for, because the next question may differ.
    assets,
    metrics,
    slots,
    isLogarithmic,
    ...(isHeat
      ? { heat: await queryResponse(responseId, 'heat', { dataset: index, assets, metrics }) }
      : await queryResponse(responseId, 'lines', {
          dataset: index,
          assets,
          metrics,
          isLogarithmic,
          ...(exact && { range: exact }),
        })),
  }));
  isReduced.current = result !== undefined && 'lines' in result && result.isReduced;
  const content = useMemo(
    (): LineContent | HeatContent | undefined => result && { dataset, ...result },
    [result, dataset],
  );

  return (
    <>
      <div className="response-tools">
        {dataset.metrics.length > 1 && <MetricButtons dataset={dataset} metrics={metrics} onMetrics={setMetrics} />}
        {dataset.assets.length > 1 && (
          <button type="button" aria-pressed={isHeat} onClick={() => setHeat(!isHeat)}>
            Heat map
          </button>
        )}
        {!isHeat && (
          <button type="button" aria-pressed={isLogarithmic} onClick={() => setLogarithmic(!isLogarithmic)}>
            Logarithmic
          </button>
        )}
      </div>
      <Legend {...{ dataset, candidates, choice, drawn: assets, slots, colours, onChoice, isHeat }} />
      {error !== undefined && <p role="alert">{error}</p>}
      {assets.length === 0 && <p className="response-hint">{noLines(candidates.length)}</p>}
      {metrics.length === 0 && <p className="response-hint">No metric is selected.</p>}
      {result !== undefined && 'lines' in result && result.isReduced && (
        <p className="response-hint">
          The lines have fewer points than the response, and keep every peak. A zoom shows all of a part.
        </p>
      )}
      {result !== undefined && 'lines' in result && result.leftOut > 0 && (
        <p className="response-hint">
          {result.leftOut} values of zero or less have no place on a logarithmic axis, and are left out.
        </p>
      )}
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
