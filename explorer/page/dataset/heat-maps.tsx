import { useMemo, useState } from 'react';
import { ChartView } from '../response/chart-view.tsx';
import type { HeatContent } from '../response/heat-content.ts';
import { allRows, type TableChoice, type ZoomBounds } from '../response/pane-view.ts';
import { queryResponse } from '../response/response-client.ts';
import { TableTab } from '../response/table-tab.tsx';
import { useThemeColours } from '../response/theme.ts';
import { useQuery } from '../response/use-query.ts';
import { useSettledZoom } from '../response/use-settled-zoom.ts';
import type { DatasetSummary } from '../response/worker/protocol.ts';
import { allLines } from './all-lines.ts';

interface HeatMapsProps {
  readonly responseId: number;
  readonly dataset: DatasetSummary;
  /** The visible part of the time; undefined: all of it. */
  readonly zoom: ZoomBounds | undefined;
  readonly onZoom: (zoom: ZoomBounds) => void;
  readonly table: TableChoice;
  readonly onTable: (table: TableChoice) => void;
}

/** The heat maps of all values of a response, one for each metric, and the same values as a table. */
export function HeatMaps({ responseId, dataset, zoom: bounds = {}, onZoom: onBounds, table, onTable }: HeatMapsProps) {
  const colours = useThemeColours(null);
  const [zoom, onZoom] = useSettledZoom(dataset, bounds, onBounds);
  // A link to some rows of the table opens it.
  const [hasTable, setTable] = useState(table !== allRows);
  const { result, error } = useQuery(String(responseId), () => queryResponse(responseId, 'heat', allLines(dataset)));
  const content = useMemo(
    (): HeatContent | undefined => result && { dataset, heat: result, assets: [...dataset.assets.keys()] },
    [dataset, result],
  );
  return (
    <>
      {error !== undefined && <p role="alert">{error}</p>}
      {content !== undefined && <ChartView {...{ content, colours, zoom, onZoom }} />}
      <details className="dataset-values" open={hasTable} onToggle={(event) => setTable(event.currentTarget.open)}>
        <summary>Values as a table</summary>
        {hasTable && <TableTab {...{ responseId, dataset, table, onTable }} index={0} />}
      </details>
    </>
  );
}
