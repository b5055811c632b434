import { toGlobalId } from '../../core/global-id.ts';
import type { AttributeName, PlainAttributes } from '../asset-entries.ts';
import type { AttributeStep } from '../selection.ts';
import { type ByteWriter, CLOSE_OBJECT, EMPTY_OBJECT, NULL, QUOTE } from './byte-writer.ts';
import type { WriteSteps } from './output-chunks.ts';

/** How many bytes of a long attribute are copied between two pauses. */
const BYTES_PER_TIME_SLICE = 1 << 20;

/** Writes attributes of one asset by copying their bytes. */
export class AttributeWriter {
  readonly #out: ByteWriter;
  readonly #datasetId: string;
  readonly #attributes: PlainAttributes;

  constructor(out: ByteWriter, datasetId: string, attributes: PlainAttributes) {
    this.#out = out;
    this.#datasetId = datasetId;
    this.#attributes = attributes;
  }

  /** Writes one field, or an object of fields. Long attributes are written in parts, with a pause after each. */
  write(step: AttributeStep): WriteSteps {
    return this.#attributes.mayBeLong ? this.#inParts(step) : this.#whole(step);
  }

  #whole(step: AttributeStep): void {
    if (step.kind === 'attribute') this.#attribute(step);
    else if (step.kind === 'object') this.#object(step);
    else if (step.kind === 'datasetId') this.#out.text(JSON.stringify(this.#datasetId));
    else if (step.kind === 'globalId') this.#globalId(step.of);
    else this.#out.copy(step.json);
  }

  #attribute({ attribute, isInt64 }: AttributeStep & { kind: 'attribute' }): void {
    if (!this.#attributes.has(attribute)) {
      this.#out.copy(NULL);
      return;
    }
    if (isInt64) this.#out.byte(QUOTE);
    this.#attributes.copy(attribute, this.#out);
    if (isInt64) this.#out.byte(QUOTE);
  }

  #globalId(attribute: AttributeName): void {
    const id: string = JSON.parse(Buffer.concat(this.#partsOf(attribute)).toString());
    this.#out.text(`"${toGlobalId(this.#datasetId, id)}"`);
  }

  #object(step: AttributeStep & { kind: 'object' }): void {
    if (this.#isNull(step)) {
      this.#out.copy(NULL);
      return;
    }
    const { fields } = step.object;
    for (const field of fields) {
      this.#out.copy(field.prefix);
      this.#whole(field.step);
    }
    this.#out.copy(fields.length === 0 ? EMPTY_OBJECT : CLOSE_OBJECT);
  }

  #isNull({ attributes, needs }: AttributeStep & { kind: 'object' }): boolean {
    const has = (attribute: (typeof attributes)[number]) => this.#attributes.has(attribute);
    return needs === 'all' ? !attributes.every(has) : !attributes.some(has);
  }

  *#inParts(step: AttributeStep): Iterable<void> {
    if (step.kind === 'attribute' && !step.isInt64 && this.#attributes.has(step.attribute)) {
      for (const part of this.#partsOf(step.attribute)) {
        this.#out.copy(part);
        yield;
      }
    } else if (step.kind === 'object' && !this.#isNull(step)) {
      const { fields } = step.object;
      for (const field of fields) {
        this.#out.copy(field.prefix);
        yield* this.#inParts(field.step);
      }
      this.#out.copy(fields.length === 0 ? EMPTY_OBJECT : CLOSE_OBJECT);
    } else this.#whole(step);
  }

  #partsOf(attribute: AttributeName): Buffer[] {
    const parts: Buffer[] = [];
    const copy = (bytes: Buffer, start: number, end: number) => {
      for (let at = start; at < end; at += BYTES_PER_TIME_SLICE)
        parts.push(bytes.subarray(at, Math.min(at + BYTES_PER_TIME_SLICE, end)));
    };
    this.#attributes.copy(attribute, { copy });
    return parts;
  }
}
