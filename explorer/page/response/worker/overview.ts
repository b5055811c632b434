import { firstRowFrom } from './points.ts';
import type { Envelope, Line } from './protocol.ts';
import type { IsGap } from './reduce.ts';

/** The number of steps of an overview: one for some pixels of a wide screen. */
const STEPS = 400;

/**
 * One line for several: their mean at equal steps of x, as pairs of x and y. Where a line has no point, also in a gap, it counts with
 * what is on the straight line between its nearest points, or with its first or last value: lines with different dates would make a
 * zigzag of their mean.
 *
 * @param bounds the range of all values: rounding errors would make that of a constant wider
 */
export function overviewOf(
  lines: readonly Line[],
  [first, last]: readonly [first: number, last: number],
  isGap: IsGap,
  { min, max }: Pick<Envelope, 'min' | 'max'>,
): Float64Array<ArrayBuffer> {
  const steps = first < last ? STEPS : 0;
  const drawn = lines.map(({ points }) => withoutGaps(points, isGap)).filter(({ length }) => length > 0);
  const overview = new Float64Array((steps + 1) * 2);
  for (let step = 0; step <= steps; step++) {
    const x = step === steps ? last : first + ((last - first) * step) / steps;
    overview[step * 2] = x;
    const mean = drawn.reduce(
      (sum, points) => sum + valueAt(points, x) / drawn.length,
      drawn.length > 0 ? 0 : Number.NaN,
    );
    overview[step * 2 + 1] = Math.min(Math.max(mean, min), max);
  }
  return overview;
}

function withoutGaps(points: Float64Array, isGap: IsGap): Float64Array {
  return points.filter((_, index) => !isGap(points[index | 1] ?? Number.NaN));
}

/** The y at an x. */
function valueAt(points: Float64Array, x: number): number {
  const at = firstRowFrom(points, x) * 2;
  if (at === 0) return points[1] ?? Number.NaN;
  const [beforeX = 0, beforeY = 0] = points.subarray(at - 2, at);
  const [afterX = x, afterY = beforeY] = points.subarray(at, at + 2);
  const part = (x - beforeX) / (afterX - beforeX);
  return beforeY + (afterY - beforeY) * part;
}
