import { sanitizeForTerminal } from '../../src/core/sanitize-for-terminal.ts';
import { spreadsheetDate, spreadsheetDateColumn } from '../../src/core/spreadsheet-field.ts';
import { ASSET_COLUMNS, assetFields, dateField, fieldOf, LINE_END } from './csv.ts';
import { seriesAssetModel, seriesNames } from './dataset.ts';
import type { JsonView } from './json-view.ts';
import type { Values } from './question.ts';
import { bold, type Column, table } from './table.ts';
import type { Display } from './terminal.ts';

/** Values that the subgraph computes from rows. */
export type Computed = Exclude<Values, { kind: 'columns' }>;

/** A number or date of a metric. */
interface Field {
  /** The names of its member in a response. */
  readonly path: readonly string[];
  /** Its column in CSV, as in a file for spreadsheets. */
  readonly csv: string;
  /** Its column in tables, which have room for some only. */
  readonly title?: string;
}

/** The fields of a metric, in the order of CSV and tables. */
const fields: Record<Computed['kind'], readonly Field[]> = {
  periods: [
    { path: ['counts'], csv: 'count', title: 'COUNT' },
    { path: ['sums'], csv: 'sum', title: 'SUM' },
    { path: ['means'], csv: 'mean', title: 'MEAN' },
    { path: ['standardDeviations'], csv: 'standard_deviation', title: 'SD' },
    { path: ['minimums'], csv: 'minimum', title: 'MIN' },
    { path: ['maximums'], csv: 'maximum', title: 'MAX' },
  ],
  statistics: [
    { path: ['count'], csv: 'count', title: 'COUNT' },
    { path: ['nullCount'], csv: 'null_count', title: 'NULLS' },
    { path: ['sum'], csv: 'sum', title: 'SUM' },
    { path: ['mean'], csv: 'mean', title: 'MEAN' },
    { path: ['standardDeviation'], csv: 'standard_deviation', title: 'SD' },
    { path: ['minimum', 'value'], csv: 'minimum', title: 'MIN' },
    { path: ['maximum', 'value'], csv: 'maximum', title: 'MAX' },
    { path: ['first', 'value'], csv: 'first', title: 'FIRST' },
    { path: ['last', 'value'], csv: 'last', title: 'LAST' },
    { path: ['first', 'valueDate'], csv: spreadsheetDateColumn('first_date') },
    { path: ['last', 'valueDate'], csv: spreadsheetDateColumn('last_date') },
    { path: ['minimum', 'valueDate'], csv: spreadsheetDateColumn('minimum_date') },
    { path: ['maximum', 'valueDate'], csv: spreadsheetDateColumn('maximum_date') },
  ],
};

/** One metric of a series: a row of each period, or one row of statistics. */
interface Rows {
  readonly metric: JsonView | undefined;
  /** The first day of each period; undefined for statistics. */
  readonly dates: readonly JsonView[] | undefined;
  /** The number of rows. */
  readonly length: number;
  /** The fields, each with its JSON text in each row. */
  readonly columns: readonly (readonly (string | null)[])[];
}

/** Whether a series has what was to be computed. The service may have sent no rows, or one of them is invalid. */
export function hasComputed(node: JsonView, { kind }: Computed): boolean {
  return (node.member(kind)?.bytes.toString('latin1', 0, 4) ?? 'null') !== 'null';
}

/** What was computed for the metrics of a series. */
function* rowsOf(node: JsonView, { kind }: Computed): Generator<Rows> {
  if (kind === 'statistics') {
    for (const metric of node.member(kind)?.elements() ?? []) {
      const columns = fields[kind].map(({ path }) => [present(metric.member(...path))]);
      yield { metric: metric.member('name'), dates: undefined, length: 1, columns };
    }
    return;
  }
  const dates = [...(node.member(kind, 'dates')?.elements() ?? [])];
  for (const metric of node.member(kind, 'metrics')?.elements() ?? []) {
    const columns = fields[kind].map(({ path }) => metric.member(...path)?.numbers() ?? []);
    yield { metric: metric.member('name'), dates, length: dates.length, columns };
  }
}

