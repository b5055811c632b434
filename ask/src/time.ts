import { inputTimeOf } from '../../src/core/dates.ts';

/** A time ago: a number, and its unit. */
const ago = /^-(\d{1,6})([hdwmy])$/;

/**
 * A point in time: a time ago such as -30d, to the millisecond, an RFC 3339 date-time with an offset, a date, or a month. A date or a month means all of it in UTC: its first
 * millisecond as the start of a range, its last as the end. Undefined for any other text.
 */
export function pointInTime(text: string, bound: 'start' | 'end'): Date | undefined {
  const [, number, unit] = ago.exec(text) ?? [];
  if (unit !== undefined) return timeAgo(Number(number), unit);
  const time = inputTimeOf(text);
  return time && new Date(bound === 'start' ? time.first : time.last);
}

/** So many units before now; months and years are those of the calendar in UTC, and keep the day where the month has it. */
function timeAgo(count: number, unit: string): Date {
  const now = new Date();
  const hours = { h: 1, d: 24, w: 7 * 24 }[unit];
  if (hours !== undefined) return new Date(now.getTime() - count * hours * 3_600_000);
  const day = now.getUTCDate();
  now.setUTCMonth(now.getUTCMonth() - count * (unit === 'y' ? 12 : 1), 1);
  const lastDay = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 0)).getUTCDate();
  now.setUTCDate(Math.min(day, lastDay));
  return now;
}
