import { type Entry, type Field, type Metric, type Results, type Row, WRONG } from './body.ts';
import { byDateOf } from './by-date.ts';
import { fileDates } from './file-dates.ts';
import type { AggregatesByDate } from './lists.ts';
import type { Check } from './numbers.ts';
import { periodsOf, type Unit } from './periods.ts';
import { valuesOfAll } from './results.ts';
import { firstOfEach, isProblem, metricNames, metricsOf, type Problem, type Values, valuesOf } from './rows.ts';
import { statisticsOf } from './statistics.ts';

/** Files of results as tables. read-file.ts reads the bytes of a file as a table. */

/** What a file is of, as its URL says. */
export interface FileSpec {
  readonly of: 'rows' | 'periods' | 'statistics' | 'byDate';
  readonly layout: 'long' | 'wide';
  readonly every?: Unit;
  readonly quantiles?: readonly number[];
  /** The metrics, each once; undefined for all. */
  readonly metrics?: readonly string[] | undefined;
  /** Whether the format has types: Parquet and Arrow. Otherwise dates are text. */
  readonly hasTypes: boolean;
}

/** A double is a number or what it must be, a date of a type a bigint: days, or units since 1970. */
export type Cell = string | number | bigint | null | Check;

export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  /** The types of the columns of dates, by their names. */
  readonly dates: ReadonlyMap<string, string>;
  /** How many values are no numbers, and missing. */
  readonly invalidValues?: number;
}

/** A file cannot say that something is wrong: then it breaks off, or does not begin. */
class Broken extends Error {}

function valid<T>(value: Field<T>): T | null {
  if (value === WRONG) throw new Broken();
  return value;
}

/** A text as files have it, which is UTF-8. */
const utf8 = (text: string | null) => text?.toWellFormed() ?? null;

/** The table of a file. Undefined if there is none. */
export function tableOf(results: Results, spec: FileSpec): Table | undefined {
  try {
    if (results.repeatsAssets || results.omitted || results.omittedInRows) return undefined;
    const entries = valid(results.assets) ?? [];
    if (entries.some(({ isRepeated }) => isRepeated)) return undefined;
    for (const { name, version, results: rows } of entries)
      for (const value of [name, version, rows]) valid<unknown>(value);
    return spec.of === 'rows' ? rowsTable(entries, spec) : computedTable(entries, spec);
  } catch (error) {
    if (error instanceof Broken) return undefined;
    throw error;
  }
}

/** The first columns of a row of an asset. */
const leading = ({ assetId, name, version }: Entry): Cell[] => [utf8(assetId), utf8(valid(name)), valid(version)];
const rowsOf = ({ results }: Entry) => valid(results) ?? [];

/** The most columns of metrics of a wide file with types, and of one of text (docs/errors.md). */
const MAX_TYPED_COLUMNS = 1000;
const MAX_TEXT_COLUMNS = 10_000;

const assetColumns = ['asset_id', 'asset_name', 'asset_version'];

function rowsTable(entries: readonly Entry[], spec: FileSpec): Table {
  const { layout, metrics, hasTypes } = spec;
  let invalidValues = 0;
  const numberOf = ({ value, isNoNumber }: Metric): number | null => {
    if (isNoNumber) invalidValues += 1;
    return isNoNumber ? null : valid(value);
  };
  for (const entry of entries) for (const row of rowsOf(entry)) checkRow(row);
  const dates = fileDates(
    entries.flatMap((entry) => rowsOf(entry).map(({ date }) => valid(date))),
    hasTypes,
  );
  const chosen = new Set(metrics);
  const columns = metrics ?? metricNames(entries.flatMap(rowsOf));
  if (layout === 'wide' && columns.length > (hasTypes ? MAX_TYPED_COLUMNS : MAX_TEXT_COLUMNS)) throw new Broken();
  const rows = entries.flatMap((entry) =>
    rowsOf(entry).flatMap((row): Cell[][] => {
      const lead = [...leading(entry), dates.cellOf(row.date as string | null)];
      if (layout === 'wide') {
        const found = firstOfEach(row, new Set(columns));
        return [[...lead, ...columns.map((name) => (found.has(name) ? numberOf(found.get(name) as Metric) : null))]];
      }
      const all = metricsOf(row);
      const own = metrics === undefined ? all : all.filter(({ name }) => typeof name === 'string' && chosen.has(name));
      if (own.length === 0) return metrics === undefined ? [[...lead, null, null]] : [];
      return own.map((metric) => [...lead, utf8(valid(metric.name)), numberOf(metric)]);
    }),
  );
  const others = layout === 'long' ? ['metric', 'value'] : columnNames(columns);
  const allColumns = [...assetColumns, 'value_date', ...others];
  return { columns: allColumns, rows, dates: new Map([['value_date', dates.type]]), invalidValues };
}

