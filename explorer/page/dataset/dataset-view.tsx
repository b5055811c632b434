import { useCallback, useEffect, useMemo, useState } from 'react';
import type { Outline } from '../outline.ts';
import type { Access } from '../post.ts';
import type { Settings } from '../settings.ts';
import { missingChoice } from './chart-pane.tsx';
import { compareOperation } from './compare-operation.ts';
import { comparisonOf } from './comparison.ts';
import { DatasetErrors } from './dataset-errors.tsx';
import { DatasetHeader } from './dataset-header.tsx';
import { NoSeries } from './no-series.tsx';
import { chartOperation } from './operation.ts';
import { otherDatasets } from './other-datasets.ts';
import { isPeriodShow, periodsOperation } from './periods.ts';
import type { Recovery } from './recovery.ts';
import { StatisticsPanel } from './statistics-panel.tsx';
import { useView } from './use-view.ts';
import { fragmentOfView, readView, shownOf, withLines } from './view.ts';
import { ViewBar } from './view-bar.tsx';
import { ViewTabs } from './view-tabs.tsx';

interface DatasetViewProps {
  readonly settings: Settings;
  readonly datasetId: string;
  readonly access: Access;
  readonly recovery: Recovery;
  readonly outline: Outline;
  /** Why the rest of the outline could not be read. */
  readonly restError?: string;
  /** Called once the chart and the statistics have been read, so that the rest of the outline may be. */
  readonly onShown: () => void;
}

/** A dataset of which the outline is known, or a part of it. */
export function DatasetView(props: DatasetViewProps) {
  const { settings, datasetId, access, recovery, outline, restError, onShown } = props;
  const { operations } = settings;
  const [view, setView] = useView();
  // A zoom, or the rows of a table, change nothing of what is read.
  const { assetIds, metrics, range, form, every } = view;
  const chosen = fragmentOfView({ assetIds, metrics, range, form, every });
  const shown = useMemo(() => shownOf(readView(chosen), outline), [chosen, outline]);
  const others = useMemo(() => otherDatasets(settings, datasetId), [settings, datasetId]);
  const { show } = view;
  const hasPeriods = isPeriodShow(show);
  const asked = useMemo(
    // Means by period are not compared.
    () => comparisonOf(hasPeriods ? undefined : view.compare, shown, outline, others),
    [hasPeriods, view.compare, shown, outline, others],
  );
  const comparison = asked?.kind === 'none' ? undefined : asked;
  const operation = useMemo(() => {
    if (isPeriodShow(show)) return periodsOperation(datasetId, show, shown, outline, operations);
    return comparison === undefined
      ? chartOperation(datasetId, shown, operations)
      : compareOperation(datasetId, shown, comparison, operations);
  }, [datasetId, show, shown, comparison, outline, operations]);
  // The chart comes first: the statistics read as much, and would delay it.
  const [chart, setChart] = useState<'waiting' | 'shown' | 'failed'>('waiting');
  const onResponse = useCallback((isShown: boolean) => setChart(isShown ? 'shown' : 'failed'), []);
  const hasChoice = missingChoice(shown, show ?? 'chart') === undefined;
  const showLines = (assetIds: readonly string[]) => {
    setView(withLines(view, assetIds));
    // What was clicked is gone, or far below the chart.
    document.getElementById('chart')?.focus();
  };
  const hasSeries = outline.assets.length > 0 && outline.metrics.length > 0;
  const hasStatistics = hasSeries && shown.metrics.length > 0 && !(hasChoice && chart === 'failed');
  useEffect(() => {
    if (!hasStatistics) onShown();
  }, [hasStatistics, onShown]);
  return (
    <>
      <DatasetHeader {...{ datasetId, outline, recovery }} facts={outline} />
      <main>
        {hasSeries && (
          <ViewBar {...{ outline, view, shown, operation, others }} onView={setView} onRunAgain={recovery.runAgain} />
        )}
        <section id="chart" className="response" tabIndex={-1} aria-label="Chart">
          {hasSeries && asked?.kind === 'none' && <p className="response-hint">{asked.reason}</p>}
          {hasSeries && <DatasetErrors errors={outline.errors} recovery={recovery} />}
          {hasSeries ? (
            <ViewTabs
              {...{ access, recovery, datasetId, operations, operation, outline, view, shown, comparison }}
              isWaiting={hasChoice && chart !== 'shown'}
              onView={setView}
              onAssets={showLines}
              onResponse={onResponse}
            />
          ) : (
            <NoSeries {...{ access, recovery, datasetId, outline }} download={operations.download} />
          )}
        </section>
        {hasStatistics && (
          <StatisticsPanel
            {...{ access, datasetId, operations, shown }}
            recovery={{ ...recovery, isElsewhere: hasChoice }}
            isWaiting={hasChoice && chart === 'waiting'}
            assets={outline.assets}
            onAsset={(assetId) => showLines([assetId])}
            onEnd={onShown}
          />
        )}
        {!outline.isComplete && (
          <p role="status" className="dataset-rest">
            The assets and metrics are those of the last days.{' '}
            {restError === undefined ? 'The others are being read …' : `The others could not be read: ${restError}`}
          </p>
        )}
      </main>
    </>
  );
}
