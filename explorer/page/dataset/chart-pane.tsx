import { useEffect, useEffectEvent, useLayoutEffect, useMemo, useState } from 'react';
import { sizeText } from '../../../src/core/size-text.ts';
import type { Outline } from '../outline.ts';
import type { Access } from '../post.ts';
import { absenceTexts } from '../response/advice.ts';
import { Failure } from '../response/error-list.tsx';
import { labelledMetrics } from '../response/labelled-metrics.ts';
import { ResponseProgress } from '../response/response-progress.tsx';
import { RestCallList } from '../response/rest-calls.tsx';
import { timeText } from '../response/time-text.ts';
import type { DatasetSummary, ResponseSummary } from '../response/worker/protocol.ts';
import type { PageOperations } from '../settings.ts';
import type { TabText } from '../tab-text.ts';
import { useUnits } from '../units.ts';
import type { Comparison } from './comparison.ts';
import { whose } from './comparison-notes.tsx';
import { DatasetErrors } from './dataset-errors.tsx';
import { chartOperation } from './operation.ts';
import { hasPeriods, isPeriodShow } from './periods.ts';
import type { Recovery } from './recovery.ts';
import type { Show } from './shows.ts';
import { timeParts } from './time-parts.ts';
import { useResponse } from './use-response.ts';
import type { ViewStep } from './use-view.ts';
import { Values } from './values.tsx';
import { MAX_LINES, type Shown, type View } from './view.ts';

interface ChartPaneProps {
  readonly access: Access;
  readonly recovery: Recovery;
  readonly datasetId: string;
  readonly operations: PageOperations;
  /** The operation that reads what is shown. */
  readonly operation: TabText;
  readonly outline: Outline;
  readonly shown: Shown;
  /** Undefined: nothing is compared. */
  readonly comparison: Comparison | undefined;
  readonly view: View;
  readonly onView: (view: View, step?: ViewStep) => void;
  /** Called with the ids of the assets whose lines the user wants to see. */
  readonly onAssets: (assetIds: readonly string[]) => void;
  /** Called with whether there can be means by period, once a response tells. */
  readonly onPeriods: (hasPeriods: boolean) => void;
  /** Called when a response has come: whether it is shown, or has failed. */
  readonly onResponse: (isShown: boolean) => void;
}

/** What to choose before there is something to read; undefined if nothing is missing. */
export function missingChoice({ metrics, assetIds, hasQuantiles }: Shown, show: Show): string | undefined {
  if (metrics.length === 0) return 'No metric is chosen. Choose one above.';
  // A map has all assets.
  const hasAssets = show === 'map' || hasQuantiles || assetIds.length > 0;
  return hasAssets ? undefined : 'No asset is chosen. Choose one above, or the quantiles of all assets.';
}

/** What the open tab shows of a view, or what is wrong in its place. While the next view is read, the previous one is dimmed. */
export function ChartPane(props: ChartPaneProps) {
  const {
    shown,
    view: { show = 'chart' },
  } = props;
  const missing = missingChoice(shown, show);
  if (missing !== undefined) return <p className="dataset-empty">{missing}</p>;
  // The chart and the table share a response, as the tabs of means by period may.
  return <Response key={isPeriodShow(show) ? 'periods' : 'rows'} {...props} />;
}

function Response({ access, operation, onResponse, ...found }: ChartPaneProps) {
  const { operations, preview } = useOperations(operation, found);
  const { comparison } = found;
  const { summary, failure, running, key, isStale } = useResponse(access, operations, comparison?.overlay, preview);
  const isRunning = running !== undefined;
  useEffect(() => {
    if (!isRunning) onResponse(isShown(summary));
  }, [isRunning, summary, onResponse]);
  return (
    <>
      {running !== undefined && !isStale && <ResponseProgress received={running} />}
      <div className="dataset-response" aria-busy={isRunning} inert={isStale}>
        {failure !== undefined && <Failure failure={failure} onRetry={found.recovery.runAgain} />}
        {summary !== undefined && <Found key={key} {...found} summary={summary} isPart={isRunning && !isStale} />}
      </div>
    </>
  );
}

