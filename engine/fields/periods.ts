import { AggregatesByDate, columnsByDate, type Groups, MAX_ENTRIES } from '../aggregates-by-date.ts';
import { checkNames } from '../by-metric.ts';
import { DAY_MS, dateOf, firstDayOf, monthOf } from '../dates.ts';
import { countOf, FieldError } from '../errors.ts';
import type { FieldType } from '../field.ts';
import type { Memory } from '../memory.ts';
import type { RowBatch } from '../row-batch.ts';

/** The most periods of a series. */
const MAX_PERIODS = 10_000;
const TOO_MANY = `A series has at most ${countOf(MAX_PERIODS)} periods, and ${countOf(MAX_ENTRIES)} with those of all metrics. Select longer periods.`;
/** The memory of the date of a period that is kept. */
const BYTES_PER_DATE = 100;

/** `periods(every: PeriodUnit!, metrics: [String!])`: the values of a series by period of the calendar, in UTC. */
export const periods: FieldType = {
  check: checkNames,
  columns: columnsByDate,
  make: (making) => new AggregatesByDate(making, new Periods(making.selected.args.every as string, making.memory)),
};

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

const calendars: Readonly<Record<string, Calendar>> = {
  DAY: byDays(1, 0),
  WEEK: byDays(7, MONDAY_BEFORE_EPOCH),
  MONTH: byMonths(1),
  QUARTER: byMonths(3),
  YEAR: byMonths(12),
};

/** Rows of the same period are a group. Lists have all periods from the first to the last. */
class Periods implements Groups {
  readonly limit = { metrics: MAX_ENTRIES, message: TOO_MANY };
  readonly #calendar: Calendar;
  readonly #memory: Memory;
  readonly #groups = new Map<number, number>();
  #lowest = 0;
  #highest = -1;
  /** The times of the period that a row had last, and its group. */
  #start = Number.NaN;
  #end = Number.NaN;
  #group = 0;
  /** Most series have the same periods. */
  readonly #dates = new Map<number, string>();

  constructor(every: string, memory: Memory) {
    this.#calendar = calendars[every] as Calendar;
    this.#memory = memory;
  }

  get size(): number {
    return this.#groups.size;
  }

  get count(): number {
    return this.#highest - this.#lowest + 1;
  }

  begin(): void {
    this.#groups.clear();
    this.#lowest = 0;
    this.#highest = -1;
    this.#start = Number.NaN;
  }

  assign(rows: RowBatch, into: Int32Array, most: number): FieldError | undefined {
    const times = rows.times();
    if (this.count > most) return FieldError.ofLimit(TOO_MANY);
    for (let row = 0; row < rows.count; row += 1) {
      const time = times[row] as number;
      if (!(time >= this.#start && time < this.#end)) {
        if (Number.isNaN(time))
          return new FieldError(rows.hasDate(row) ? 'unreadableDate' : 'noDate', rows.first + row);
        this.#enter(time);
        if (this.count > Math.min(MAX_PERIODS, most)) return FieldError.ofLimit(TOO_MANY);
      }
      into[row] = this.#group;
    }
    return undefined;
  }

  /** A row is in another period than the one before it. */
  #enter(time: number): void {
    const period = this.#calendar.periodOf(Math.floor(time / DAY_MS));
    this.#start = this.#calendar.firstDay(period) * DAY_MS;
    this.#end = this.#calendar.firstDay(period + 1) * DAY_MS;
    const known = this.#groups.get(period);
    this.#group = known ?? this.size;
    if (known !== undefined) return;
    this.#lowest = this.size === 0 ? period : Math.min(this.#lowest, period);
    this.#highest = this.size === 0 ? period : Math.max(this.#highest, period);
    this.#groups.set(period, this.#group);
  }

  order(): Int32Array {
    const order = new Int32Array(this.count).fill(-1);
    for (const [period, group] of this.#groups) order[period - this.#lowest] = group;
    return order;
  }

  /** The first day of a period. */
  dateAt(index: number): string {
    const period = this.#lowest + index;
    const known = this.#dates.get(period);
    if (known !== undefined) return known;
    if (this.#dates.size === MAX_PERIODS) {
      this.#memory.hold(-this.#dates.size * BYTES_PER_DATE);
      this.#dates.clear();
    }
    this.#memory.holdForField(BYTES_PER_DATE);
    const date = dateOf(this.#calendar.firstDay(period));
    this.#dates.set(period, date);
    return date;
  }
}
