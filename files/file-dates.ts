import type { RowBatch } from '../engine/index.ts';
import { DAY_MS, DateParser } from '../src/core/dates.ts';

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

/**
 * Finds the type of the dates of a response: `date` if each of them is a day, a month or a year, a timestamp if each is one of
 * these or a date-time, as `periods` reads them, and text otherwise. The unit of timestamps keeps each digit, or they are text.
 * Nulls have any type; with nothing else they are timestamps.
 */
export class DateSurvey {
  readonly #parser = new DateParser();
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

  /** Adds the dates of rows. */
  addRows(rows: RowBatch): void {
    const { bytes, count } = rows;
    const { date: slot } = rows.template;
    for (let row = 0; row < count && !this.#isText; row += 1) {
      if (!rows.hasDate(row)) continue;
      const [start, end] = [rows.startOf(row, slot) + 1, rows.endOf(row, slot) - 1];
      if (end - start > MAX_JSON_BYTES) this.#isText = true;
      // An escape is rare, and then it may be a date nevertheless.
      else if (!this.#add(bytes, start, end)) this.#addText(rows.dateText(row) as string);
    }
  }

  addText(text: string | null): void {
    if (text !== null && !this.#isText) this.#addText(text);
  }

  #addText(text: string): void {
    const bytes = Buffer.from(text);
    this.#isText = !this.#add(bytes, 0, bytes.length);
  }

  /** Returns whether the date has a type. */
  #add(bytes: Buffer, start: number, end: number): boolean {
    if (end - start > MAX_DATE_BYTES) return false;
    const parser = this.#parser;
    if (!parser.parse(bytes, start, end) || !parser.isExact) return false;
    const { milliseconds, nanoseconds, isDay } = parser;
    if (milliseconds < FIRST_NS_TIME || milliseconds > LAST_NS_TIME) this.#fitsNanoseconds = false;
    if (isDay) this.#hasDays = true;
    else this.#hasTimes = true;
    if (nanoseconds !== 0) this.#unit = Math.max(this.#unit, nanoseconds % 1000 === 0 ? 1 : 2);
    return true;
  }
}

/** A date as a value of its column: days since 1970-01-01 are a number, and timestamps are bigints. */
export type DateValue = string | number | bigint | null;

/** Reads dates as values of a type that is that of all of them. */
export class DateReader {
  readonly type: DateType;
  readonly #parser = new DateParser();

  constructor(type: DateType) {
    this.type = type;
  }

  ofRow(rows: RowBatch, row: number): DateValue {
    if (this.type === 'text') return rows.dateText(row);
    const time = rows.times()[row] as number;
    return Number.isNaN(time) ? null : this.#value(time, rows.nanoseconds()?.[row] ?? 0);
  }

  ofText(text: string | null): DateValue {
    if (this.type === 'text' || text === null) return text;
    const parser = this.#parser;
    parser.parseText(text);
    return this.#value(parser.milliseconds, parser.nanoseconds);
  }

  #value(milliseconds: number, nanoseconds: number): DateValue {
    if (this.type === 'date') return milliseconds / DAY_MS;
    if (this.type === 'timestamp[ms]') return BigInt(milliseconds);
    if (this.type === 'timestamp[us]') return BigInt(milliseconds) * 1000n + BigInt(nanoseconds / 1000);
    return BigInt(milliseconds) * 1_000_000n + BigInt(nanoseconds);
  }
}
