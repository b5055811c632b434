import { useMemo, useState } from 'react';
import { ChartView } from '../response/chart-view.tsx';
import type { HeatContent } from '../response/heat-option.ts';
import { queryResponse } from '../response/response-client.ts';
import { useThemeColours } from '../response/theme.ts';
import { useQuery } from '../response/use-query.ts';
import type { DatasetSummary } from '../response/worker/protocol.ts';
import { allLines } from './all-lines.ts';
import { DatasetTable } from './dataset-table.tsx';

/** The heat maps of all values of a response, one for each metric, and the same values as a table. */
export function HeatMaps({ responseId, dataset }: { responseId: number; dataset: DatasetSummary }) {
  const colours = useThemeColours(null);
  const [hasTable, setTable] = useState(false);
  const { result, error } = useQuery(String(responseId), () => queryResponse(responseId, 'heat', allLines(dataset)));
  const content = useMemo(
    (): HeatContent | undefined => result && { dataset, heat: result, assets: [...dataset.assets.keys()] },
    [dataset, result],
  );
  return (
    <>
      {error !== undefined && <p role="alert">{error}</p>}
      {content !== undefined && <ChartView content={content} colours={colours} onZoom={ignoreZoom} />}
      <details className="dataset-values" onToggle={(event) => setTable(event.currentTarget.open)}>
        <summary>Values as a table</summary>
        {hasTable && <DatasetTable responseId={responseId} dataset={dataset} />}
      </details>
    </>
  );
}

/** A zoom asks for nothing: a heat map has all of its values. */
function ignoreZoom(): void {}
