import type { Option, Outline } from '../outline.ts';
import type { Overlay } from '../response/worker/protocol.ts';
import { DAY_MS, type Days, dayOf, lengthOf, otherDatasetIn, type Shown, type View } from './view.ts';

/** The most years that are drawn. */
const MAX_YEARS = 10;

/** The most assets of which two times are drawn: as many as there are colours. */
export const MAX_COMPARED = 8;

/** What is drawn over what. */
export type Comparison =
  | {
      readonly kind: 'years';
      /** The asset whose years are drawn; none: the median of all assets. */
      readonly assetIds: readonly string[];
      readonly overlay: Overlay;
    }
  | {
      readonly kind: 'ranges';
      /** The assets that are drawn twice; none: the median of all assets. */
      readonly assetIds: readonly string[];
      readonly days: Days;
      /** The earlier days, as many as `days`. */
      readonly earlier: Days;
      readonly overlay: Overlay;
    }
  | {
      readonly kind: 'datasets';
      /** The assets whose median is drawn; none: all. */
      readonly assetIds: readonly string[];
      readonly other: Option;
      /** The time of both: without a choice that of the first dataset, as far as it is known. */
      readonly days: Days;
      readonly overlay: Overlay;
    };

/** Why a view compares nothing, although it asks for it. */
interface NoComparison {
  readonly kind: 'none';
  readonly reason: string;
}

/**
 * What a view compares; undefined if it asks for no comparison.
 *
 * @param others the other datasets that the page knows
 */
export function comparisonOf(
  compare: View['compare'],
  { assetIds, days: { from, to } }: Shown,
  { name, days: [firstDay, lastDay] }: Outline,
  others: readonly Option[],
): Comparison | NoComparison | undefined {
  if (compare === undefined) return undefined;
  if (compare === 'years')
    return { kind: 'years', assetIds: assetIds.slice(0, 1), overlay: { kind: 'years', maxYears: MAX_YEARS } };
  const otherId = otherDatasetIn(compare);
  if (otherId !== undefined) {
    const other = others.find(({ id }) => id === otherId) ?? { id: otherId, name: otherId };
    return {
      kind: 'datasets',
      assetIds,
      other,
      days: { from: from === '' ? firstDay : from, to: to === '' ? lastDay : to },
      overlay: { kind: 'datasets', names: [name, other.name] },
    };
  }
  const days = { from, to: to === '' ? lastDay : to };
  if (days.from === '' || days.to === '')
    return none('Choose a time with a first and a last day: an earlier time of the same length is drawn over it.');
  if (days.from > days.to) return none('The first day must not be after the last day.');
  const first = earlierFirst(compare, days);
  if (first >= days.from) return none(`The earlier days must begin before ${days.from}.`);
  const [start, earlierStart] = [Date.parse(days.from), Date.parse(first)];
  return {
    kind: 'ranges',
    assetIds: assetIds.slice(0, MAX_COMPARED),
    days,
    earlier: { from: first, to: dayOf(earlierStart + (lengthOf(days) - 1) * DAY_MS) },
    overlay: { kind: 'ranges', shift: start - earlierStart },
  };
}

/** The time of a view once its comparison is chosen: one in which there is something to compare. */
export function rangeFor(
  compare: View['compare'],
  range: View['range'],
  { days: [, lastDay] }: Outline,
): View['range'] {
  if (typeof range !== 'string' || compare === undefined) return range;
  if (compare === 'years') return 'all';
  if (otherDatasetIn(compare) !== undefined) return range;
  return range === 'all' && lastDay !== '' ? 'last-year' : range;
}

/** The first one of the earlier days. */
function earlierFirst(compare: string, days: Days): string {
  const start = new Date(days.from);
  if (compare === 'before') return dayOf(start.getTime() - lengthOf(days) * DAY_MS);
  // A year before 29 February is 1 March.
  if (compare === 'year-before') return dayOf(start.setUTCFullYear(start.getUTCFullYear() - 1));
  return compare;
}

function none(reason: string): NoComparison {
  return { kind: 'none', reason };
}
