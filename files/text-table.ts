import type { Bytes, Cell, TableColumn } from '../engine/index.ts';
import type { TableWriter } from './computed-table.ts';
import type { TextFormat } from './text-format.ts';

/** A column, and the text that was written last in it: many rows repeat it. */
interface TextColumn {
  readonly before: string;
  readonly isDate: boolean;
  lastText: string | undefined;
  lastField: string;
}

/** Writes a table as lines of text. A double is the shortest text of it, as in JSON. */
export class TextTable implements TableWriter {
  readonly #out: Bytes;
  readonly #format: TextFormat;
  readonly #columns: readonly TextColumn[];

  constructor(out: Bytes, format: TextFormat, columns: readonly TableColumn[]) {
    this.#out = out;
    this.#format = format;
    const names = columns.map(({ name, type }) => (type === 'date' ? format.dateColumn(name) : name));
    this.#columns = columns.map(({ type }, index) => ({
      before: index === 0 ? format.beforeFirst(names[0] as string) : format.beforeColumn(names[index] as string),
      isDate: type === 'date',
      lastText: undefined,
      lastField: '',
    }));
    out.text(format.header(names) + format.lineBreak);
  }

  add(cells: readonly Cell[]): number {
    const { position } = this.#out;
    for (const [index, column] of this.#columns.entries()) {
      this.#out.text(column.before);
      this.#out.text(this.#fieldOf(cells[index] as Cell, column));
    }
    this.#out.text(this.#format.lineEnd + this.#format.lineBreak);
    return this.#out.position - position;
  }

  finish(): [] {
    return [];
  }

  #fieldOf(cell: Cell, column: TextColumn): string {
    if (cell === null) return this.#format.nullValue;
    if (typeof cell === 'number') return JSON.stringify(cell);
    if (typeof cell === 'bigint') return this.#format.integer(cell);
    if (cell !== column.lastText) {
      column.lastText = cell;
      column.lastField = column.isDate ? this.#format.date(cell) : this.#format.text(cell);
    }
    return column.lastField;
  }
}
