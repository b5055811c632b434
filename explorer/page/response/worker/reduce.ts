/** The part of a line's points that the exact range gets, if there is one. */
const EXACT_PART = 0.8;

/** Whether a value is not drawn. */
export type IsGap = (value: number) => boolean;

/**
 * A line with fewer points. Of each stretch of time, the lowest and the highest value are kept, so that no peak is lost.
 *
 * @param points pairs of x and y
 * @param most the maximum number of points, at least about
 * @param isGap gaps are kept only in stretches without other values
 * @param range the part of the time that gets most of the points, so that it is exact once it is short enough
 */
export function reduce(
  points: Float64Array<ArrayBuffer>,
  most: number,
  isGap: IsGap,
  range?: readonly [first: number, last: number],
): Float64Array<ArrayBuffer> {
  if (range === undefined) return Float64Array.from(extremes(points, most, isGap));
  const [from, to] = [firstFrom(points, range[0]) - 1, firstFrom(points, range[1]) + 1];
  const [begin, end] = [Math.max(0, from) * 2, Math.max(0, to) * 2];
  const outside = Math.ceil((most * (1 - EXACT_PART)) / 2);
  return Float64Array.from([
    ...extremes(points.subarray(0, begin), outside, isGap),
    ...extremes(points.subarray(begin, end), Math.floor(most * EXACT_PART), isGap),
    ...extremes(points.subarray(end), outside, isGap),
  ]);
}

/** The row of the first point at or after an x. */
function firstFrom(points: Float64Array, x: number): number {
  let row = 0;
  while (row * 2 < points.length && (points[row * 2] ?? 0) < x) row++;
  return row;
}

/** The points with the lowest and the highest value of each stretch; of a stretch without values, one point as a gap. */
function extremes(points: Float64Array, most: number, isGap: IsGap): Float64Array | number[] {
  const valueAt = (row: number) => points[row * 2 + 1] ?? Number.NaN;
  const count = points.length / 2;
  if (count <= most) return points;
  const stretches = Math.max(1, Math.floor(most / 2));
  const kept: number[] = [];
  for (let stretch = 0; stretch < stretches; stretch++) {
    const from = Math.floor((stretch * count) / stretches);
    const to = Math.floor(((stretch + 1) * count) / stretches);
    let [low, high] = [from, from];
    for (let row = from; row < to; row++) {
      const value = valueAt(row);
      if (isGap(value)) continue;
      if (isGap(valueAt(low)) || value < valueAt(low)) low = row;
      if (isGap(valueAt(high)) || value > valueAt(high)) high = row;
    }
    for (const row of low === high ? [low] : [Math.min(low, high), Math.max(low, high)]) {
      kept.push(points[row * 2] ?? 0, valueAt(row));
    }
  }
  return kept;
}
