import { firstRowFrom } from './points.ts';

/** The part of a line's points that the exact range gets, if there is one. */
const EXACT_PART = 0.8;

/** Whether a value is not drawn. */
export type IsGap = (value: number) => boolean;

/**
 * The rows of a line with fewer points. Of each interval of equal time, the lowest and the highest value are kept, so that no peak is
 * lost, and a gap, so that the line breaks there.
 *
 * @param points pairs of x and y, sorted by x
 * @param most about the maximum number of points: gaps are kept beyond it
 * @param range the part of the time that gets most of the points, so that it is exact once it is short enough
 */
export function keptRows(
  points: Float64Array,
  most: number,
  isGap: IsGap,
  range?: readonly [first: number, last: number],
): number[] {
  const count = points.length / 2;
  if (range === undefined) return extremes(points, 0, count, most, isGap);
  const begin = Math.max(0, firstRowFrom(points, range[0]) - 1);
  const end = Math.min(count, firstRowFrom(points, range[1]) + 1);
  const outside = Math.ceil((most * (1 - EXACT_PART)) / 2);
  return [
    ...extremes(points, 0, begin, outside, isGap),
    ...extremes(points, begin, end, Math.floor(most * EXACT_PART), isGap),
    ...extremes(points, end, count, outside, isGap),
  ];
}

/** The rows with the lowest and the highest value of each interval, and its first gap. */
function extremes(points: Float64Array, begin: number, end: number, most: number, isGap: IsGap): number[] {
  const count = end - begin;
  if (count <= most) return Array.from({ length: count }, (_, index) => begin + index);
  const valueAt = (row: number) => points[row * 2 + 1] ?? Number.NaN;
  const [first = 0, last = 0] = [points[begin * 2], points[(end - 1) * 2]];
  const intervals = Math.max(1, Math.floor(most / 2));
  const kept: number[] = [];
  for (let interval = 1, from = begin; interval <= intervals && from < end; interval++) {
    const border = first + ((last - first) * interval) / intervals;
    const to = interval === intervals ? end : Math.min(end, firstRowFrom(points, border));
    let [low, high, gap] = [-1, -1, -1];
    for (let row = from; row < to; row++) {
      const value = valueAt(row);
      if (isGap(value)) {
        if (gap < 0) gap = row;
        continue;
      }
      if (low < 0 || value < valueAt(low)) low = row;
      if (high < 0 || value > valueAt(high)) high = row;
    }
    const rows = new Set([low, high, gap].filter((row) => row >= 0));
    kept.push(...[...rows].sort((one, other) => one - other));
    from = Math.max(from, to);
  }
  return kept;
}
