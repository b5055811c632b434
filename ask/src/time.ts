import { inputTimeOf } from '../../src/core/dates.ts';

/**
 * A point in time: an RFC 3339 date-time with an offset, a date, or a month. A date or a month means all of it in UTC: its first
 * millisecond as the start of a range, its last as the end. Undefined for any other text.
 */
export function pointInTime(text: string, bound: 'start' | 'end'): Date | undefined {
  const time = inputTimeOf(text);
  return time && new Date(bound === 'start' ? time.first : time.last);
}
