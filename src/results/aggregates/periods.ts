import { DAY_MS, dateOf, firstDayOf, monthOf } from '../../core/dates.ts';
import {
  type Aggregate,
  allParts,
  BYTES_PER_ENTRY,
  type FinishCosts,
  type SelectedParts,
  UNITS_PER_ENTRY,
} from './aggregate.ts';
import type { ColumnBatch } from './column-batches.ts';
import { InvalidRow } from './invalid-row.ts';
import { roundingError, Sum } from './sum.ts';

/** The costs of a period that is looked up, of its first day as a date, and of what is kept of it for each metric. */
const UNITS_PER_PERIOD = 20;
const UNITS_PER_START = 20;
const BYTES_PER_START = 40;
const BYTES_PER_VALUES = 120;

const LISTS = ['counts', 'means', 'mins', 'maxs', 'sums'] as const;

/** The rows of a series by period. Each list has one entry for each period from the first to the last; one that nobody selects is empty. */
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

/** The most periods of a series, and the most entries of all its metrics. */
export const MAX_PERIODS = 10_000;
export const MAX_PERIOD_ENTRIES = 100_000;

/** The values of one metric in one period. */
class PeriodValues {
  count = 0;
  readonly sum = new Sum();
  min = Number.POSITIVE_INFINITY;
  max = Number.NEGATIVE_INFINITY;

  /** Adds the values of the rows from `start` to `end` (exclusive). */
  add(values: Float64Array, start: number, end: number): void {
    let { count, min, max } = this;
    let { sum, lost } = this.sum;
    for (let row = start; row < end; row += 1) {
      const value = values[row] as number;
      if (Number.isNaN(value)) continue;
      count += 1;
      const next = sum + value;
      lost += roundingError(sum, value, next);
      sum = next;
      if (value < min) min = value;
      if (value > max) max = value;
    }
    this.count = count;
    if (!this.sum.replace(sum, lost)) this.sum.add(values, start, end);
    this.min = min;
    this.max = max;
  }
}

/** The values of one period, metric by metric. */
type Period = readonly PeriodValues[];

/** Metrics of one series by period. */
export class Periods implements Aggregate<SeriesPeriods> {
  #names: readonly string[] = [];
  readonly #calendar: Calendar;
  readonly #tooMany: () => Error;
  readonly #selected: SelectedParts;
  readonly #periods = new Map<number, Period>();
  #lowest = Number.POSITIVE_INFINITY;
  #highest = Number.NEGATIVE_INFINITY;

  /** @param tooMany the error for more periods than are allowed */
  constructor(unit: PeriodUnit, tooMany: () => Error, selected = allParts) {
    this.#calendar = calendars[unit];
    this.#tooMany = tooMany;
    this.#selected = selected;
  }

  begin(names: readonly string[]): Error | undefined {
    this.#names = names;
    return names.length > MAX_PERIOD_ENTRIES ? this.#tooMany() : undefined;
  }

  add(batch: ColumnBatch): Error | undefined {
    const { times, columns, length, firstRow } = batch;
    for (let row = 0; row < length; ) {
      const time = times[row] as number;
      if (Number.isNaN(time)) return InvalidRow.withoutTime(firstRow + row, batch.hasDate(row));
      const number = this.#calendar.periodOf(Math.floor(time / DAY_MS));
      const period = this.#at(number);
      if (period instanceof Error) return period;
      const start = this.#calendar.firstDay(number) * DAY_MS;
      const end = this.#calendar.firstDay(number + 1) * DAY_MS;
      const first = row;
      do row += 1;
      while (row < length && (times[row] as number) >= start && (times[row] as number) < end);
      for (const [metric, values] of period.entries()) values.add(columns[metric] as Float64Array, first, row);
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
    const period = this.#names.map(() => new PeriodValues());
    this.#periods.set(number, period);
    return period;
  }

  /** The number of periods from the first to the last. */
  get #count(): number {
    return this.#periods.size === 0 ? 0 : this.#highest - this.#lowest + 1;
  }

  finishCosts(): FinishCosts {
    const count = this.#count;
    const lists = LISTS.filter((list) => this.#selected.has(list)).length;
    const entries = count * this.#names.length * lists;
    const [units, bytes] = this.#selected.has('starts') ? [UNITS_PER_START, BYTES_PER_START] : [0, 0];
    return {
      units: count * (units + (lists > 0 ? UNITS_PER_PERIOD : 0)) + entries * UNITS_PER_ENTRY,
      bytes: count * bytes + entries * BYTES_PER_ENTRY + this.#periods.size * this.#names.length * BYTES_PER_VALUES,
    };
  }

  *finish(): Generator<void, SeriesPeriods> {
    const selected = this.#selected;
    const isListed = LISTS.some((list) => selected.has(list));
    const periods = Array.from({ length: isListed ? this.#count : 0 }, (_, index) =>
      this.#periods.get(this.#lowest + index),
    );
    const firstDay = (_: unknown, index: number) => dateOf(this.#calendar.firstDay(this.#lowest + index));
    const starts = Array.from({ length: selected.has('starts') ? this.#count : 0 }, firstDay);
    const metrics: MetricPeriods[] = [];
    for (const [metric, name] of this.#names.entries()) {
      const listOf = (list: (typeof LISTS)[number], read: (values: PeriodValues) => number | null) => {
        if (!selected.has(list)) return [];
        return periods.map((period) => {
          const values = period?.[metric];
          return values === undefined || values.count === 0 ? null : read(values);
        });
      };
      metrics.push({
        name,
        counts: selected.has('counts') ? periods.map((period) => period?.[metric]?.count ?? 0) : [],
        means: listOf('means', ({ sum, count }) => sum.mean(count)),
        mins: listOf('mins', ({ min }) => min),
        maxs: listOf('maxs', ({ max }) => max),
        sums: listOf('sums', ({ sum: { total } }) => (Number.isFinite(total) ? total : null)),
      });
      if (isListed) yield;
    }
    return { starts, metrics };
  }
}
