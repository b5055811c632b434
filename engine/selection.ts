import { type Literal, literal } from './bytes.ts';
import { type ErrorKind, FieldError } from './errors.ts';
import type { FieldType } from './field.ts';
import { fields } from './fields/fields.ts';
import type { Held } from './held.ts';

/**
 * A field that is asked for, as data: `rows(first: 2) { day: valueDate }` is
 *
 *     { key: 'rows', field: 'rows', args: { first: 2 }, select: [{ key: 'day', field: 'valueDate' }] }
 */
export interface Asked {
  /** The key in the response. */
  readonly key: string;
  readonly field: string;
  readonly args?: Readonly<Record<string, unknown>>;
  readonly select?: readonly Asked[];
  /** What makes it, if it is not one of the engine's own fields. */
  readonly type?: FieldType;
  /** What is wrong with its arguments, if the caller knows of something: then it is null, with an error that says so. */
  readonly invalid?: string;
  /** Whatever the caller needs to make an error of a PathError. */
  readonly origin?: unknown;
}

const CLOSE_OBJECT = literal('}');
const EMPTY_OBJECT = literal('{}');

/** What is asked of the results of a dataset. */
export interface AskedOfResults {
  /** The fields of each entry of the list. Undefined: no list is written. */
  readonly entries?: readonly Asked[];
  /** Fields that are computed from all entries. */
  readonly all?: readonly Asked[];
  /** Whether the values of the entries are written one after another, as in a file: without keys, commas, braces and brackets. */
  readonly isPlain?: boolean;
}

/** An asked field, and what is written before its value: `{"rows":` or `,"rows":`. */
export interface Selected {
  readonly key: string;
  readonly field: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** Empty for a value that is no object. */
  readonly select: readonly Selected[];
  readonly prefix: Literal;
  /** What ends an object: a brace, or both if nothing is selected. */
  readonly end: Literal;
  readonly origin: unknown;
  /** What makes it, if it is made of rows. */
  readonly type: FieldType | undefined;
  /** Its arguments are invalid: it is null, with this error. */
  readonly invalid: FieldError | undefined;
}

/** What to write of results. It can be used for any number of responses, and costs more than a small one. */
export class Selection {
  readonly entries: readonly Selected[] | undefined;
  readonly all: readonly Selected[];
  readonly isPlain: boolean;

  constructor({ entries, all = [], isPlain = false }: AskedOfResults) {
    this.isPlain = isPlain;
    this.entries = entries?.map(selected);
    this.all = all.map(selected);
  }
}

function selected(asked: Asked, index: number): Selected {
  const { key, field, args = {}, select = [], origin, invalid: problem } = asked;
  const prefix = literal(`${index === 0 ? '{' : ','}${JSON.stringify(key)}:`);
  const end = select.length === 0 ? EMPTY_OBJECT : CLOSE_OBJECT;
  const type = asked.type ?? fields[field];
  const invalid = problem === undefined ? type?.check?.(args) : new FieldError('invalidArgument', undefined, problem);
  return { key, field, args, select: select.map(selected), prefix, end, origin, type, invalid };
}

export interface Limits {
  /** The most bytes that are written and values that are computed, together. */
  readonly work: number;
  /** The most bytes of memory. Absent: unlimited. */
  readonly memory?: number;
  /** How many of these are reserved at first. Absent: all. */
  readonly reserved?: number;
  /**
   * The most bytes of a row, and of an attribute: longer ones are null. 1 MiB, which takes about 20 ms. What nobody needs may have any
   * length.
   */
  readonly part?: number;
}

/** An entry of the list. It must still be there when it is used: else the list has changed. */
export interface Cursor {
  readonly index: number;
  readonly assetId: string;
}

/** Which entries of the list are written. */
export interface Page {
  readonly first?: number | undefined;
  readonly after?: Cursor | undefined;
  /** Whether all entries have to be counted. If not, the response is not read to its end. */
  readonly total?: boolean;
  /** All entries are of one asset and one version: their rows are written together, with the attributes of the first one. */
  readonly together?: boolean;
  /** Whether to note where the entries are, for `Held`. */
  readonly index?: boolean;
  /** The body that is read, if it is kept: the attributes of an asset are those of its highest version. */
  readonly held?: Held;
  /** Whether an asset must have one entry, because what it has in others is not known: else the response ends with an error. */
  readonly isUnique?: boolean;
}

/** A value that is null because of an error. */
export interface PathError {
  /** From the list: the index of the entry in the page, and keys. From a field of all entries: its key, and keys. */
  readonly path: readonly (string | number)[];
  readonly kind: ErrorKind;
  /** The row that is to blame, if it is not in the path, and its entry in the list, if the field is computed from all. */
  readonly row?: number | undefined;
  readonly entry?: number | undefined;
  /** What is wrong with an argument. */
  readonly message?: string | undefined;
  /** That of the field. */
  readonly origin?: unknown;
}
