import { type Limits, type Page, Reader } from './reader.ts';
import type { Selection } from './selection.ts';
import { Workspace } from './workspace.ts';

export { type AttributeValues, attributes } from './attributes.ts';
export { Bytes, type Literal, literal } from './bytes.ts';
export type { Constant } from './constant.ts';
export { drive, type Source } from './drive.ts';
export { type ErrorKind, FieldError, type PathError } from './errors.ts';
export type { Cell, Field, FieldType, Making, Origin, RowBatch, TableColumn, Template } from './field.ts';
export { fieldTypes } from './fields/fields.ts';
export { Held, type HeldBody, type HeldPart } from './held.ts';
export { Members } from './members.ts';
export type { Limits, Page, Reader } from './reader.ts';
export { BodyError } from './scanner.ts';
export { type Asked, type AskedOfResults, Selection } from './selection.ts';
export { Workspace } from './workspace.ts';

/** Begins to read a results response: `push` its bytes, `work` while it returns true, `take` the bytes of the list that the selection makes of it. */
export function open(
  selection: Selection,
  limits: Limits,
  page: Page = {},
  workspace: Workspace = new Workspace(),
): Reader {
  return new Reader(selection, limits, page, workspace);
}
