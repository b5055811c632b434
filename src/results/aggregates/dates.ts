/** The milliseconds of a day, and the days from 0000-03-01 to 1970-01-01. */
export const DAY_MS = 86_400_000;
const EPOCH_DAY = 719_468;
const DAYS_PER_ERA = 146_097;

const daysOfMonth = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
/** The days from the March before to the start of each month. */
const daysBefore = [306, 337, 0, 31, 61, 92, 122, 153, 184, 214, 245, 275];

/**
 * The epoch milliseconds of an RFC 3339 date, the start of that day in UTC, or of an RFC 3339 date-time, whose offset may be
 * absent: then it is UTC. Further digits than microseconds are cut off. NaN for anything else. Leap seconds are rejected, because epoch time has none.
 *
 * @param start the first byte of the text, and `end` the byte after it
 */
export function timeIn(bytes: Uint8Array, start: number, end: number): number {
  if (end - start < 10 || bytes[start + 4] !== 0x2d || bytes[start + 7] !== 0x2d) return Number.NaN;
  const year = digitsAt(bytes, start, 4);
  const month = digitsAt(bytes, start + 5, 2);
  const day = digitsAt(bytes, start + 8, 2);
  if (!(month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month))) return Number.NaN;
  return timeOfDay(dayOf(year, month, day) * DAY_MS, bytes, start + 10, end);
}

/** The number of bytes of the usual form of a date-time: `2024-01-31T12:00:00Z`. */
export const USUAL_TIME_LENGTH = 20;

/** The same for the bytes of the usual form, four at a time. NaN also for other forms with as many bytes. */
export function usualTimeIn(view: DataView, start: number): number {
  // The bytes of `0000-00-00T00:00:00Z` become 0, and other digits their values.
  const years = view.getInt32(start, true) ^ 0x30303030;
  const months = view.getInt32(start + 4, true) ^ 0x2d30302d;
  const days = view.getInt32(start + 8, true) ^ 0x30543030;
  const minutes = view.getInt32(start + 12, true) ^ 0x30303a30;
  const seconds = view.getInt32(start + 16, true) ^ 0x5a30303a;
  const separators = (months & 0xff0000ff) | (days & 0x00ff0000) | (minutes & 0x0000ff00) | (seconds & 0xff0000ff);
  const others =
    otherDigits(years) | otherDigits(months) | otherDigits(days) | otherDigits(minutes) | otherDigits(seconds);
  if (separators !== 0 || others !== 0) return Number.NaN;
  const year = (years & 0xff) * 1000 + ((years >> 8) & 0xff) * 100 + ((years >> 16) & 0xff) * 10 + (years >> 24);
  const month = ((months >> 8) & 0xff) * 10 + (months >> 16);
  const day = (days & 0xff) * 10 + ((days >> 8) & 0xff);
  const hour = (days >> 24) * 10 + (minutes & 0xff);
  const minute = ((minutes >> 16) & 0xff) * 10 + (minutes >> 24);
  const second = ((seconds >> 8) & 0xff) * 10 + (seconds >> 16);
  const isDay = month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
  if (!(isDay && hour < 24 && minute < 60 && second < 60)) return Number.NaN;
  return dayOf(year, month, day) * DAY_MS + ((hour * 60 + minute) * 60 + second) * 1000;
}

/** Sets the highest bit of each byte that is more than 9. */
function otherDigits(word: number): number {
  return (((word & 0x7f7f7f7f) + 0x76767676) | word) & 0x80808080;
}

/** The same for a text. */
export function timeOf(text: string): number {
  const bytes = Buffer.from(text);
  return timeIn(bytes, 0, bytes.length);
}

/** The bytes of a date-time before the fraction of its second: `2024-01-31T12:00:00.` */
const BYTES_BEFORE_FRACTION = 20;
const NS_PER_MS = 1_000_000;

/**
 * The nanoseconds beyond the whole milliseconds of a date or date-time that `timeIn` reads, from 0 to 999,999. NaN if it has
 * further digits than nanoseconds that are not 0.
 */
export function nanosecondsIn(bytes: Uint8Array, start: number, end: number): number {
  const first = start + BYTES_BEFORE_FRACTION;
  if (first > end || bytes[first - 1] !== 0x2e) return 0;
  let nanoseconds = 0;
  let unit = NS_PER_MS * 100;
  for (let at = first; at < end && isDigit(bytes[at] as number); at += 1, unit = Math.floor(unit / 10)) {
    const digit = (bytes[at] as number) - 0x30;
    if (unit === 0 && digit !== 0) return Number.NaN;
    nanoseconds += digit * unit;
  }
  return nanoseconds % NS_PER_MS;
}

