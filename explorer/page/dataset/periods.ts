import type { Outline } from '../outline.ts';
import type { ResponseSummary } from '../response/worker/protocol.ts';
import type { PageOperations } from '../settings.ts';
import { type TabText, variablesText } from '../tab-text.ts';
import { MAX_EXACT_DAYS, timeRange } from './operation.ts';
import { calendarUnits, type PeriodUnit, periodDays } from './period-unit.ts';
import type { Show } from './shows.ts';
import { lengthOf, type Shown } from './view.ts';

/** The most periods: as many as a heat map has columns. */
const MAX_PERIODS = 800;

/** The most values of all assets together: about 500 kB, compressed. */
const MAX_VALUES = 120_000;

/** The most values of a period that a user chooses. */
const MAX_CHOSEN_VALUES = 500_000;

/** The tabs that show values by period. */
const periodShows = ['map', 'heat', 'histogram'] as const;
export type PeriodShow = (typeof periodShows)[number];

export function isPeriodShow(show: Show | undefined): show is PeriodShow {
  return periodShows.some((other) => other === show);
}

/** The assets of a tab: all on a map, and where the quantiles of all are drawn. Undefined: all. */
function assetIdsOf(
  show: PeriodShow,
  { hasQuantiles, assetIds }: Shown,
  { assets }: Outline,
): readonly string[] | undefined {
  return show === 'map' || hasQuantiles || assetIds.length === assets.length ? undefined : assetIds;
}

/** The number of values of all assets together; infinite where it is unknown. */
function countValues(unit: PeriodUnit, show: PeriodShow, shown: Shown, outline: Outline): number {
  const assetCount = assetIdsOf(show, shown, outline)?.length || outline.assets.length;
  return countPeriods(unit, shown, outline) * assetCount * shown.metrics.length;
}

/** The number of values of an asset and a metric. An asset has as many dates as it has rows, and in a part of the time fewer. */
function countPeriods(unit: PeriodUnit, { days: { from, to } }: Shown, outline: Outline): number {
  const { days, rowCount, assets, isComplete } = outline;
  if (unit === 'DATE') return isComplete ? rowCount / assets.length : Number.POSITIVE_INFINITY;
  if (unit === 'WHOLE') return 1;
  return lengthOf({ from: from || days[0], to: to || days[1] }) / periodDays[unit];
}

/** Whether a user cannot choose a period, because it has too many values. Unless all rows are counted, it may have too many dates. */
export function isTooShort(unit: PeriodUnit, show: PeriodShow, shown: Shown, outline: Outline): boolean {
  const values = countValues(unit, show, shown, outline);
  return values > MAX_CHOSEN_VALUES && (unit === 'DATE' || Number.isFinite(values));
}

/**
 * The chosen period, if it is not too short; else the shortest one of which so many assets have not too many values. Where the length
 * of the time is unknown, a month.
 */
export function periodOf(show: PeriodShow, shown: Shown, outline: Outline): PeriodUnit {
  const { every } = shown;
  if (every !== undefined && !isTooShort(every, show, shown, outline)) return every;
  const isFew = (unit: PeriodUnit) =>
    (show === 'histogram' || countPeriods(unit, shown, outline) <= MAX_PERIODS) &&
    countValues(unit, show, shown, outline) <= MAX_VALUES;
  if (isFew('DATE')) return 'DATE';
  if (countPeriods('DAY', shown, outline) === Number.POSITIVE_INFINITY) return 'MONTH';
  // A short time has few dates: a longer period would make one of several.
  if (countPeriods('DAY', shown, outline) <= MAX_EXACT_DAYS) return 'DAY';
  return calendarUnits.find(isFew) ?? 'YEAR';
}

/** The operation that reads what such a tab shows: the values of each asset, or their means by period. */
export function periodsOperation(
  datasetId: string,
  show: PeriodShow,
  shown: Shown,
  outline: Outline,
  { periodMap }: PageOperations,
): TabText {
  const assetIds = assetIdsOf(show, shown, outline);
  const variables = {
    id: datasetId,
    ...(assetIds && { assetIds }),
    metrics: shown.metrics,
    ...timeRange(shown.days),
  };
  const selected = selectedValues(periodOf(show, shown, outline));
  return { query: periodMap, variables: variablesText({ ...variables, ...selected }) };
}

/** The variables that select the values of a period. */
function selectedValues(every: PeriodUnit): object {
  if (every === 'DATE') return { hasPeriods: false, hasDates: true };
  return every === 'WHOLE' ? { hasPeriods: false, hasMeans: true } : { every };
}

/** Whether the subgraph reads the dates of a response, so that there are means by period; undefined if the response does not tell. */
export function hasPeriods({ datasets: [dataset], errors }: ResponseSummary): boolean | undefined {
  if (dataset !== undefined && dataset.rowCount > 0) return dataset.hasDates ? dataset.hasPeriods : undefined;
  const isUnread = errors.some(({ message }) => /has (no date|a date that cannot be read)\.$/.test(message));
  return isUnread ? false : undefined;
}
