import type { Row } from '../../rest/contract/wire.ts';
import type { RowIndex, RowsSlice } from '../indexing/row-index.ts';
import type { RowTemplate } from '../indexing/row-template.ts';

/** What each line of a file says about the asset (REST specification, section 2.5). */
export interface EntryAttributes {
  readonly assetId: string;
  readonly name: string | null;
  readonly version: bigint | null;
}

/** Of a row more characters are made in steps: about so many repeat the texts of its asset. */
export const MAX_ROW_CHARACTERS: number = 1 << 18;

/** The remaining bytes of a file, in steps that do not block other requests for long, and promises that have to be waited for. */
export type LastSteps = Iterable<readonly Buffer[] | Promise<void>>;

/** Makes the bytes of a file from a results response, asset by asset. */
export interface FileSink {
  /** Begins the rows of an entry. */
  begin(entry: EntryAttributes): void;
  /** Whether there are bytes to take. */
  readonly hasFilled: boolean;
  /** Takes the bytes that are ready. */
  takeFilled(): readonly Buffer[];
  /** Ends the file. */
  finish(): LastSteps;
}

/** Takes the rows of each entry one by one. */
export interface RowSink extends FileSink {
  /**
   * Takes a row. It must read the row before it returns, or before the steps that it returns end: so that a row of which much is
   * made is not one step.
   */
  row(index: RowIndex, offsetEntry: number, template: RowTemplate): Iterable<void> | undefined;
  /**
   * Takes a row that the index cannot hold, in the same way. Each of its parts has its type, except that a value may be
   * `nonFiniteText`, which is none.
   */
  decodedRow(row: Row): Iterable<void> | undefined;
}

/** Takes all rows of each entry at once. */
export interface SeriesSink extends FileSink {
  /**
   * Takes the rows of the entry that was begun last, which may have none. Yields pauses, and promises that have to be waited for.
   *
   * @throws an error that ends the file
   */
  series(slice: RowsSlice): Iterable<void | Promise<void>>;
}
