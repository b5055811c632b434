import { type Bytes, type Literal, NULL } from './bytes.ts';
import { FieldError } from './errors.ts';
import type { Making, Selected } from './field.ts';
import type { Memory } from './memory.ts';
import type { RowError } from './row-parser.ts';
import type { Rows } from './rows.ts';
import type { Template, TemplateMetric } from './template.ts';

/** Something for one metric. If it is a field of a series, it is used for one series after another. */
interface OfMetric {
  readonly name: string;
  begin(): void;
}

interface Slot<T> {
  readonly of: T;
  /** -1 if the rows have no value of it. */
  readonly slot: number;
}

/** The most metrics of a field. */
export const MAX_METRICS = 10_000;
/** The most names in an argument. */
const MAX_NAMES = 1000;

/** What is wrong with an argument that is a number of things. */
export function checkCount(args: Selected['args'], name: string): FieldError | undefined {
  return Number(args[name] ?? 0) < 0
    ? new FieldError('invalidArgument', undefined, `${name} must not be negative`)
    : undefined;
}

/** What is wrong with the argument `metrics`. */
export function checkNames({ metrics }: Selected['args']): FieldError | undefined {
  const isLong = ((metrics as readonly string[] | null | undefined)?.length ?? 0) > MAX_NAMES;
  return isLong ? new FieldError('tooManyNames') : undefined;
}

/**
 * Something for each metric: those that the argument `metrics` names, or all, in the order of their first appearance; of a series, or of all
 * entries.
 */
export class ByMetric<T extends OfMetric> {
  /** Those of this series, or of all entries so far. */
  readonly all: T[] = [];
  readonly #names: readonly string[] | undefined;
  readonly #isOfAll: boolean;
  readonly #memory: Memory;
  readonly #make: (name: string) => T;
  /** Those of any series. */
  readonly #known = new Map<string, T>();
  readonly #present = new Map<string, T>();
  readonly #slots = new Map<Template, readonly Slot<T>[]>();
  /** A row whose list of metrics has a wrong type: nobody needs it if there are no metrics. */
  #withoutList: FieldError | undefined;
  /** How many metrics there were before this entry. */
  #before = 0;

  constructor({ selected, memory, isOfAll }: Making, make: (name: string) => T) {
    const names = selected.args.metrics as readonly string[] | null | undefined;
    this.#names = names ? [...new Set(names)] : undefined;
    this.#isOfAll = isOfAll;
    this.#memory = memory;
    this.#make = make;
  }

