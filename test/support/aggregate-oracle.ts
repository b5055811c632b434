import { floorDivide, nanosecondsOf } from './dates.ts';

/**
 * What is computed from rows, once more and otherwise: over parsed objects, with exact rational numbers, and with the dates of
 * JavaScript. A number is exact as an integer: it is multiplied by 2 to the power of `SCALE`.
 */

export interface OracleMetric {
  name?: string | null;
  value?: number | null;
}
export interface OracleRow {
  value_date?: string | null;
  metrics?: OracleMetric[] | null;
}

const SCALE = 1074n;
const view = new DataView(new ArrayBuffer(8));

/** A number as an integer: every double is a multiple of 2 to the power of -1074. */
export function exact(value: number): bigint {
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const exponent = (bits >> 52n) & 0x7ffn;
  const fraction = bits & 0xfffffffffffffn;
  const size = exponent === 0n ? fraction : (fraction | 0x10000000000000n) << (exponent - 1n);
  return bits >> 63n === 1n ? -size : size;
}

export const abs = (value: bigint) => (value < 0n ? -value : value);
const sum = (values: readonly bigint[]) => values.reduce((all, value) => all + value, 0n);
const MAX = exact(Number.MAX_VALUE);

/** The distance to the next double. */
function ulp(value: bigint): bigint {
  const hexadecimal = abs(value).toString(16);
  const bits = hexadecimal.length * 4 + 28 - Math.clz32(Number.parseInt(hexadecimal.charAt(0), 16));
  return 1n << BigInt(Math.max(0, bits - 53));
}

/** A quotient, within a bound of it; what is computed is null if it is beyond the range of doubles. */
export interface Expected {
  readonly over: bigint;
  readonly under: bigint;
  readonly bound: bigint;
  readonly isNull: 'never' | 'perhaps' | 'always';
}

/** The first sums of compensated summation are exact to 4 ulp, and to the square of the rounding of what cancels out. */
function sumOver(values: readonly number[], count: bigint): Expected {
  const all = values.map(exact);
  const over = sum(all);
  const size = sum(all.map(abs));
  const terms = BigInt(values.length);
  const isNull = abs(over / count) > MAX + ulp(MAX) ? 'always' : abs(over / count) > MAX ? 'perhaps' : 'never';
  return { over, under: count, bound: 4n * ulp(over / count) + ((terms * terms * size) >> 104n) / count + 1n, isNull };
}

/** Whether a number is what is expected. */
export function isClose(value: number | null, { over, under, bound, isNull }: Expected): boolean {
  if (value === null) return isNull !== 'never';
  return isNull !== 'always' && abs(exact(value) * under - over) <= bound * under;
}

/** The standard deviation of the population, within a billionth. */
export function isDeviation(value: number | null, values: readonly number[]): boolean {
  const all = values.map(exact);
  const span =
    all.reduce((most, each) => (each > most ? each : most)) -
    all.reduce((least, each) => (each < least ? each : least));
  if (value === null) return false;
  const count = BigInt(values.length);
  const squares = count * sum(all.map((each) => each * each)) - sum(all) ** 2n;
  const found = (exact(value) * count) ** 2n;
  // Differences of less than that have no squares.
  if (span < exact(1e-140)) return value < 1e-140;
  return abs(found - squares) * 1_000_000_000n <= 2n * squares;
}

/** A quantile of type 7. */
export function quantileOf(values: readonly number[], quantile: number): Expected {
  const sorted = values.map(exact).toSorted((one, other) => (one < other ? -1 : one > other ? 1 : 0));
  const last = BigInt(sorted.length - 1);
  const position = last * exact(quantile);
  const rank = position >> SCALE;
  const [low = 0n, high = 0n] = [sorted[Number(rank)], sorted[Number(rank < last ? rank + 1n : rank)]];
  const over = (low << SCALE) + (position - (rank << SCALE)) * (high - low);
  // The position is rounded, and a value, the difference of two, and their product are.
  const span = (sorted.at(-1) as bigint) - (sorted[0] as bigint);
  const largest = abs(low) > abs(high) ? abs(low) : abs(high);
  const bound = 4n * ulp(largest) + ((span * (last + 1n)) >> 52n);
  return { over, under: 1n << SCALE, bound, isNull: 'never' };
}

/** The value of a metric in a row: the first metric of the name counts. */
export function valueIn({ metrics }: OracleRow, name: string): number | null {
  return metrics?.find((metric) => metric.name === name)?.value ?? null;
}

/** The distinct names in the order of their first appearance. */
export function namesIn(rows: readonly OracleRow[]): string[] {
  const names = rows.flatMap(({ metrics }) => (metrics ?? []).map(({ name }) => name));
  return [...new Set(names.filter((name) => typeof name === 'string'))];
}

export const isNumber = (value: number | null): value is number => value !== null;

