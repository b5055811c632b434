import { textField } from '../../../../core/csv-field.ts';
import { LEADING } from './columns.ts';
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
   * All rows as CSV (RFC 4180, UTF-8, CRLF) in the layout of `ask --csv`. An apostrophe precedes text that a spreadsheet would
   * take for a formula.
   */
  csv(): Blob {
    const parts: string[] = [];
    let part = line([...LEADING, ...this.#dataset.summary.metrics].map(textField));
    for (let index = 0; index < this.length; index++) {
      const fields = this.row(index);
      part += line(fields.map((field, column) => (column < LEADING.length && field !== '' ? textField(field) : field)));
      if (part.length < CHUNK) continue;
      parts.push(part);
      part = '';
    }
    return new Blob([...parts, part], { type: 'text/csv;charset=utf-8' });
  }

  #sort(column: number, isDescending: boolean): void {
    const order = new Uint32Array(this.length).map((_, index) => index);
    const compare =
      column < LEADING.length ? this.#byText(column) : this.#byValue(column - LEADING.length, isDescending);
    const sign = isDescending ? -1 : 1;
    // Rows that are equal keep the order of the response.
    order.sort((a, b) => sign * compare(a, b) || a - b);
    this.#tableOfRow = order.map((index) => this.#tableOfRow[index] ?? 0);
    this.#rowInTable = order.map((index) => this.#rowInTable[index] ?? 0);
  }

  /** Compares by a leading column: by the ranks of its texts, so that each pair of texts is compared once. */
  #byText(column: number): (a: number, b: number) => number {
    const { dates, xs, summary } = this.#dataset;
    if (column === LEADING.length - 1) {
      const ranks = summary.isTime ? xs : ranksOf(dates);
      const rankOf = (index: number) => {
        const table = this.#tables[this.#tableOfRow[index] ?? 0];
        return ranks[table?.dates[this.#rowInTable[index] ?? 0] ?? -1] ?? -Infinity;
      };
      return (a, b) => compareNumbers(rankOf(a), rankOf(b));
    }
    const ranks = ranksOf(this.#tables.map(({ asset }) => [asset.id, asset.name, asset.version][column] ?? ''));
    return (a, b) => (ranks[this.#tableOfRow[a] ?? 0] ?? 0) - (ranks[this.#tableOfRow[b] ?? 0] ?? 0);
  }

  /** Compares by the values of a metric. Missing values come last, whatever the direction. */
  #byValue(metric: number, isDescending: boolean): (a: number, b: number) => number {
    const values = Float64Array.from(this.#tableOfRow, (table, index) => {
      const value = this.#tables[table]?.columns[metric]?.[this.#rowInTable[index] ?? 0] ?? Number.NaN;
      return Number.isNaN(value) ? (isDescending ? -Infinity : Infinity) : value;
    });
    return (a, b) => compareNumbers(values[a] ?? 0, values[b] ?? 0);
  }
}

function line(fields: readonly string[]): string {
  return `${fields.join(',')}\r\n`;
}

/** Whether the id or the name of an asset contains a text, in upper or lower case. */
function matches({ tables }: StoredDataset, index: number, filter: string): boolean {
  const { id = '', name = '' } = tables[index]?.asset ?? {};
  return `${id}\n${name}`.toLowerCase().includes(filter.trim().toLowerCase());
}

function compareNumbers(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The rank of each text; numbers within texts count as numbers. */
function ranksOf(texts: readonly string[]): Float64Array {
  const { compare } = new Intl.Collator('en', { numeric: true });
  const distinct = [...new Set(texts)].sort(compare);
  const rankOf = new Map(distinct.map((text, rank) => [text, rank]));
  return Float64Array.from(texts, (text) => rankOf.get(text) ?? 0);
}
