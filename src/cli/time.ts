import * as z from 'zod';

const date = z.iso.date();
const dateTime = z.iso.datetime({ offset: true });

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * A point in time: a date-time of RFC 3339 with an offset, or a date, which is that day in UTC: its beginning as the
 * start of a range, its last millisecond as the end, so that the day itself is in it. Undefined where it is neither.
 */
export function pointInTime(text: string, bound: 'start' | 'end'): Date | undefined {
  if (dateTime.safeParse(text).success) return new Date(text);
  if (!date.safeParse(text).success) return undefined;
  return new Date(Date.parse(text) + (bound === 'start' ? 0 : DAY_MS - 1));
}
