import { greatest, group, least, max, mean, min, quantileSorted, sort, sum, variance } from 'd3-array';
import type { Result } from './datasets-api.ts';

/** A value of a metric with the date of its row. */
interface Value {
  date: string;
  value: number;
}

/** The values of each metric. The names are in the order of their first appearance. */
function valuesByMetric(results: Result[]): Map<string, Value[]> {
  const values = results.flatMap(({ value_date, metrics }) =>
    (metrics ?? []).flatMap(({ name, value }) =>
      name === undefined || value === undefined || value_date === undefined ? [] : { name, date: value_date, value },
    ),
  );
  return group(values, ({ name }) => name);
}

function toPoint(found: Value | undefined) {
  return found && { value: found.value, valueDate: found.date };
}

export function toStatistics(results: Result[]) {
  return Array.from(valuesByMetric(results), ([name, values]) => {
    const lowest = least(values, ({ value }) => value);
    const highest = greatest(values, ({ value }) => value);
    const first = least(values, ({ date }) => Date.parse(date));
    // The last one of the same date.
    const last = greatest(values.toReversed(), ({ date }) => Date.parse(date));
    const count = values.length;
    return {
      name,
      count,
      nullCount: results.length - count,
      mean: mean(values, ({ value }) => value),
      // d3-array has the deviation of the sample.
      standardDeviation:
        count < 2 ? 0 : Math.sqrt(((variance(values, ({ value }) => value) ?? 0) * (count - 1)) / count),
      first: toPoint(first),
      last: toPoint(last),
      minimum: toPoint(lowest),
      maximum: toPoint(highest),
    };
  });
}

/** The first days of the months from that of the first date to that of the last. */
function monthsOf(results: Result[]): string[] {
  const times = results.flatMap(({ value_date }) => (value_date === undefined ? [] : Date.parse(value_date)));
  const months: string[] = [];
  const first = new Date(min(times) ?? 0);
  const last = max(times) ?? -1;
  for (let month = 0; ; month += 1) {
    const start = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + month));
    if (start.getTime() > last) return months;
    months.push(start.toISOString().slice(0, 10));
  }
}

/** The values of each metric by date. The functions are resolvers. */
function toAggregates(results: Result[], dates: string[], dateOf: (value: Value) => string) {
  const metrics = Array.from(valuesByMetric(results), ([name, values]) => {
    const byDate = group(values, dateOf);
    const found = dates.map((date) => (byDate.get(date) ?? []).map(({ value }) => value));
    return {
      name,
      counts: found.map(({ length }) => length),
      sums: () => found.map((numbers) => (numbers.length === 0 ? undefined : sum(numbers))),
      means: () => found.map((numbers) => mean(numbers)),
      minimums: () => found.map((numbers) => min(numbers)),
      maximums: () => found.map((numbers) => max(numbers)),
      quantiles: ({ of }: { of: number[] }) => {
        const sorted = found.map((numbers) => sort(numbers));
        return of.map((quantile) => sorted.map((numbers) => quantileSorted(numbers, quantile)));
      },
    };
  });
  return { dates, metrics };
}

/** The rows by month. */
export function toMonths(results: Result[]) {
  return toAggregates(results, monthsOf(results), ({ date }) => `${new Date(date).toISOString().slice(0, 7)}-01`);
}

/** The values of all assets by date. */
export function toAggregatesByDate(results: Result[]) {
  const dates = new Set(results.flatMap(({ value_date }) => value_date ?? []));
  return toAggregates(results, sort(dates), ({ date }) => date);
}
