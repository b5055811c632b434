import type { Dictionary } from './dictionary.ts';
import type { TimestampType } from './file-dates.ts';

/**
 * A column of a file with types: its name, and the values of some rows. A date is days since 1970-01-01, and a timestamp the
 * units of its type since then. A double that is NaN stands for null. A dictionary has all texts of the column in all rows.
 */
export type Column = { readonly name: string; readonly nullable: boolean } & (
  | { readonly type: 'text'; readonly values: (string | null)[]; readonly dictionary?: Dictionary }
  | { readonly type: 'int64' | TimestampType; readonly values: (bigint | null)[] }
  | { readonly type: 'date'; readonly values: (number | null)[] }
  | { readonly type: 'double'; readonly values: Float64Array }
);

/** Writes a file in batches of rows. */
export interface BatchWriter {
  /** Writes the next rows, in steps that do not block other requests for long. The columns are always the same. */
  write(columns: readonly Column[], rows: number): Iterator<void>;
  /** Writes the end of the file. */
  finish(): void;
  /** Takes the bytes that were written. */
  take(): Buffer[];
}

/** How large a batch becomes: in rows, in cells, and in characters of texts, which Arrow repeats in each row. */
const BATCH_ROWS = 16_384;
const BATCH_CELLS = 1 << 20;
const BATCH_CHARACTERS = 1 << 20;

/** The most rows of a batch with so many columns. */
export function batchRows(columns: number): number {
  return Math.min(BATCH_ROWS, Math.ceil(BATCH_CELLS / columns));
}

/** How many columns of a batch with so many rows are written in one step. */
export function columnsPerStep(rows: number): number {
  return Math.min(MAX_STEP_COLUMNS, Math.ceil(STEP_CELLS / rows));
}
const MAX_STEP_COLUMNS = 64;
const STEP_CELLS = 1 << 16;

/** Has the values of some columns written in batches, while they are collected. */
export class BatchCollector {
  readonly #writer: BatchWriter;
  readonly #columns: readonly Column[];
  readonly #maxRows: number;
  #rows = 0;
  #filled: Buffer[] = [];
  /** The steps of the batch that is written. */
  #writing: Iterator<void> | undefined;
  /** The characters of the texts so far. */
  characters = 0;

  /**
   * @param columns their values have the rows of a batch (`batchRows`), which are set before the next row begins
   * @param createWriter makes the writer for these columns
   */
  constructor(columns: readonly Column[], createWriter: (columns: readonly Column[]) => BatchWriter) {
    this.#columns = columns;
    this.#maxRows = batchRows(columns.length);
    this.#writer = createWriter(columns);
  }

  /** Begins a row. Writes the rows before it if they are many. Returns the index of its value in each column. */
  beginRow(): number {
    if (this.#rows >= this.#maxRows || this.characters >= BATCH_CHARACTERS) this.#write();
    this.#rows += 1;
    return this.#rows - 1;
  }

  get hasFilled(): boolean {
    return this.#writing !== undefined || this.#filled.length > 0;
  }

  takeFilled(): readonly Buffer[] {
    this.#step();
    const filled = this.#filled;
    this.#filled = [];
    return filled;
  }

  *finish(): Iterable<readonly Buffer[]> {
    while (this.hasFilled) yield this.takeFilled();
    if (this.#rows > 0) this.#write();
    while (this.hasFilled) yield this.takeFilled();
    this.#writer.finish();
    yield this.#writer.take();
  }

  #write(): void {
    // The batch before it is written long ago, unless this one has very few rows.
    while (this.#writing !== undefined) this.#step();
    const rows = this.#rows;
    const columns = this.#columns.map((column) => ({ ...column, values: column.values.slice(0, rows) }) as Column);
    this.#writing = this.#writer.write(columns, rows);
    this.#rows = 0;
    this.characters = 0;
  }

  #step(): void {
    if (this.#writing?.next().done === true) this.#writing = undefined;
    this.#filled.push(...this.#writer.take());
  }
}
