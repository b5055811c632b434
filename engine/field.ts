import type { Bytes, Literal } from './bytes.ts';
import type { Errors, FieldError } from './errors.ts';
import type { Memory } from './memory.ts';
import type { RowBatch } from './row-batch.ts';
import type { TableColumn, TakeRow } from './table.ts';

// What fields are made with.
export type { RowBatch } from './row-batch.ts';
export type { Cell, TableColumn } from './table.ts';
export type { Template } from './template.ts';

/** The entry of the list that rows belong to. */
export interface Origin {
  /** Its index in the list. */
  readonly entry: number;
  /** Known when all of the entry is read: fields may keep the object until then. */
  readonly assetId: string;
  /**
   * The value of an attribute. Null if it is null or of a wrong type; undefined if it was not read. Its rows may come before it, so all are
   * known only when the field is written. Only for the entry that is read.
   */
  attribute(name: 'assetId' | 'name' | 'version'): string | bigint | null | undefined;
}

/**
 * A field that is made of rows. There is one object for all series, one after another, or for all entries together. A FieldError makes the
 * value null.
 */
export interface Field {
  /** The rows of an entry begin. If it is a field of a series, its value begins. */
  begin(origin: Origin): void;
  /** Takes the next of the rows. They are there until `addMore` leaves nothing. */
  add(rows: RowBatch): void;
  /** Does the next part of what `add` has left to do with these rows. Returns whether more is left. Absent: it leaves nothing. */
  addMore?(rows: RowBatch): boolean;
  /**
   * Writes its value, or the next part of it: what takes about a millisecond. All rows were taken.
   *
   * @param rowCount the number of all rows
   * @returns whether more is left to write
   */
  write(out: Bytes, rowCount: number): boolean;
  /** Gives the next rows of its table, in the place of `write`. Returns whether more are left. */
  writeTable?(take: TakeRow, rowCount: number): boolean;
  /** Nothing more is asked of it: gives memory back that other fields can use. */
  release?(): void;
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
  /** The same for all that are written alike. */
  readonly shape: string;
  readonly origin: unknown;
  /** What makes it, if it is made of rows. */
  readonly type: FieldType | undefined;
  /** Its arguments are invalid: it is null, with this error. */
  readonly invalid: FieldError | undefined;
}

/** What a field is made of. */
export interface Making {
  readonly selected: Selected;
  readonly memory: Memory;
  /** Takes the errors of parts of the value; their paths begin behind the field. */
  readonly errors: Errors;
  /** Whether it is computed from all entries. */
  readonly isOfAll: boolean;
  /**
   * Where a plain value may be written while its rows come, in the order of the list: it is not taken back if something fails behind it.
   * Undefined for any other.
   */
  readonly out: Bytes | undefined;
}

/** A kind of field. It is one file of `fields/`, and its line in the table there. */
export interface FieldType {
  /** What is wrong with its arguments. Undefined for nothing. */
  check?(args: Selected['args']): FieldError | undefined;
  /** The columns of its table: those of the fields that are selected, in their order. Absent: it is none. */
  columns?(select: readonly Selected[]): readonly TableColumn[];
  make(making: Making): Field;
}