/** The statistics of a metric, except for the mean and the deviation. */
export function statisticsOf(rows: readonly OracleRow[], name: string) {
  const found = rows
    .map((row) => ({
      row,
      value: valueIn(row, name),
      date: row.value_date ?? null,
      time: nanosecondsOf(row.value_date),
    }))
    .filter((each): each is typeof each & { value: number } => each.value !== null);
  const values = found.map(({ value }) => value);
  const timed = found.filter((each): each is typeof each & { time: bigint } => each.time !== undefined);
  const inOrder = timed.length === 0 ? found : timed.toSorted((one, other) => compare(one.time, other.time));
  /** The first row with a value whose date cannot be read. */
  const invalid = found.find(({ date, time }) => date !== null && time === undefined)?.row;
  const [first, last] = invalid === undefined ? [inOrder[0], inOrder.at(-1)] : [];
  const [min, max] = [
    values.reduce((a, b) => (b < a ? b : a), Infinity),
    values.reduce((a, b) => (b > a ? b : a), -Infinity),
  ];
  const dateOf = (value: number) => found.find((each) => each.value === value)?.date ?? null;
  const isEmpty = found.length === 0;
  return {
    values,
    invalid,
    exactly: {
      name,
      count: found.length,
      nullCount: rows.length - found.length,
      min: isEmpty ? null : min,
      max: isEmpty ? null : max,
      first: first?.value ?? null,
      last: last?.value ?? null,
      minDate: dateOf(min),
      maxDate: dateOf(max),
      firstDate: first?.date ?? null,
      lastDate: last?.date ?? null,
    },
    mean: isEmpty ? undefined : sumOver(values, BigInt(values.length)),
  };
}

export type Unit = 'DAY' | 'WEEK' | 'MONTH' | 'QUARTER' | 'YEAR';

/** The first day of the period of a date, or of the period that is so many further. */
function startOf(date: Date, unit: Unit, further = 0): Date {
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  const start = new Date(0);
  if (unit === 'YEAR') start.setUTCFullYear(year + further, 0, 1);
  if (unit === 'QUARTER') start.setUTCFullYear(year, month - (month % 3) + 3 * further, 1);
  if (unit === 'MONTH') start.setUTCFullYear(year, month + further, 1);
  if (unit === 'WEEK') start.setUTCFullYear(year, month, day - ((date.getUTCDay() + 6) % 7) + 7 * further);
  if (unit === 'DAY') start.setUTCFullYear(year, month, day + further);
  return start;
}

const dateText = (date: Date) => date.toISOString().slice(0, -'T00:00:00.000Z'.length);

/** Groups of values, each with its counts, sums and so on. */
export interface OracleGroup {
  readonly values: readonly number[];
  readonly min: number | null;
  readonly max: number | null;
  readonly mean: Expected | undefined;
  readonly sum: Expected | undefined;
}

export function groupOf(values: readonly number[]): OracleGroup {
  if (values.length === 0) return { values, min: null, max: null, mean: undefined, sum: undefined };
  const [min, max] = [values.reduce((a, b) => (b < a ? b : a)), values.reduce((a, b) => (b > a ? b : a))];
  return { values, min, max, mean: sumOver(values, BigInt(values.length)), sum: sumOver(values, 1n) };
}

const compare = (one: bigint, other: bigint) => (one < other ? -1 : one > other ? 1 : 0);

/** The periods of rows. A number is the first row without a date that can be read; undefined: there are too many. */
export function periodsOf(rows: readonly OracleRow[], unit: Unit, names: readonly string[]) {
  const dates: Date[] = [];
  for (const [index, row] of rows.entries()) {
    const time = nanosecondsOf(row.value_date);
    if (time === undefined) return index;
    dates.push(new Date(Number(floorDivide(time, 1_000_000n))));
  }
  const times = dates.map((date) => date.getTime());
  if (times.length === 0) return { starts: [], metrics: names.map((name) => ({ name, groups: [] })) };
  const until = Math.max(...times);
  const starts: Date[] = [];
  for (
    let start = startOf(new Date(Math.min(...times)), unit);
    start.getTime() <= until;
    start = startOf(start, unit, 1)
  ) {
    starts.push(start);
    if (starts.length > 10_000) return undefined;
  }
  const texts = starts.map(dateText);
  const periods = Map.groupBy(rows, (_, index) => dateText(startOf(dates[index] as Date, unit)));
  const metrics = names.map((name) => ({
    name,
    groups: texts.map((text) => groupOf((periods.get(text) ?? []).map((row) => valueIn(row, name)).filter(isNumber))),
  }));
  return { starts: texts, metrics };
}

/** The values of all rows by date. */
export function bandsOf(rows: readonly OracleRow[], names: readonly string[]) {
  const dated = rows.filter((row) => typeof row.value_date === 'string');
  const keyOf = ({ value_date: date }: OracleRow) => nanosecondsOf(date) ?? `text ${date}`;
  const byDate = [...Map.groupBy(dated, keyOf)];
  const isTimed = byDate.every(([key]) => typeof key === 'bigint');
  const textOf = ([, [first]]: (typeof byDate)[number]) => first?.value_date as string;
  const inOrder = byDate.toSorted((one, other) => {
    const [a, b] = isTimed ? [one[0], other[0]] : [textOf(one), textOf(other)];
    return a < b ? -1 : a > b ? 1 : 0;
  });
  return {
    valueDates: inOrder.map(textOf),
    metrics: names.map((name) => ({
      name,
      groups: inOrder.map(([, found]) => groupOf(found.map((row) => valueIn(row, name)).filter(isNumber))),
    })),
  };
}
