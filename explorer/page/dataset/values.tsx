import type { Outline } from '../outline.ts';
import { allRows, type TableChoice, type ZoomBounds } from '../response/pane-view.ts';
import { TableTab } from '../response/table-tab.tsx';
import type { DatasetSummary } from '../response/worker/protocol.ts';
import type { Units } from '../units.ts';
import type { Comparison } from './comparison.ts';
import { ComparisonNotes } from './comparison-notes.tsx';
import { DatasetChart } from './dataset-chart.tsx';
import { DatasetMap } from './dataset-map.tsx';
import { HeatMaps } from './heat-maps.tsx';
import { Histograms } from './histograms.tsx';
import { PeriodExtremes } from './period-extremes.tsx';
import { periodOf } from './periods.ts';
import type { ViewStep } from './use-view.ts';
import type { Shown, View } from './view.ts';

interface ValuesProps {
  readonly responseId: number;
  readonly dataset: DatasetSummary;
  readonly units: Units;
  readonly outline: Outline;
  readonly shown: Shown;
  /** Undefined: nothing is compared. */
  readonly comparison: Comparison | undefined;
  readonly view: View;
  readonly onView: (view: View, step?: ViewStep) => void;
  /** Called with the ids of the assets whose lines the user wants to see. */
  readonly onAssets: (assetIds: readonly string[]) => void;
}

/** The values of a response, as the open tab shows them. */
export function Values(props: ValuesProps) {
  const { responseId, dataset, units, outline, shown, comparison, view, onView, onAssets } = props;
  const { show = 'chart', zoom, table = allRows, isLogarithmic, only } = view;
  const onZoom = (next: ZoomBounds) => onView({ ...view, zoom: next }, 'replace');
  const onTable = (next: TableChoice) => onView({ ...view, table: next }, 'replace');
  const notes = comparison !== undefined && <ComparisonNotes {...{ comparison, dataset, outline, shown }} />;
  if (show === 'chart')
    return (
      <>
        {notes}
        <DatasetChart
          {...{ responseId, dataset, zoom, onZoom, isLogarithmic, only }}
          onLines={(change) => onView({ ...view, ...change })}
          onDays={(range) => onView({ ...view, range, zoom: undefined })}
        />
      </>
    );
  if (show === 'table')
    return (
      <>
        {notes}
        <p className="response-hint">The values of the chart. “Export” has all rows.</p>
        <TableTab {...{ responseId, dataset, table, onTable }} index={0} />
      </>
    );
  const every = periodOf(show, shown, outline);
  return (
    <>
      <PeriodExtremes {...{ responseId, dataset, units, every }} onAsset={(assetId) => onAssets([assetId])} />
      {show === 'map' && (
        <DatasetMap
          {...{ responseId, dataset, onAssets }}
          map={view.map}
          onMap={(map) => onView({ ...view, map }, 'replace')}
        />
      )}
      {show === 'heat' && <HeatMaps {...{ responseId, dataset, zoom, onZoom, table, onTable }} />}
      {show === 'histogram' && <Histograms responseId={responseId} dataset={dataset} />}
    </>
  );
}
