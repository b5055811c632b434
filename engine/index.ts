import { Reader } from './reader.ts';
import type { Limits, Page, Selection } from './selection.ts';

export { drive, type Source, type Waits } from './drive.ts';
export type { Field, FieldType, Making } from './field.ts';
export { Held } from './held.ts';
export type { Head, Reader } from './reader.ts';
export type { Rows } from './rows.ts';
export { BodyError } from './scanner.ts';
export {
  type Asked,
  type AskedOfResults,
  type Cursor,
  type Limits,
  type Page,
  type PathError,
  Selection,
} from './selection.ts';

/** Begins to read a results response: `push` its bytes, `work` while it returns true, `take` the bytes of the list that the selection makes of it. */
export function open(selection: Selection, limits: Limits, page: Page = {}): Reader {
  return new Reader(selection, limits, page);
}
