import type { Outline } from '../outline.ts';
import { DAY_MS, type Days, dayOf, lengthOf } from './view.ts';

/** A dataset with more rows is large. So many rows take a fraction of a second, if an asset has one each day. */
export const LARGE_ROWS = 100_000;

/**
 * The parts of a time in which the values of all assets are read, one after another, so that a chart fills. The first one is short, and
 * each next one is twice as long. Neighbours share a day, because it is unknown whether the bounds of a time belong to it.
 */
export function timeParts({ from, to }: Days, { days: [first, last], assetCount, assets }: Outline): readonly Days[] {
  const begin = from || first;
  const total = lengthOf({ from: begin, to: to || last });
  const firstLength = Math.ceil(LARGE_ROWS / Math.max(assetCount ?? 0, assets.length));
  const parts: Days[] = [];
  let start = from;
  if (total < Number.POSITIVE_INFINITY && total >= 2 * firstLength)
    for (let length = firstLength, end = length; end < total; length *= 2, end += length) {
      const day = dayOf(Date.parse(begin) + end * DAY_MS);
      parts.push({ from: start, to: day });
      start = day;
    }
  return [...parts, { from: start, to }];
}
