import { useState } from 'react';
import type { Outline } from '../outline.ts';
import type { Access } from '../post.ts';
import { absenceTexts } from '../response/advice.ts';
import { ErrorList, Failure } from '../response/error-list.tsx';
import { TableTab } from '../response/table-tab.tsx';
import type { DatasetSummary, ResponseSummary } from '../response/worker/protocol.ts';
import type { TabText } from '../tab-text.ts';
import type { Comparison } from './comparison.ts';
import { ComparisonNotes, whose } from './comparison-notes.tsx';
import { DatasetChart } from './dataset-chart.tsx';
import { useResponse } from './use-response.ts';
import type { Days, Shown } from './view.ts';

interface ChartPaneProps {
  readonly access: Access;
  /** The operation that reads what is shown. */
  readonly operation: TabText;
  readonly outline: Outline;
  readonly shown: Shown;
  /** Undefined: nothing is compared. */
  readonly comparison: Comparison | undefined;
  /** Called with the days that the user wants to see alone. */
  readonly onDays: (days: Days) => void;
}

/** The charts of a view, or what is wrong in their place. While the next view is read, the previous one is dimmed. */
export function ChartPane(props: ChartPaneProps) {
  const { shown } = props;
  if (shown.metrics.length === 0) return <p className="dataset-empty">No metric is chosen. Choose one above.</p>;
  if (!shown.isBand && shown.assetIds.length === 0)
    return <p className="dataset-empty">No asset is chosen. Choose one above, or the band of all assets.</p>;
  return <Response {...props} />;
}

function Response({ access, operation, ...charts }: ChartPaneProps) {
  const { end, isRunning } = useResponse(access, operation, charts.comparison?.overlay);
  if (end === undefined)
    return (
      <p role="status" className="dataset-empty">
        Reading the values …
      </p>
    );
  return (
    <div className="dataset-response" aria-busy={isRunning} inert={isRunning}>
      {end.kind === 'failed' ? (
        <Failure failure={end.failure} />
      ) : (
        <Charts key={end.summary.responseId} {...charts} summary={end.summary} />
      )}
    </div>
  );
}

function Charts({
  summary,
  onDays,
  ...current
}: { summary: ResponseSummary } & Pick<ChartPaneProps, 'outline' | 'shown' | 'comparison' | 'onDays'>) {
  const { responseId, errors, absence } = summary;
  // What was asked for when the response came: the next view may differ.
  const [{ outline, shown, comparison }] = useState(current);
  // Not all operations of the page read the name.
  const [dataset] = useState((): DatasetSummary | undefined => {
    const [found] = summary.datasets;
    const title = comparison?.kind === 'years' ? `${outline.name}: ${whose(comparison, outline)}` : outline.name;
    return found && { ...found, title };
  });
  const [hasTable, setTable] = useState(false);
  return (
    <>
      <ErrorList errors={errors} />
      {absence !== undefined && errors.length === 0 && (
        <p className="dataset-empty">{absenceTexts[absence]} Choose another time or other assets.</p>
      )}
      {absence === undefined && dataset !== undefined && (
        <>
          {comparison !== undefined && <ComparisonNotes {...{ comparison, dataset, outline, shown }} />}
          <DatasetChart {...{ responseId, dataset, onDays }} />
          <details className="dataset-values" onToggle={(event) => setTable(event.currentTarget.open)}>
            <summary>Values as a table</summary>
            {hasTable && <TableTab responseId={responseId} index={0} dataset={dataset} />}
          </details>
        </>
      )}
    </>
  );
}
