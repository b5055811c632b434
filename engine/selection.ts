import { checkNames } from './by-metric.ts';
import { literal } from './bytes.ts';
import { FieldError } from './errors.ts';
import type { FieldType, Selected } from './field.ts';
import { fields } from './fields/fields.ts';
import { checkQuantiles } from './quantiles.ts';

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
const NOTHING = literal('');

/** What is wrong with the arguments of fields of fields. */
const checks: Readonly<Record<string, FieldType['check']>> = { metrics: checkNames, quantiles: checkQuantiles };

/** What is asked of the results of a dataset. */
export interface AskedOfResults {
  /** The fields of each entry of the list. Undefined: no list is written. */
  readonly entries?: readonly Asked[];
  /** Fields that are computed from all entries. */
  readonly all?: readonly Asked[];
  /**
   * Whether the values of the entries are written one after another, as in a file: without keys, commas, braces and brackets, and nothing for an
   * entry without rows. They may be taken while they are written: who finds an error must not use them.
   */
  readonly isPlain?: boolean;
  /** Whether the value of their only field is written in the place of each entry: without its key and braces. */
  readonly isBare?: boolean;
}

/** What to write of results. It can be used for any number of responses, and costs more than a small one. */
export class Selection {
  readonly entries: readonly Selected[] | undefined;
  readonly all: readonly Selected[];
  readonly isPlain: boolean;
  readonly isBare: boolean;

  constructor({ entries, all = [], isPlain = false, isBare = false }: AskedOfResults) {
    this.isPlain = isPlain;
    this.isBare = isBare;
    const inEntries = entries?.map(selected);
    this.entries = isBare ? inEntries?.map((each) => ({ ...each, prefix: NOTHING })) : inEntries;
    this.all = all.map(selected);
  }
}

function selected(asked: Asked, index: number): Selected {
  const { key, field, args = {}, select = [], origin, invalid: problem } = asked;
  const prefix = literal(`${index === 0 ? '{' : ','}${JSON.stringify(key)}:`);
  const end = select.length === 0 ? EMPTY_OBJECT : CLOSE_OBJECT;
  const type = asked.type ?? fields[field];
  const invalid =
    problem === undefined
      ? (checks[field] ?? type?.check)?.(args)
      : new FieldError('invalidArgument', undefined, problem);
  return { key, field, args, select: select.map(selected), prefix, end, origin, type, invalid };
}
