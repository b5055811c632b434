import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import {
  areaOfAll,
  frameOf,
  type MapArea,
  type MapFrame,
  movedBy,
  type Position,
  withPlace,
  zoomedBy,
} from './map-area.ts';
import { addMapGestures } from './map-gestures.ts';
import type { Place } from './worker/protocol.ts';

/** The milliseconds without a change after which an area is part of the view. */
const SETTLE_MS = 200;

/** The area of a map, and what changes it. */
export interface ShownArea {
  readonly frame: MapFrame;
  /** Undefined before the size of the map is known. */
  readonly area: MapArea | undefined;
  /** Moves the content by so many pixels. */
  move(x: number, y: number): void;
  /** Zooms around a point, in pixels from the middle. */
  zoom(factor: number, x?: number, y?: number): void;
  /** Moves as far as a place needs to be visible. */
  reveal(place: Position): void;
  /** Shows all places. */
  fit(): void;
}

/**
 * The area that a map in an element shows: all places, until the user moves or zooms it. It always has a place.
 *
 * @param first what it shows at first
 * @param onArea is called with what the user wants to see, when it has settled
 */
export function useMapArea(
  element: RefObject<HTMLElement | null>,
  places: readonly Place[],
  first: MapArea | undefined,
  onArea: (area: MapArea | undefined) => void,
): ShownArea {
  const [{ width, height }, setSize] = useState({ width: 0, height: 0 });
  const [chosen, setChosen] = useState(first);
  const settled = useRef(chosen);
  useLayoutEffect(() => {
    const box = element.current;
    if (box === null) return;
    const resizing = new ResizeObserver(() => setSize({ width: box.clientWidth, height: box.clientHeight }));
    resizing.observe(box);
    return () => resizing.disconnect();
  }, [element]);
  const frame = useMemo(() => frameOf(places, width, height), [places, width, height]);
  const all = useMemo(() => areaOfAll(frame), [frame]);
  const newest = useRef({ frame, all, onArea });
  newest.current = { frame, all, onArea };
  const changes = useMemo(() => {
    const change = (to: (area: MapArea, frame: MapFrame) => MapArea) =>
      setChosen((area) => {
        const { frame, all } = newest.current;
        const next = to(area ?? all, frame);
        return next === all ? area : next;
      });
    return {
      move: (x: number, y: number) =>
        change((area, frame) => withPlace(movedBy(area, frame, x, y), frame, frame.places, 'edge')),
      zoom: (factor: number, x?: number, y?: number) =>
        change((area, frame) => withPlace(zoomedBy(area, frame, factor, x, y), frame, frame.places, 'middle')),
      reveal: (place: Position) => change((area, frame) => withPlace(area, frame, [place], 'middle')),
      fit: () => setChosen(undefined),
    };
  }, []);
  useEffect(() => {
    if (chosen === settled.current) return;
    const timer = setTimeout(() => {
      settled.current = chosen;
      newest.current.onArea(chosen);
    }, SETTLE_MS);
    return () => clearTimeout(timer);
  }, [chosen]);
  useEffect(
    () => (element.current === null ? undefined : addMapGestures(element.current, changes)),
    [element, changes],
  );
  const hasSize = width > 0 && height > 0;
  const area = useMemo(() => chosen && withPlace(chosen, frame, frame.places, 'edge'), [chosen, frame]);
  return { frame, area: hasSize ? (area ?? all) : undefined, ...changes };
}
