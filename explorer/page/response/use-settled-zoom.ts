import { useCallback, useEffect, useMemo, useRef } from 'react';
import type { Zoom } from './echarts.ts';
import type { ZoomBounds } from './pane-view.ts';
import type { DatasetSummary } from './worker/protocol.ts';
import { boundsOf, zoomOf } from './zoom-text.ts';

/** The milliseconds without a zoom after which it is part of the view. */
const SETTLE_MS = 200;

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
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const newest = useRef(onBounds);
  newest.current = onBounds;
  useEffect(() => () => clearTimeout(timer.current), []);
  const onZoom = useCallback(
    (zoomed: Zoom) => {
      clearTimeout(timer.current);
      timer.current = setTimeout(() => newest.current(boundsOf(dataset, zoomed)), SETTLE_MS);
    },
    [dataset],
  );
  return [zoom, onZoom];
}
