import type { Outline } from '../outline.ts';
import type { Days } from './view.ts';

/** A calendar year or month, such as 2024 or 2024-06. */
export interface CalendarRange extends Days {
  readonly name: string;
}

/** The most months that are listed. */
const MAX_MONTHS = 240;

/** The calendar years and months of the days of a dataset, the latest first. Without months if they are too many. */
export function calendarRanges([first, last]: Outline['days']): { years: CalendarRange[]; months: CalendarRange[] } {
  if (first === '' || last === '') return { years: [], months: [] };
  const [from, to] = [monthNumber(first), monthNumber(last)];
  const months = to - from < MAX_MONTHS ? numbersDown(to, from).map(monthOf) : [];
  const years = numbersDown(Math.floor(to / 12), Math.floor(from / 12)).map(String);
  return { months, years: years.map((name) => ({ name, from: `${name}-01-01`, to: `${name}-12-31` })) };
}

/** The number of months from year 0 to a day. */
function monthNumber(day: string): number {
  return Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1;
}

function monthOf(month: number): CalendarRange {
  const [year, index] = [Math.floor(month / 12), month % 12];
  const name = `${year}-${String(index + 1).padStart(2, '0')}`;
  // Day 0 of the next month is the last one of this month.
  const days = new Date(Date.UTC(year, index + 1, 0)).getUTCDate();
  return { name, from: `${name}-01`, to: `${name}-${days}` };
}

function numbersDown(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, from - to + 1) }, (_, index) => from - index);
}
