import { useCallback, useMemo, useState } from 'react';
import { fragmentOf } from '../fragment.ts';
import type { Outline } from '../outline.ts';
import type { Access } from '../post.ts';
import { ErrorList } from '../response/error-list.tsx';
import type { Session } from '../session.ts';
import type { Settings } from '../settings.ts';
import { variablesText } from '../tab-text.ts';
import { missingChoice } from './chart-pane.tsx';
import { compareOperation } from './compare-operation.ts';
import { comparisonOf } from './comparison.ts';
import { chartOperation } from './operation.ts';
import { otherDatasets } from './other-datasets.ts';
import { periodsOperation } from './periods.ts';
import { StatisticsPanel } from './statistics-panel.tsx';
import { TokenForm } from './token-form.tsx';
import { useView } from './use-view.ts';
import { fragmentOfView, readView, shownOf, withLines } from './view.ts';
import { ViewBar } from './view-bar.tsx';
import { ViewTabs } from './view-tabs.tsx';

interface DatasetViewProps {
  readonly settings: Settings;
  readonly session: Session;
  readonly datasetId: string;
  readonly access: Access;
  readonly outline: Outline;
}

/** A dataset of which the outline is known. */
export function DatasetView({ settings, session, datasetId, access, outline }: DatasetViewProps) {
  const { operations } = settings;
  const [view, setView] = useView();
  // A zoom, or the rows of a table, change nothing of what is read.
  const { assetIds, metrics, range, form, every } = view;
  const chosen = fragmentOfView({ assetIds, metrics, range, form, every });
  const shown = useMemo(() => shownOf(readView(chosen), outline), [chosen, outline]);
  const others = useMemo(() => otherDatasets(settings, datasetId), [settings, datasetId]);
  const { show } = view;
  const hasPeriods = show === 'map' || show === 'heat';
  const asked = useMemo(
    // What a map or a heat map shows is not compared.
    () => comparisonOf(hasPeriods ? undefined : view.compare, shown, outline, others),
    [hasPeriods, view.compare, shown, outline, others],
  );
  const comparison = asked?.kind === 'none' ? undefined : asked;
  const operation = useMemo(() => {
    if (hasPeriods) return periodsOperation(datasetId, show, shown, outline, operations);
    return comparison === undefined
      ? chartOperation(datasetId, shown, operations)
      : compareOperation(datasetId, shown, comparison, operations);
  }, [datasetId, show, hasPeriods, shown, comparison, outline, operations]);
  // The chart comes first: the statistics read as much, and would delay it.
  const [hasResponse, setHasResponse] = useState(false);
  const onResponse = useCallback(() => setHasResponse(true), []);
  const isWaiting = !hasResponse && missingChoice(shown, show ?? 'chart') === undefined;
  const showLines = (assetIds: readonly string[]) => {
    setView(withLines(view, assetIds));
    // What was clicked is gone, or far below the chart.
    document.getElementById('chart')?.focus();
  };
  const hasSeries = outline.assets.length > 0 && outline.metrics.length > 0;
  return (
    <>
      <header className="dataset-header">
        <a href="/">dataset-subgraph</a>
        <h1>{outline.name}</h1>
        <p className="dataset-days">{outline.days.filter((day) => day !== '').join(' to ')}</p>
        <TokenForm session={session} />
      </header>
      <main>
        {hasSeries && <ViewBar {...{ outline, view, shown, operation, others }} onView={setView} />}
        <section id="chart" className="response" tabIndex={-1} aria-label="Chart">
          {hasSeries && asked?.kind === 'none' && <p className="response-hint">{asked.reason}</p>}
          {hasSeries ? (
            <ViewTabs
              {...{ access, datasetId, operations, operation, outline, view, shown, comparison }}
              onView={setView}
              onAssets={showLines}
              onResponse={onResponse}
            />
          ) : (
            <NoSeries outline={outline} datasetId={datasetId} download={operations.download} />
          )}
        </section>
        {hasSeries && shown.metrics.length > 0 && (
          <StatisticsPanel
            {...{ access, datasetId, operations, shown, isWaiting }}
            assets={outline.assets}
            onAsset={(assetId) => showLines([assetId])}
          />
        )}
        <section className="dataset-about" aria-label="About this dataset">
          {outline.description !== '' && <p>{outline.description}</p>}
          {outline.attribution !== '' && <p>Source: {outline.attribution}</p>}
        </section>
      </main>
    </>
  );
}

/** What is said of a dataset without series, such as a file. */
function NoSeries(props: { outline: Outline; datasetId: string; download: string }) {
  const { outline, datasetId, download } = props;
  const text = { query: download, variables: variablesText({ fileId: datasetId }) };
  return (
    <>
      <ErrorList errors={outline.errors} />
      <p className="dataset-empty">
        This dataset has no series to draw. If it is a file, <a href={`/graphiql${fragmentOf(text)}`}>GraphiQL</a> makes
        a link to download it.
      </p>
    </>
  );
}