/** Whether a response is more than errors. */
function isShown(summary: ResponseSummary | undefined): boolean {
  return summary !== undefined && (summary.errors.length === 0 || summary.absence === undefined);
}

/** A preview has a tenth of the rows, because it is drawn again with each part. */
const PREVIEW_PARTS = 10;

/**
 * The operations that read what is shown. The values of many assets are read in parts, so that the chart fills. If all of them are
 * quantiles, a preview has the lines of the first assets.
 */
function useOperations(operation: TabText, found: Omit<ChartPaneProps, 'access' | 'operation' | 'onResponse'>) {
  const { datasetId, operations, outline, shown, comparison, view } = found;
  const { show = 'chart' } = view;
  const hasParts = shown.hasQuantiles && comparison === undefined && (show === 'chart' || show === 'table');
  return useMemo(() => {
    const times = hasParts ? timeParts(shown.days, outline) : [];
    if (times.length < 2) return { operations: [operation] };
    const assetIds = outline.assets.slice(0, MAX_LINES).map(({ id }) => id);
    const lines = { ...shown, assetIds, hasQuantiles: false };
    return {
      operations: times.map((days) => chartOperation(datasetId, { ...shown, days }, operations, times.length)),
      ...(shown.assetIds.length === 0 && { preview: chartOperation(datasetId, lines, operations, PREVIEW_PARTS) }),
    };
  }, [operation, hasParts, datasetId, operations, outline, shown]);
}

/** What a response has: errors, values, or neither. */
function Found({
  summary,
  recovery,
  isPart,
  datasetId,
  view,
  onView,
  onAssets,
  onPeriods,
  ...current
}: Omit<ChartPaneProps, 'access' | 'operations' | 'operation' | 'onResponse'> & {
  readonly summary: ResponseSummary;
  /** Whether later values follow. */
  readonly isPart: boolean;
}) {
  const { responseId, errors, absence, restCalls } = summary;
  // What was asked for when the response came: the next view may differ.
  const [{ outline, shown, comparison }] = useState(current);
  // Not all operations of the page read the name.
  const found = useMemo((): DatasetSummary | undefined => {
    const [first] = summary.datasets;
    const title = comparison?.kind === 'years' ? `${outline.name}: ${whose(comparison, outline)}` : outline.name;
    return first && { ...first, title, ...(isPart && first.isTime && { extent: wholeExtent(first, shown, outline) }) };
  }, [summary, isPart, outline, shown, comparison]);
  const [units] = useUnits(datasetId);
  const dataset = useMemo(() => found && labelledMetrics(found, units), [found, units]);
  const isDated = hasPeriods(summary);
  const tell = useEffectEvent(onPeriods);
  useLayoutEffect(() => {
    if (isDated !== undefined) tell(isDated);
  }, [isDated]);
  return (
    <>
      <DatasetErrors errors={errors} recovery={recovery} />
      {absence !== undefined && errors.length === 0 && (
        <p className="dataset-empty">{absenceTexts[absence]} Choose another time or other assets.</p>
      )}
      {absence === undefined && dataset !== undefined && (
        <Values {...{ responseId, dataset, units, outline, shown, comparison, view, onView, onAssets }} />
      )}
      <footer className="dataset-cost">
        <span>
          {sizeText(summary.bytes)} in {timeText(summary.milliseconds)}
        </span>
        {restCalls !== undefined && <RestCallList restCalls={restCalls} />}
      </footer>
    </>
  );
}

/** The axis of a chart that fills. */
function wholeExtent({ extent: [low, high] }: DatasetSummary, { days }: Shown, outline: Outline) {
  const [first, last] = outline.days;
  return [Math.min(low, Date.parse(days.from || first)), Math.max(high, Date.parse(days.to || last))] as const;
}