/** A table whose dates get the types that they have as columns. @param isDate whether a column has dates */
function withDates(
  columns: readonly string[],
  rows: readonly (readonly Cell[])[],
  hasTypes: boolean,
  isDate: (column: string) => boolean,
): Table {
  const dates = new Map<number, ReturnType<typeof fileDates>>();
  for (const [index, column] of columns.entries())
    if (isDate(column))
      dates.set(
        index,
        fileDates(
          rows.map((row) => row[index] as string | null),
          hasTypes,
        ),
      );
  return {
    columns,
    rows: rows.map((row) => row.map((cell, index) => dates.get(index)?.cellOf(cell as string | null) ?? cell)),
    dates: new Map(Array.from(dates, ([index, { type }]) => [columns[index] as string, type])),
  };
}

/** Everything of a row must be of its type, also what is not in the file. */
function checkRow(row: Row): void {
  valid(row.date);
  for (const { name, value, isNoNumber } of valid(row.metrics) ?? []) {
    valid(name);
    if (!isNoNumber) valid(value);
  }
}

/** The columns of metrics: a name that is empty or taken, in any case, gets a number. */
function columnNames(metrics: readonly string[]): string[] {
  const taken = new Set(['', ...assetColumns, 'value_date']);
  return metrics.map((metric) => {
    const wanted = metric.toWellFormed();
    let name = wanted;
    for (let count = 2; taken.has(name.toLowerCase()); count += 1) name = `${wanted}_${count}`;
    taken.add(name.toLowerCase());
    return name;
  });
}

/** A value that is computed, which may be an error. */
function computed<T>(value: T | Problem): T {
  if (isProblem(value)) throw new Broken();
  return value;
}

/** The columns of numbers of what is computed. */
const NUMBERS = ['sum', 'mean', 'standard_deviation', 'minimum', 'maximum'];
const quantileColumns = (quantiles: readonly number[]) => quantiles.map((each) => `quantile_${each}`);

/** A row for each metric and date, or period. */
function listRows(found: AggregatesByDate | Problem, quantiles: readonly number[]): Cell[][] {
  const { dates, metrics } = computed(found);
  return metrics.flatMap(({ name, counts, quantile, ...of }) => {
    const lists = [of.sums(), of.means(), of.standardDeviations(), of.minimums(), of.maximums()];
    lists.push(...quantiles.map(quantile));
    return dates.map((date, at): Cell[] => [
      ...[utf8(date), utf8(name), BigInt(counts[at] as number)],
      ...lists.map((list) => list[at] as Cell),
    ]);
  });
}

function computedTable(entries: readonly Entry[], { of, every, quantiles = [], metrics, hasTypes }: FileSpec): Table {
  const ofLists = ['date', 'metric', 'count', ...NUMBERS, ...quantileColumns(quantiles)];
  if (of === 'byDate') {
    const all = computed(valuesOfAll(entries, metrics));
    const rows = listRows(byDateOf(all.series, all.names), quantiles);
    return withDates(ofLists, rows, hasTypes, (column) => column === 'date');
  }
  const rows = entries.flatMap((entry, index) => {
    if (entry.results === null) return [];
    const values = valuesOf(rowsOf(entry), metrics ?? metricNames(rowsOf(entry)), index);
    const cellRows =
      of === 'periods'
        ? listRows(periodsOf(values, every as Unit), quantiles)
        : statisticsRows(values, entry.assetId, quantiles);
    return cellRows.map((cells) => [...leading(entry), ...cells]);
  });
  const dates = ['first_date', 'last_date', 'minimum_date', 'maximum_date'];
  const numbers = ['count', 'null_count', ...NUMBERS, 'first', 'last', ...quantileColumns(quantiles)];
  const columns = [...assetColumns, ...(of === 'periods' ? ofLists : ['metric', ...numbers, ...dates])];
  return withDates(columns, rows, hasTypes, (column) => column === 'date' || dates.includes(column));
}

function statisticsRows(values: Values, assetId: string, quantiles: readonly number[]): Cell[][] {
  if (values.invalid !== undefined) throw new Broken();
  const statistics = computed(statisticsOf([values], [assetId], [...values.columns.keys()], true));
  return statistics.map(({ minimum, maximum, ...each }): Cell[] => {
    const [first, last] = [computed(each.first), computed(each.last)];
    const points = [minimum, maximum, first, last];
    return [
      ...[utf8(each.name), BigInt(each.count), BigInt(each.nullCount), each.sum, each.mean, each.standardDeviation],
      ...points.map((point) => point?.value ?? null),
      ...quantiles.map(each.quantile),
      ...[first, last, minimum, maximum].map((point) => utf8(point?.valueDate ?? null)),
    ];
  });
}