  begin(): void {
    this.end();
    this.#before = this.all.length;
    if (this.#isOfAll) return;
    this.all.length = 0;
    this.#before = 0;
    this.#present.clear();
    this.#slots.clear();
    if (this.#known.size > MAX_METRICS) {
      this.#memory.keepMetrics(-this.#known.size);
      this.#known.clear();
    }
    this.#addNames();
  }

  /** All rows of the series were taken. @throws FieldError if a value is missing that a row could not have */
  end(): void {
    const error = this.#withoutList;
    this.#withoutList = undefined;
    if (error !== undefined && this.#hasMetrics) throw error;
    // Perhaps no entry had a list.
    if (this.#isOfAll && this.all.length === 0) this.#addNames();
  }

  /** The metrics that rows of a template have. If a row repeats a metric, the first one counts. */
  slots(template: Template): readonly Slot<T>[] {
    const known = this.#slots.get(template);
    if (known !== undefined) return known;
    const slots = this.#slotsOf(template);
    this.#slots.set(template, slots);
    return slots;
  }

  /** Checks rows of which something is computed. @throws FieldError if they are invalid, or a row before them was */
  check({ errors, template, first, isLost }: Rows): void {
    if (isLost) throw this.#withoutList ?? new FieldError('tooLargeRow', first);
    if (errors.length === 0) return;
    const kind = errors.some(({ part }) => part === 'valueDate')
      ? 'wrongDate'
      : errors.some((error) => this.#isNeeded(error, template.metrics))
        ? 'wrongValue'
        : undefined;
    if (kind !== undefined) throw (this.#hasMetrics ? this.#withoutList : undefined) ?? new FieldError(kind, first);
    if (errors.some(({ part }) => part === 'metrics')) this.#withoutList ??= new FieldError('wrongMetrics', first);
  }

  /** Whether this entry has metrics. */
  get #hasMetrics(): boolean {
    return this.#names === undefined ? this.all.length > this.#before || !this.#isOfAll : this.#names.length > 0;
  }

  #isNeeded({ part, metric, kind }: RowError, metrics: readonly TemplateMetric[] | null): boolean {
    if (part !== 'value' || kind === 'nonFinite') return false;
    const name = metrics?.[metric]?.name;
    const isFirst = metrics?.findIndex((other) => other.name === name) === metric;
    return isFirst && typeof name === 'string' && (this.#names?.includes(name) ?? true);
  }

  #slotsOf({ metrics }: Template): Slot<T>[] {
    const slots = new Map<T, Slot<T>>();
    for (const { name, slot } of metrics ?? []) {
      const of =
        name === null
          ? undefined
          : (this.#present.get(name) ?? (this.#names === undefined ? this.#add(name) : undefined));
      if (of !== undefined && !slots.has(of)) slots.set(of, { of, slot });
    }
    return [...slots.values()];
  }

  #addNames(): void {
    for (const name of this.#names ?? []) this.#add(name);
  }

  #add(name: string): T {
    if (this.all.length === MAX_METRICS) throw new FieldError('tooManyMetrics');
    let of = this.#known.get(name);
    if (of === undefined) {
      this.#memory.keepMetrics(1);
      of = this.#make(name);
      this.#known.set(name, of);
    }
    this.#present.set(name, of);
    this.all.push(of);
    of.begin();
    return of;
  }
}

/**
 * What writes a field of one metric, from an entry of its list on. Returns the next entry; `DONE` if there is none.
 *
 * @param metric the index of the metric
 */
export type WriteMetric<T> = (out: Bytes, of: T, selected: Selected, from: number, metric: number) => number;

export const DONE = -1;

/** So many bytes are written at once, about. */
const BYTES_AT_ONCE = 1 << 15;

/** The metric, the selected field, and the entry of its list. */
const START = { metric: 0, field: 0, entry: 0 } as const satisfies Next;

interface Next {
  readonly metric: number;
  readonly field: number;
  readonly entry: number;
}

/** Writes a list of objects, one for each metric, with the fields that are selected, part by part. */
export class MetricsWriter<T> {
  readonly #select: readonly Selected[];
  readonly #end: Literal;
  readonly #write: WriteMetric<T>;
  /** Where it goes on. */
  #next: Next = START;

  constructor({ select, end }: Selected, write: WriteMetric<T>) {
    this.#select = select;
    this.#end = end;
    this.#write = write;
  }

  /** Writes the next part. Returns whether more is left. */
  write(out: Bytes, all: readonly T[]): boolean {
    const end = out.position + BYTES_AT_ONCE;
    let { metric, field, entry } = this.#next;
    if (this.#next === START) out.text('[');
    // What fails is not gone on with.
    this.#next = START;
    for (; metric < all.length; metric += 1) {
      if (this.#select.length === 0 && metric > 0) out.text(',');
      for (; field < this.#select.length; field += 1) {
        const selected = this.#select[field] as Selected;
        if (out.position <= end) {
          if (entry === 0) {
            if (field === 0 && metric > 0) out.text(',');
            out.literal(selected.prefix);
          }
          entry = this.#write(out, all[metric] as T, selected, entry, metric);
        }
        if (entry !== DONE) {
          this.#next = { metric, field, entry };
          return true;
        }
        entry = 0;
      }
      field = 0;
      out.literal(this.#end);
    }
    out.text(']');
    return false;
  }
}

/** Writes a constant, or the name of a metric. Returns false for another field. */
export function writeUsual(out: Bytes, { field, args }: Selected, name: string): boolean {
  if (field === 'constant') out.text(String(args.json));
  else if (field === 'name') out.text(JSON.stringify(name));
  else return false;
  return true;
}

/** Writes a number of JSON; null for one that JSON does not have. */
export function writeNumber(out: Bytes, value: number | null): void {
  if (value === null || !Number.isFinite(value)) out.literal(NULL);
  else out.text(String(value === 0 ? 0 : value));
}
