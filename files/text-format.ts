import { csvField } from '../src/core/csv-field.ts';
import {
  spreadsheetDate,
  spreadsheetDateColumn,
  spreadsheetField,
  spreadsheetInteger,
} from '../src/core/spreadsheet-field.ts';
import type { EntryAttributes } from './file-rows.ts';

/** How a file of text looks. Its lines have the same parts in each format, in this order. */
export interface TextFormat {
  /** The first line; empty if there is none. @param columns the names of all columns */
  header(columns: readonly string[]): string;
  /** The name of a column of dates. */
  dateColumn(name: string): string;
  /** The beginning of each line of an entry, up to the date. */
  leading(entry: EntryAttributes): string;
  date(date: string | null): string;
  /** How a date without escapes is in the file: as its JSON, as a field without quotation marks, or another text. */
  readonly plainDates: 'json' | 'field' | undefined;
  /** A text of a table. */
  text(text: string): string;
  /** An integer of a table. */
  integer(value: bigint): string;
  /** What precedes the value of a metric in a line of its own. */
  beforeMetric(name: string | null): string;
  /** What precedes the value of a metric that has a column. */
  beforeColumn(column: string): string;
  /** What precedes the value of the first column of a table. */
  beforeFirst(column: string): string;
  /** A value that is null. */
  readonly nullValue: string;
  /** What is between the header and the first line, between two lines, and behind the last line. */
  readonly lineBreak: string;
  /** What is behind the last value of each line. */
  readonly lineEnd: string;
}

/** The columns of the metrics if each has a line of its own. */
export const METRIC_COLUMNS = ['metric', 'value'] as const;

/** How parts of CSV become fields. */
type CsvFields = Pick<TextFormat, 'dateColumn' | 'text' | 'integer' | 'plainDates'> & {
  readonly date: (date: string) => string;
};

/** CSV (RFC 4180) in UTF-8. Null is an empty field, an empty text has quotation marks. */
export const csv: TextFormat = csvWith({
  dateColumn: (name) => name,
  text: csvField,
  integer: String,
  date: csvField,
  plainDates: 'field',
});

const BYTE_ORDER_MARK = '\ufeff';

const spreadsheet = csvWith({
  dateColumn: spreadsheetDateColumn,
  text: spreadsheetField,
  integer: (value) => spreadsheetInteger(String(value)),
  date: spreadsheetDate,
  plainDates: undefined,
});

/** CSV for spreadsheets, which know UTF-8 by a byte order mark. They change no text, and read the dates. */
export const csvForSpreadsheets: TextFormat = {
  ...spreadsheet,
  header: (columns) => BYTE_ORDER_MARK + spreadsheet.header(columns),
};

function csvWith({ text, integer, date, ...others }: CsvFields): TextFormat {
  const nullable = (value: string | null) => (value === null ? '' : text(value));
  return {
    ...others,
    header: (columns) => columns.map(text).join(),
    leading: ({ assetId, name, version }) =>
      `${text(assetId)},${nullable(name)},${version === null ? '' : integer(version)},`,
    date: (value) => (value === null ? '' : date(value)),
    text,
    integer,
    beforeMetric: (name) => `,${nullable(name)},`,
    beforeColumn: () => ',',
    beforeFirst: () => '',
    nullValue: '',
    lineBreak: '\r\n',
    lineEnd: '',
  };
}

/** Newline-delimited JSON: an object for each line, with all columns as members. Its readers reject lone surrogates. */
export const ndjson: TextFormat = {
  header: () => '',
  dateColumn: (name) => name,
  leading: ({ assetId, name, version }) =>
    `{"asset_id":${json(assetId)},"asset_name":${json(name)},"asset_version":${version},"value_date":`,
  date: json,
  plainDates: 'json',
  text: json,
  integer: String,
  beforeMetric: (name) => `,"metric":${json(name)},"value":`,
  beforeColumn: (column) => `,${json(column)}:`,
  beforeFirst: (column) => `{${json(column)}:`,
  nullValue: 'null',
  lineBreak: '',
  lineEnd: '}\n',
};

function json(text: string | null): string {
  return JSON.stringify(text?.toWellFormed() ?? null);
}
