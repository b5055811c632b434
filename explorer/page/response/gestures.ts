import type { Chart, Zoom } from './echarts.ts';

/** A drag over fewer pixels is a click. */
const MIN_DRAG = 5;

/** How much of what is visible is left after a turn of the wheel by so many pixels. */
const WHEEL_FACTOR = 0.75;
const WHEEL_TURN = 100;

/** The key that makes a wheel zoom, as Macs call it and as others do. */
export const zoomKey = /Mac/.test(navigator.userAgent) ? '⌘' : 'Ctrl';

/** How much of what is visible is left after a turn of the wheel. Undefined without Ctrl or Cmd: that scrolls the page. */
export function wheelFactor({ ctrlKey, metaKey, deltaY }: WheelEvent): number | undefined {
  return ctrlKey || metaKey ? WHEEL_FACTOR ** (-deltaY / WHEEL_TURN) : undefined;
}

/** Where charts begin, as distances from the left and the right end of their element, in pixels. */
export interface Margins {
  readonly left: number;
  readonly right: number;
}

/**
 * Zooms charts with a common time axis by the mouse: with Ctrl or Cmd and the wheel around the pointer, and by a drag to the range
 * that it selects. The wheel alone scrolls the page.
 *
 * @param zoom the current zoom
 * @returns a function that ends this
 */
export function addGestures(chart: Chart, element: HTMLElement, margins: () => Margins, zoom: () => Zoom): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  /** The part of the whole time at a distance from the left end of the screen, in percent. */
  const percentAt = (clientX: number) => {
    const { left, right } = margins();
    const box = element.getBoundingClientRect();
    const part = (clientX - box.left - left) / (box.width - left - right);
    const { start, end } = zoom();
    return start + Math.min(Math.max(part, 0), 1) * (end - start);
  };
  const zoomTo = throttled((start: number, end: number) => {
    if (!chart.isDisposed()) chart.dispatchAction({ type: 'dataZoom', start, end });
  });
  const onWheel = (event: WheelEvent) => {
    const factor = wheelFactor(event);
    if (factor === undefined) return;
    event.preventDefault();
    const { start, end } = zoom();
    const middle = percentAt(event.clientX);
    zoomTo(Math.max(0, middle - (middle - start) * factor), Math.min(100, middle + (end - middle) * factor));
  };
  const onPointerDown = (event: PointerEvent) => {
    const { clientX: from, clientY, pointerType, button } = event;
    const box = element.getBoundingClientRect();
    // A finger scrolls the page.
    if (button !== 0 || pointerType === 'touch') return;
    if (!chart.containPixel('grid', [from - box.left, clientY - box.top])) return;
    select(element, from, margins(), signal, (to) => {
      const [first, last] = [percentAt(Math.min(from, to)), percentAt(Math.max(from, to))];
      if (first < last) zoomTo(first, last);
    });
  };
  element.addEventListener('wheel', onWheel, { signal, passive: false });
  element.addEventListener('pointerdown', onPointerDown, { signal });
  return () => ending.abort();
}

/** Shows a selection until the pointer is released. */
function select(
  element: HTMLElement,
  from: number,
  { left, right }: Margins,
  signal: AbortSignal,
  onEnd: (to: number) => void,
): void {
  const mark = document.createElement('div');
  mark.className = 'response-selection';
  mark.hidden = true;
  element.append(mark);
  const ending = new AbortController();
  const listening = { signal: AbortSignal.any([ending.signal, signal]) };
  listening.signal.addEventListener('abort', () => mark.remove());
  const isDrag = (to: number) => Math.abs(to - from) >= MIN_DRAG;
  const onMove = ({ clientX: to }: PointerEvent) => {
    const box = element.getBoundingClientRect();
    const within = (x: number) => Math.min(Math.max(x - box.left, left), box.width - right);
    mark.hidden = !isDrag(to);
    mark.style.left = `${within(Math.min(from, to))}px`;
    mark.style.width = `${within(Math.max(from, to)) - within(Math.min(from, to))}px`;
  };
  const onUp = ({ clientX: to }: PointerEvent) => {
    ending.abort();
    if (isDrag(to)) onEnd(to);
  };
  // Also where the pointer leaves the charts.
  window.addEventListener('pointermove', onMove, listening);
  window.addEventListener('pointerup', onUp, listening);
  window.addEventListener('pointercancel', () => ending.abort(), listening);
}

/** Calls a function at most once for each frame, with the newest arguments. */
function throttled<Args extends unknown[]>(call: (...args: Args) => void): (...args: Args) => void {
  let newest: Args | undefined;
  return (...args) => {
    if (newest === undefined) {
      requestAnimationFrame(() => {
        const latest = newest;
        newest = undefined;
        if (latest !== undefined) call(...latest);
      });
    }
    newest = args;
  };
}
