import { attributesIn } from './attributes.ts';
import { checkNames } from './by-metric.ts';
import { type Literal, literal, NOTHING } from './bytes.ts';
import { FieldError } from './errors.ts';
import type { FieldType, Selected } from './field.ts';
import { typeOf } from './fields/fields.ts';
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

/** A value that is written of an entry. */
export interface SelectedValue {
  readonly selected: Selected;
  /** The keys from the entry, or from the results, to the value. */
  readonly path: readonly string[];
  /** What is written before it. */
  readonly prefix: Literal;
}

/** What to write of results. It can be used for any number of responses, and costs more than a small one. */
export class Selection {
  readonly hasEntries: boolean;
  /** Those of an entry, and what is written behind the last one; and those of all entries. */
  readonly ofEntry: readonly SelectedValue[];
  readonly end: Literal;
  /** The attributes that they need: a bit for each. */
  readonly attributes: number;
  readonly ofAll: readonly SelectedValue[];
  readonly isPlain: boolean;

  constructor({ entries, all = [], isPlain = false, isBare = false }: AskedOfResults) {
    this.isPlain = isPlain;
    this.hasEntries = entries !== undefined;
    const ofEntry: SelectedValue[] = [];
    const inEntries = (entries ?? []).map(selected);
    const end = addValues(ofEntry, inEntries, [], '');
    this.attributes = attributesIn(inEntries);
    const hasKeys = !isPlain && !isBare;
    this.ofEntry = hasKeys ? ofEntry : ofEntry.map((value) => ({ ...value, prefix: NOTHING }));
    this.end = hasKeys ? literal(end) : NOTHING;
    this.ofAll = all.map(selected).map((each) => ({ selected: each, path: [each.key], prefix: NOTHING }));
  }
}

/** Adds the values of an object. Returns what is written behind the last one. */
function addValues(
  values: SelectedValue[],
  select: readonly Selected[],
  path: readonly string[],
  before: string,
): string {
  let text = before;
  for (const each of select) {
    const prefix = `${text}${each.prefix.text}`;
    const own = [...path, each.key];
    text = each.field === 'node' ? addValues(values, each.select, own, prefix) : '';
    if (each.field !== 'node') values.push({ selected: each, path: own, prefix: literal(prefix) });
  }
  // Without any value it is an object without fields.
  return select.length === 0 ? `${text}{}` : `${text}}`;
}

function selected(asked: Asked, index: number): Selected {
  const { key, field, args = {}, select = [], origin, invalid: problem } = asked;
  const prefix = literal(`${index === 0 ? '{' : ','}${JSON.stringify(key)}:`);
  const end = select.length === 0 ? EMPTY_OBJECT : CLOSE_OBJECT;
  const type = asked.type ?? typeOf(field);
  const invalid =
    problem === undefined
      ? (checks[field] ?? type?.check)?.(args)
      : new FieldError('invalidArgument', undefined, problem);
  const parts = select.map(selected);
  const shape = `${prefix.text}${field}${shapeOf(args)}${invalid?.kind ?? ''}(${parts.map((part) => part.shape).join('')})`;
  return { key, field, args, select: parts, prefix, end, shape, origin, type, invalid };
}

function shapeOf(args: Selected['args']): string {
  return JSON.stringify(args, (_, value) => (typeof value === 'bigint' ? String(value) : value));
}
