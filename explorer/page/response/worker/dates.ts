import { type Instant, instantOf as instantOfDate, timeAt } from '../../../../src/core/dates.ts';

/** The plausible times among numbers: from 1990 to 2100, in milliseconds. */
const [FIRST_TIME, LAST_TIME] = [Date.UTC(1990), Date.UTC(2100)];

/**
 * The point in time of a date; undefined for any other text. The service does not document the format of its dates: this is one
 * that the subgraph reads; or seconds or milliseconds since 1970.
 */
export function instantOf(date: string): Instant | undefined {
  if (!/^\d{9,}$/.test(date)) return instantOfDate(date);
  const milliseconds = [Number(date), Number(date) * 1000].find(isPlausible);
  return milliseconds === undefined ? undefined : { milliseconds, nanoseconds: 0 };
}

/** The date of what is computed from all dates. */
export const WHOLE_TIME = 'whole time';

/** Whether the subgraph reads a date, which its means by period need. It does not read numbers as times. */
export function hasPeriod(date: string): boolean {
  return instantOfDate(date) !== undefined;
}

/** The point in time of a date in milliseconds since 1970. */
export function timeOf(date: string): number | undefined {
  const instant = instantOf(date);
  return instant && timeAt(instant);
}

function isPlausible(time: number): boolean {
  return time >= FIRST_TIME && time < LAST_TIME;
}

/** A point in time as text, without a time of day that is midnight. */
export function timeText(time: number): string {
  const text = new Date(time).toISOString();
  return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text.replace('T', ' ').replace('.000Z', ' UTC');
}

/** The day of a point in time without its year, such as "1 Jan", and the time of day unless it is midnight. */
export function dayText(time: number): string {
  const [, day, month, , clock = ''] = new Date(time).toUTCString().split(' ');
  return `${Number(day)} ${month}${clock === '00:00:00' ? '' : ` ${clock.slice(0, 5)} UTC`}`;
}
