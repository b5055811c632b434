import * as z from 'zod';

const date = z.iso.date();
const dateTime = z.iso.datetime({ offset: true });

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * A point in time: an RFC 3339 date-time with an offset, or a date. A date means that day in UTC: its first millisecond
 * as the start of a range, its last as the end. Undefined for any other text.
 */
export function pointInTime(text: string, bound: 'start' | 'end'): Date | undefined {
  if (dateTime.safeParse(text).success) return new Date(text);
  if (!date.safeParse(text).success) return undefined;
  return new Date(Date.parse(text) + (bound === 'start' ? 0 : DAY_MS - 1));
}
