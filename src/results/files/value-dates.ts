import { DAY_MS, DateParser } from '../../core/dates.ts';
import type { RowIndex } from '../indexing/row-index.ts';
import type { RowTemplate } from '../indexing/row-template.ts';

/** The types of timestamps in UTC, by the unit that they count from 1970-01-01. */
const timestampTypes = ['timestamp[ms]', 'timestamp[us]', 'timestamp[ns]'] as const;
export type TimestampType = (typeof timestampTypes)[number];

/** The type of the dates of a file with types: as the service sent them, days, or timestamps. */
export type DateType = 'text' | 'date' | TimestampType;

/** The most bytes of a date that has a type. No exact one is as long, unless it has many zeros or the longest names of zones. */
const MAX_DATE_BYTES = 128;
/** The most bytes of it as JSON: an escape has six. */
const MAX_JSON_BYTES = 6 * MAX_DATE_BYTES;

/** The times that fit into 64 bits as nanoseconds, in milliseconds: in the years 1677 to 2262. */
const [FIRST_NS_TIME, LAST_NS_TIME] = [-9_223_372_036_854, 9_223_372_036_853];

const NULL_START = 0x6e;
const BACKSLASH = 0x5c;
const NO_BYTES = Buffer.alloc(0);

/** The date of one row, as bytes in UTF-8. There is one for many rows, which it reads one after the other. */
class RowDate {
  bytes: Buffer = NO_BYTES;
  start = 0;
  end = 0;
  #isJson = false;
  readonly #parser = new DateParser();

  /** Reads the date of a row. Returns whether it has one. */
  read(index: RowIndex, offsetEntry: number, template: RowTemplate): boolean {
    const { date: slot } = template;
    if (slot === undefined) return false;
    const start = index.startOf(offsetEntry, template, slot);
    if (index.bytes[start] === NULL_START) return false;
    this.bytes = index.bytes;
    this.start = start + 1;
    this.end = index.endOf(offsetEntry, slot) - 1;
    this.#isJson = true;
    return true;
  }

  /** Reads a date of a decoded row. Returns whether it has one. */
  readText(text: string | null): boolean {
    if (text === null) return false;
    this.bytes = Buffer.from(text);
    this.start = 0;
    this.end = this.bytes.length;
    this.#isJson = false;
    return true;
  }

  get length(): number {
    return this.end - this.start;
  }

  /** Parses it. An escaped date is decoded first. Undefined if it is none. */
  parse(): DateParser | undefined {
    if (this.#parse()) return this.#parser;
    if (!this.#isEscaped) return undefined;
    this.readText(this.text());
    return this.#parse() ? this.#parser : undefined;
  }

  #parse(): boolean {
    return this.#parser.parse(this.bytes, this.start, this.end);
  }

  text(): string {
    const text = this.bytes.toString('utf8', this.start, this.end);
    return this.#isEscaped ? JSON.parse(`"${text}"`) : text;
  }

  get #isEscaped(): boolean {
    if (!this.#isJson) return false;
    for (let at = this.start; at < this.end; at += 1) if (this.bytes[at] === BACKSLASH) return true;
    return false;
  }
}

/**
 * Finds the type of the dates of a response: `date` if each of them is a day, a month or a year, a timestamp if each is one of
 * these or a date-time, as `periods` reads them, and text otherwise. The unit of timestamps keeps each digit, or they are text.
 * Nulls have any type; with nothing else they are timestamps.
 */
export class DateSurvey {
  readonly #date = new RowDate();
  #isText = false;
  #hasDays = false;
  #hasTimes = false;
  /** The index of the coarsest unit that keeps all digits so far. */
  #unit = 0;
  #fitsNanoseconds = true;

  get type(): DateType {
    if (this.#isText) return 'text';
    if (this.#hasDays && !this.#hasTimes) return 'date';
    const type = timestampTypes[this.#unit] as TimestampType;
    return type === 'timestamp[ns]' && !this.#fitsNanoseconds ? 'text' : type;
  }

  addRow(index: RowIndex, offsetEntry: number, template: RowTemplate): void {
    if (!this.#isText && this.#date.read(index, offsetEntry, template)) this.#isText = !this.#add();
  }

  /** Adds the date of a decoded row. */
  addText(text: string | null): void {
    if (!this.#isText && this.#date.readText(text)) this.#isText = !this.#add();
  }

  /** Returns whether the date has a type. */
  #add(): boolean {
    const date = this.#date;
    if (date.length > MAX_JSON_BYTES) return false;
    const parsed = date.parse();
    if (parsed === undefined || !parsed.isExact || date.length > MAX_DATE_BYTES) return false;
    const { milliseconds, nanoseconds, isDay } = parsed;
    if (milliseconds < FIRST_NS_TIME || milliseconds > LAST_NS_TIME) this.#fitsNanoseconds = false;
    if (isDay) this.#hasDays = true;
    else this.#hasTimes = true;
    if (nanoseconds !== 0) this.#unit = Math.max(this.#unit, nanoseconds % 1000 === 0 ? 1 : 2);
    return true;
  }
}

/** A date as a value of its column: days since 1970-01-01 are a number, and timestamps are bigints. */
export type DateValue = string | number | bigint | null;

/** Reads the dates of rows as values of a type that is that of all of them. */
export class DateReader {
  readonly type: DateType;
  readonly #date = new RowDate();

  constructor(type: DateType) {
    this.type = type;
  }

  ofRow(index: RowIndex, offsetEntry: number, template: RowTemplate): DateValue {
    return this.#date.read(index, offsetEntry, template) ? this.#value() : null;
  }

  /** The date of a decoded row. */
  ofText(text: string | null): DateValue {
    if (this.type === 'text') return text;
    return this.#date.readText(text) ? this.#value() : null;
  }

  #value(): DateValue {
    const date = this.#date;
    if (this.type === 'text') return date.text();
    const { milliseconds, nanoseconds } = date.parse() as DateParser;
    if (this.type === 'date') return milliseconds / DAY_MS;
    if (this.type === 'timestamp[ms]') return BigInt(milliseconds);
    if (this.type === 'timestamp[us]') return BigInt(milliseconds) * 1000n + BigInt(nanoseconds / 1000);
    return BigInt(milliseconds) * 1_000_000n + BigInt(nanoseconds);
  }
}
