import { type Check, quantileOf } from './numbers.ts';
import { badInput, errorOf } from './respond.ts';
import { tooMany } from './statistics.ts';

/** The argument `of` of quantiles. */

const MAX_QUANTILES = 20;
const MAX_VALUES = 5_000_000;

/** A quantile of values that are sorted; null of none. */
export const quantileOrNull = (sorted: readonly number[], quantile: number): Check | null =>
  sorted.length === 0 ? null : quantileOf(sorted, quantile);

/** A field `quantiles`. @param count how many values all metrics have */
export function quantilesField<T>(count: number, read: (quantile: number) => T) {
  return ({ of }: { of: readonly number[] }): T[] | Error => {
    if (of.length > MAX_QUANTILES) return errorOf(tooMany);
    if (of.some((quantile) => !(quantile >= 0 && quantile <= 1))) return errorOf(badInput);
    return count > MAX_VALUES ? errorOf(tooMany) : of.map(read);
  };
}
