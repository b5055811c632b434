/** The milliseconds of a day, and the days from 0000-03-01 to 1970-01-01. */
export const DAY_MS = 86_400_000;
const EPOCH_DAY = 719_468;
const DAYS_PER_ERA = 146_097;

const daysOfMonth = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
/** The days from the March before to the start of each month. */
const daysBefore = [306, 337, 0, 31, 61, 92, 122, 153, 184, 214, 245, 275];

export const NS_PER_MS = 1_000_000;
const COLON = 0x3a;
const HYPHEN = 0x2d;
const OPENING = 0x5b;
const CLOSING = 0x5d;

const encoder = new TextEncoder();

/**
 * Reads dates of rows, whose form the service does not document: those of RFC 3339, and of ISO 8601 what services send.
 *
 * - `2024-03-01` or `20240301`, and the first day of a month `2024-03` or of a year `2024`, in UTC
 * - behind the first `T12:00`, `T12:00:00` or `T12:00:00.5`, behind the second `T1200`, `T120000` or `T120000.5`; with `t` or a
 *   space for `T`, and a comma for the point. The second 60 is the start of the next minute, because epoch time has no leap seconds
 * - behind a time of day an offset: `Z`, `z`, `+01:00`, `+0100` or `+01`. Without one it is UTC. A zone in brackets behind an
 *   offset (RFC 9557) changes nothing
 */
export class DateParser {
  /** Whole epoch milliseconds, and the nanoseconds beyond them: 0 to 999,999. Further digits are cut off. */
  milliseconds = Number.NaN;
  nanoseconds = 0;
  /** Whether it is a day, a month or a year. */
  isDay = false;
  /** Whether nothing but zeros was cut off. A leap second is not exact. */
  isExact = true;

  /**
   * Reads a date. Returns whether it is one; if not, `milliseconds` is NaN.
   *
   * @param start the first byte of the text, and `end` the byte after it
   */
  parse(bytes: Uint8Array, start: number, end: number): boolean {
    this.nanoseconds = 0;
    this.isDay = end - start <= USUAL_DAY_LENGTH;
    this.isExact = true;
    const milliseconds = this.#parse(bytes, start, end);
    this.milliseconds = milliseconds;
    return !Number.isNaN(milliseconds);
  }

  /** The same for a text. */
  parseText(text: string): boolean {
    const bytes = encoder.encode(text);
    return this.parse(bytes, 0, bytes.length);
  }

  #parse(bytes: Uint8Array, start: number, end: number): number {
    const length = end - start;
    if (length < 4) return Number.NaN;
    const year = digitsAt(bytes, start, 4);
    if (length === 4) return startOf(year, 1, 1);
    if (bytes[start + 4] !== HYPHEN) {
      if (length < 8) return Number.NaN;
      const day = startOf(year, digitsAt(bytes, start + 4, 2), digitsAt(bytes, start + 6, 2));
      return length === 8 ? day : day + this.#timeOfDay(bytes, start + 8, end, 0);
    }
    const month = digitsAt(bytes, start + 5, 2);
    if (length === 7) return startOf(year, month, 1);
    if (length < 10 || bytes[start + 7] !== HYPHEN) return Number.NaN;
    const day = startOf(year, month, digitsAt(bytes, start + 8, 2));
    return length === 10 ? day : day + this.#timeOfDay(bytes, start + 10, end, 1);
  }

  /** The milliseconds from the start of the day. @param colon the bytes of a colon: 1, or 0 in the basic form */
  #timeOfDay(bytes: Uint8Array, start: number, end: number, colon: 0 | 1): number {
    const separator = bytes[start];
    if (separator !== 0x54 && separator !== 0x74 && separator !== 0x20) return Number.NaN;
    let at = start + 5 + colon;
    if (at > end || (colon === 1 && bytes[start + 3] !== COLON)) return Number.NaN;
    const hours = digitsAt(bytes, start + 1, 2);
    const minutes = digitsAt(bytes, at - 2, 2);
    let seconds = 0;
    let fraction = 0;
    if (at < end && (colon === 1 ? bytes[at] === COLON : isDigit(bytes[at] as number))) {
      at += 2 + colon;
      if (at > end) return Number.NaN;
      seconds = digitsAt(bytes, at - 2, 2);
      if (at < end && (bytes[at] === 0x2e || bytes[at] === 0x2c)) {
        const first = at + 1;
        at = first;
        for (
          let unit = 100 * NS_PER_MS;
          at < end && isDigit(bytes[at] as number);
          at += 1, unit = Math.floor(unit / 10)
        ) {
          const digit = (bytes[at] as number) - 0x30;
          if (unit === 0 && digit !== 0) this.isExact = false;
          fraction += digit * unit;
        }
        if (at === first) return Number.NaN;
      }
    }
    if (!(hours < 24 && minutes < 60 && seconds <= 60)) return Number.NaN;
    if (seconds === 60) {
      fraction = 0;
      this.isExact = false;
    }
    const milliseconds = Math.floor(fraction / NS_PER_MS);
    this.nanoseconds = fraction - milliseconds * NS_PER_MS;
    return ((hours * 60 + minutes) * 60 + seconds) * 1000 + milliseconds - offsetIn(bytes, at, end);
  }
}

/** The start of a day. NaN if the calendar does not have it. */
export function startOf(year: number, month: number, day: number): number {
  return isDay(year, month, day) ? dayOf(year, month, day) * DAY_MS : Number.NaN;
}

/** The number of bytes of the usual form of a date: `2024-01-31`. */
export const USUAL_DAY_LENGTH = 10;

/** The milliseconds of an offset, which may have a zone behind it; 0 without one. */
function offsetIn(bytes: Uint8Array, start: number, end: number): number {
  if (start === end) return 0;
  const offsetEnd = bytes[end - 1] === CLOSING ? startOfZone(bytes, start, end - 1) : end;
  const length = offsetEnd - start;
  const first = bytes[start];
  if (length === 1) return first === 0x5a || first === 0x7a ? 0 : Number.NaN;
  if (first !== 0x2b && first !== HYPHEN) return Number.NaN;
  const hours = digitsAt(bytes, start + 1, 2);
  const hasColon = length === 6 && bytes[start + 3] === COLON;
  const minutes = length === 3 ? 0 : hasColon || length === 5 ? digitsAt(bytes, offsetEnd - 2, 2) : Number.NaN;
  if (!(hours < 24 && minutes < 60)) return Number.NaN;
  return (first === HYPHEN ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

/** The opening bracket of a zone, such as `[Europe/Paris]`, before its closing one. NaN if it is none. */
function startOfZone(bytes: Uint8Array, start: number, end: number): number {
  let at = end - 1;
  while (at > start && bytes[at] !== OPENING && bytes[at] !== CLOSING) at -= 1;
  return at < end - 1 && bytes[at] === OPENING ? at : Number.NaN;
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

/** Whether the calendar has a date. Not if one of its numbers is NaN. */
function isDay(year: number, month: number, day: number): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
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

/** The first day of a month, which is counted as `monthOf` does. */
export function firstDayOf(month: number): number {
  const year = Math.floor(month / 12);
  return dayOf(year, month - year * 12 + 1, 1);
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
