import { type Bytes, type Literal, literal } from './bytes.ts';
import type { Errors, FieldError, PathError } from './errors.ts';
import type { Selected } from './field.ts';
import type { RowBatch } from './row-batch.ts';
import { LOST, type Template, type TemplateMetric } from './template.ts';

/** Some bytes, and then those of the row from one slot to another. */
interface Copy {
  readonly before: Literal;
  readonly from: number;
  to: number;
}

/**
 * How rows of one template are written. For the row of template.ts, `{ valueDate metrics { name value } }` is `,{"valueDate":` and all
 * from the first slot to the end, because the rest of the row is what has to be written.
 */
interface Plan {
  readonly copies: readonly Copy[];
  readonly after: Literal;
  /** Whether the last copy goes on to the end of the row, and `after` is empty. */
  readonly toEnd: boolean;
  /** The bytes of the literals, and how often a value is written at most. */
  readonly literalBytes: number;
  readonly repeats: number;
}

/** A plan is made for so many parts of a row, in which no value is written more often: else a row would get too much room. */
const MAX_PARTS = 1 << 14;
const MAX_REPEATS = 4;
/** A plan is made at once: only for about so many bytes of literals. */
const MAX_LITERAL_BYTES = 1 << 18;
/** About the bytes of memory of a copy of a plan, beside its literal. */
const BYTES_PER_COPY = 256;
/** So much is written value by value before the clock is read. */
const BYTES_AT_ONCE = 1 << 16;

/** Writes rows with the fields that are selected. */
export class RowWriter {
  readonly #select: readonly Selected[];
  /** How many fields are selected, with those of metrics. */
  readonly #leaves: number;
  readonly #end: string;
  /** The fields with invalid arguments: each is null in each row. */
  readonly #invalid: readonly Selected[];
  /** That of the field whose rows they are. */
  readonly #origin: unknown;
  /** What tells its plans from those of others. */
  readonly #shape: string;
  #last: Template | undefined;
  #plan: Plan | undefined;
  readonly #before: string;
  /** What is written, and what is left of it. */
  #out: Bytes | undefined;
  #rows: RowBatch | undefined;
  #from = 0;
  #to = 0;
  #steps: RowSteps | undefined;

  /** @param before what is written before each row */
  constructor({ select, end, origin, shape }: Selected, before: string) {
    this.#before = before;
    this.#shape = shape;
    this.#end = end.text;
    this.#select = select;
    this.#leaves = select.reduce((sum, { select: { length } }) => sum + Math.max(1, length), 0);
    this.#invalid = select.filter(({ invalid }) => invalid !== undefined);
    this.#origin = origin;
  }

  /** Begins to write rows: `writeMore` as long as it returns true. The rows must stay. */
  begin(out: Bytes, rows: RowBatch, from: number, to: number): void {
    this.#out = out;
    this.#rows = rows;
    this.#from = from;
    this.#to = to;
    this.#steps = undefined;
  }

