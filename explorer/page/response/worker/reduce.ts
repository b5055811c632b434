import { firstRowFrom } from './points.ts';

/** The part of a line's points that the exact range gets, if there is one. */
const EXACT_PART = 0.8;

/** Whether a value is not drawn. */
export type IsGap = (value: number) => boolean;

/**
 * The rows of a line with fewer points. Of each stretch of rows, the lowest and the highest value are kept, so that no peak is lost.
 *
 * @param points pairs of x and y, sorted by x
 * @param most the maximum number of points, at least about
 * @param isGap gaps are kept only in stretches without other values
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

/** The rows with the lowest and the highest value of each stretch; of a stretch without values, one row as a gap. */
function extremes(points: Float64Array, begin: number, end: number, most: number, isGap: IsGap): number[] {
  const valueAt = (row: number) => points[row * 2 + 1] ?? Number.NaN;
  const count = end - begin;
  if (count <= most) return Array.from({ length: count }, (_, index) => begin + index);
  const stretches = Math.max(1, Math.floor(most / 2));
  const kept: number[] = [];
  for (let stretch = 0; stretch < stretches; stretch++) {
    const from = begin + Math.floor((stretch * count) / stretches);
    const to = begin + Math.floor(((stretch + 1) * count) / stretches);
    let [low, high] = [from, from];
    for (let row = from; row < to; row++) {
      const value = valueAt(row);
      if (isGap(value)) continue;
      if (isGap(valueAt(low)) || value < valueAt(low)) low = row;
      if (isGap(valueAt(high)) || value > valueAt(high)) high = row;
    }
    kept.push(...(low === high ? [low] : [Math.min(low, high), Math.max(low, high)]));
  }
  return kept;
}
