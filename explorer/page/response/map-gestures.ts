import { wheelFactor } from './gestures.ts';

/** What the mouse and fingers do with a map. Points are in pixels from its middle. */
export interface MapGestures {
  readonly move: (x: number, y: number) => void;
  readonly zoom: (factor: number, x: number, y: number) => void;
}

/**
 * Moves a map by a drag, and zooms it with Ctrl or Cmd and the wheel around the pointer. Two fingers do both. The wheel alone and
 * one finger scroll the page.
 *
 * @returns a function that ends this
 */
export function addMapGestures(element: HTMLElement, { move, zoom }: MapGestures): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  /** A point of the screen, from the middle. */
  const pointOf = ({ clientX, clientY }: { clientX: number; clientY: number }) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    return [clientX - x - width / 2, clientY - y - height / 2] as const;
  };
  const onWheel = (event: WheelEvent) => {
    const factor = wheelFactor(event);
    if (factor === undefined) return;
    event.preventDefault();
    zoom(factor, ...pointOf(event));
  };
  let last: readonly [x: number, y: number] | undefined;
  const onPointerDown = (event: PointerEvent) => {
    if (event.button === 0 && event.pointerType !== 'touch') last = pointOf(event);
  };
  const onPointerMove = (event: PointerEvent) => {
    if (last === undefined) return;
    const next = pointOf(event);
    move(next[0] - last[0], next[1] - last[1]);
    last = next;
  };
  const onPointerEnd = () => {
    last = undefined;
  };
  let fingers: readonly [x: number, y: number, distance: number] | undefined;
  const onTouch = (event: TouchEvent) => {
    const [one, other] = event.touches;
    if (event.touches.length !== 2 || one === undefined || other === undefined) {
      fingers = undefined;
      return;
    }
    event.preventDefault();
    const [[x, y], [otherX, otherY]] = [pointOf(one), pointOf(other)];
    const next = [(x + otherX) / 2, (y + otherY) / 2, Math.hypot(x - otherX, y - otherY)] as const;
    if (fingers !== undefined) {
      move(next[0] - fingers[0], next[1] - fingers[1]);
      zoom(fingers[2] / next[2], next[0], next[1]);
    }
    fingers = next;
  };
  element.addEventListener('wheel', onWheel, { signal, passive: false });
  element.addEventListener('pointerdown', onPointerDown, { signal });
  // Also where the pointer leaves the map.
  window.addEventListener('pointermove', onPointerMove, { signal });
  window.addEventListener('pointerup', onPointerEnd, { signal });
  window.addEventListener('pointercancel', onPointerEnd, { signal });
  for (const type of ['touchstart', 'touchmove', 'touchend'] as const)
    element.addEventListener(type, onTouch, { signal, passive: false });
  return () => ending.abort();
}
