import { useEffect, useMemo, useState } from 'react';
import { sizeText } from '../../../src/core/size-text.ts';
import type { Outline } from '../outline.ts';
import type { Access } from '../post.ts';
import { absenceTexts } from '../response/advice.ts';
import { Failure } from '../response/error-list.tsx';
import { labelledMetrics } from '../response/labelled-metrics.ts';
import type { ResponseEnd } from '../response/response-client.ts';
import { RestCallList } from '../response/rest-calls.tsx';
import { timeText } from '../response/time-text.ts';
import type { DatasetSummary, ResponseSummary } from '../response/worker/protocol.ts';
import type { TabText } from '../tab-text.ts';
import { useUnits } from '../units.ts';
import type { Comparison } from './comparison.ts';
import { whose } from './comparison-notes.tsx';
import { DatasetErrors } from './dataset-errors.tsx';
import type { Recovery } from './recovery.ts';
import type { Show } from './shows.ts';
import { useResponse } from './use-response.ts';
import type { ViewStep } from './use-view.ts';
import { Values } from './values.tsx';
import type { Shown, View } from './view.ts';

interface ChartPaneProps {
  readonly access: Access;
  readonly recovery: Recovery;
  readonly datasetId: string;
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
  // The chart and the table share a response, as the map and the heat maps may.
  return <Response key={show === 'map' || show === 'heat' ? 'periods' : 'rows'} {...props} />;
}

function Response({ access, operation, onResponse, ...found }: ChartPaneProps) {
  const { end, isRunning } = useResponse(access, operation, found.comparison?.overlay);
  useEffect(() => {
    if (end !== undefined) onResponse(isShown(end));
  }, [end, onResponse]);
  if (end === undefined)
    return (
      <p role="status" className="dataset-empty">
        Reading the values …
      </p>
    );
  return (
    <div className="dataset-response" aria-busy={isRunning} inert={isRunning}>
      {end.kind === 'failed' ? (
        <Failure failure={end.failure} onRetry={found.recovery.runAgain} />
      ) : (
        <Found key={end.summary.responseId} {...found} summary={end.summary} />
      )}
    </div>
  );
}

/** Whether a response is more than errors. */
function isShown(end: ResponseEnd): boolean {
  return end.kind === 'done' && (end.summary.errors.length === 0 || end.summary.absence === undefined);
}

/** What a response has: errors, values, or neither. */
function Found({
  summary,
  recovery,
  datasetId,
  view,
  onView,
  onAssets,
  ...current
}: Omit<ChartPaneProps, 'access' | 'operation' | 'onResponse'> & { readonly summary: ResponseSummary }) {
  const { responseId, errors, absence, restCalls } = summary;
  // What was asked for when the response came: the next view may differ.
  const [{ outline, shown, comparison }] = useState(current);
  // Not all operations of the page read the name.
  const [found] = useState((): DatasetSummary | undefined => {
    const [first] = summary.datasets;
    const title = comparison?.kind === 'years' ? `${outline.name}: ${whose(comparison, outline)}` : outline.name;
    return first && { ...first, title };
  });
  const [units] = useUnits(datasetId);
  const dataset = useMemo(() => found && labelledMetrics(found, units), [found, units]);
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
