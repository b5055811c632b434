import { DAY_MS, inputTimeOf } from '../../src/core/dates.ts';

/**
 * A point in time: an RFC 3339 date-time with an offset, a date, or a month. A date or a month means all of it in UTC: its first
 * millisecond as the start of a range, its last as the end. Undefined for any other text.
 */
export function pointInTime(text: string, bound: 'start' | 'end'): Date | undefined {
  const time = inputTimeOf(text);
  if (time === undefined) return undefined;
  if (bound === 'start' || text.length > '2015-07-01'.length) return new Date(time);
  return new Date((text.length === '2015-07'.length ? startOfNextMonth(time) : time + DAY_MS) - 1);
}

function startOfNextMonth(start: number): number {
  const date = new Date(start);
  return date.setUTCMonth(date.getUTCMonth() + 1);
}
