import type { Zoom } from './echarts.ts';
import type { ZoomBounds } from './pane-view.ts';
import { timeOf } from './worker/dates.ts';
import type { DatasetSummary } from './worker/protocol.ts';

/** The dates of an axis, as a dataset has them. */
type Axis = Pick<DatasetSummary, 'extent' | 'isTime' | 'texts'>;

/** The steps to which the bounds of a zoom are rounded, in milliseconds. */
const STEPS = [86_400_000, 60_000, 1000];

/** A zoom shows at least so many steps, so that the rounding moves its bounds by about a pixel at most. */
const MIN_STEPS = 500;

/** Of an axis that is visible from one end to the other, up to so many percent may be missing. */
const WHOLE = 99;

/** The date at an x as text for a link: in UTC, and as short as it can be. */
export function dateAt({ isTime, texts }: Axis, x: number): string | undefined {
  if (!isTime) return texts[Math.round(x)];
  const text = new Date(x).toISOString();
  if (text.endsWith('T00:00:00.000Z')) return text.slice(0, -'T00:00:00.000Z'.length);
  return text.endsWith(':00.000Z') ? `${text.slice(0, -':00.000Z'.length)}Z` : text.replace('.000Z', 'Z');
}

/** The x of such a text. Undefined if it is no date of this axis. */
export function xOf({ isTime, texts }: Axis, text: string): number | undefined {
  if (isTime) return timeOf(text);
  const index = texts.indexOf(text);
  return index < 0 ? undefined : index;
}

/** The bounds of a zoom, as a view has them. None for the whole axis. */
export function boundsOf(axis: Axis, { start, end }: Zoom): ZoomBounds {
  if (end - start > WHOLE) return { from: undefined, to: undefined };
  const [low, high] = rangeOf(axis, { start, end });
  const step = axis.isTime ? (STEPS.find((each) => high - low >= each * MIN_STEPS) ?? 1) : 1;
  const textOf = (x: number) => dateAt(axis, Math.round(x / step) * step);
  return { from: textOf(low), to: textOf(high) };
}

/** The first and the last x that are visible. */
export function rangeOf({ extent: [first, last] }: Axis, { start, end }: Zoom): readonly [low: number, high: number] {
  const at = (percent: number) => first + ((last - first) * percent) / 100;
  return [at(start), at(end)];
}

/** The part of an axis within the bounds of a view. Undefined if that is nothing or all of it. */
export function zoomOf(axis: Axis, { from, to }: ZoomBounds): Zoom | undefined {
  const [first, last] = axis.extent;
  const low = from === undefined ? first : xOf(axis, from);
  const high = to === undefined ? last : xOf(axis, to);
  if (low === undefined || high === undefined || low > high || low >= last || high <= first) return undefined;
  const percentOf = (x: number) => Math.min(Math.max(((x - first) / (last - first)) * 100, 0), 100);
  const [start, end] = [percentOf(low), percentOf(high)];
  return end - start > WHOLE ? undefined : { start, end };
}
