import { type Aggregate, finite, roundingError } from './aggregate.ts';
import { type ColumnBatch, InvalidRow } from './column-batches.ts';
import { DAY_MS, dateOf, dayOf, monthOf } from './dates.ts';

/** The rows of a series by period. Each list has one entry for each period from the first to the last. */
export interface SeriesPeriods {
  /** The first day of each period, as a date. */
  readonly starts: readonly string[];
  readonly metrics: readonly MetricPeriods[];
}

/** One metric by period. Counts are of rows with a value; the others are null where there are none. */
export interface MetricPeriods {
  readonly name: string;
  readonly counts: readonly number[];
  readonly means: readonly (number | null)[];
  readonly mins: readonly (number | null)[];
  readonly maxs: readonly (number | null)[];
  readonly sums: readonly (number | null)[];
}

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
  firstDay: (period) => {
    const month = period * months;
    const year = Math.floor(month / 12);
    return dayOf(year, month - year * 12 + 1, 1);
  },
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

/** The most periods of a series, and the most entries of all its metrics. */
export const MAX_PERIODS = 10_000;
export const MAX_PERIOD_ENTRIES = 100_000;

/** The numbers of one period, metric by metric. */
class Period {
  readonly counts: Uint32Array;
  readonly sums: Float64Array;
  readonly lost: Float64Array;
  readonly mins: Float64Array;
  readonly maxs: Float64Array;

  constructor(metrics: number) {
    this.counts = new Uint32Array(metrics);
    this.sums = new Float64Array(metrics);
    this.lost = new Float64Array(metrics);
    this.mins = new Float64Array(metrics).fill(Number.POSITIVE_INFINITY);
    this.maxs = new Float64Array(metrics).fill(Number.NEGATIVE_INFINITY);
  }
}

/** Metrics of one series by period. */
export class Periods implements Aggregate<SeriesPeriods> {
  #names: readonly string[] = [];
  readonly #calendar: Calendar;
  readonly #tooMany: () => Error;
  readonly #periods = new Map<number, Period>();
  #lowest = Number.POSITIVE_INFINITY;
  #highest = Number.NEGATIVE_INFINITY;

  /** @param tooMany the error for more periods than are allowed */
  constructor(unit: PeriodUnit, tooMany: () => Error) {
    this.#calendar = calendars[unit];
    this.#tooMany = tooMany;
  }

  begin(names: readonly string[]): Error | undefined {
    this.#names = names;
    return names.length > MAX_PERIOD_ENTRIES ? this.#tooMany() : undefined;
  }

  add({ times, columns, length, firstRow }: ColumnBatch): Error | undefined {
    let period: Period | undefined;
    let start = 0;
    let end = 0;
    for (let row = 0; row < length; row += 1) {
      const time = times[row] as number;
      if (Number.isNaN(time)) return new InvalidRow(firstRow + row, 'has no RFC 3339 date');
      if (period === undefined || time < start || time >= end) {
        const number = this.#calendar.periodOf(Math.floor(time / DAY_MS));
        start = this.#calendar.firstDay(number) * DAY_MS;
        end = this.#calendar.firstDay(number + 1) * DAY_MS;
        const found = this.#at(number);
        if (found instanceof Error) return found;
        period = found;
      }
      for (let metric = 0; metric < columns.length; metric += 1) {
        const value = (columns[metric] as Float64Array)[row] as number;
        if (!Number.isNaN(value)) addValue(period, metric, value);
      }
    }
    return undefined;
  }

  #at(number: number): Period | Error {
    const known = this.#periods.get(number);
    if (known !== undefined) return known;
    this.#lowest = Math.min(this.#lowest, number);
    this.#highest = Math.max(this.#highest, number);
    const count = this.#highest - this.#lowest + 1;
    if (count > MAX_PERIODS || count * this.#names.length > MAX_PERIOD_ENTRIES) return this.#tooMany();
    const period = new Period(this.#names.length);
    this.#periods.set(number, period);
    return period;
  }

  *finish(): Generator<void, SeriesPeriods> {
    const count = this.#periods.size === 0 ? 0 : this.#highest - this.#lowest + 1;
    const periods = Array.from({ length: count }, (_, index) => this.#periods.get(this.#lowest + index));
    const starts = periods.map((_, index) => dateOf(this.#calendar.firstDay(this.#lowest + index)));
    const metrics: MetricPeriods[] = [];
    for (const [metric, name] of this.#names.entries()) {
      const counts = periods.map((period) => period?.counts[metric] ?? 0);
      const listOf = (read: (period: Period) => number) =>
        periods.map((period, index) => (period === undefined || counts[index] === 0 ? null : finite(read(period))));
      const sumOf = ({ sums, lost }: Period) => (sums[metric] as number) + (lost[metric] as number);
      metrics.push({
        name,
        counts,
        means: listOf((period) => sumOf(period) / (period.counts[metric] as number)),
        mins: listOf(({ mins }) => mins[metric] as number),
        maxs: listOf(({ maxs }) => maxs[metric] as number),
        sums: listOf(sumOf),
      });
      yield;
    }
    return { starts, metrics };
  }
}

/** Adds a value. The sum keeps what it loses by rounding. */
function addValue({ counts, sums, lost, mins, maxs }: Period, metric: number, value: number): void {
  counts[metric] = (counts[metric] as number) + 1;
  const before = sums[metric] as number;
  const sum = before + value;
  lost[metric] = (lost[metric] as number) + roundingError(before, value, sum);
  sums[metric] = sum;
  if (value < (mins[metric] as number)) mins[metric] = value;
  if (value > (maxs[metric] as number)) maxs[metric] = value;
}
