import { instantOf } from './dates.ts';
import { type AggregatesByDate, listsOf } from './lists.ts';
import { invalidRow, type Problem, type Values } from './rows.ts';
import { tooMany } from './statistics.ts';

/** `periods`: the rows of a series by period of the calendar, in UTC. */

export type Unit = 'DAY' | 'WEEK' | 'MONTH' | 'QUARTER' | 'YEAR';

const MAX_PERIODS = 10_000;
const MAX_ENTRIES = 100_000;
const NANOSECONDS_OF_DAY = 86_400_000_000_000n;

/** The first day of the period of a day, or of the period that is so many further. Days are counted from 1970. */
function startOf(day: number, unit: Unit, further = 0): number {
  const of = new Date(day * 86_400_000);
  const [year, month, date] = [of.getUTCFullYear(), of.getUTCMonth(), of.getUTCDate()];
  const start = new Date(0);
  if (unit === 'YEAR') start.setUTCFullYear(year + further, 0, 1);
  if (unit === 'QUARTER') start.setUTCFullYear(year, month - (month % 3) + 3 * further, 1);
  if (unit === 'MONTH') start.setUTCFullYear(year, month + further, 1);
  if (unit === 'WEEK') start.setUTCFullYear(year, month, date - ((of.getUTCDay() + 6) % 7) + 7 * further);
  if (unit === 'DAY') start.setUTCFullYear(year, month, date + further);
  return start.getTime() / 86_400_000;
}

/** A day as a date; years before 0000 and after 9999 have a sign and six digits. */
const dateText = (day: number) => new Date(day * 86_400_000).toISOString().replace(/T.*$/, '');

/** The periods of a series, or the first row without a date that can be read, or too many periods. */
export function periodsOf({ dates, columns, invalid }: Values, unit: Unit): AggregatesByDate | Problem {
  const starts: number[] = [];
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const [row, date] of dates.entries()) {
    const instant = date === null ? undefined : instantOf(date);
    if (instant === undefined)
      return invalidRow(row, date === null ? 'has no date' : 'has a date that cannot be read', undefined);
    const day = Number(instant / NANOSECONDS_OF_DAY) - (instant % NANOSECONDS_OF_DAY < 0n ? 1 : 0);
    const start = startOf(day, unit);
    starts.push(start);
    first = Math.min(first, start);
    last = Math.max(last, start);
    if (areTooMany(first, last, unit, columns.size)) return tooMany;
  }
  if (invalid !== undefined) return invalid;
  const all: number[] = [];
  for (let start = first; start <= last; start = startOf(start, unit, 1)) all.push(start);
  const count = [...columns.values()].flat().filter((value) => value !== null).length;
  return {
    dates: all.map(dateText),
    metrics: Array.from(columns, ([name, values]) => {
      const byStart = new Map(all.map((start) => [start, [] as number[]]));
      for (const [row, value] of values.entries()) if (value !== null) byStart.get(starts[row] as number)?.push(value);
      return listsOf(name, [...byStart.values()], count);
    }),
  };
}

/** Whether there are too many periods from one day to another. */
function areTooMany(first: number, last: number, unit: Unit, metrics: number): boolean {
  const most = Math.min(MAX_PERIODS, metrics === 0 ? MAX_PERIODS : Math.floor(MAX_ENTRIES / metrics));
  return startOf(first, unit, most) <= last;
}
