import { useState } from 'react';
import { MapTab } from '../response/map-tab.tsx';
import type { MapView } from '../response/pane-view.ts';
import { useThemeColours } from '../response/theme.ts';
import { useSettled } from '../response/use-settled.ts';
import type { DatasetSummary } from '../response/worker/protocol.ts';

interface DatasetMapProps {
  readonly responseId: number;
  readonly dataset: DatasetSummary;
  /** What the map shows at first. */
  readonly map: MapView | undefined;
  /** Called with what the user wants to see. */
  readonly onMap: (map: MapView) => void;
  /** Called with the ids of the assets whose lines the user wants to see. */
  readonly onAssets: (assetIds: readonly string[]) => void;
}

/** The map of a response, or why there is none. */
export function DatasetMap({ responseId, dataset, map = {}, onMap, onAssets }: DatasetMapProps) {
  const colours = useThemeColours(null);
  const [view, setView] = useState(map);
  const settle = useSettled(onMap);
  if (dataset.places.length === 0) return <p className="dataset-empty">The assets have no coordinates for a map.</p>;
  const onView = (change: MapView) => {
    const next = { ...view, ...change };
    setView(next);
    settle(next);
  };
  const showLines = (assets: readonly number[]) => {
    onAssets([...new Set(assets.map((asset) => dataset.assets[asset]?.id ?? ''))]);
  };
  return <MapTab {...{ responseId, dataset, colours, view, onView }} index={0} onPlace={showLines} />;
}
