import { PooledBuffer } from '../../core/buffer-pool.ts';
import { Bailout } from '../bailout.ts';
import { PAUSE, type Steps } from '../steps.ts';
import { clearSign } from './number.ts';
import { RowReader } from './row-reader.ts';
import { negativeZeros, RowTemplate, templateHash } from './row-template.ts';
import type { Scanner } from './scanner.ts';

/** The rows of one asset among those of an answer. */
export interface Rows {
  readonly index: RowIndex;
  /** Where the first row stands in the index's cells. */
  readonly firstOffsetEntry: number;
  readonly count: number;
  /** The templates that the rows have, in the order of their first appearance. */
  readonly templates: ReadonlySet<RowTemplate>;
}

/** Where the rows of one asset stand in an answer's bytes: an array, from its bracket on. */
export interface RowsSlice {
  readonly body: PooledBuffer;
  readonly start: number;
  readonly end: number;
  /** How many rows are in it: entries that are objects. */
  readonly count: number;
  /** What is in it; or why the fast path cannot tell. */
  readonly rows: Rows | Bailout;
}

/** How many templates are kept, how many slots each may have, and about how many bytes all of them may take. */
const MAX_TEMPLATES = 1024;
const MAX_SLOTS = 8192;
const MAX_TEMPLATE_BYTES = 1 << 23;
/** What a slot takes besides the bytes before it. */
const SLOT_BYTES = 256;
/** How many templates are tried before a row is read name by name. */
const TRIED_TEMPLATES = 4;

/** Enough for a small answer. */
const MIN_OFFSET_ENTRIES = 1024;
/** So many cells are copied in one go. */
const COPIED_OFFSET_ENTRIES = 1 << 18;

/** The cells of a row before those for its slots: its template, and its first byte. */
const ROW_OFFSET_ENTRIES = 2;

/** A row is read and noted in one stretch, so that one reader serves for all. */
const reader = new RowReader();

/**
 * Where everything stands in the rows of an answer, so that they need not be read again: of each row its template, its
 * first byte and the end of each of its slots.
 */
