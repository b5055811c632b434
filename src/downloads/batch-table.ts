import type { Cell, TableColumn, TableWriter } from '../results/results.ts';
import { BATCH_CELLS, BATCH_CHARACTERS, BATCH_ROWS, type BatchWriter, type Column } from './record-batch.ts';

/** Writes a table in batches of rows. */
export class BatchTable implements TableWriter {
  readonly #writer: BatchWriter;
  readonly #columns: readonly Column[];
  readonly #maxRows: number;
  #rows = 0;
  /** The characters of the texts so far. */
  #characters = 0;
  #filled: Buffer[] = [];
  /** The steps of the batch that is written. */
  #writing: Iterator<void> | undefined;

  /** @param createWriter makes the writer for these columns */
  constructor(columns: readonly TableColumn[], createWriter: (columns: readonly Column[]) => BatchWriter) {
    this.#columns = columns.map((column) => ({ ...column, values: [] }));
    this.#maxRows = Math.min(BATCH_ROWS, Math.ceil(BATCH_CELLS / columns.length));
    this.#writer = createWriter(this.#columns);
  }

  *add(cells: readonly Cell[]): Iterable<void> {
    if (this.#rows >= this.#maxRows || this.#characters >= BATCH_CHARACTERS) this.#write();
    for (const [index, { values }] of this.#columns.entries()) {
      const cell = cells[index] as Cell;
      (values as Cell[]).push(cell);
      if (typeof cell === 'string') this.#characters += cell.length;
    }
    this.#rows += 1;
    if (this.hasFilled) yield;
  }

  get hasFilled(): boolean {
    return this.#writing !== undefined || this.#filled.length > 0;
  }

  takeFilled(): readonly Buffer[] {
    this.#step();
    return this.#filled.splice(0);
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
    const columns = this.#columns.map((column) => ({ ...column, values: column.values.splice(0) }) as Column);
    this.#writing = this.#writer.write(columns, this.#rows);
    this.#rows = 0;
    this.#characters = 0;
  }

  #step(): void {
    if (this.#writing?.next().done === true) this.#writing = undefined;
    this.#filled.push(...this.#writer.take());
  }
}
