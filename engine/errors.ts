/** Why a value is null. */
export type ErrorKind =
  /** It has a wrong type; or it is the text of a number that JSON does not have: NaN, Infinity or -Infinity. */
  | 'wrongType'
  | 'nonFinite'
  /** It has more bytes than a part of a body may have. */
  | 'tooLarge'
  /** A row that is computed with: its date, its list of metrics or one of its values has a wrong type; it has no date, or one that cannot be read; or it is too large. */
  | 'wrongDate'
  | 'wrongMetrics'
  | 'wrongValue'
  | 'noDate'
  | 'unreadableDate'
  | 'tooLargeRow'
  /** A limit of the field: its message is for those who have selected it. */
  | 'limitExceeded'
  /** The limits of the reader. */
  | 'workExceeded'
  | 'memoryExceeded'
  /** An argument of the field. */
  | 'invalidArgument';

/** A field cannot have its value: it is null, with this error. */
export class FieldError extends Error {
  readonly kind: ErrorKind;
  /** The row that is to blame, counted from 0. */
  readonly row: number | undefined;

  constructor(kind: ErrorKind, row?: number, message: string = kind) {
    super(message);
    this.kind = kind;
    this.row = row;
  }

  /** @param message how many there may be, and what helps */
  static ofLimit(message: string): FieldError {
    return new FieldError('limitExceeded', undefined, message);
  }
}

/** A number as it is written in a message. */
export const countOf = (count: number): string => count.toLocaleString('en');

/** A value that is null because of an error. */
export interface PathError {
  /** From the list: the index of the entry in the page, and keys. From a field of all entries: its key, and keys. */
  readonly path: readonly (string | number)[];
  readonly kind: ErrorKind;
  /** The row that is to blame, if it is not in the path, and its entry in the list, if the field is computed from all. */
  readonly row?: number | undefined;
  readonly entry?: number | undefined;
  /** What is wrong with an argument, or which limit was exceeded: a sentence. */
  readonly message?: string | undefined;
  /** That of the field. */
  readonly origin?: unknown;
}

/** The most errors that are kept. Others are only counted. */
const MAX_ERRORS = 1000;

/** The errors of values that are null. */
export class Errors {
  readonly list: PathError[] = [];
  omitted = 0;

  add(path: PathError['path'], kind: ErrorKind, of?: Omit<PathError, 'path' | 'kind'>): void {
    if (this.list.length < MAX_ERRORS) this.list.push({ path, kind, ...of });
    else this.omitted += 1;
  }

  /** Whether all others are only counted. */
  get isFull(): boolean {
    return this.list.length === MAX_ERRORS;
  }

  /** Adds the error of a field. Only that of an argument or a limit has a message. */
  addFailure(
    path: PathError['path'],
    { kind, row, message }: FieldError,
    of: Pick<PathError, 'entry' | 'origin'>,
  ): void {
    this.add(path, kind, { row, ...of, ...(message !== kind && { message }) });
  }

  /** Adds those of a part, whose paths begin behind `path`. */
  addAll({ list, omitted }: Errors, path: PathError['path']): void {
    const added = Math.min(list.length, MAX_ERRORS - this.list.length);
    for (const error of list.slice(0, added)) this.list.push({ ...error, path: [...path, ...error.path] });
    this.omitted += omitted + list.length - added;
  }

  clear(): void {
    this.list.length = 0;
    this.omitted = 0;
  }
}
