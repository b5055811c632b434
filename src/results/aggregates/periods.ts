import { DAY_MS, dateOf, firstDayOf, monthOf } from '../../core/dates.ts';
import type { FinishCosts } from './aggregate.ts';
import { type Groups, MAX_ENTRIES } from './by-date.ts';
import type { ColumnBatch } from './column-batches.ts';
import { InvalidRow } from './invalid-row.ts';
import { UnreservedBytes } from './unreserved-bytes.ts';

/** The most periods of a series. */
export const MAX_PERIODS = 10_000;

/** The costs of a period that is looked up, and of one whose first day is listed. */
const UNITS_PER_PERIOD = 20;
const UNITS_PER_DATE = 20;
const BYTES_PER_DATE = 40;
/** The memory of a period in a map, and in the order of all. */
const BYTES_PER_GROUP = 50;
const BYTES_PER_PERIOD = 4;

/** Periods of the Gregorian calendar in UTC, counted from any origin. */
interface Calendar {
  /** The period of a day, which is counted from 1970-01-01. */
  periodOf(day: number): number;
  /** The first day of a period. */
  firstDay(period: number): number;
}

/** 1970-01-01 was a Thursday; a week of ISO 8601 begins on Monday. */
const MONDAY_BEFORE_EPOCH = 3;

const byMonths = (months: number): Calendar => ({
  periodOf: (day) => Math.floor(monthOf(day) / months),
  firstDay: (period) => firstDayOf(period * months),
});

const byDays = (days: number, before: number): Calendar => ({
  periodOf: (day) => Math.floor((day + before) / days),
  firstDay: (period) => period * days - before,
});

const calendars = {
  DAY: byDays(1, 0),
  WEEK: byDays(7, MONDAY_BEFORE_EPOCH),
  MONTH: byMonths(1),
  QUARTER: byMonths(3),
  YEAR: byMonths(12),
} satisfies Record<string, Calendar>;

/** The units of periods. */
export type PeriodUnit = keyof typeof calendars;
export const periodUnits = Object.keys(calendars) as PeriodUnit[];

/** Rows of the same period of the calendar are a group. Lists have all periods from the first to the last. */
export class Periods implements Groups {
  readonly maxCount = MAX_PERIODS;
  readonly maxMetrics = MAX_ENTRIES;
  readonly unreserved = new UnreservedBytes();
  readonly #calendar: Calendar;
  readonly #groups = new Map<number, number>();
  #lowest = Number.POSITIVE_INFINITY;
  #highest = Number.NEGATIVE_INFINITY;

  constructor(unit: PeriodUnit) {
    this.#calendar = calendars[unit];
  }

  get size(): number {
    return this.#groups.size;
  }

  get count(): number {
    return this.size === 0 ? 0 : this.#highest - this.#lowest + 1;
  }

  /** Returns an error for a row without a date that can be read. */
  assign(batch: ColumnBatch, into: Int32Array): Error | undefined {
    const { times, length, firstRow } = batch;
    for (let row = 0; row < length; ) {
      const time = times[row] as number;
      if (Number.isNaN(time)) return InvalidRow.withoutTime(firstRow + row, batch.hasDate(row));
      const number = this.#calendar.periodOf(Math.floor(time / DAY_MS));
      const group = this.#groupOf(number);
      const start = this.#calendar.firstDay(number) * DAY_MS;
      const end = this.#calendar.firstDay(number + 1) * DAY_MS;
      do {
        into[row] = group;
        row += 1;
      } while (row < length && (times[row] as number) >= start && (times[row] as number) < end);
    }
    return undefined;
  }

  #groupOf(number: number): number {
    const known = this.#groups.get(number);
    if (known !== undefined) return known;
    this.#lowest = Math.min(this.#lowest, number);
    this.#highest = Math.max(this.#highest, number);
    this.unreserved.add(BYTES_PER_GROUP);
    this.#groups.set(number, this.#groups.size);
    return this.#groups.size - 1;
  }

  finishCosts(hasDates: boolean, hasLists: boolean): FinishCosts {
    const { count } = this;
    return {
      units: count * ((hasDates ? UNITS_PER_DATE : 0) + (hasLists ? UNITS_PER_PERIOD : 0)),
      bytes: count * (BYTES_PER_PERIOD + (hasDates ? BYTES_PER_DATE : 0)),
    };
  }

  *order(): Generator<void, Int32Array> {
    const order = new Int32Array(this.count).fill(-1);
    for (const [number, group] of this.#groups) order[number - this.#lowest] = group;
    yield;
    return order;
  }

  /** The first day of a period. */
  dateAt(index: number): string {
    return dateOf(this.#calendar.firstDay(this.#lowest + index));
  }
}
