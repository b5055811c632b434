import { useCallback, useMemo } from 'react';
import type { Zoom } from './echarts.ts';
import type { ZoomBounds } from './pane-view.ts';
import { useSettled } from './use-settled.ts';
import type { DatasetSummary } from './worker/protocol.ts';
import { boundsOf, zoomOf } from './zoom-text.ts';

/**
 * The zoom of a view, and what is called with each zoom.
 *
 * @param onBounds is called when the zoom has settled
 */
export function useSettledZoom(
  dataset: DatasetSummary,
  { from, to }: ZoomBounds,
  onBounds: (bounds: ZoomBounds) => void,
): readonly [zoom: Zoom | undefined, onZoom: (zoom: Zoom) => void] {
  const zoom = useMemo(() => zoomOf(dataset, { from, to }), [dataset, from, to]);
  const settle = useSettled(onBounds);
  const onZoom = useCallback((zoomed: Zoom) => settle(boundsOf(dataset, zoomed)), [dataset, settle]);
  return [zoom, onZoom];
}
