import type { PlainAttributes } from '../asset-entries.ts';
import type { AttributeStep } from '../selection.ts';
import type { ByteWriter } from './byte-writer.ts';
import { CLOSE_OBJECT, EMPTY_OBJECT, NULL, QUOTE } from './json-bytes.ts';

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

  /** Writes one field, or an object of fields. */
  write(step: AttributeStep): void {
    if (step.kind === 'attribute') this.#attribute(step);
    else if (step.kind === 'object') this.#object(step);
    else if (step.kind === 'datasetId') this.#out.text(JSON.stringify(this.#datasetId));
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

  #object({ attributes, needs, object: { fields } }: AttributeStep & { kind: 'object' }): void {
    const has = (attribute: (typeof attributes)[number]) => this.#attributes.has(attribute);
    if (needs === 'all' ? !attributes.every(has) : !attributes.some(has)) {
      this.#out.copy(NULL);
      return;
    }
    for (const { prefix, step } of fields) {
      this.#out.copy(prefix);
      this.write(step);
    }
    this.#out.copy(fields.length === 0 ? EMPTY_OBJECT : CLOSE_OBJECT);
  }
}
