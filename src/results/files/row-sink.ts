import type { Row } from '../../rest/wire.ts';
import type { RowIndex } from '../indexing/row-index.ts';
import type { RowTemplate } from '../indexing/row-template.ts';

/** What each line of a file says about the asset (REST specification, section 2.5). */
export interface EntryAttributes {
  readonly assetId: string;
  readonly name: string | null;
  readonly version: bigint | null;
}

/** Takes the rows of a results response, asset by asset, and makes the bytes of a file. */
export interface RowSink {
  /** Begins the rows of an entry. */
  begin(entry: EntryAttributes): void;
  /** Takes a row. It must read the row before it returns. */
  row(index: RowIndex, offsetEntry: number, template: RowTemplate): void;
  /** Takes a row that the index cannot hold. @throws RestError `invalidResponse` for a value of another type */
  decodedRow(row: Row): void;
  /** Whether there are bytes to take. */
  readonly hasFilled: boolean;
  /** Takes the bytes that are ready. */
  takeFilled(): readonly Buffer[];
  /** Ends the file. Takes the remaining bytes, in steps that do not block other requests for long. */
  finish(): Iterable<readonly Buffer[]>;
}
