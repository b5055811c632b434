import { DAY_MS, DateParser, firstDayOf, monthOf, NS_PER_MS, USUAL_DAY_LENGTH } from '../../engine/dates.ts';

export { DAY_MS, DateParser, dateOf, USUAL_DAY_LENGTH } from '../../engine/dates.ts';

/** A point in time, exact to a nanosecond. */
export type Instant = Pick<DateParser, 'milliseconds' | 'nanoseconds'>;

/** The point in time of a date of a row. Undefined for another text. */
export function instantOf(text: string): Instant | undefined {
  const parser = new DateParser();
  return parser.parseText(text) ? parser : undefined;
}

/** A point in time in milliseconds, with their parts as far as a double has them: for a picture. */
export function timeAt({ milliseconds, nanoseconds }: Instant): number {
  return milliseconds + nanoseconds / NS_PER_MS;
}

/** RFC 3339, section 5.6, but the seconds and the minutes of the offset may be absent: `date-time`; and `full-date`, or a month. */
const inputDate = /^\d{4}-\d{2}(?:-\d{2}(?:[Tt]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:[Zz]|[+-]\d{2}(?::\d{2})?))?)?$/;

/** The first and the last epoch millisecond of a day or a month in UTC. Of a point in time they are the same. */
export interface InputTime {
  readonly first: number;
  readonly last: number;
}

/** What a date in input means, with digits below a millisecond cut off. Undefined for another text. */
export function inputTimeOf(text: string): InputTime | undefined {
  const first = inputDate.test(text) ? instantOf(text)?.milliseconds : undefined;
  if (first === undefined) return undefined;
  if (text.length > USUAL_DAY_LENGTH) return { first, last: first };
  return { first, last: (text.length === USUAL_DAY_LENGTH ? first + DAY_MS : startOfNextMonth(first)) - 1 };
}

function startOfNextMonth(milliseconds: number): number {
  return firstDayOf(monthOf(milliseconds / DAY_MS) + 1) * DAY_MS;
}

const FIRST_TIME = Date.parse('0000-01-01T00:00:00.000Z');
const LAST_TIME = Date.parse('9999-12-31T23:59:59.999Z');

/** Whether the year of a time in epoch milliseconds is one of 0000 to 9999. */
export function hasYearOfFourDigits(milliseconds: number): boolean {
  return milliseconds >= FIRST_TIME && milliseconds <= LAST_TIME;
}
