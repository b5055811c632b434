import type { RowTemplate, TemplateMetric } from '../indexing/row-template.ts';
import type { BoundField, BoundObject, FieldOrigin, MetricStep, Path, RowStep } from '../selection.ts';
import { NULL, type Part, partOf } from './byte-writer.ts';

/** A part of a written row: some bytes, and then the bytes of the received row from one slot to another. */
export interface Copy {
  readonly before: Part;
  readonly fromSlot: number;
  readonly toSlot: number;
}

/**
 * How to write the rows of one template for one selection, each with the comma that separates it from the row before. For
 * example, for the rows of row-template.ts:
 *
 *     selection                                     copies                                        then
 *     { valueDate metrics { name value } }          `,{"valueDate":` and slots 0 to 1             to the end of the row
 *     { valueDate value(metric: "x") }              `,{"valueDate":` and slot 0,
 *                                                   `,"value":` and slot 1                        after: `}`
 *
 * A copy of slots 0 to 1 includes the literal between them, because it equals what the selection needs there.
 */
export interface RowSerializer {
  readonly copies: readonly Copy[];
  readonly after: Buffer;
  /** Whether the last copy goes on to the end of the row, instead of `after`. */
  readonly toEnd: boolean;
  /** The number of bytes of a written row without its values and its comma, and the most times that one value is written. */
  readonly literalBytes: number;
  readonly maxRepeats: number;
  /** How many values of a row repeat a value of the same row. */
  readonly repeatedValues: number;
}

/** Compiles the row serializer of a template for a selection. */
export function compileRowSerializer(template: RowTemplate, bound: BoundObject<RowStep>): RowSerializer {
  const builder = new SerializerBuilder(template);
  writeParts(template, bound, builder, undefined);
  return builder.finish();
}

/** Takes the parts of a written row, one after the other. */
export interface RowParts {
  text(text: Buffer | string): void;
  /**
   * @param slot undefined for null
   * @param field whose value it is
   * @param parent the path of the object of this field
   */
  slot(slot: number | undefined, field: FieldOrigin, parent: Path | undefined): void;
}

/** Makes the parts of a row of a template for a selection. @param path that of the row */
export function writeParts(
  template: RowTemplate,
  bound: BoundObject<RowStep>,
  into: RowParts,
  path: Path | undefined,
): void {
  writeObject(bound, into, (field) => {
    const { step } = field;
    if (step.kind === 'constant') into.text(step.json);
    else if (step.kind === 'invalidArguments') into.text(NULL);
    else if (step.kind === 'valueDate') into.slot(template.date, field, path);
    else if (step.kind === 'value') into.slot(template.metricsByName.get(step.metric)?.value, field, path);
    else if (template.metrics === null) into.text(NULL);
    else writeMetrics(template.metrics, step, into, { parent: path, key: field.key });
  });
}

function writeMetrics(
  metrics: readonly TemplateMetric[],
  { names, metric: bound }: RowStep & { readonly kind: 'metrics' },
  into: RowParts,
  path: Path,
): void {
  const selected = metrics.filter(({ name }) => names === undefined || (name !== null && names.has(name)));
  into.text('[');
  for (const [index, metric] of selected.entries()) {
    if (index > 0) into.text(',');
    writeObject<MetricStep>(bound, into, (field) => {
      const { step } = field;
      if (step.kind === 'constant') into.text(step.json);
      else if (step.kind === 'name') into.text(metric.nameJson);
      else into.slot(metric.value, field, { parent: path, key: index });
    });
  }
  into.text(']');
}

function writeObject<Step>(
  { fields }: BoundObject<Step>,
  into: RowParts,
  write: (field: BoundField<Step>) => void,
): void {
  for (const field of fields) {
    into.text(field.prefix);
    write(field);
  }
  into.text(fields.length === 0 ? '{}' : '}');
}

/** Builds the copies. It extends the last copy if the literal in the row equals the bytes to write. */
class SerializerBuilder implements RowParts {
  readonly #template: RowTemplate;
  readonly #copies: Copy[] = [];
  readonly #repeats = new Map<number, number>();
  #text: Buffer[] = [Buffer.from(',')];
  #literalBytes = 0;

  constructor(template: RowTemplate) {
    this.#template = template;
  }

  text(text: Buffer | string): void {
    const bytes = typeof text === 'string' ? Buffer.from(text) : text;
    this.#text.push(bytes);
    this.#literalBytes += bytes.length;
  }

  /** Adds a slot; null without one. */
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
      this.#copies.push({ before: partOf(before), fromSlot: slot, toSlot: slot });
    }
  }

  finish(): RowSerializer {
    const slots = this.#template.kinds.length;
    const after = this.#takeText();
    const toEnd = slots > 0 && this.#copies.at(-1)?.toSlot === slots - 1 && this.#isLiteral(after, slots);
    const times = [...this.#repeats.values()];
    const maxRepeats = Math.max(0, ...times);
    const repeatedValues = times.reduce((sum, count) => sum + count - 1, 0);
    return { copies: this.#copies, after, toEnd, literalBytes: this.#literalBytes, maxRepeats, repeatedValues };
  }

  /** Whether the row has these bytes before a slot, or after the last slot. */
  #isLiteral(text: Buffer, slot: number): boolean {
    return this.#template.literals[slot]?.bytes.equals(text) === true;
  }

  #takeText(): Buffer {
    const text = Buffer.concat(this.#text);
    this.#text = [];
    return text;
  }
}
