import type { RowTemplate, TemplateMetric } from '../indexing/row-template.ts';
import type { BoundObject, MetricStep, RowStep } from '../selection.ts';
import { NULL } from './json-bytes.ts';

/** A part of an answer's row: some bytes, and then what stands in the REST answer's row from one slot to another. */
export interface Copy {
  readonly before: Buffer;
  readonly fromSlot: number;
  readonly toSlot: number;
}

/** How the answer's row is put together from a row of one template. */
export interface RowSerializer {
  readonly copies: readonly Copy[];
  readonly after: Buffer;
  /** Whether the bytes up to the row's end are copied too, instead of `after`. */
  readonly toEnd: boolean;
  /** The bytes of a written row without the values, and how often the value is written that is written most often. */
  readonly literalBytes: number;
  readonly maxRepeats: number;
  /** How many values are written that were written before in the same row. */
  readonly again: number;
}

/** Works out how rows of a template are answered. */
export function compileRowSerializer(template: RowTemplate, bound: BoundObject<RowStep>): RowSerializer {
  const builder = new ProgramBuilder(template);
  writeObject(builder, bound, (step) => {
    if (step.kind === 'constant') builder.text(step.json);
    else if (step.kind === 'invalidArguments') builder.text(NULL);
    else if (step.kind === 'valueDate') builder.slot(template.date);
    else if (step.kind === 'value') builder.slot(template.metricsByName.get(step.metric)?.value);
    else if (template.metrics === null) builder.text(NULL);
    else writeMetrics(builder, template.metrics, step);
  });
  return builder.finish();
}

function writeMetrics(
  builder: ProgramBuilder,
  metrics: readonly TemplateMetric[],
  { names, metric: bound }: RowStep & { readonly kind: 'metrics' },
): void {
  const selected = metrics.filter(({ name }) => names === undefined || (name !== null && names.has(name)));
  builder.text('[');
  for (const [index, metric] of selected.entries()) {
    if (index > 0) builder.text(',');
    writeObject<MetricStep>(builder, bound, (step) => {
      if (step.kind === 'constant') builder.text(step.json);
      else if (step.kind === 'name') builder.text(metric.nameJson);
      else builder.slot(metric.value);
    });
  }
  builder.text(']');
}

function writeObject<Step>(builder: ProgramBuilder, { fields }: BoundObject<Step>, write: (step: Step) => void): void {
  for (const { prefix, step } of fields) {
    builder.text(prefix);
    write(step);
  }
  builder.text(fields.length === 0 ? '{}' : '}');
}

/** Private. Joins what stands in the answer as it stands in the row. */
class ProgramBuilder {
  readonly #template: RowTemplate;
  readonly #copies: Copy[] = [];
  readonly #repeats = new Map<number, number>();
  #text: Buffer[] = [];
  #literalBytes = 0;

  constructor(template: RowTemplate) {
    this.#template = template;
  }

  text(text: Buffer | string): void {
    const bytes = typeof text === 'string' ? Buffer.from(text) : text;
    this.#text.push(bytes);
    this.#literalBytes += bytes.length;
  }

  /** What stands in a slot; null without one. */
  slot(slot: number | undefined): void {
    if (slot === undefined) {
      this.text(NULL);
      return;
    }
    this.#repeats.set(slot, (this.#repeats.get(slot) ?? 0) + 1);
    const before = this.#takeText();
    const last = this.#copies.at(-1);
    if (last !== undefined && last.toSlot === slot - 1 && this.#isLiteral(before, slot)) {
      this.#copies[this.#copies.length - 1] = { ...last, toSlot: slot };
    } else {
      this.#copies.push({ before, fromSlot: slot, toSlot: slot });
    }
  }

  finish(): RowSerializer {
    const slots = this.#template.kinds.length;
    const after = this.#takeText();
    const toEnd = slots > 0 && this.#copies.at(-1)?.toSlot === slots - 1 && this.#isLiteral(after, slots);
    const times = [...this.#repeats.values()];
    const maxRepeats = Math.max(0, ...times);
    const again = times.reduce((sum, count) => sum + count - 1, 0);
    return { copies: this.#copies, after, toEnd, literalBytes: this.#literalBytes, maxRepeats, again };
  }

  /** Whether this stands before a slot, or behind the last one, in the row itself. */
  #isLiteral(text: Buffer, slot: number): boolean {
    return this.#template.literals[slot]?.bytes.equals(text) === true;
  }

  #takeText(): Buffer {
    const text = Buffer.concat(this.#text);
    this.#text = [];
    return text;
  }
}
