import { DAY_MS, DateParser, startOf, USUAL_DAY_LENGTH } from './dates.ts';

const BACKSLASH = 0x5c;
/** The number of bytes of the usual form of a date-time: `2024-01-31T12:00:00Z`. */
const USUAL_TIME_LENGTH = 20;

/** The epoch milliseconds of a date of the usual form, of which it reads four bytes at a time. NaN for other forms. */
function usualDayIn(view: DataView, start: number): number {
  // The bytes of `0000-00-00` become 0, and other digits their values.
  const years = view.getInt32(start, true) ^ 0x30303030;
  const months = view.getInt32(start + 4, true) ^ 0x2d30302d;
  const days = view.getUint16(start + 8, true) ^ 0x3030;
  if ((months & 0xff0000ff) !== 0 || (otherDigits(years) | otherDigits(months) | otherDigits(days)) !== 0)
    return Number.NaN;
  return startOf(yearIn(years), monthIn(months), (days & 0xff) * 10 + (days >> 8));
}

/** The same for a date-time of the usual form. */
function usualTimeIn(view: DataView, start: number): number {
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
  const day = (days & 0xff) * 10 + ((days >> 8) & 0xff);
  const hour = (days >> 24) * 10 + (minutes & 0xff);
  const minute = ((minutes >> 16) & 0xff) * 10 + (minutes >> 24);
  const second = ((seconds >> 8) & 0xff) * 10 + (seconds >> 16);
  if (!(hour < 24 && minute < 60 && second < 60)) return Number.NaN;
  return startOf(yearIn(years), monthIn(months), day) + ((hour * 60 + minute) * 60 + second) * 1000;
}

/** The year and the month in these words. */
function yearIn(word: number): number {
  return (word & 0xff) * 1000 + ((word >> 8) & 0xff) * 100 + ((word >> 16) & 0xff) * 10 + (word >> 24);
}

function monthIn(word: number): number {
  return ((word >> 8) & 0xff) * 10 + (word >> 16);
}

/** Sets the highest bit of each byte that is more than 9. */
function otherDigits(word: number): number {
  return (((word & 0x7f7f7f7f) + 0x76767676) | word) & 0x80808080;
}

/** Days that any month has. */
const SHORTEST_MONTH = 28;

/** Reads the dates of rows: JSON strings, or null. */
export class DateSlots {
  readonly parser: DateParser = new DateParser();
  /** The bytes of the last date-time of the usual form, without its day: `2024-01-`, `T12:00:0` and `:00Z`. */
  #month = Number.NaN;
  #clock = Number.NaN;
  #seconds = 0;
  /** Its time a day before its month. */
  #before = 0;

  /** The epoch milliseconds of a date; NaN if it is null or cannot be read. `parser.nanoseconds` are those beyond them. */
  timeAt(bytes: Buffer, view: DataView, start: number, end: number): number {
    let usual = Number.NaN;
    if (end - start === USUAL_TIME_LENGTH + 2) usual = this.#usualTimeAt(view, start + 1);
    else if (end - start === USUAL_DAY_LENGTH + 2) usual = usualDayIn(view, start + 1);
    const { parser } = this;
    if (!Number.isNaN(usual)) {
      parser.nanoseconds = 0;
      return usual;
    }
    // Escapes are rare, and then it may be a date nevertheless. What is no string has none.
    if (!parser.parse(bytes, start + 1, end - 1) && bytes.subarray(start, end).includes(BACKSLASH))
      parser.parseText(JSON.parse(bytes.toString('utf8', start, end)));
    return parser.milliseconds;
  }

  /** The same of a date-time. Most have the month and the time of day of the one before, and only their day is read. */
  #usualTimeAt(view: DataView, start: number): number {
    const digits = view.getUint16(start + 8, true) ^ 0x3030;
    const day = (digits & 0xff) * 10 + (digits >> 8);
    const month = view.getFloat64(start, true);
    const clock = view.getFloat64(start + 10, true);
    const seconds = view.getInt32(start + 16, true);
    const isNear = month === this.#month && clock === this.#clock && seconds === this.#seconds;
    if (isNear && digits >> 8 <= 9 && day >= 1 && day <= SHORTEST_MONTH) return this.#before + day * DAY_MS;
    const time = usualTimeIn(view, start);
    if (Number.isNaN(time)) return time;
    this.#month = month;
    this.#clock = clock;
    this.#seconds = seconds;
    this.#before = time - day * DAY_MS;
    return time;
  }
}
