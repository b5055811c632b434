import type { MapWords } from '../response/map-tools.tsx';
import { TableTab } from '../response/table-tab.tsx';
import type { DatasetSummary } from '../response/worker/protocol.ts';
import { DatasetChart } from './dataset-chart.tsx';
import { DatasetMap } from './dataset-map.tsx';
import { HeatMaps } from './heat-maps.tsx';
import type { PeriodUnit } from './periods.ts';
import type { Show } from './shows.ts';
import type { Days } from './view.ts';

interface ValuesProps {
  readonly show: Show;
  /** How long each period of a map or of heat maps is. */
  readonly every: PeriodUnit;
  readonly responseId: number;
  readonly dataset: DatasetSummary;
  /** What the map shows at first. */
  readonly map: MapWords | undefined;
  /** Called with what the user wants to see on the map. */
  readonly onMap: (map: MapWords) => void;
  /** Called with the days that the user wants to see alone. */
  readonly onDays: (days: Days) => void;
  /** Called with the ids of the assets whose lines the user wants to see. */
  readonly onAssets: (assetIds: readonly string[]) => void;
}

/** The values of a response, as the open tab shows them. */
export function Values({ show, every, responseId, dataset, map, onMap, onDays, onAssets }: ValuesProps) {
  if (show === 'chart') return <DatasetChart {...{ responseId, dataset, onDays }} />;
  if (show === 'table')
    return (
      <>
        <p className="response-hint">The values of the chart. “Export” has all rows.</p>
        <TableTab responseId={responseId} index={0} dataset={dataset} />
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
