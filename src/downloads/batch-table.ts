import type { Cell, TableColumn, TableWriter } from '../results/results.ts';
import { BatchCollector, type BatchWriter, type Column } from './record-batch.ts';

/** Writes a table in batches of rows. */
export class BatchTable implements TableWriter {
  readonly #columns: readonly Column[];
  readonly #batches: BatchCollector;

  /** @param createWriter makes the writer for these columns */
  constructor(columns: readonly TableColumn[], createWriter: (columns: readonly Column[]) => BatchWriter) {
    this.#columns = columns.map((column) => ({ ...column, values: [] }));
    this.#batches = new BatchCollector(this.#columns, createWriter);
  }

  *add(cells: readonly Cell[]): Iterable<void> {
    this.#batches.beginRow();
    for (const [index, { values }] of this.#columns.entries()) {
      const cell = cells[index] as Cell;
      (values as Cell[]).push(cell);
      if (typeof cell === 'string') this.#batches.characters += cell.length;
    }
    if (this.hasFilled) yield;
  }

  get hasFilled(): boolean {
    return this.#batches.hasFilled;
  }

  takeFilled(): readonly Buffer[] {
    return this.#batches.takeFilled();
  }

  finish(): Iterable<readonly Buffer[]> {
    return this.#batches.finish();
  }
}
