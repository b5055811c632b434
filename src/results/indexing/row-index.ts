import { PooledBuffer } from '../../core/buffer-pool.ts';
import { notJson, type Scanner } from '../../scanner/scanner.ts';
import { PAUSE, type Steps } from '../../scanner/steps.ts';
import { Bailout } from '../bailout.ts';
import { clearSign } from './number.ts';
import { RowReader } from './row-reader.ts';
import { Match, type RowTemplate } from './row-template.ts';
import { RowTemplates } from './row-templates.ts';

/** The indexed rows of one asset. */
export interface Rows {
  readonly index: RowIndex;
  /** The first offset entry of the first row. */
  readonly firstOffsetEntry: number;
  readonly count: number;
  /** The templates of the rows, in the order of their first appearance. */
  readonly templates: ReadonlySet<RowTemplate>;
}

/** The bytes of the rows of one asset in a response: a JSON array with its brackets. */
export interface RowsSlice {
  readonly body: PooledBuffer;
  readonly start: number;
  readonly end: number;
  /** The slices of further entries of the asset, whose rows follow. What is below is of all of them. */
  readonly others?: readonly RowsSlice[];
  readonly length: number;
  /** The number of rows: of entries that are objects. */
  readonly count: number;
  /** The number of bytes of the longest row. */
  readonly longestRow: number;
  /** The indexed rows, or why they have to be decoded. */
  readonly rows: Rows | Bailout;
}

/** How many templates a row is compared with before it is read name by name. */
const TRIED_TEMPLATES = 4;

/** Enough for a small response. */
const MIN_OFFSET_ENTRIES = 1024;
/** How many offset entries are copied between two pauses. */
const COPIED_OFFSET_ENTRIES = 1 << 18;

/** The offset entries of a row before those of its slots: its template and its first byte. */
const ROW_OFFSET_ENTRIES = 2;

/** About the most bytes of rows that are added at once. */
const RUN_BYTES = 1 << 13;

const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;
const QUOTE = 0x22;

/**
 * The offsets of the values in all rows of a response, as integers. The offset entries of a row are the index of its
 * template (its bits inverted if the row has the text of a non-finite number), its first byte, and the end of each of its slots
 * (the byte after it). For example, these two rows start at the bytes 53 and 112:
 *
 *     {"value_date":"2024","metrics":[{"name":"x","value":1.5}]}
 *     {"value_date":"2025","metrics":[{"name":"x","value":20}]}
 *
 * Their entries are `0, 53, 73, 108` and `0, 112, 132, 166`. Both have the template 0 with two slots. In the first row
 * `"2024"` ends at byte 73 and `1.5` at byte 108. A slot starts where the slot before it ends, plus the length of the
 * literal between them: `1.5` starts at 73 + 32 = 105. row-template.ts shows the template.
 */
export class RowIndex {
  bytes: Buffer;
  /** The same bytes, for reading words. */
  view: DataView;
  entries: Int32Array = new Int32Array(MIN_OFFSET_ENTRIES);
  /** The memory of the offset entries, once they are many; its owner releases it. */
  memory: PooledBuffer | undefined;
  /** The number of offset entries in use. Setting it lower removes the last rows. */
  length = 0;
  /** The template of the last row that was added. */
  last: RowTemplate | undefined;
  /** Why the last row was not added. Undefined if it was added. */
  bailout: Bailout | undefined;
  /** Whether metrics of the last row are omitted. */
  omitted = false;
  /** The number of bytes of the longest row that `addRun` added. */
  longestInRun = 0;
  /** The most offset entries of a row so far. */
  #maxOffsetEntries = ROW_OFFSET_ENTRIES;
  /** Whether the row that was read has the text of a non-finite number. */
  #hasTexts = false;
  /** The first bytes of the negative zeros in the row that is read, perhaps repeated. Their signs are cleared when it is added. */
  readonly #negativeZeros: number[] = [];
  readonly #reader = new RowReader(this.#negativeZeros);
  readonly #templates = new RowTemplates();
  readonly #allTemplates: readonly RowTemplate[] = this.#templates.all;

