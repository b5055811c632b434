import { RowTemplate, type TemplateParts, templateHash } from './row-template.ts';

/** The most templates, the most slots of each, and about the most bytes of all of them. */
const MAX_TEMPLATES = 1024;
const MAX_SLOTS = 8192;
const MAX_TEMPLATE_BYTES = 1 << 23;
/** The memory of a slot, without its literal. */
const SLOT_BYTES = 256;

/** The templates of the rows of a response. */
export class RowTemplates {
  /** In the order of their indexes. */
  readonly all: RowTemplate[] = [];
  /** About the bytes of memory that they take. */
  memoryBytes = 0;
  /** The most slots of a template so far. */
  maxSlots = 0;
  readonly #byHash = new Map<number, RowTemplate[]>();

  /** The template of a row. Undefined if it would be one too many, or too large. */
  of(bytes: Buffer, parts: TemplateParts): RowTemplate | undefined {
    const hash = templateHash(bytes, parts);
    const sameHash = this.#byHash.get(hash) ?? [];
    const known = sameHash.find((template) => template.equals(bytes, parts));
    if (known !== undefined) return known;
    const slots = parts.kinds.length;
    const memoryBytes = this.memoryBytes + literalBytes(parts) + SLOT_BYTES * slots;
    if (memoryBytes > MAX_TEMPLATE_BYTES || slots > MAX_SLOTS || this.all.length === MAX_TEMPLATES) return undefined;
    const template = new RowTemplate(this.all.length, bytes, parts);
    this.all.push(template);
    this.#byHash.set(hash, [...sameHash, template]);
    this.memoryBytes = memoryBytes;
    this.maxSlots = Math.max(this.maxSlots, slots);
    return template;
  }
}

/** The number of bytes of a row outside of its slots. */
function literalBytes({ start, end, starts, ends }: TemplateParts): number {
  return starts.reduce((bytes, from, slot) => bytes + from - (ends[slot] as number), end - start);
}
