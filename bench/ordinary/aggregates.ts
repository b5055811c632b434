import { greatest, group, least, max, mean, min, quantileSorted, rollup, sort, sum, variance } from 'd3-array';
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
      min: lowest?.value,
      max: highest?.value,
      mean: mean(values, ({ value }) => value),
      // d3-array has the deviation of the sample.
      standardDeviation:
        count < 2 ? 0 : Math.sqrt(((variance(values, ({ value }) => value) ?? 0) * (count - 1)) / count),
      first: first?.value,
      last: last?.value,
      minDate: lowest?.date,
      maxDate: highest?.date,
      firstDate: first?.date,
      lastDate: last?.date,
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

/** The rows by month. */
export function toMonths(results: Result[]) {
  const starts = monthsOf(results);
  const metrics = Array.from(valuesByMetric(results), ([name, values]) => {
    const months = rollup(
      values,
      (ofMonth) => {
        const numbers = ofMonth.map(({ value }) => value);
        return {
          count: numbers.length,
          mean: mean(numbers),
          min: min(numbers),
          max: max(numbers),
          sum: sum(numbers),
        };
      },
      ({ date }) => `${new Date(date).toISOString().slice(0, 7)}-01`,
    );
    const found = starts.map((start) => months.get(start));
    return {
      name,
      counts: found.map((month) => month?.count ?? 0),
      means: found.map((month) => month?.mean),
      mins: found.map((month) => month?.min),
      maxs: found.map((month) => month?.max),
      sums: found.map((month) => month?.sum),
    };
  });
  return { starts, metrics };
}

/** The values of all assets by date. */
export function toBands(results: Result[], quantiles: number[]) {
  const valueDates = sort(new Set(results.flatMap(({ value_date }) => value_date ?? [])));
  const metrics = Array.from(valuesByMetric(results), ([name, values]) => {
    const byDate = rollup(
      values,
      (ofDate) => sort(ofDate.map(({ value }) => value)),
      ({ date }) => date,
    );
    const found = valueDates.map((date) => byDate.get(date) ?? []);
    return {
      name,
      counts: found.map(({ length }) => length),
      means: found.map((sorted) => mean(sorted)),
      mins: found.map((sorted) => sorted[0]),
      maxs: found.map((sorted) => sorted.at(-1)),
      quantiles: quantiles.map((quantile) => ({
        quantile,
        values: found.map((sorted) => quantileSorted(sorted, quantile)),
      })),
    };
  });
  return { valueDates, metrics };
}
