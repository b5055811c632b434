/** The distances of the tooltip from the pointer, and from the edges of the pane, in pixels. */
const GAP = 16;
const MARGIN = 4;

/** What is visible of the pane, in pixels from the corner of the chart. */
interface Visible {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/**
 * Where the tooltip stands: beside the pointer, within what is visible of the pane. A tooltip may be higher than what is visible of
 * the chart, so it may cover what is above.
 *
 * @param point the pointer, in pixels from the corner of the chart
 */
export function tipPosition(
  [x, y]: readonly [number, number],
  _items: unknown,
  element: HTMLElement,
  _rect: unknown,
  { contentSize: [width, height] }: { readonly contentSize: readonly [number, number] },
): [number, number] {
  const { left, right, top, bottom } = visibleOf(element);
  const beside = x + GAP + width <= right ? x + GAP : x - GAP - width;
  return [within(beside, left, right - width), within(y + GAP, top, bottom - height)];
}

function visibleOf(element: HTMLElement): Visible {
  const chart = (element.parentElement ?? element).getBoundingClientRect();
  const pane = (element.closest('.response') ?? document.body).getBoundingClientRect();
  return {
    left: Math.max(pane.left, 0) - chart.left + MARGIN,
    right: Math.min(pane.right, window.innerWidth) - chart.left - MARGIN,
    top: Math.max(pane.top, 0) - chart.top + MARGIN,
    bottom: Math.min(pane.bottom, window.innerHeight) - chart.top - MARGIN,
  };
}

/** The number or the nearest bound. If both bounds cannot hold, the first holds. */
function within(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(value, most));
}
