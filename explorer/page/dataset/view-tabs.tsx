import { useMemo, useState } from 'react';
import type { Outline } from '../outline.ts';
import type { Access } from '../post.ts';
import { ExportMenu } from '../response/export-menu.tsx';
import { Tabs } from '../response/tabs.tsx';
import type { PageOperations } from '../settings.ts';
import type { TabText } from '../tab-text.ts';
import { ChartPane } from './chart-pane.tsx';
import type { Comparison } from './comparison.ts';
import type { Recovery } from './recovery.ts';
import { rowsFiles, rowsOperation } from './rows.ts';
import { shows, showsOfRows } from './shows.ts';
import { SideMap } from './side-map.tsx';
import type { ViewStep } from './use-view.ts';
import { useWideScreen } from './use-wide-screen.ts';
import type { Shown, View } from './view.ts';

interface ViewTabsProps {
  readonly access: Access;
  readonly recovery: Recovery;
  readonly datasetId: string;
  readonly operations: PageOperations;
  /** The operation that reads what the open tab shows. */
  readonly operation: TabText;
  readonly outline: Outline;
  readonly view: View;
  readonly shown: Shown;
  /** Undefined: nothing is compared. */
  readonly comparison: Comparison | undefined;
  readonly onView: (view: View, step?: ViewStep) => void;
  /** Called with the ids of the assets whose lines the user wants to see. */
  readonly onAssets: (assetIds: readonly string[]) => void;
  /** Whether something else is read before the map beside the chart. */
  readonly isWaiting: boolean;
  /** Called when a response has come: whether it is shown, or has failed. */
  readonly onResponse: (isShown: boolean) => void;
}

/** The tabs of a view, what the open one shows, with a map beside a chart, and the menu that exports all rows of the view. */
export function ViewTabs(props: ViewTabsProps) {
  const { access, recovery, datasetId, operations, operation, outline, view, shown, comparison } = props;
  const { isWaiting, onView, onAssets, onResponse } = props;
  const { show = 'chart' } = view;
  const files = useMemo(() => rowsFiles(datasetId, shown, operations), [datasetId, shown, operations]);
  const rows = useMemo(() => rowsOperation(datasetId, shown, operations), [datasetId, shown, operations]);
  const [hasPeriods, setHasPeriods] = useState(true);
  const isWide = useWideScreen();
  const hasMap = isWide && hasPeriods && show === 'chart' && shown.metrics.length > 0;
  const onPeriods = (has: boolean) => {
    setHasPeriods(has);
    if (!has && !(show in showsOfRows)) onView({ ...view, show: 'chart' }, 'replace');
  };
  const pane = { access, recovery, datasetId, operations, outline, shown, onAssets, onPeriods };
  return (
    <Tabs
      label="Views"
      names={hasPeriods ? shows : showsOfRows}
      open={show}
      onOpen={(next) => onView({ ...view, show: next })}
      end={
        <ExportMenu
          access={() => access}
          files={files}
          filesText={`All rows of ${shown.hasQuantiles ? 'all' : 'the chosen'} assets, with the chosen metrics and time:`}
          operation={rows}
          operationText="The query of these rows, without the token:"
        />
      }
    >
      {!hasPeriods && (
        <p className="response-hint">
          No map, heat map and histogram: the subgraph cannot read the dates of these rows.
        </p>
      )}
      <div className={hasMap ? 'dataset-chart-and-map' : undefined}>
        <div className="dataset-pane">
          <ChartPane {...{ ...pane, operation, comparison, view, onView, onResponse }} />
        </div>
        {hasMap && <SideMap {...{ ...pane, isWaiting, view, onView }} />}
      </div>
    </Tabs>
  );
}
