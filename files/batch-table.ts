import type { Cell, Making, TableColumn } from '../engine/index.ts';
import type { TableWriter } from './computed-table.ts';
import { Dictionary } from './dictionary.ts';
import { DateReader, DateSurvey, type DateValue } from './file-dates.ts';
import { BatchCollector, type BatchWriter, batchRows, type Column } from './record-batch.ts';

/** The rows of a block. They are read, and written, without a pause. */
const BLOCK_ROWS = 1024;
/** The memory of a cell, and of a distinct text or integer beside its characters. */
const BYTES_PER_CELL = 8;
const BYTES_PER_VALUE = 100;
const BYTES_PER_CHARACTER = 2;

/**
 * Writes a table in batches of rows, when the last row is known: the types of its dates and the dictionaries of its texts depend on
 * all of them. Until then it holds the rows.
 */
export class BatchTable implements TableWriter {
  readonly #columns: readonly HeldColumn[];
  readonly #createWriter: (columns: readonly Column[]) => BatchWriter;
  readonly #memory: Making['memory'];
  /** A number for each cell of each row, as its column has it. */
  readonly #blocks: Float64Array[] = [];
  #rows = 0;

  /**
   * @param createWriter makes the writer for these columns
   * @param memory counts what it holds
   */
  constructor(
    columns: readonly TableColumn[],
    createWriter: (columns: readonly Column[]) => BatchWriter,
    memory: Making['memory'],
  ) {
    this.#columns = columns.map((column) => (column.type === 'double' ? new Doubles(column) : new Values(column)));
    this.#createWriter = createWriter;
    this.#memory = memory;
  }

  add(cells: readonly Cell[]): number {
    const columns = this.#columns;
    const start = (this.#rows % BLOCK_ROWS) * columns.length;
    if (start === 0) {
      this.#memory.holdForField(BLOCK_ROWS * columns.length * BYTES_PER_CELL);
      this.#blocks.push(new Float64Array(BLOCK_ROWS * columns.length));
    }
    const block = this.#blocks.at(-1) as Float64Array;
    let added = 0;
    for (const [index, column] of columns.entries()) {
      block[start + index] = column.add(cells[index] as Cell);
      added += column.takeAddedBytes();
    }
    this.#memory.holdForField(added);
    this.#rows += 1;
    return columns.length * BYTES_PER_CELL + added;
  }

  *finish(): Iterable<readonly Buffer[]> {
    const rows = batchRows(this.#columns.length);
    const columns = this.#columns.map((column) => column.write(rows));
    const batches = new BatchCollector(columns, this.#createWriter);
    for (let row = 0; row < this.#rows; row += 1) {
      if (row % BLOCK_ROWS === 0 || batches.hasFilled) yield batches.takeFilled();
      const at = batches.beginRow();
      const block = this.#blocks[Math.floor(row / BLOCK_ROWS)] as Float64Array;
      const start = (row % BLOCK_ROWS) * columns.length;
      for (const [index, { values }] of columns.entries()) {
        const value = (this.#columns[index] as HeldColumn).valueOf(block[start + index] as number);
        values[at] = value;
        if (typeof value === 'string') batches.characters += value.length;
      }
    }
    yield* batches.finish();
  }
}

/** A column of a table, whose cells are held as numbers. */
interface HeldColumn {
  /** The number of a cell. */
  add(cell: Cell): number;
  /** The bytes of memory that further cells have taken since it was asked last. */
  takeAddedBytes(): number;
  /** The column to write, when it has all cells. It has no values yet, but room for those of so many rows. */
  write(rows: number): Column;
  /** The value of the cell with a number, in the column to write. */
  valueOf(number: number): DateValue;
}

/** Null is NaN, which no value is. */
class Doubles implements HeldColumn {
  readonly #column: TableColumn;

  constructor(column: TableColumn) {
    this.#column = column;
  }

  add(cell: Cell): number {
    return (cell as number | null) ?? Number.NaN;
  }

  takeAddedBytes(): number {
    return 0;
  }

  write(rows: number): Column {
    return { ...this.#column, type: 'double', values: new Float64Array(rows) };
  }

  valueOf(number: number): number {
    return number;
  }
}

/** Texts, dates or integers, each of which is held once. */
class Values implements HeldColumn {
  readonly #column: TableColumn;
  readonly #numbers = new Map<Cell, number>();
  readonly #values: Cell[] = [];
  readonly #survey = new DateSurvey();
  #reader: DateReader | undefined;
  /** The dates that were read, by their numbers. */
  readonly #dates: DateValue[] = [];
  #addedBytes = 0;

  constructor(column: TableColumn) {
    this.#column = column;
  }

  add(cell: Cell): number {
    const known = this.#numbers.get(cell);
    if (known !== undefined) return known;
    if (this.#column.type === 'date') this.#survey.addText(cell as string | null);
    this.#addedBytes += BYTES_PER_VALUE + (typeof cell === 'string' ? cell.length * BYTES_PER_CHARACTER : 0);
    const number = this.#values.push(cell) - 1;
    this.#numbers.set(cell, number);
    return number;
  }

  takeAddedBytes(): number {
    const bytes = this.#addedBytes;
    this.#addedBytes = 0;
    return bytes;
  }

  write(rows: number): Column {
    const { name, type, nullable } = this.#column;
    if (type === 'int64') return { name, nullable, type, values: new Array(rows) };
    const dates = type === 'date' ? this.#survey.type : 'text';
    if (dates === 'text') return { name, nullable, type: 'text', values: new Array(rows), ...this.#dictionary() };
    this.#reader = new DateReader(dates);
    return { name, nullable, type: dates, values: new Array(rows) } as Column;
  }

  valueOf(number: number): DateValue {
    const value = this.#values[number] as Exclude<Cell, number>;
    if (this.#reader === undefined) return value;
    this.#dates[number] ??= this.#reader.ofText(value as string | null);
    return this.#dates[number];
  }

  #dictionary(): { readonly dictionary?: Dictionary } {
    const dictionary = new Dictionary();
    for (const value of this.#values) if (typeof value === 'string') dictionary.add(value);
    return dictionary.isUsable ? { dictionary } : {};
  }
}
