import { timeText, WHOLE_TIME } from '../response/worker/dates.ts';

/** The periods of the calendar, from the shortest to the longest, each with its days, about. */
export const periodDays = { DAY: 1, WEEK: 7, MONTH: 30.4, QUARTER: 91.3, YEAR: 365.25 } as const;
export type CalendarUnit = keyof typeof periodDays;
export const calendarUnits = Object.keys(periodDays) as CalendarUnit[];

/** The periods of which each asset has a value: each of its dates, those of the calendar, or the whole time. */
export type PeriodUnit = 'DATE' | CalendarUnit | 'WHOLE';
export const periodUnits: readonly PeriodUnit[] = ['DATE', ...calendarUnits, 'WHOLE'];

/** Reads the name of a period, in any case; undefined if it is none. */
export function periodUnitIn(text: unknown): PeriodUnit | undefined {
  return periodUnits.find((unit) => unit === String(text).toUpperCase());
}

/** The period that begins at a point in time, as text: "July 2013", or "Q3 2013". */
export function periodText(unit: PeriodUnit, start: number): string {
  const date = new Date(start);
  const year = date.getUTCFullYear();
  const day = date.toISOString().slice(0, 10);
  const texts: Record<PeriodUnit, string> = {
    DATE: timeText(start),
    DAY: day,
    WEEK: `week of ${day}`,
    MONTH: `${date.toLocaleDateString('en', { month: 'long', timeZone: 'UTC' })} ${year}`,
    QUARTER: `Q${Math.floor(date.getUTCMonth() / 3) + 1} ${year}`,
    YEAR: String(year),
    WHOLE: WHOLE_TIME,
  };
  return texts[unit];
}
