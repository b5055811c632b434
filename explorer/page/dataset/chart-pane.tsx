import { useMemo, useState } from 'react';
import type { Outline } from '../outline.ts';
import type { Access } from '../post.ts';
import { absenceTexts } from '../response/advice.ts';
import { ErrorList, Failure } from '../response/error-list.tsx';
import { labelledMetrics } from '../response/labelled-metrics.ts';
import { TableTab } from '../response/table-tab.tsx';
import type { DatasetSummary, ResponseSummary } from '../response/worker/protocol.ts';
import type { TabText } from '../tab-text.ts';
import { useUnits } from '../units.ts';
import { DatasetChart } from './dataset-chart.tsx';
import { useResponse } from './use-response.ts';
import type { Days, Shown } from './view.ts';

interface ChartPaneProps {
  readonly access: Access;
  readonly datasetId: string;
  /** The operation that reads what is shown. */
  readonly operation: TabText;
  readonly outline: Outline;
  /** Called with the days that the user wants to see alone. */
  readonly onDays: (days: Days) => void;
}

/** The charts of a view, or what is wrong in their place. While the next view is read, the previous one is dimmed. */
export function ChartPane({ shown, ...response }: ChartPaneProps & { readonly shown: Shown }) {
  if (shown.metrics.length === 0) return <p className="dataset-empty">No metric is chosen. Choose one above.</p>;
  if (!shown.isBand && shown.assetIds.length === 0)
    return <p className="dataset-empty">No asset is chosen. Choose one above, or the band of all assets.</p>;
  return <Response {...response} />;
}

function Response({ access, datasetId, operation, outline, onDays }: ChartPaneProps) {
  const { end, isRunning } = useResponse(access, operation);
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
        <Charts key={end.summary.responseId} {...{ datasetId, onDays }} summary={end.summary} name={outline.name} />
      )}
    </div>
  );
}

function Charts({
  datasetId,
  summary,
  name,
  onDays,
}: { summary: ResponseSummary; name: string } & Pick<ChartPaneProps, 'datasetId' | 'onDays'>) {
  const { responseId, errors, absence } = summary;
  // Not all operations of the page read the name.
  const [found] = useState((): DatasetSummary | undefined => {
    const [first] = summary.datasets;
    return first && { ...first, title: name };
  });
  const [units] = useUnits(datasetId);
  const dataset = useMemo(() => found && labelledMetrics(found, units), [found, units]);
  const [hasTable, setTable] = useState(false);
  return (
    <>
      <ErrorList errors={errors} />
      {absence !== undefined && errors.length === 0 && (
        <p className="dataset-empty">{absenceTexts[absence]} Choose another time or other assets.</p>
      )}
      {absence === undefined && dataset !== undefined && (
        <>
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
