import type { AggregatesByDate } from '../aggregates/by-date.ts';
import type { MetricPoint, MetricStatistics } from '../aggregates/statistics.ts';
import type { EntryAttributes } from './row-sink.ts';
import type { Cell, TableColumn } from './table.ts';

/** How something that is computed from rows looks as a table. */
export interface AggregateTable<Value> {
  readonly columns: readonly TableColumn[];
  /** The rows of a value: for each metric, in its order. */
  rows(value: Value): Iterable<readonly Cell[]>;
}

const text = (name: string): TableColumn => ({ name, type: 'text', nullable: false });
const optionalText = (name: string): TableColumn => ({ name, type: 'text', nullable: true });
const date = (name: string): TableColumn => ({ name, type: 'date', nullable: false });
const optionalDate = (name: string): TableColumn => ({ name, type: 'date', nullable: true });
const count = (name: string): TableColumn => ({ name, type: 'int64', nullable: false });
const double = (name: string): TableColumn => ({ name, type: 'double', nullable: true });

/** The columns of the asset, before those of what is computed from its rows. */
export const ASSET_COLUMNS: readonly TableColumn[] = [
  text('asset_id'),
  optionalText('asset_name'),
  { name: 'asset_version', type: 'int64', nullable: true },
];

/** The cells of these columns. */
export function assetCells({ assetId, name, version }: EntryAttributes): readonly Cell[] {
  return [assetId, name, version];
}

/** The columns of what is computed of the values of a metric, behind its count. */
const numbersOf = (names: readonly string[], quantiles: readonly number[]): TableColumn[] =>
  [...names, ...quantiles.map((quantile) => `quantile_${quantile}`)].map(double);
const NUMBERS = ['sum', 'mean', 'standard_deviation', 'minimum', 'maximum'];

/** A row for each metric and date. @param quantiles those of the columns, each once */
export function byDateTable(quantiles: readonly number[]): AggregateTable<AggregatesByDate> {
  return {
    columns: [date('date'), text('metric'), count('count'), ...numbersOf(NUMBERS, quantiles)],
    *rows({ dates, metrics }) {
      for (const { name, counts, sums, means, standardDeviations, minimums, maximums, quantiles: all } of metrics) {
        const ofAll = orThrow(all);
        const lists = [sums, means, standardDeviations, minimums, maximums];
        for (const [at, date] of dates.entries()) {
          const numbers = lists.map((list) => list[at] as number | null);
          for (const quantile of quantiles) numbers.push(ofAll?.of(at, quantile) ?? null);
          yield [date, name, BigInt(counts[at] as number), ...numbers.map(plain)];
        }
      }
    },
  };
}

/** A row for each metric. @param quantiles those of the columns, each once */
export function statisticsTable(quantiles: readonly number[]): AggregateTable<readonly MetricStatistics[]> {
  return {
    columns: [
      ...[text('metric'), count('count'), count('null_count')],
      ...numbersOf([...NUMBERS, 'first', 'last'], quantiles),
      ...['first_date', 'last_date', 'minimum_date', 'maximum_date'].map(optionalDate),
    ],
    *rows(statistics) {
      for (const { name, count, nullCount, sum, mean, standardDeviation, minimum, maximum, ...of } of statistics) {
        const [first, last, ofAll] = [orThrow(of.first), orThrow(of.last), orThrow(of.quantiles)];
        const numbers = [sum, mean, standardDeviation, ...[minimum, maximum, first, last].map(valueAt)];
        for (const quantile of quantiles) numbers.push(ofAll?.of(0, quantile) ?? null);
        const dates = [first, last, minimum, maximum].map((point) => point?.valueDate ?? null);
        yield [name, BigInt(count), BigInt(nullCount), ...numbers.map(plain), ...dates];
      }
    },
  };
}

function valueAt(point: MetricPoint | null): number | null {
  return point?.value ?? null;
}

/** @throws the error, if it is one: then there is no file */
export function orThrow<T>(value: T): Exclude<T, Error> {
  if (value instanceof Error) throw value;
  return value as Exclude<T, Error>;
}

/** A number without the sign of a negative zero, as in a GraphQL response. */
function plain(value: number | null): number | null {
  return value === null ? null : value + 0;
}