function present(view: JsonView | undefined): string | null {
  const text = view?.bytes.toString() ?? 'null';
  return text === 'null' ? null : text;
}

/**
 * Writes what was computed as CSV in chunks: a row for each asset, metric and period. Numbers keep every digit of the
 * response; null is an empty field.
 */
export function* computedCsv(dataset: JsonView, computed: Computed): Generator<string> {
  const leading = [...ASSET_COLUMNS, ...(computed.kind === 'periods' ? [spreadsheetDateColumn('date')] : []), 'metric'];
  yield `${[...leading, ...fields[computed.kind].map(({ csv }) => csv)].join(',')}${LINE_END}`;
  for (const node of dataset.member('results', 'series', 'nodes')?.elements() ?? []) {
    const asset = assetFields(node);
    for (const { metric, dates, length, columns } of rowsOf(node, computed)) {
      const name = fieldOf(metric);
      let chunk = '';
      for (let row = 0; row < length; row += 1) {
        const date = dates === undefined ? [] : [dateField(dates[row])];
        const values = columns.map((column) => csvField(column[row]));
        chunk += `${[...asset, ...date, name, ...values].join(',')}${LINE_END}`;
      }
      yield chunk;
    }
  }
}

/** A number as it was received, or a date. */
function csvField(json: string | null | undefined): string {
  return json?.startsWith('"') ? spreadsheetDate(JSON.parse(json)) : (json ?? '');
}

/**
 * What was computed as lines of text: a table for each asset, and for periods for each metric of it. Tables have only
 * metrics that the asset has, and round long numbers.
 *
 * @throws ZodError when the response does not match the schema
 */
export function tables(dataset: JsonView, computed: Computed, display: Display): string[] {
  const nodes = [...(dataset.member('results', 'series', 'nodes')?.elements() ?? [])];
  const about = nodes.map((node) => seriesAssetModel.parse(assetOf(node)));
  const names = seriesNames(about);
  const isShown = fields[computed.kind].map(({ title }) => title !== undefined);
  const numbers = fields[computed.kind].flatMap(({ title }): Column[] =>
    title === undefined ? [] : [{ title, side: 'right', shrinks: false }],
  );
  const lines: string[] = [];
  const add = (heading: string, first: string, rows: readonly (readonly string[])[]) => {
    if (rows.length === 0) return;
    const columns: Column[] = [{ title: first, side: 'left', shrinks: false }, ...numbers];
    lines.push('', bold(heading, display), ...table(columns, rows, display));
  };
  for (const [index, node] of nodes.entries()) {
    const known = new Set(about[index]?.metricNames);
    const statistics: string[][] = [];
    for (const { metric, dates, length, columns } of rowsOf(node, computed)) {
      const name = String(metric?.parse());
      if (!known.has(name)) continue;
      const rows = Array.from({ length }, (_, row) => [
        sanitizeForTerminal(dates === undefined ? name : String(dates[row]?.parse())),
        ...columns.filter((_column, field) => isShown[field]).map((values) => rounded(values[row])),
      ]);
      if (dates === undefined) statistics.push(...rows);
      else add(`${names[index]}: ${sanitizeForTerminal(name)}`, 'DATE', rows);
    }
    add(names[index] ?? '', 'METRIC', statistics);
  }
  if (lines.length === 0) return [];
  const title = sanitizeForTerminal(String(dataset.member('name')?.parse() ?? ''));
  return title === '' ? lines.slice(1) : [bold(title, display), ...lines];
}

/** The members of a series that say which it is. */
function assetOf(node: JsonView): Record<string, unknown> {
  return Object.fromEntries(
    [...node.members()].flatMap(([name, view]) => (name in seriesAssetModel.shape ? [[name, view.parse()]] : [])),
  );
}

/** The digits of a number in a table, at least. */
const DIGITS = 6;

/** A number for a table: with six significant digits, or more if its whole part has more. */
function rounded(json: string | null | undefined): string {
  if (json === null || json === undefined) return '';
  const value = Number(json);
  if (Number.isInteger(value)) return String(value);
  return String(Math.abs(value) >= 10 ** (DIGITS - 1) ? Math.round(value) : Number(value.toPrecision(DIGITS)));
}
