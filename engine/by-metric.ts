import { type Bytes, type Literal, NULL } from './bytes.ts';
import { countOf, type ErrorKind, FieldError } from './errors.ts';
import type { Making, Selected } from './field.ts';
import type { Memory } from './memory.ts';
import type { RowBatch } from './row-batch.ts';
import type { RowError } from './row-parser.ts';
import type { Template } from './template.ts';

/** Something for one metric. If it is a field of a series, it is used for one series after another. */
interface OfMetric {
  readonly name: string;
  /** @param index its number among the metrics of the field */
  begin(index: number): void;
  /** Nobody needs it any more: it gives its memory back. */
  release?(): void;
}

interface Slot<T> {
  readonly of: T;
  /** -1 if the rows have no value of it. */
  readonly slot: number;
}

/** The most metrics of a field. */
export const MAX_METRICS = 10_000;

/** How many metrics a field may have, and the message of its error if there are more. */
export interface MetricLimit {
  readonly metrics: number;
  readonly message: string;
}

/** That of a field whose values are named so, such as `Statistics`. */
export const usualLimit = (values: string): MetricLimit => ({
  metrics: MAX_METRICS,
  message: `${values} have at most ${countOf(MAX_METRICS)} metrics. Name fewer.`,
});

/** So many more metrics than a series has are kept for others, beside as many as it has. */
const MAX_UNUSED = 64;

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
  return isLong ? FieldError.ofLimit(`A list of metric names must have at most ${MAX_NAMES} entries.`) : undefined;
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
  readonly #limit: MetricLimit;
  /** Whether this entry has metrics. Else nobody needs the list of a row. */
  #hasMetrics = false;
  /** The first row whose list has a wrong type, while no metrics are known; and what is wrong behind it. */
  #withoutList: FieldError | undefined;
  #failure: FieldError | undefined;

  constructor({ selected, memory, isOfAll }: Making, make: (name: string) => T, limit: MetricLimit) {
    const names = selected.args.metrics as readonly string[] | null | undefined;
    this.#names = names ? [...new Set(names)] : undefined;
    this.#isOfAll = isOfAll;
    this.#memory = memory;
    this.#make = make;
    this.#limit = limit;
  }

  /** The rows of an entry begin. @throws FieldError if it is computed from all, and those of an entry before were invalid */
  begin(): void {
    if (this.#isOfAll) this.end();
    this.#hasMetrics = this.#names !== undefined && this.#names.length > 0;
    this.#withoutList = undefined;
    this.#failure = undefined;
    if (this.#isOfAll) return;
    if (this.#known.size > 2 * this.all.length + MAX_UNUSED) this.#forget();
    this.all.length = 0;
    this.#present.clear();
    this.#slots.clear();
    this.#addNames();
  }

  #forget(): void {
    this.#memory.keepMetrics(-this.#known.size);
    for (const of of this.#known.values()) of.release?.();
    this.#known.clear();
  }

  /** That of a metric of this series, or of all entries so far. */
  of(name: string): T | undefined {
    return this.#present.get(name);
  }

  /** All rows were taken. @throws FieldError if one was invalid */
  end(): void {
    if (this.#failure !== undefined) throw this.#failure;
    // Perhaps no entry had a list.
    if (this.#isOfAll && this.all.length === 0) this.#addNames();
  }

  /** The metrics that rows of a template have. If a row repeats a metric, the first one counts. @throws FieldError if a row before was invalid */
  slots(template: Template): readonly Slot<T>[] {
    let slots = this.#slots.get(template);
    if (slots === undefined) {
      slots = this.#slotsOf(template);
      if (!template.isOfOneRow) this.#slots.set(template, slots);
    }
    if (!this.#hasMetrics && slots.length > 0) {
      this.#hasMetrics = true;
      if (this.#withoutList !== undefined) throw this.#withoutList;
    }
    return slots;
  }

  /** Checks rows of which something is computed. Returns whether they count: none does behind an invalid one. @throws FieldError */
  check({ errors, template, first }: RowBatch): boolean {
    if (errors.length > 0) {
      const kind = this.#kindOf(errors, template);
      const error = kind && new FieldError(kind, first);
      if (error !== undefined && (kind !== 'wrongMetrics' || this.#hasMetrics)) this.fail(error);
      else this.#withoutList ??= error;
    }
    if (this.#failure === undefined) return true;
    this.slots(template);
    return false;
  }

  /** A row is invalid. If that depends on a row before it, the metrics that come decide which of both is to blame. @throws FieldError else */
  fail(error: FieldError): void {
    if (this.#withoutList === undefined) throw error;
    this.#failure ??= error;
  }

  #kindOf(errors: readonly RowError[], template: Template): ErrorKind | undefined {
    const has = (part: RowError['part']) => errors.some((error) => error.part === part);
    if (has('row')) return 'tooLargeRow';
    if (has('valueDate')) return 'wrongDate';
    if (has('metrics')) return 'wrongMetrics';
    return errors.some((error) => this.#isNeeded(error, template)) ? 'wrongValue' : undefined;
  }

  #isNeeded({ part, metric, kind }: RowError, template: Template): boolean {
    if (part !== 'value' || kind === 'nonFinite' || !template.isFirst(metric)) return false;
    return this.#names === undefined || this.#present.has(template.metrics?.[metric]?.name ?? '');
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
    const { metrics, message } = this.#limit;
    if (this.all.length === metrics) throw FieldError.ofLimit(message);
    let of = this.#known.get(name);
    if (of === undefined) {
      this.#memory.keepMetrics(1);
      of = this.#make(name);
      this.#known.set(name, of);
    }
    this.#present.set(name, of);
    this.all.push(of);
    of.begin(this.all.length - 1);
    return of;
  }
}

export const DONE = -1;

/** So many bytes are written at once, about. */
export const BYTES_AT_ONCE: number = 1 << 15;

/** What writes a field of an object, from an entry of its list on. Returns the next entry; `DONE` if there is none. */
export type WriteField = (selected: Selected, from: number) => number;

/** Writes an object with the fields that are selected, part by part. */
export class ObjectWriter {
  readonly #select: readonly Selected[];
  readonly #end: Literal;
  /** Where it goes on. */
  #field = 0;
  #from = 0;

  constructor({ select, end }: Selected) {
    this.#select = select;
    this.#end = end;
  }

  /** Writes the next part, to about this position. Returns whether more is left. */
  write(out: Bytes, write: WriteField, end: number = out.position + BYTES_AT_ONCE): boolean {
    let field = this.#field;
    let from = this.#from;
    // What fails is not gone on with.
    this.#field = 0;
    this.#from = 0;
    for (; field < this.#select.length; field += 1) {
      const selected = this.#select[field] as Selected;
      if (out.position <= end) {
        if (from === 0) out.literal(selected.prefix);
        from = write(selected, from);
      }
      if (from !== DONE) {
        this.#field = field;
        this.#from = from;
        return true;
      }
      from = 0;
    }
    out.literal(this.#end);
    return false;
  }
}

/** What writes a field of one metric, as `WriteField` does. @param metric the index of the metric */
export type WriteMetric<T> = (out: Bytes, of: T, selected: Selected, from: number, metric: number) => number;

/** Writes a list of objects, one for each metric, part by part. */
export class MetricsWriter<T> {
  readonly #object: ObjectWriter;
  readonly #write: WriteMetric<T>;
  /** The metric with which it goes on. */
  #begun: number | undefined;

  constructor(selected: Selected, write: WriteMetric<T>) {
    this.#object = new ObjectWriter(selected);
    this.#write = write;
  }

  /** Writes the next part. Returns whether more is left. */
  write(out: Bytes, all: readonly T[]): boolean {
    const end = out.position + BYTES_AT_ONCE;
    const begun = this.#begun;
    this.#begun = undefined;
    if (begun === undefined) out.text('[');
    for (let metric = begun ?? 0; metric < all.length; metric += 1) {
      if (metric > 0 && metric !== begun) out.text(',');
      const of = all[metric] as T;
      if (this.#object.write(out, (selected, from) => this.#write(out, of, selected, from, metric), end)) {
        this.#begun = metric;
        return true;
      }
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
