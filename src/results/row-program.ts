import { NULL } from './json-bytes.ts';
import type { MetricStep, ObjectPlan, RowStep } from './plan.ts';
import type { RowShape, ShapeMetric } from './row-shape.ts';

/** A part of an answer's row: some bytes, and then what stands in the REST answer's row from one hole to another. */
export interface Copy {
  readonly before: Buffer;
  readonly fromHole: number;
  readonly toHole: number;
}

/** How the answer's row is put together from a row of one shape. */
export interface RowProgram {
  readonly copies: readonly Copy[];
  readonly after: Buffer;
  /** Whether the bytes up to the row's end are copied too, instead of `after`. */
  readonly toEnd: boolean;
  /** The bytes of a written row without the values, and how often the value is written that is written most often. */
  readonly literalBytes: number;
  readonly mostRepeats: number;
  /** How many values are written that were written before in the same row. */
  readonly again: number;
}

/** Works out how rows of a shape are answered. */
export function compileRow(shape: RowShape, plan: ObjectPlan<RowStep>): RowProgram {
  const builder = new ProgramBuilder(shape);
  writeObject(builder, plan, (step) => {
    if (step.kind === 'constant') builder.text(step.json);
    else if (step.kind === 'refused') builder.text(NULL);
    else if (step.kind === 'valueDate') builder.hole(shape.date);
    else if (step.kind === 'value') builder.hole(shape.metricsByName.get(step.metric)?.value);
    else if (shape.metrics === null) builder.text(NULL);
    else writeMetrics(builder, shape.metrics, step);
  });
  return builder.finish();
}

function writeMetrics(
  builder: ProgramBuilder,
  metrics: readonly ShapeMetric[],
  { names, metric: plan }: RowStep & { readonly kind: 'metrics' },
): void {
  const selected = metrics.filter(({ name }) => names === undefined || (name !== null && names.has(name)));
  builder.text('[');
  for (const [index, metric] of selected.entries()) {
    if (index > 0) builder.text(',');
    writeObject<MetricStep>(builder, plan, (step) => {
      if (step.kind === 'constant') builder.text(step.json);
      else if (step.kind === 'name') builder.text(metric.nameJson);
      else builder.hole(metric.value);
    });
  }
  builder.text(']');
}

function writeObject<Step>(builder: ProgramBuilder, { fields }: ObjectPlan<Step>, write: (step: Step) => void): void {
  for (const { prefix, step } of fields) {
    builder.text(prefix);
    write(step);
  }
  builder.text(fields.length === 0 ? '{}' : '}');
}

/** Private. Joins what stands in the answer as it stands in the row. */
class ProgramBuilder {
  readonly #shape: RowShape;
  readonly #copies: Copy[] = [];
  readonly #repeats = new Map<number, number>();
  #text: Buffer[] = [];
  #literalBytes = 0;

  constructor(shape: RowShape) {
    this.#shape = shape;
  }

  text(text: Buffer | string): void {
    const bytes = typeof text === 'string' ? Buffer.from(text) : text;
    this.#text.push(bytes);
    this.#literalBytes += bytes.length;
  }

  /** What stands in a hole; null without one. */
  hole(hole: number | undefined): void {
    if (hole === undefined) {
      this.text(NULL);
      return;
    }
    this.#repeats.set(hole, (this.#repeats.get(hole) ?? 0) + 1);
    const before = this.#takeText();
    const last = this.#copies.at(-1);
    if (last !== undefined && last.toHole === hole - 1 && this.#isLiteral(before, hole)) {
      this.#copies[this.#copies.length - 1] = { ...last, toHole: hole };
    } else {
      this.#copies.push({ before, fromHole: hole, toHole: hole });
    }
  }

  finish(): RowProgram {
    const holes = this.#shape.kinds.length;
    const after = this.#takeText();
    const toEnd = holes > 0 && this.#copies.at(-1)?.toHole === holes - 1 && this.#isLiteral(after, holes);
    const times = [...this.#repeats.values()];
    const mostRepeats = Math.max(0, ...times);
    const again = times.reduce((sum, count) => sum + count - 1, 0);
    return { copies: this.#copies, after, toEnd, literalBytes: this.#literalBytes, mostRepeats, again };
  }

  /** Whether this stands before a hole, or behind the last one, in the row itself. */
  #isLiteral(text: Buffer, hole: number): boolean {
    return this.#shape.literals[hole]?.bytes.equals(text) === true;
  }

  #takeText(): Buffer {
    const text = Buffer.concat(this.#text);
    this.#text = [];
    return text;
  }
}