export class RowIndex {
  readonly bytes: Buffer;
  /** The same bytes, to be read by words. */
  readonly view: DataView;
  readonly templates: RowTemplate[] = [];
  entries: Int32Array = new Int32Array(MIN_OFFSET_ENTRIES);
  /** The memory of the offset entries, once they are many; its owner releases it. */
  memory: PooledBuffer | undefined;
  /** The number of cells in use; a lower one forgets the rows behind it. */
  length = 0;
  /** The template of the row that was added last. */
  last: RowTemplate | undefined;
  /** Why the row read last was not added: the fast path cannot tell what is in it. Undefined where it was added. */
  bailout: Bailout | undefined;
  /** Whether metrics have to be left out of the row read last. */
  omitted = false;
  /** The cells of the longest row. */
  #maxOffsetEntries = ROW_OFFSET_ENTRIES;
  readonly #templatesByHash = new Map<number, RowTemplate[]>();
  #templateBytes = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  /**
   * Reads a row, which starts at the scanner's place with its brace, and adds it if it can.
   *
   * @returns false, with the scanner where it was, when there are too few cells; it will do when these have grown
   */
  add(scanner: Scanner): boolean {
    const start = scanner.at;
    if (!this.#hasRoom()) return false;
    if (negativeZeros.length > 0) negativeZeros.length = 0;
    const template = this.#match(scanner) ?? this.#read(scanner);
    if (template === undefined) return true;
    if (!this.#hasRoom()) {
      scanner.at = start;
      return false;
    }
    if (negativeZeros.length > 0) this.#clearSigns();
    this.bailout = undefined;
    this.omitted = template.omitted;
    this.entries[this.length] = template.index;
    this.entries[this.length + 1] = start;
    this.length += ROW_OFFSET_ENTRIES + template.kinds.length;
    if (this.last !== undefined && this.last !== template) this.last.next = template;
    this.last = template;
    return true;
  }

  /**
   * Makes room for more rows. Yields how many bytes that takes, and then now and then while it copies.
   *
   * @param at how far the answer has been read: what it has needed so far tells about what it will need
   */
  *grow(at: number): Steps<void> {
    const needed = this.length + this.#maxOffsetEntries;
    const likely = Math.ceil(needed * (this.bytes.length / at) * 1.05) + MIN_OFFSET_ENTRIES;
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

  /** The template of the row at a cell. */
  templateAt(entry: number): RowTemplate {
    return this.templates[this.entries[entry] as number] as RowTemplate;
  }

  /** The first byte of a slot of the row at a cell. */
  startOf(entry: number, template: RowTemplate, slot: number): number {
    return (this.entries[entry + ROW_OFFSET_ENTRIES + slot - 1] as number) + (template.lengths[slot] as number);
  }

  /** The byte behind a slot. */
  endOf(entry: number, slot: number): number {
    return this.entries[entry + ROW_OFFSET_ENTRIES + slot] as number;
  }

  /** The byte behind a row that has slots. */
  rowEnd(entry: number, { kinds, lengths }: RowTemplate): number {
    return this.endOf(entry, kinds.length - 1) + (lengths[kinds.length] as number);
  }

  /** The cell of the row that follows one of this template. */
  nextOffsetEntry(entry: number, template: RowTemplate): number {
    return entry + ROW_OFFSET_ENTRIES + template.kinds.length;
  }

  #hasRoom(): boolean {
    return this.entries.length - this.length >= this.#maxOffsetEntries;
  }

  #match(scanner: Scanner): RowTemplate | undefined {
    const likely = this.last?.next;
    if (likely === undefined) return undefined;
    if (this.#matches(likely, scanner)) return likely;
    const { templates } = this;
    for (let index = 0; index < templates.length && index < TRIED_TEMPLATES; index += 1) {
      const template = templates[index] as RowTemplate;
      if (template !== likely && this.#matches(template, scanner)) return template;
    }
    return undefined;
  }

  #matches(template: RowTemplate, scanner: Scanner): boolean {
    const isMatch = template.match(scanner, this.entries, this.length + ROW_OFFSET_ENTRIES);
    if (!isMatch && negativeZeros.length > 0) negativeZeros.length = 0;
    return isMatch;
  }

  /** Reads a row name by name. */
  #read(scanner: Scanner): RowTemplate | undefined {
    reader.read(scanner);
    this.omitted = reader.omitted;
    const template = reader.bailout === undefined ? this.#templateOfReader() : undefined;
    this.bailout = reader.bailout ?? Bailout.manyTemplates;
    if (template !== undefined && this.#hasRoom()) this.entries.set(reader.ends, this.length + ROW_OFFSET_ENTRIES);
    return template;
  }

  #templateOfReader(): RowTemplate | undefined {
    const hash = templateHash(this.bytes, reader);
    const alike = this.#templatesByHash.get(hash) ?? [];
    const known = alike.find((template) => template.equals(this.bytes, reader));
    if (known !== undefined) return known;
    const bytes = literalBytes(reader) + SLOT_BYTES * reader.kinds.length;
    const isTooMuch = this.#templateBytes + bytes > MAX_TEMPLATE_BYTES || reader.kinds.length > MAX_SLOTS;
    if (isTooMuch || this.templates.length === MAX_TEMPLATES) return undefined;
    const template = new RowTemplate(this.templates.length, this.bytes, reader);
    this.templates.push(template);
    this.#templatesByHash.set(hash, [...alike, template]);
    this.#templateBytes += bytes;
    this.#maxOffsetEntries = Math.max(this.#maxOffsetEntries, ROW_OFFSET_ENTRIES + template.kinds.length);
    return template;
  }

  #clearSigns(): void {
    for (const start of negativeZeros) clearSign(this.bytes, start);
    negativeZeros.length = 0;
  }
}

/** How many bytes of a row stand outside of its slots. */
function literalBytes({ start, end, starts, ends }: RowReader): number {
  return starts.reduce((bytes, from, slot) => bytes + from - (ends[slot] as number), end - start);
}

/** The distinct names of the metrics of rows, in the order of their first appearance. */
export function namesIn({ templates }: Rows): string[] {
  const names = new Set<string>();
  for (const { metrics } of templates) {
    for (const { name } of metrics ?? []) if (name !== null) names.add(name);
  }
  return [...names];
}
