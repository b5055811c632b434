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
 * @param chosen what the user wants to see; undefined: all places
 * @param onArea is called with what the user wants to see
 */
export function useMapArea(
  element: RefObject<HTMLElement | null>,
  places: readonly Place[],
  chosen: MapArea | undefined,
  onArea: (area: MapArea | undefined) => void,
): ShownArea {
  const [{ width, height }, setSize] = useState({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const box = element.current;
    if (box === null) return;
    const resizing = new ResizeObserver(() => setSize({ width: box.clientWidth, height: box.clientHeight }));
    resizing.observe(box);
    return () => resizing.disconnect();
  }, [element]);
  const frame = useMemo(() => frameOf(places, width, height), [places, width, height]);
  const all = useMemo(() => areaOfAll(frame), [frame]);
  const newest = useRef({ frame, all, chosen, onArea });
  newest.current = { frame, all, chosen, onArea };
  const changes = useMemo(() => {
    const choose = (area: MapArea | undefined) => {
      // Several events may come before the next frame.
      newest.current.chosen = area;
      newest.current.onArea(area);
    };
    const change = (to: (area: MapArea, frame: MapFrame) => MapArea) => {
      const { frame, all, chosen = all } = newest.current;
      const area = to(chosen, frame);
      if (area !== chosen) choose(area);
    };
    return {
      move: (x: number, y: number) =>
        change((area, frame) => withPlace(movedBy(area, frame, x, y), frame, frame.places, 'edge')),
      zoom: (factor: number, x?: number, y?: number) =>
        change((area, frame) => withPlace(zoomedBy(area, frame, factor, x, y), frame, frame.places, 'middle')),
      reveal: (place: Position) => change((area, frame) => withPlace(area, frame, [place], 'middle')),
      fit: () => choose(undefined),
    };
  }, []);
  useEffect(
    () => (element.current === null ? undefined : addMapGestures(element.current, changes)),
    [element, changes],
  );
  const hasSize = width > 0 && height > 0;
  const area = useMemo(() => chosen && withPlace(chosen, frame, frame.places, 'edge'), [chosen, frame]);
  return { frame, area: hasSize ? (area ?? all) : undefined, ...changes };
}
