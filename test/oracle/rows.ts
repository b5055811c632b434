import { type Entry, type Field, type Metric, type Row, WRONG } from './body.ts';

/** Rows, their columns, and what makes a computed field an error. */

/** The code of an error, and what its message must have. */
export interface Problem {
  readonly code: string;
  readonly text: string;
}

/** A value of the response of the service is invalid. */
export const invalid = (text = ''): Problem => ({ code: 'UPSTREAM_INVALID_RESPONSE', text });

/** What makes a computed field null: a row. @param series undefined for the series that the field is on */
export function invalidRow(row: number, problem: string, series: number | undefined): Problem {
  return invalid(`: row ${row}${series === undefined ? '' : ` of series ${series}`} ${problem}`);
}

export function isProblem(value: unknown): value is Problem {
  return typeof value === 'object' && value !== null && 'code' in value && 'text' in value;
}

/** The metrics of a row; none if there is no list, or no valid one. */
export const metricsOf = ({ metrics }: Row): readonly Metric[] => (metrics === WRONG ? [] : (metrics ?? []));

/** The distinct names of the metrics of rows, in the order of their first appearance. */
export function metricNames(rows: readonly Row[]): string[] {
  const names = new Set<string>();
  for (const row of rows) for (const { name } of metricsOf(row)) if (typeof name === 'string') names.add(name);
  return [...names];
}

/** The value of each metric of these names in a row: that of the first of the name. Absent if the row does not have it. */
export function firstOfEach(row: Row, names: ReadonlySet<string>): Map<string, Metric> {
  const found = new Map<string, Metric>();
  for (const metric of metricsOf(row)) {
    if (typeof metric.name === 'string' && names.has(metric.name) && !found.has(metric.name))
      found.set(metric.name, metric);
  }
  return found;
}

/** A column of `columns`: the value of each row, with an error where a value has a wrong type. */
export function columnsOf(rows: readonly Row[], names: readonly string[]): Map<string, Field<number>[]> {
  const columns = new Map(names.map((name) => [name, [] as Field<number>[]]));
  const set = new Set(names);
  for (const row of rows) {
    const found = firstOfEach(row, set);
    for (const [name, values] of columns) {
      values.push(row.metrics === WRONG ? WRONG : (found.get(name)?.value ?? null));
    }
  }
  return columns;
}

/** Some rows with the values that are computed with: null where there is none. */
export interface Values {
  readonly dates: readonly (string | null)[];
  readonly columns: ReadonlyMap<string, readonly (number | null)[]>;
  /** The first row that is invalid, at which they end. */
  readonly invalid?: Problem;
}

/** The values of rows. */
export function valuesOf(rows: readonly Row[], names: readonly string[], series?: number): Values {
  const set = new Set(names);
  const columns = new Map(names.map((name) => [name, [] as (number | null)[]]));
  const dates: (string | null)[] = [];
  for (const [index, row] of rows.entries()) {
    const found = firstOfEach(row, set);
    const values = names.map((name) => {
      const metric = found.get(name);
      return metric?.isNoNumber === true ? null : (metric?.value ?? null);
    });
    const problem =
      row.date === WRONG
        ? 'has a date of a wrong type'
        : row.metrics === WRONG && names.length > 0
          ? 'has a list of metrics of a wrong type'
          : values.includes(WRONG)
            ? 'has a value of a wrong type'
            : undefined;
    if (problem !== undefined) return { dates, columns, invalid: invalidRow(index, problem, series) };
    dates.push(row.date as string | null);
    for (const [column, name] of names.entries()) columns.get(name)?.push(values[column] as number | null);
  }
  return { dates, columns };
}

/** The rows of some entries, one after the other. An error if one of them has a wrong type, null if none has a list. */
export function joinedRows(entries: readonly Entry[]): Field<readonly Row[]> {
  const lists = entries.map(({ results }) => results);
  if (lists.includes(WRONG)) return WRONG;
  return lists.every((list) => list === null)
    ? null
    : (lists as (readonly Row[] | null)[]).flatMap((list) => list ?? []);
}