  /** Writes the next rows, or a part of one. Returns whether more is left. */
  writeMore(): boolean {
    if (this.#from === this.#to) return false;
    const { template } = this.#rows as RowBatch;
    const isWide =
      this.#leaves * template.kinds.length > MAX_PARTS || this.#leaves * template.literalBytes > MAX_LITERAL_BYTES;
    const plan = isWide || template.isOfOneRow ? undefined : this.#planOf(template);
    if (plan === undefined || plan.repeats > MAX_REPEATS) return this.#writeSteps();
    this.#writePlanned(plan);
    return false;
  }

  /** Writes some values one by one. Returns whether more are left. */
  #writeSteps(): boolean {
    const [out, rows] = [this.#out as Bytes, this.#rows as RowBatch];
    const before = out.position;
    do {
      this.#steps ??= this.#stepsOf(new DirectWriter(out, rows, this.#from, this.#before), rows.template);
      if (this.#steps.next()) continue;
      this.#steps = undefined;
      this.#from += 1;
    } while (this.#from < this.#to && out.position - before < BYTES_AT_ONCE);
    return this.#from < this.#to;
  }

  #writePlanned({ copies, after, toEnd, literalBytes, repeats }: Plan): void {
    const [out, rows, from, to] = [this.#out as Bytes, this.#rows as RowBatch, this.#from, this.#to];
    const { bytes, view } = rows;
    const last = copies.length - 1;
    out.makeRoom((to - from) * literalBytes + (rows.rowEnd(to - 1) - rows.rowStart(from)) * repeats);
    const start = out.length;
    for (let row = from; row < to; row += 1) {
      for (let index = 0; index <= last; index += 1) {
        const { before, from: first, to: slot } = copies[index] as Copy;
        out.put(before.bytes, before.view, 0, before.bytes.length);
        out.put(
          bytes,
          view,
          rows.startOf(row, first),
          toEnd && index === last ? rows.rowEnd(row) : rows.endOf(row, slot),
        );
      }
      if (!toEnd) out.put(after.bytes, after.view, 0, after.bytes.length);
    }
    out.count(out.length - start);
  }

  /**
   * Reports the values of rows that are null because of errors, where they are selected.
   *
   * @param pathOf the path of each row
   */
  report(errors: Errors, rows: RowBatch, from: number, to: number, pathOf: (row: number) => PathError['path']): void {
    for (const { key, origin, invalid } of this.#invalid)
      for (let row = from; row < to && !rows.isLost; row += 1)
        errors.addFailure([...pathOf(row), key], invalid as FieldError, { origin });
    if (rows.errors.length === 0) return;
    const path = pathOf(from);
    if (rows.isLost) for (const { kind } of rows.errors) errors.add(path, kind, { origin: this.#origin });
    else for (const selected of this.#select) if (selected.invalid === undefined) report(errors, selected, rows, path);
  }

  #planOf(template: Template): Plan {
    if (template === this.#last) return this.#plan as Plan;
    let plan = template.planOf(this.#shape) as Plan | undefined;
    if (plan === undefined) {
      plan = this.#compile(template);
      template.keepPlan(this.#shape, plan, plan.literalBytes + plan.copies.length * BYTES_PER_COPY);
    }
    this.#last = template;
    this.#plan = plan;
    return plan;
  }

  #compile(template: Template): Plan {
    const builder = new PlanBuilder(template, this.#before);
    const steps = this.#stepsOf(builder, template);
    while (steps.next());
    return builder.plan();
  }

  #stepsOf(writer: Writer, template: Template): RowSteps {
    return template === LOST
      ? new RowSteps(writer, [], 'null', template)
      : new RowSteps(writer, this.#select, this.#end, template);
  }
}

/** Writes a row step by step: a field, or a metric of one. */
class RowSteps {
  readonly #writer: Writer;
  readonly #select: readonly Selected[];
  readonly #end: string;
  readonly #template: Template;
  #field = 0;
  /** The metrics of the field that is written, and the next of them. */
  #metrics: readonly TemplateMetric[] | undefined;
  #metric = 0;

  constructor(writer: Writer, select: readonly Selected[], end: string, template: Template) {
    this.#writer = writer;
    this.#select = select;
    this.#end = end;
    this.#template = template;
  }

  /** Returns whether more are left. */
  next(): boolean {
    const selected = this.#select[this.#field];
    if (selected === undefined) this.#writer.end(this.#end);
    else if (this.#metrics !== undefined) this.#writeMetric(this.#metrics[this.#metric], selected);
    else this.#writeField(selected);
    return selected !== undefined;
  }

  #writeField({ field, args, prefix, invalid }: Selected): void {
    const [writer, template] = [this.#writer, this.#template];
    writer.text(prefix.text);
    if (invalid === undefined && field === 'metrics' && template.metrics !== null) {
      writer.text('[');
      this.#metrics = chosen(template.metrics, namesOf(args));
      this.#metric = 0;
      return;
    }
    if (invalid !== undefined || field === 'metrics') writer.text('null');
    else if (field === 'constant') writer.text(String(args.json));
    else if (field === 'valueDate') writer.slot(template.date);
    else writer.slot(template.slotOf(String(args.metric)));
    this.#field += 1;
  }

  #writeMetric(metric: TemplateMetric | undefined, { select, end }: Selected): void {
    const writer = this.#writer;
    if (metric === undefined) {
      writer.text(']');
      this.#metrics = undefined;
      this.#field += 1;
      return;
    }
    if (this.#metric > 0) writer.text(',');
    this.#metric += 1;
    for (const { field, args, prefix } of select) {
      writer.text(prefix.text);
      if (field === 'constant') writer.text(String(args.json));
      else if (field === 'name') writer.text(metric.nameJson);
      else writer.slot(metric.slot);
    }
    writer.text(end.text);
  }
}

/** The names in the argument `metrics`. Undefined for all metrics. */
function namesOf({ metrics }: Selected['args']): ReadonlySet<string> | undefined {
  return metrics ? new Set(metrics as readonly string[]) : undefined;
}

function isChosen({ name }: TemplateMetric, names: ReadonlySet<string> | undefined): boolean {
  return names === undefined || (name !== null && names.has(name));
}

function chosen(metrics: readonly TemplateMetric[], names: ReadonlySet<string> | undefined): readonly TemplateMetric[] {
  return names === undefined ? metrics : metrics.filter((metric) => isChosen(metric, names));
}

/** Reports the errors of the one of these rows where a field of it has them. A row may have many. */
function report(
  errors: Errors,
  { key, field, args, select, origin }: Selected,
  { errors: all, template: { metrics } }: RowBatch,
  path: PathError['path'],
): void {
  const names = namesOf(args);
  // The index of each metric among those that are written.
  let written = 0;
  const indices =
    field === 'metrics' ? metrics?.map((metric) => (isChosen(metric, names) ? written++ : -1)) : undefined;
  const first = field === 'value' ? metrics?.findIndex(({ name }) => name === args.metric) : undefined;
  for (const { part, metric, kind } of all) {
    const isWhole =
      part === 'metrics'
        ? field === 'metrics' || field === 'value'
        : part === field && (part === 'valueDate' || metric === first);
    if (isWhole) errors.add([...path, key], kind, { origin });
    const index = indices?.[metric] ?? -1;
    for (const of of index < 0 ? [] : select)
      if (of.field === part) errors.add([...path, key, index, of.key], kind, { origin: of.origin });
  }
}

/** Takes the fields of a row, one after another. */
interface Writer {
  text(text: string): void;
  slot(slot: number): void;
  /** Takes the last text. */
  end(text: string): void;
}

/** So many characters are written together. */
const MAX_TEXT = 1 << 12;

/**
 * Writes a row at once. A plan would cost more than one row is worth; and where a value is written often, nobody knows how much room a row
 * needs.
 */
class DirectWriter implements Writer {
  readonly #out: Bytes;
  readonly #rows: RowBatch;
  readonly #row: number;
  #text: string;

  constructor(out: Bytes, rows: RowBatch, row: number, before: string) {
    this.#out = out;
    this.#rows = rows;
    this.#row = row;
    this.#text = before;
  }

  text(text: string): void {
    this.#text += text;
    if (this.#text.length > MAX_TEXT) this.end('');
  }

  slot(slot: number): void {
    if (slot < 0) {
      this.text('null');
      return;
    }
    this.end('');
    const { bytes, view } = this.#rows;
    this.#out.copy(bytes, view, this.#rows.startOf(this.#row, slot), this.#rows.endOf(this.#row, slot));
  }

  end(text: string): void {
    this.#out.text(this.#text + text);
    this.#text = '';
  }
}

class PlanBuilder implements Writer {
  readonly #template: Template;
  readonly #copies: Copy[] = [];
  /** How often each slot is written. */
  readonly #uses: Uint16Array;
  #repeats = 1;
  #text: string;
  #literalBytes = 0;

  constructor(template: Template, before: string) {
    this.#text = before;
    this.#template = template;
    this.#uses = new Uint16Array(template.kinds.length);
  }

  text(text: string): void {
    this.#text += text;
  }

  slot(slot: number): void {
    if (slot < 0) {
      this.text('null');
      return;
    }
    this.#uses[slot] = (this.#uses[slot] as number) + 1;
    this.#repeats = Math.max(this.#repeats, this.#uses[slot] as number);
    const last = this.#copies.at(-1);
    if (last !== undefined && last.to === slot - 1 && this.#isInRow(slot)) {
      last.to = slot;
      this.#text = '';
    } else this.#copies.push({ before: this.#takeText(), from: slot, to: slot });
  }

  end(text: string): void {
    this.text(text);
  }

  plan(): Plan {
    const slots = this.#template.kinds.length;
    const toEnd = this.#copies.length > 0 && this.#copies.at(-1)?.to === slots - 1 && this.#isInRow(slots);
    const after = this.#takeText();
    return { copies: this.#copies, after, toEnd, literalBytes: this.#literalBytes, repeats: this.#repeats };
  }

  /** Whether the row has the text before a slot, or behind the last one. */
  #isInRow(slot: number): boolean {
    const literal = this.#template.literals[slot] as Buffer;
    // Most texts have one byte for a character.
    return literal.length >= this.#text.length && literal.equals(Buffer.from(this.#text));
  }

  #takeText(): Literal {
    const text = literal(this.#text);
    this.#text = '';
    this.#literalBytes += text.bytes.length;
    return text;
  }
}
