import type { Outline } from '../outline.ts';
import type { MapView } from '../response/pane-view.ts';
import type { DatasetSummary } from '../response/worker/protocol.ts';
import type { Comparison } from './comparison.ts';
import { ComparisonNotes } from './comparison-notes.tsx';
import { DatasetChart } from './dataset-chart.tsx';
import { DatasetMap } from './dataset-map.tsx';
import { DatasetTable } from './dataset-table.tsx';
import { HeatMaps } from './heat-maps.tsx';
import type { PeriodUnit } from './periods.ts';
import type { Show } from './shows.ts';
import type { Days, Shown } from './view.ts';

interface ValuesProps {
  readonly show: Show;
  /** How long each period of a map or of heat maps is. */
  readonly every: PeriodUnit;
  readonly responseId: number;
  readonly dataset: DatasetSummary;
  readonly outline: Outline;
  readonly shown: Shown;
  /** Undefined: nothing is compared. */
  readonly comparison: Comparison | undefined;
  /** What the map shows at first. */
  readonly map: MapView | undefined;
  /** Called with what the user wants to see on the map. */
  readonly onMap: (map: MapView) => void;
  /** Called with the days that the user wants to see alone. */
  readonly onDays: (days: Days) => void;
  /** Called with the ids of the assets whose lines the user wants to see. */
  readonly onAssets: (assetIds: readonly string[]) => void;
}

/** The values of a response, as the open tab shows them. */
export function Values(props: ValuesProps) {
  const { show, every, responseId, dataset, outline, shown, comparison, map, onMap, onDays, onAssets } = props;
  const notes = comparison !== undefined && <ComparisonNotes {...{ comparison, dataset, outline, shown }} />;
  if (show === 'chart')
    return (
      <>
        {notes}
        <DatasetChart {...{ responseId, dataset, onDays }} />
      </>
    );
  if (show === 'table')
    return (
      <>
        {notes}
        <p className="response-hint">The values of the chart. “Export” has all rows.</p>
        <DatasetTable responseId={responseId} dataset={dataset} />
      </>
    );
  return (
    <>
      <PeriodHint every={every} />
      {show === 'map' ? (
        <DatasetMap {...{ responseId, dataset, map, onMap, onAssets }} />
      ) : (
        <HeatMaps responseId={responseId} dataset={dataset} />
      )}
    </>
  );
}

/** What a value of a map or of a heat map is. */
function PeriodHint({ every }: { every: PeriodUnit }) {
  const name = every.toLowerCase();
  return (
    <p className="response-hint">
      Each value is the mean of one {name}
      {every === 'DAY' ? '.' : `, at the first day of the ${name}.`}
    </p>
  );
}
