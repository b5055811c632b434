import { timeOf } from '../response/worker/dates.ts';
import { stepsOf } from '../response/worker/steps.ts';
import type { MetricStatistics, Statistics } from './statistics.ts';
import { DAY_MS } from './view.ts';

/** How many of the values that a metric should have are there. */
export interface Completeness {
  readonly count: number;
  readonly expected: number;
  /** What was counted, such as "1,071 of 1,096 dates". */
  readonly text: string;
}

/**
 * How complete a metric of so many assets is: each should have a value at each expected date. Where no date is expected, because the
 * dates are irregular, few or too many, it is the share of the rows that have a value.
 *
 * @param dates the expected dates
 */
export function completenessOf(
  { name, count, nullCount }: MetricStatistics,
  { byDate }: Statistics,
  assetCount: number,
  dates: number | undefined,
): Completeness {
  const counts = byDate?.metrics.find((metric) => metric.name === name)?.counts;
  if (dates === undefined || counts === undefined)
    return withText({ count, expected: count + nullCount }, `${numberText(count + nullCount)} rows`);
  // An asset may have several rows of a date.
  const found = counts.reduce((sum, each) => sum + Math.min(each, assetCount), 0);
  const assets = assetCount > 1 ? `${numberText(assetCount)} × ` : '';
  return withText({ count: found, expected: assetCount * dates }, `${assets}${numberText(dates)} dates`);
}

function withText(counts: { count: number; expected: number }, all: string): Completeness {
  return { ...counts, text: `${numberText(counts.count)} of ${all}` };
}

function numberText(value: number): string {
  return value.toLocaleString('en');
}

/**
 * The number of dates from the first to the last one at their usual step; undefined if no step is usual. Days of the week that have
 * no date at all are not expected.
 */
export function expectedDates(dates: readonly string[]): number | undefined {
  const times = Float64Array.from(dates, (date) => timeOf(date) ?? Number.NaN).sort();
  const steps = times.some(Number.isNaN) ? undefined : stepsOf(times);
  if (steps === undefined) return undefined;
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  if (steps.usual !== DAY_MS) return Math.max(times.length, Math.round((last - first) / steps.mean) + 1);
  const days = new Set(times.map(dayNumber));
  const weekdays = new Set([...days].map(weekdayOf));
  let expected = 0;
  for (let day = dayNumber(first); day <= dayNumber(last); day++) if (weekdays.has(weekdayOf(day))) expected++;
  return Math.max(times.length, expected);
}

/** The number of a day since 1970. */
function dayNumber(time: number): number {
  return Math.floor(time / DAY_MS);
}

/** A number for each day of the week. */
function weekdayOf(day: number): number {
  return ((day % 7) + 7) % 7;
}
