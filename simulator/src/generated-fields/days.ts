const FIRST = Date.parse('2023-01-01');
const DAY_MS = 86_400_000;

/** The number of days: the three years from 2023 to 2025. A day is a number from 0 on. */
export const DAY_COUNT = 1096;

/** The day of a date such as 2023-01-31. */
export function dayOf(date: string): number {
  return (Date.parse(date) - FIRST) / DAY_MS;
}

/** The date of a day, such as 2023-01-31. */
export function dateOf(day: number): string {
  return new Date(timeOf(day)).toISOString().slice(0, 10);
}

/** The first instant of a day in UTC, in epoch milliseconds. */
export function timeOf(day: number): number {
  return FIRST + day * DAY_MS;
}

/**
 * The days whose first instants are in a range of epoch milliseconds, both bounds inclusive; undefined is no bound.
 *
 * @returns the first day and the end (exclusive)
 */
export function daysWithin(start: bigint | undefined, stop: bigint | undefined): [first: number, end: number] {
  const first = start === undefined ? 0 : Math.ceil((Number(start) - FIRST) / DAY_MS);
  const end = stop === undefined ? DAY_COUNT : Math.floor((Number(stop) - FIRST) / DAY_MS) + 1;
  return [Math.max(first, 0), Math.min(end, DAY_COUNT)];
}

/** The day of the year, from 0 on. */
export function dayOfYear(day: number): number {
  return (timeOf(day) - Date.parse(dateOf(day).slice(0, 4))) / DAY_MS;
}

/**
 * The season of a day: 1 at the height of summer, -1 in the depth of winter. Two parabolas instead of a sine, because a sine
 * may be rounded in another way by another version of Node.js.
 */
export function seasonOf(day: number): number {
  const phase = ((dayOfYear(day) + 365.25 - 111) / 365.25) % 1;
  return phase < 0.5 ? 16 * phase * (0.5 - phase) : -16 * (phase - 0.5) * (1 - phase);
}
