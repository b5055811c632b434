import type { RowsSlice } from '../indexing/row-index.ts';

/** What each line of a file says about the asset (REST specification, section 2.5). */
export interface EntryAttributes {
  readonly assetId: string;
  readonly name: string | null;
  readonly version: bigint | null;
}

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

/** Takes all rows of each entry at once. */
export interface SeriesSink extends FileSink {
  /**
   * Takes the rows of the entry that was begun last, which may have none. Yields pauses, and promises that have to be waited for.
   *
   * @throws an error that ends the file
   */
  series(slice: RowsSlice): Iterable<void | Promise<void>>;
}
