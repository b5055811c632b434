import { LEADING_COLUMNS } from '../../../../src/core/csv-field.ts';
import {
  spreadsheetDate,
  spreadsheetDateColumn,
  spreadsheetField,
  spreadsheetInteger,
} from '../../../../src/core/spreadsheet-field.ts';
import { containsText } from '../../text-filter.ts';
import type { StoredDataset, StoredTable } from './dataset.ts';
import type { TableView } from './protocol.ts';

/** The maximum number of characters of CSV in one part of the file. */
const CHUNK = 1_000_000;

/** The rows of a dataset as one table, in the order of a view. */
export class RowTable {
  readonly #dataset: StoredDataset;
  readonly #tables: readonly StoredTable[];
  /** The table, and the row in it, of each row of the view. */
  #tableOfRow: Uint32Array;
  #rowInTable: Uint32Array;

  constructor(dataset: StoredDataset, { filter, sort }: Omit<TableView, 'dataset'>) {
    this.#dataset = dataset;
    this.#tables = dataset.tables.filter((_, index) => matches(dataset, index, filter));
    const count = this.#tables.reduce((sum, { dates }) => sum + dates.length, 0);
    this.#tableOfRow = new Uint32Array(count);
    this.#rowInTable = new Uint32Array(count);
    let next = 0;
    this.#tables.forEach(({ dates }, table) => {
      for (let row = 0; row < dates.length; row++) {
        this.#tableOfRow[next] = table;
        this.#rowInTable[next++] = row;
      }
    });
    if (sort !== undefined) this.#sort(sort.column, sort.isDescending);
  }

  /** The number of rows. */
  get length(): number {
    return this.#tableOfRow.length;
  }

  /** The fields of a row as texts. A missing value is an empty text. */
  row(index: number): string[] {
    const table = this.#tables[this.#tableOfRow[index] ?? -1];
    const row = this.#rowInTable[index] ?? 0;
    if (table === undefined) return [];
    const { id, name, version } = table.asset;
    const values = table.columns.map((column) => {
      const value = column?.[row] ?? Number.NaN;
      return Number.isNaN(value) ? '' : String(value);
    });
    return [id, name, version, this.#dataset.dates[table.dates[row] ?? -1] ?? '', ...values];
  }

  /**
   * All rows as CSV (RFC 4180, UTF-8, CRLF) in the layout of `ask --csv`, with texts and dates for spreadsheets.
   */
  csv(): Blob {
    const parts: string[] = [];
    const { metrics, hasDates } = this.#dataset.summary;
    const [id, name, version, date] = LEADING_COLUMNS;
    let part = line(
      [id, name, version, hasDates ? spreadsheetDateColumn(date) : date, ...metrics].map(spreadsheetField),
    );
    // Without dates, the rows are numbered.
    const dateField = hasDates ? spreadsheetDate : spreadsheetField;
    const leading = [spreadsheetField, spreadsheetField, spreadsheetInteger, dateField];
    for (let index = 0; index < this.length; index++) {
      const fields = this.row(index);
      part += line(fields.map((field, column) => (field === '' ? '' : (leading[column]?.(field) ?? field))));
      if (part.length < CHUNK) continue;
      parts.push(part);
      part = '';
    }
    return new Blob([...parts, part], { type: 'text/csv;charset=utf-8' });
  }

  /** Missing texts and values come last, whatever the direction. */
  #sort(column: number, isDescending: boolean): void {
    const keys = column < LEADING_COLUMNS.length ? this.#ranks(column) : this.#values(column - LEADING_COLUMNS.length);
    const sign = isDescending ? -1 : 1;
    // Rows that are equal keep the order of the response.
    const order = new Uint32Array(this.length)
      .map((_, index) => index)
      .sort((a, b) => compare(keys[a] ?? Number.NaN, keys[b] ?? Number.NaN, sign) || a - b);
    this.#tableOfRow = order.map((index) => this.#tableOfRow[index] ?? 0);
    this.#rowInTable = order.map((index) => this.#rowInTable[index] ?? 0);
  }

  /** The rank of each row's text in a leading column, so that each pair of texts is compared once. NaN for a missing text. */
  #ranks(column: number): Float64Array {
    const { dates, ranks, summary } = this.#dataset;
    if (column === LEADING_COLUMNS.length - 1) {
      const ofDates = summary.isTime ? ranks : ranksOf(dates);
      return this.#perRow((table, row) => ofDates[table.dates[row] ?? -1]);
    }
    const ofTexts = ranksOf(this.#tables.map(({ asset }) => [asset.id, asset.name, asset.version][column] ?? ''));
    return Float64Array.from(this.#tableOfRow, (table) => ofTexts[table] ?? Number.NaN);
  }

  /** The value of each row for a metric. NaN for a missing value. */
  #values(metric: number): Float64Array {
    return this.#perRow(({ columns }, row) => columns[metric]?.[row]);
  }

  #perRow(numberOf: (table: StoredTable, row: number) => number | undefined): Float64Array {
    return Float64Array.from(this.#tableOfRow, (index, position) => {
      const table = this.#tables[index];
      return (table && numberOf(table, this.#rowInTable[position] ?? 0)) ?? Number.NaN;
    });
  }
}

function line(fields: readonly string[]): string {
  return `${fields.join(',')}\r\n`;
}

/** Whether the id or the name of an asset, or the name of its line, contains a text, in upper or lower case. */
function matches({ tables, summary }: StoredDataset, index: number, filter: string): boolean {
  const { id, name } = tables[index]?.asset ?? {};
  return containsText(filter, id, name ?? undefined, summary.assets[index]?.label);
}

/** Compares numbers; NaN is the last, whatever the sign. */
function compare(a: number, b: number, sign: 1 | -1): number {
  if (a < b) return -sign;
  if (a > b) return sign;
  return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
}

/** The rank of each text; numbers within texts count as numbers. NaN for an empty text. */
function ranksOf(texts: readonly string[]): Float64Array {
  const { compare } = new Intl.Collator('en', { numeric: true });
  const distinct = [...new Set(texts)].sort(compare);
  const rankOf = new Map(distinct.map((text, rank) => [text, rank]));
  return Float64Array.from(texts, (text) => (text === '' ? Number.NaN : (rankOf.get(text) ?? 0)));
}
