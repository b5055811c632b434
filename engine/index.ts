import type { Limits } from './limits.ts';
import type { Page } from './page.ts';
import { Reader } from './reader.ts';
import type { Selection } from './selection.ts';

export { Bytes, type Literal, literal } from './bytes.ts';
export { drive, type Source } from './drive.ts';
export { type ErrorKind, FieldError, type PathError } from './errors.ts';
export type { Field, FieldType, Making, Origin } from './field.ts';
export { fields } from './fields/fields.ts';
export { Held } from './held.ts';
export type { Limits } from './limits.ts';
export { Members } from './members.ts';
export type { Page } from './page.ts';
export type { Reader } from './reader.ts';
export type { Rows } from './rows.ts';
export { BodyError } from './scanner.ts';
export { type Asked, type AskedOfResults, Selection } from './selection.ts';
export type { Cell, TableColumn } from './table.ts';
export type { Template } from './template.ts';

/** Begins to read a results response: `push` its bytes, `work` while it returns true, `take` the bytes of the list that the selection makes of it. */
export function open(selection: Selection, limits: Limits, page: Page = {}): Reader {
  return new Reader(selection, limits, page);
}