/** The part of a millisecond that is nearest to the next one, in all years. */
const LAST_PART_OF_MS = 31 / 32;

/** @param date the start of the day, and from `start` on the part of a date-time behind its date, which may be absent */
function timeOfDay(date: number, bytes: Uint8Array, start: number, end: number): number {
  if (start === end) return date;
  const separator = bytes[start];
  if (separator !== 0x54 && separator !== 0x74 && separator !== 0x20) return Number.NaN;
  if (end - start < 9 || bytes[start + 3] !== 0x3a || bytes[start + 6] !== 0x3a) return Number.NaN;
  const hours = digitsAt(bytes, start + 1, 2);
  const minutes = digitsAt(bytes, start + 4, 2);
  const seconds = digitsAt(bytes, start + 7, 2);
  if (!(hours < 24 && minutes < 60 && seconds < 60)) return Number.NaN;
  let at = start + 9;
  let microseconds = 0;
  if (bytes[at] === 0x2e && at < end) {
    at += 1;
    const first = at;
    for (let unit = 100_000; at < end && isDigit(bytes[at] as number); at += 1, unit = Math.floor(unit / 10))
      microseconds += ((bytes[at] as number) - 0x30) * unit;
    if (at === first) return Number.NaN;
  }
  const ms = Math.floor(microseconds / 1000);
  const whole = date + ((hours * 60 + minutes) * 60 + seconds) * 1000 + ms - offsetIn(bytes, at, end);
  const time = whole + (microseconds - ms * 1000) / 1000;
  // Not rounded up, because the next millisecond may be in the next period.
  return time >= whole + 1 ? whole + LAST_PART_OF_MS : time;
}

/** The milliseconds of an offset; 0 without one. */
function offsetIn(bytes: Uint8Array, start: number, end: number): number {
  const first = bytes[start];
  if (start === end) return 0;
  if (end - start === 1) return first === 0x5a || first === 0x7a ? 0 : Number.NaN;
  if (end - start !== 6 || bytes[start + 3] !== 0x3a || (first !== 0x2b && first !== 0x2d)) return Number.NaN;
  const hours = digitsAt(bytes, start + 1, 2);
  const minutes = digitsAt(bytes, start + 4, 2);
  if (!(hours < 24 && minutes < 60)) return Number.NaN;
  return (first === 0x2d ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

/** The number of so many digits. NaN if there are others. */
function digitsAt(bytes: Uint8Array, start: number, count: number): number {
  let number = 0;
  for (let at = start; at < start + count; at += 1) {
    const byte = bytes[at] as number;
    if (!isDigit(byte)) return Number.NaN;
    number = number * 10 + byte - 0x30;
  }
  return number;
}

function daysIn(year: number, month: number): number {
  const isLeap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return isLeap ? 29 : (daysOfMonth[month - 1] as number);
}

/** The number of days from 1970-01-01 to a date of the Gregorian calendar. A year of this calculation begins in March. */
export function dayOf(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const leapDays = Math.floor(shifted / 4) - Math.floor(shifted / 100) + Math.floor(shifted / 400);
  return shifted * 365 + leapDays + (daysBefore[month - 1] as number) + day - 1 - EPOCH_DAY;
}

/** The months from 0000-01 to that of a day, which is counted from 1970-01-01. */
export function monthOf(day: number): number {
  const shifted = day + EPOCH_DAY;
  const era = Math.floor(shifted / DAYS_PER_ERA);
  const dayOfEra = shifted - era * DAYS_PER_ERA;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  return (yearOfEra + era * 400) * 12 + monthFromMarch + 2;
}

/** A day, counted from 1970-01-01, as a date: `2024-01-31`. Other years than 0 to 9999 are as in ECMAScript: `-000001-12-31`. */
export function dateOf(day: number): string {
  const months = monthOf(day);
  const year = Math.floor(months / 12);
  const month = months - year * 12 + 1;
  const text = (value: number, digits: number) => String(value).padStart(digits, '0');
  const isUsual = year >= 0 && year <= 9999;
  const years = isUsual ? text(year, 4) : `${year < 0 ? '-' : '+'}${text(Math.abs(year), 6)}`;
  return `${years}-${text(month, 2)}-${text(day - dayOf(year, month, 1) + 1, 2)}`;
}
