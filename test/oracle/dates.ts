/** Points in time, exact to the nanosecond: the dates of rows, and those of input. */

const SECOND = 1_000_000_000n;
const MINUTE = 60n * SECOND;
const DAY = 86_400n * SECOND;

const time = '(?:(?<hour>\\d\\d)(?::?(?<minute>\\d\\d)(?::?(?<second>\\d\\d)(?:[.,](?<fraction>\\d+))?)?))';
const offset = '(?<offset>[Zz]|(?<sign>[+-])(?<offsetHour>\\d\\d)(?::?(?<offsetMinute>\\d\\d))?)';

/** ISO 8601, extended: year, month, date, or a date with a time of minutes or seconds, perhaps with an offset and a zone (RFC 9557). */
const extended =
  /^(?<year>\d{4})(?:-(?<month>\d\d)(?:-(?<day>\d\d)(?:[Tt ](?<time>\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?)(?<zone>.*))?)?)?$/s;
/** The basic form of a date, perhaps with a basic time. */
const basic = /^(?<year>\d{4})(?<month>\d\d)(?<day>\d\d)(?:[Tt ](?<time>\d{4}(?:\d\d(?:[.,]\d+)?)?)(?<zone>.*))?$/s;
const times = new RegExp(`^${time}$`);
const zones = new RegExp(`^(?:${offset}(?:\\[[^\\[\\]]+\\])?)?$`);

type Groups = Record<string, string | undefined>;

/** The days of a date since 1970; undefined if the calendar does not have it. */
function daysOf({ year = '', month = '01', day = '01' }: Groups): bigint | undefined {
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  const isDate = date.getUTCMonth() + 1 === Number(month) && date.getUTCDate() === Number(day);
  return isDate ? BigInt(date.getTime() / 86_400_000) : undefined;
}

/** The nanoseconds of a time since midnight. A leap second is the start of the next minute. */
function nanosecondsOf({ hour, minute, second = '00', fraction = '' }: Groups): bigint | undefined {
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return undefined;
  const minutes = BigInt(Number(hour) * 60 + Number(minute)) * MINUTE;
  if (second === '60') return minutes + MINUTE;
  return minutes + BigInt(second) * SECOND + BigInt(fraction.padEnd(9, '0').slice(0, 9));
}

/** The nanoseconds of an offset. */
function offsetOf({ sign, offsetHour = '00', offsetMinute = '00' }: Groups): bigint | undefined {
  if (Number(offsetHour) > 23 || Number(offsetMinute) > 59) return undefined;
  const size = BigInt(Number(offsetHour) * 60 + Number(offsetMinute)) * MINUTE;
  return sign === '-' ? -size : size;
}

/** The date of a row. */
interface RowDate {
  /** The nanoseconds since 1970. Without an offset it is UTC. */
  readonly instant: bigint;
  /** Whether it has no time: a date, a month or a year. */
  readonly isDay: boolean;
  /** Whether the instant keeps all of it: no leap second, and nothing but zeros beyond nanoseconds. */
  readonly isExact: boolean;
}

/** The dates that were read last: most are read for many fields. */
const known = new Map<string, RowDate | undefined>();
const MAX_KNOWN = 10_000;

/** Reads the date of a row. Undefined if it cannot be read. */
export function dateOf(text: string): RowDate | undefined {
  if (known.has(text)) return known.get(text);
  if (known.size === MAX_KNOWN) known.clear();
  const date = dateIn(text);
  known.set(text, date);
  return date;
}

function dateIn(text: string): RowDate | undefined {
  const groups: Groups | undefined = (extended.exec(text) ?? basic.exec(text))?.groups;
  if (groups === undefined) return undefined;
  const days = daysOf(groups);
  if (days === undefined) return undefined;
  if (groups.time === undefined) return { instant: days * DAY, isDay: true, isExact: true };
  const [clock, zone] = [times.exec(groups.time)?.groups, zones.exec(groups.zone ?? '')?.groups];
  if (clock === undefined || zone === undefined) return undefined;
  const [ofDay, shift] = [nanosecondsOf(clock), offsetOf(zone)];
  if (ofDay === undefined || shift === undefined) return undefined;
  const isExact = clock.second !== '60' && /^0*$/.test(clock.fraction?.slice(9) ?? '');
  return { instant: days * DAY + ofDay - shift, isDay: false, isExact };
}

/** The nanoseconds since 1970 of the date of a row. Undefined if it cannot be read. */
export const instantOf = (text: string): bigint | undefined => dateOf(text)?.instant;

const digits = /^[+-]?\d+$/;
const inputDate = /^\d{4}-\d\d(?:-\d\d)?$/;
const inputTime = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[Zz]|[+-]\d\d(?::\d\d)?)$/;

/** What a bound of a time range means: the first and the last millisecond of it. */
export interface InputBound {
  readonly first: bigint;
  readonly last: bigint;
}

/** A bound of a time range in input. Undefined if it is refused. */
export function inputBound(value: unknown): InputBound | undefined {
  const first = inputMillis(value);
  if (first === undefined) return undefined;
  if (typeof value !== 'string' || !inputDate.test(value)) return { first, last: first };
  const next = new Date(Number(first));
  if (value.length === '2024-03'.length) next.setUTCMonth(next.getUTCMonth() + 1);
  else next.setUTCDate(next.getUTCDate() + 1);
  return { first, last: BigInt(next.getTime() - 1) };
}

/** The milliseconds of a point in time, cut off; of a day or a month those of its start. Undefined if it is refused. */
function inputMillis(value: unknown): bigint | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  if (typeof value !== 'string') return undefined;
  if (digits.test(value)) {
    const number = BigInt(value.replace('+', ''));
    return BigInt.asIntN(64, number) === number ? number : undefined;
  }
  if (!inputDate.test(value) && !inputTime.test(value)) return undefined;
  const instant = instantOf(value);
  if (instant === undefined) return undefined;
  const milliseconds = instant / 1_000_000n;
  return instant < 0n && milliseconds * 1_000_000n !== instant ? milliseconds - 1n : milliseconds;
}
