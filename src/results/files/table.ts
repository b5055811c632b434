import type { FileSink } from './row-sink.ts';

/** A column of a table: its name, and what its cells are. */
export interface TableColumn {
  readonly name: string;
  readonly type: 'text' | 'date' | 'int64' | 'double';
  readonly nullable: boolean;
}

/** A text or a date as it was received, a 64-bit integer, a double, or null. */
export type Cell = string | bigint | number | null;

/** Writes a table as a file, row by row. */
export interface TableWriter extends Pick<FileSink, 'hasFilled' | 'takeFilled' | 'finish'> {
  /**
   * Writes a row: a cell of each column. Yields where there are bytes to take, because a text can be long, pauses, and promises that
   * have to be waited for.
   */
  add(cells: readonly Cell[]): Iterable<void | Promise<void>>;
}
