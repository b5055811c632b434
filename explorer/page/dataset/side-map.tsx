import { useMemo } from 'react';
import type { Outline } from '../outline.ts';
import type { Access } from '../post.ts';
import type { PageOperations } from '../settings.ts';
import { ChartPane } from './chart-pane.tsx';
import { periodsOperation } from './periods.ts';
import type { Recovery } from './recovery.ts';
import type { ViewStep } from './use-view.ts';
import type { Shown, View } from './view.ts';

interface SideMapProps {
  readonly access: Access;
  readonly recovery: Recovery;
  readonly datasetId: string;
  readonly operations: PageOperations;
  readonly outline: Outline;
  /** The view of the chart. */
  readonly view: View;
  readonly shown: Shown;
  /** Whether something else is read first. */
  readonly isWaiting: boolean;
  readonly onView: (view: View, step?: ViewStep) => void;
  readonly onAssets: (assetIds: readonly string[]) => void;
  /** Called with whether there can be means by period, once a response tells. */
  readonly onPeriods: (hasPeriods: boolean) => void;
}

/** The map beside a chart: what the tab of the map has. */
export function SideMap(props: SideMapProps) {
  const { view, isWaiting, onView, ...pane } = props;
  const { datasetId, operations, outline, shown, recovery } = pane;
  const operation = useMemo(
    () => periodsOperation(datasetId, 'map', shown, outline, operations),
    [datasetId, shown, outline, operations],
  );
  return (
    <section className="dataset-pane dataset-map" aria-label="Map">
      {!isWaiting && (
        <ChartPane
          {...{ ...pane, operation }}
          recovery={{ ...recovery, isElsewhere: true }}
          comparison={undefined}
          view={{ ...view, show: 'map' }}
          onView={(next, step) => onView({ ...next, show: view.show }, step)}
          onResponse={ignoreResponse}
        />
      )}
    </section>
  );
}

/** Nothing waits for this map. */
function ignoreResponse(): void {}