  /** @param scanner of the response; the rows are read with it */
  constructor({ whole, view }: Scanner) {
    this.bytes = whole;
    this.view = view;
  }

  /** Takes over the bytes of the scanner, which were extended. */
  extend({ whole, view }: Scanner): void {
    this.bytes = whole;
    this.view = view;
  }

  /**
   * Reads the row at the scanner, from its brace on, and adds it unless there is a bailout.
   *
   * @returns false, with the scanner where it was, if the capacity is too small: call `grow`, and then `add` again
   */
  add(scanner: Scanner): boolean {
    const start = scanner.at;
    if (!this.#hasCapacity()) return false;
    if (this.#negativeZeros.length > 0) this.#negativeZeros.length = 0;
    const template = this.#match(scanner) ?? this.#read(scanner);
    if (template === undefined) return true;
    if (!this.#hasCapacity()) {
      scanner.at = start;
      return false;
    }
    this.bailout = undefined;
    this.omitted = template.omitted;
    this.#enter(template, start);
    if (this.last !== undefined && this.last !== template) this.last.next = template;
    this.last = template;
    return true;
  }

  /**
   * Adds the rows behind the last one that have its template, without white space between them, up to about `RUN_BYTES`. This is
   * the way of nearly all rows. The scanner stays before the comma of the next row.
   *
   * @returns the number of these rows
   */
  addRun(scanner: Scanner): number {
    const { last: template } = this;
    this.longestInRun = 0;
    if (template === undefined || template.next !== template) return 0;
    const { bytes } = scanner;
    const end = scanner.at + RUN_BYTES;
    let count = 0;
    let { at } = scanner;
    try {
      while (at < end && bytes[at] === COMMA && bytes[at + 1] === OPEN_OBJECT && this.#hasCapacity()) {
        scanner.at = at + 1;
        if (!this.#matches(template, scanner)) break;
        this.#enter(template, at + 1);
        this.longestInRun = Math.max(this.longestInRun, scanner.at - at - 1);
        at = scanner.at;
        count += 1;
      }
    } catch (error) {
      // `add` says where the row ends.
      if (error !== notJson) throw error;
    }
    scanner.at = at;
    return count;
  }

  /**
   * Grows the capacity for more rows. Yields the bytes of memory that it needs, and pauses while it copies.
   *
   * @param readPart how much of the response was read, from 0 to 1; it estimates the whole need from the need so far
   */
  *grow(readPart: number): Steps<void> {
    const needed = this.length + this.#maxOffsetEntries;
    const likely = Math.ceil((needed / readPart) * 1.05) + MIN_OFFSET_ENTRIES;
    const length = Math.max(needed, Math.min(likely, this.entries.length * 2));
    yield (length - this.entries.length) * Int32Array.BYTES_PER_ELEMENT;
    const before = this.memory;
    this.memory = PooledBuffer.acquire(length * Int32Array.BYTES_PER_ELEMENT);
    const { buffer, byteOffset, byteLength } = this.memory.bytes;
    const larger = new Int32Array(buffer, byteOffset, byteLength / Int32Array.BYTES_PER_ELEMENT);
    for (let from = 0; from < this.length; from += COPIED_OFFSET_ENTRIES) {
      larger.set(this.entries.subarray(from, Math.min(from + COPIED_OFFSET_ENTRIES, this.length)), from);
      if (from > 0) yield PAUSE;
    }
    this.entries = larger;
    before?.free();
  }

  /** Removes all rows, and returns their memory. */
  clear(): void {
    this.memory?.release();
    this.memory = undefined;
    this.entries = new Int32Array(MIN_OFFSET_ENTRIES);
    this.length = 0;
  }

  /** About the bytes of memory that it takes. */
  get memoryBytes(): number {
    return this.entries.buffer.byteLength + this.#templates.memoryBytes;
  }

  /** The template of the row whose first offset entry is given. */
  templateAt(entry: number): RowTemplate {
    const index = this.entries[entry] as number;
    return this.#allTemplates[index < 0 ? ~index : index] as RowTemplate;
  }

  /** Whether any number of the row whose first offset entry is given is the text of a non-finite one. */
  hasTexts(entry: number): boolean {
    return (this.entries[entry] as number) < 0;
  }

  /** Whether a number of this row is such a text. */
  isText(entry: number, template: RowTemplate, slot: number): boolean {
    return this.bytes[this.startOf(entry, template, slot)] === QUOTE;
  }

  /** The first byte of a slot of this row. */
  startOf(entry: number, template: RowTemplate, slot: number): number {
    return (this.entries[entry + ROW_OFFSET_ENTRIES + slot - 1] as number) + (template.lengths[slot] as number);
  }

  /** The end of a slot of this row. */
  endOf(entry: number, slot: number): number {
    return this.entries[entry + ROW_OFFSET_ENTRIES + slot] as number;
  }

  /** The end of this row, if it has slots. */
  rowEnd(entry: number, { kinds, lengths }: RowTemplate): number {
    return this.endOf(entry, kinds.length - 1) + (lengths[kinds.length] as number);
  }

  /** The first offset entry of the next row. */
  nextOffsetEntry(entry: number, template: RowTemplate): number {
    return entry + ROW_OFFSET_ENTRIES + template.kinds.length;
  }

  /** Adds a row that was read, with the ends of its slots. */
  #enter(template: RowTemplate, start: number): void {
    if (this.#negativeZeros.length > 0) this.#clearSigns();
    this.entries[this.length] = this.#hasTexts ? ~template.index : template.index;
    this.entries[this.length + 1] = start;
    this.length += ROW_OFFSET_ENTRIES + template.kinds.length;
  }

  #hasCapacity(): boolean {
    return this.entries.length - this.length >= this.#maxOffsetEntries;
  }

  #match(scanner: Scanner): RowTemplate | undefined {
    const likely = this.last?.next;
    if (likely === undefined) return undefined;
    if (this.#matches(likely, scanner)) return likely;
    const templates = this.#allTemplates;
    for (let index = 0; index < templates.length && index < TRIED_TEMPLATES; index += 1) {
      const template = templates[index] as RowTemplate;
      if (template !== likely && this.#matches(template, scanner)) return template;
    }
    return undefined;
  }

  #matches(template: RowTemplate, scanner: Scanner): boolean {
    const match = template.match(scanner, this.entries, this.length + ROW_OFFSET_ENTRIES, this.#negativeZeros);
    this.#hasTexts = match === Match.texts;
    return match !== Match.none;
  }

  /** Reads a row name by name. */
  #read(scanner: Scanner): RowTemplate | undefined {
    const reader = this.#reader;
    reader.read(scanner);
    this.omitted = reader.omitted;
    this.#hasTexts = reader.hasTexts;
    const template = reader.bailout === undefined ? this.#templates.of(this.bytes, reader) : undefined;
    this.bailout = reader.bailout ?? Bailout.manyTemplates;
    this.#maxOffsetEntries = ROW_OFFSET_ENTRIES + this.#templates.maxSlots;
    if (template !== undefined && this.#hasCapacity()) this.entries.set(reader.ends, this.length + ROW_OFFSET_ENTRIES);
    return template;
  }

  #clearSigns(): void {
    for (const start of this.#negativeZeros) clearSign(this.bytes, start);
    this.#negativeZeros.length = 0;
  }
}

/** The distinct names of the metrics of rows, in the order of their first appearance. */
export function namesIn({ templates }: Pick<Rows, 'templates'>): string[] {
  const names = new Set<string>();
  for (const { metrics } of templates) {
    for (const { name } of metrics ?? []) if (name !== null) names.add(name);
  }
  return [...names];
}
