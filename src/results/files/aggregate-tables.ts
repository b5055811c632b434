import type { ResultBands } from '../aggregates/bands.ts';
import type { SeriesPeriods } from '../aggregates/periods.ts';
import type { MetricStatistics } from '../aggregates/statistics.ts';
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

/** A row for each metric and period. */
export const periodsTable: AggregateTable<SeriesPeriods> = {
  columns: [...[text('start'), text('metric'), count('count')], ...['mean', 'min', 'max', 'sum'].map(double)],
  *rows({ starts, metrics }) {
    for (const { name, counts, means, mins, maxs, sums } of metrics) {
      for (const [at, start] of starts.entries())
        yield [start, name, integerAt(counts, at), ...[means, mins, maxs, sums].map((values) => doubleAt(values, at))];
    }
  },
};

/** A row for each metric. */
export const statisticsTable: AggregateTable<readonly MetricStatistics[]> = {
  columns: [
    ...[text('metric'), count('count'), count('null_count')],
    ...['min', 'max', 'mean', 'standard_deviation', 'first', 'last'].map(double),
    ...['min_date', 'max_date', 'first_date', 'last_date'].map(optionalText),
  ],
  *rows(statistics) {
    for (const { name, count, nullCount, ...of } of statistics) {
      const [first, last] = [orThrow(of.first), orThrow(of.last)];
      const numbers = [of.min, of.max, of.mean, of.standardDeviation, first, last].map(plain);
      const dates = [of.minDate, of.maxDate, orThrow(of.firstDate), orThrow(of.lastDate)];
      yield [name, BigInt(count), BigInt(nullCount), ...numbers, ...dates];
    }
  },
};

/** A row for each metric and date. @param quantiles those of the columns, each once */
export function bandsTable(quantiles: readonly number[]): AggregateTable<ResultBands> {
  return {
    columns: [
      ...[text('value_date'), text('metric'), count('count')],
      ...['mean', 'min', 'max', ...quantiles.map((quantile) => `quantile_${quantile}`)].map(double),
    ],
    *rows({ valueDates, metrics }) {
      for (const { name, counts, means, mins, maxs, quantiles: bands } of metrics) {
        const columns = [means, mins, maxs, ...bands.map(({ values }) => values)];
        for (const [at, date] of valueDates.entries())
          yield [date, name, integerAt(counts, at), ...columns.map((values) => doubleAt(values, at))];
      }
    },
  };
}

/** @throws the error, if it is one: then there is no file */
export function orThrow<T>(value: T): Exclude<T, Error> {
  if (value instanceof Error) throw value;
  return value as Exclude<T, Error>;
}

function integerAt(values: readonly number[], at: number): bigint {
  return BigInt(values[at] as number);
}

function doubleAt(values: readonly (number | null)[], at: number): number | null {
  return plain(values[at] as number | null);
}

/** A number without the sign of a negative zero, as in a GraphQL response. */
function plain(value: number | null): number | null {
  return value === null ? null : value + 0;
}
