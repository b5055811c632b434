/** How many interquartile ranges an outlier is away from the quartiles, after Tukey, and the most outliers at each end. */
const FENCE = 3;
const MAX_OUTLIERS = 0.02;

/**
 * The lowest and the highest of some numbers but outliers: those that are far from most, at most 2 % at each end. Numbers of which
 * half are equal have none.
 *
 * @param sorted upwards, without NaN
 * @returns infinite without numbers, the first end above the second
 */
export function usualRange(sorted: Float64Array): { readonly min: number; readonly max: number } {
  const last = sorted.length - 1;
  const at = (index: number) => sorted[index] ?? Number.NaN;
  const quantile = (part: number) => {
    const index = part * last;
    const low = at(Math.floor(index));
    return low + (at(Math.ceil(index)) - low) * (index % 1);
  };
  if (last < 0) return { min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY };
  const [lower, upper] = [quantile(0.25), quantile(0.75)];
  const distance = lower === upper ? Number.POSITIVE_INFINITY : FENCE * (upper - lower);
  const low = Math.min(lower - distance, at(Math.ceil(MAX_OUTLIERS * last)));
  const high = Math.max(upper + distance, at(Math.floor((1 - MAX_OUTLIERS) * last)));
  return {
    min: sorted.find((value) => value >= low) ?? Number.NaN,
    max: sorted.findLast((value) => value <= high) ?? Number.NaN,
  };
}
