import { csvField, LEADING_COLUMNS, spreadsheetField } from '../../core/csv-field.ts';
import type { ResultsFilter } from '../../rest/contract/wire.ts';
import type { FileContents } from './file-contents.ts';
import type { EntryAttributes } from './row-sink.ts';

/** The formats of files. */
export const fileFormats = ['csv', 'csv_spreadsheet', 'ndjson', 'parquet', 'arrow'] as const;
export type FileFormat = (typeof fileFormats)[number];

/** A file of results: which results, and how they look. */
export interface ResultsFile {
  readonly format: FileFormat;
  readonly contents: FileContents;
  /** The distinct names of the metrics; undefined for all. */
  readonly metrics: readonly string[] | undefined;
  readonly filter: ResultsFilter;
}

/** How a file of text looks. Its lines have the same parts in each format, in this order. */
export interface TextFormat {
  /** The first line, without its end; empty if there is none. @param columns the names of all columns */
  header(columns: readonly string[]): string;
  /** The beginning of each line of an entry, up to the date. */
  leading(entry: EntryAttributes): string;
  /** The date, or another text of a table. */
  date(date: string | null): string;
  /** Whether the JSON of a date is the date, for each date without escapes. */
  readonly hasJsonDates: boolean;
  /** What precedes the value of a metric in a line of its own. */
  beforeMetric(name: string | null): string;
  /** What precedes the value of a metric that has a column. */
  beforeColumn(column: string): string;
  /** What precedes the value of the first column of a table. */
  beforeFirst(column: string): string;
  /** A value that is null. */
  readonly nullValue: string;
  readonly lineEnd: string;
}

/** The columns of the metrics if each has a line of its own. */
export const METRIC_COLUMNS = ['metric', 'value'] as const;

/** CSV (RFC 4180) in UTF-8. Null is an empty field, an empty text has quotation marks. */
export const csv: TextFormat = csvWith(csvField);

const BYTE_ORDER_MARK = '\ufeff';

/** CSV for spreadsheets, which know UTF-8 by a byte order mark. An apostrophe precedes a text that looks like a formula. */
export const csvForSpreadsheets: TextFormat = {
  ...csvWith(spreadsheetField),
  header: (columns) => BYTE_ORDER_MARK + columns.map(spreadsheetField).join(),
};

function csvWith(field: (text: string) => string): TextFormat {
  const nullable = (text: string | null) => (text === null ? '' : field(text));
  return {
    header: (columns) => columns.map(field).join(),
    leading: ({ assetId, name, version }) => `${field(assetId)},${nullable(name)},${version ?? ''},`,
    date: nullable,
    hasJsonDates: false,
    beforeMetric: (name) => `,${nullable(name)},`,
    beforeColumn: () => ',',
    beforeFirst: () => '',
    nullValue: '',
    lineEnd: '\r\n',
  };
}

/** Newline-delimited JSON: an object for each line, with all columns as members. Its readers reject lone surrogates. */
export const ndjson: TextFormat = {
  header: () => '',
  leading: ({ assetId, name, version }) =>
    `{"asset_id":${json(assetId)},"asset_name":${json(name)},"asset_version":${version},"value_date":`,
  date: json,
  hasJsonDates: true,
  beforeMetric: (name) => `,"metric":${json(name)},"value":`,
  beforeColumn: (column) => `,${json(column)}:`,
  beforeFirst: (column) => `{${json(column)}:`,
  nullValue: 'null',
  lineEnd: '}\n',
};

function json(text: string | null): string {
  return JSON.stringify(text?.toWellFormed() ?? null);
}

/** A column of one metric. */
export interface WideColumn {
  readonly metric: string;
  /** The name of the column: that of the metric, or with a number where that is empty or another column's in any case. */
  readonly name: string;
}

/**
 * The columns of metrics. Their names differ from each other and from those of the columns before them, not only in case:
 * many readers, such as DuckDB, do not see that.
 */
export function wideColumns(metrics: Iterable<string>): WideColumn[] {
  const taken = new Set<string>(['', ...LEADING_COLUMNS]);
  /** The last number behind each name. */
  const numbers = new Map<string, number>();
  return Array.from(metrics, (metric) => {
    const wanted = metric.toWellFormed();
    const lower = wanted.toLowerCase();
    let name = wanted;
    for (let count = numbers.get(lower) ?? 1; taken.has(name.toLowerCase()); ) {
      count += 1;
      numbers.set(lower, count);
      name = `${wanted}_${count}`;
    }
    taken.add(name.toLowerCase());
    return { metric, name };
  });
}
