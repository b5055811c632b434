import { numberEnd, stringEnd } from './number.ts';
import { needsBytes, type Scanner } from './scanner.ts';

const noWords = new Float64Array(0);
const noNumbers = new Int32Array(0);

/** What stands in a slot: a string or null, a number or null, or a value that nobody needs. */
export const TEXT = 0;
export const NUMBER = 1;
export const OTHER = 2;

/** The most bytes of what writers keep for all templates. */
const MAX_KEPT_BYTES = 1 << 22;

export interface TemplateMetric {
  /** Null if it is null or absent. */
  readonly name: string | null;
  readonly nameJson: string;
  /** The slot of the value; -1 if it is absent. */
  readonly slot: number;
}

/** Where the parts of a row are. */
export interface RowParts {
  readonly start: number;
  readonly end: number;
  readonly kinds: readonly number[];
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** The slot of the date; -1 if it is absent. */
  readonly date: number;
  /** The names as JSON. Null if the list is null or absent. */
  readonly metrics: readonly { readonly name: string; readonly slot: number }[] | null;
}

/**
 * What rows have in common: the literals around the slots. The row
 *
 *     {"value_date":"2024","metrics":[{"name":"x","value":1.5}]}
 *
 * has the slots `"2024"` and `1.5`, and the literals `{"value_date":`, `,"metrics":[{"name":"x","value":` and `}]}`. Nearly all
 * rows of a response have one template, so nearly all are read by comparing eight bytes at a time.
 */
export class Template {
  readonly kinds: Uint8Array;
  /** The number of bytes of each literal: one before each slot, and one behind the last. */
  readonly lengths: Int32Array;
  readonly literals: readonly Buffer[];
  readonly date: number;
  readonly metrics: readonly TemplateMetric[] | null;
  /** The template of the row that last followed a row of this one. */
  next: Template = this;
  /** The bytes of all literals. */
  readonly literalBytes: number;
  /** How rows of it are written, by the shape of what is selected: what writers keep. */
  readonly #plans = new Map<string, unknown>();
  readonly #kept: { bytes: number };
  /** The words of all literals, where they are within their literal, and the first word of each literal. */
  #words = noWords;
  #offsets = noNumbers;
  #firstWord = noNumbers;
  /** The first metric of each name. */
  #firsts: ReadonlyMap<string | null, number> | undefined;

  /**
   * @param literals without them it is of one row alone
   * @param kept the bytes of what writers keep, for all templates
   */
  constructor(parts: RowParts, literals: readonly Buffer[] = [], kept: { bytes: number } = { bytes: 0 }) {
    this.#kept = kept;
    this.kinds = new Uint8Array(parts.kinds);
    this.literals = literals;
    this.lengths = lengthsOf(parts);
    this.literalBytes = this.lengths.reduce((sum, length) => sum + length, 0);
    this.date = parts.date;
    this.metrics = parts.metrics?.map(({ name, slot }) => ({ name: textOf(name), nameJson: name, slot })) ?? null;
  }

  /** Prepares for `match`, which templates of one row do not need. */
  prepare(): void {
    const { literals } = this;
    let count = 0;
    for (const { length } of literals) if (length >= 8) count += Math.ceil(length / 8);
    this.#words = new Float64Array(count);
    this.#offsets = new Int32Array(count);
    this.#firstWord = new Int32Array(literals.length + 1);
    let word = 0;
    for (const [index, part] of literals.entries()) {
      this.#firstWord[index] = word;
      // The last word of a literal overlaps the one before it. A literal of less than a word is compared byte by byte.
      for (let at = 0; part.length >= 8 && at < part.length; at += 8, word += 1) {
        const offset = Math.min(at, part.length - 8);
        this.#words[word] = part.readDoubleLE(offset);
        this.#offsets[word] = offset;
      }
    }
    this.#firstWord[literals.length] = word;
  }

  /** Whether it is of one row alone: nobody keeps anything for it. */
  get isOfOneRow(): boolean {
    return this.#firstWord.length === 0;
  }

  /** What a writer has kept for a shape of what is selected. */
  planOf(shape: string): unknown {
    return this.#plans.get(shape);
  }

  /** Keeps it, unless all templates together have too much. @param bytes about those that it takes */
  keepPlan(shape: string, plan: unknown, bytes: number): void {
    if (this.#kept.bytes + bytes > MAX_KEPT_BYTES) return;
    this.#kept.bytes += bytes;
    this.#plans.set(shape, plan);
  }

  /** The slot of the first metric with this name; -1 if there is none. */
  slotOf(name: string): number {
    return this.metrics?.find((metric) => metric.name === name)?.slot ?? -1;
  }

  /** Whether a metric has a name, and is the first one with it. */
  isFirst(metric: number): boolean {
    this.#firsts ??= new Map((this.metrics ?? []).map(({ name }, index) => [name, index] as const).toReversed());
    const name = this.metrics?.[metric]?.name ?? null;
    return name !== null && this.#firsts.get(name) === metric;
  }

  /**
   * Reads the row at the scanner if it has this template.
   *
   * @param ends gets the end of each slot, from `index` on
   * @returns whether it has; if not, the scanner stays
   */
  match(scanner: Scanner, ends: Int32Array, index: number): boolean {
    const { bytes, view, end } = scanner;
    const { kinds, lengths } = this;
    const words = this.#words;
    const offsets = this.#offsets;
    const firstWord = this.#firstWord;
    const slots = kinds.length;
    if (this.isOfOneRow) return false;
    let { at } = scanner;
    for (let slot = 0; ; slot += 1) {
      const length = lengths[slot] as number;
      if (length < 8) {
        const expected = this.literals[slot] as Buffer;
        for (let offset = 0; offset < length; offset += 1) if (bytes[at + offset] !== expected[offset]) return false;
      } else {
        if (at + length > end) return false;
        const to = firstWord[slot + 1] as number;
        // Doubles of valid UTF-8 are no NaN, and those without control characters are not 0: equal ones have the same bytes.
        for (let word = firstWord[slot] as number; word < to; word += 1)
          if (view.getFloat64(at + (offsets[word] as number), true) !== words[word]) return false;
      }
      at += length;
      if (slot === slots) break;
      const kind = kinds[slot];
      if (kind === NUMBER) at = numberEnd(bytes, view, at);
      else if (kind === TEXT) at = stringEnd(bytes, view, at);
      else at = otherEnd(scanner, at);
      if (at < 0) return false;
      ends[index + slot] = at;
    }
    scanner.at = at;
    return true;
  }
}

/** The end of any value. -1 if it is not there yet. */
function otherEnd(scanner: Scanner, at: number): number {
  const before = scanner.at;
  scanner.at = at;
  try {
    scanner.skip();
    return scanner.at;
  } catch (error) {
    if (error !== needsBytes) throw error;
    return -1;
  } finally {
    scanner.at = before;
  }
}

/** That of a row that is too large to be read. It has nothing. */
export const LOST: Template = new Template({
  start: 0,
  end: 0,
  kinds: [],
  starts: [],
  ends: [],
  date: -1,
  metrics: null,
});

/** The text of a name. */
function textOf(json: string): string | null {
  if (json === 'null') return null;
  return json.includes('\\') ? JSON.parse(json) : json.slice(1, -1);
}

/** The number of bytes before each slot, and behind the last one. */
function lengthsOf({ start, end, starts, ends }: RowParts): Int32Array {
  const slots = starts.length;
  const lengths = new Int32Array(slots + 1);
  let at = start;
  for (let slot = 0; slot < slots; slot += 1) {
    lengths[slot] = (starts[slot] as number) - at;
    at = ends[slot] as number;
  }
  lengths[slots] = end - at;
  return lengths;
}

/** The bytes around the slots. */
function literalsOf(bytes: Buffer, { start, end, starts, ends }: RowParts): Buffer[] {
  const copy = Buffer.from(bytes.subarray(start, end));
  return [...starts, end].map((to, slot) => copy.subarray((ends[slot - 1] ?? start) - start, to - start));
}

/** What tells templates apart. */
function keyOf(literals: readonly Buffer[], { kinds }: RowParts): string {
  let key = '';
  for (let slot = 0; slot < literals.length; slot += 1)
    key += `${(literals[slot] as Buffer).toString('latin1')}\0${kinds[slot]}`;
  return key;
}

/**
 * How many templates are kept, of how many bytes of rows, how many slots they may have, and how many are compared before a row is read
 * name by name.
 */
const MAX_TEMPLATES = 1024;
const MAX_BYTES = 1 << 22;
const MAX_SLOTS = 1024;
const TRIED = 4;
/** Once so many in turn were not known, and no more are kept, only some rows are compared with those that are. */
const MAX_UNKNOWN = 64;
const COMPARED = 16;

/** The templates of a response. */
export class Templates {
  #byKey = new Map<string, Template>();
  readonly #tried: Template[] = [];
  readonly #kept = { bytes: 0 };
  #last: Template | undefined;
  #bytes = 0;
  /** How many in turn were not known. */
  #unknown = 0;

  /** The template of the row at the scanner, which it reads; undefined if none is known. `ends` is as in `match`. */
  match(scanner: Scanner, ends: Int32Array, index: number): Template | undefined {
    const likely = this.#last?.next;
    if (likely === undefined) return undefined;
    if (likely.match(scanner, ends, index)) return this.#found(likely);
    for (const template of this.#tried)
      if (template !== likely && template.match(scanner, ends, index)) return this.#found(template);
    return undefined;
  }

  /** The template of a row that was read name by name. Of too many templates or too long ones it is made for this row alone. */
  of(bytes: Buffer, parts: RowParts): Template {
    const isFull = this.#byKey.size === MAX_TEMPLATES || this.#bytes > MAX_BYTES;
    const isUnknown = isFull && this.#unknown > MAX_UNKNOWN && this.#unknown % COMPARED > 0;
    this.#unknown += 1;
    if (isUnknown || parts.kinds.length > MAX_SLOTS) return new Template(parts);
    const literals = literalsOf(bytes, parts);
    const key = keyOf(literals, parts);
    const known = this.#byKey.get(key);
    if (known !== undefined) return this.#found(known);
    if (isFull) return new Template(parts);
    const template = new Template(parts, literals, this.#kept);
    this.#bytes += parts.end - parts.start;
    template.prepare();
    this.#byKey.set(key, template);
    if (this.#tried.length < TRIED) this.#tried.push(template);
    return this.#found(template);
  }

  /** Forgets all of them. The map goes, too: one that is cleared again and again keeps in the heap what it has held. */
  clear(): void {
    if (this.#byKey.size > 0) this.#byKey = new Map();
    this.#tried.length = 0;
    this.#last = undefined;
    this.#kept.bytes = 0;
    this.#bytes = 0;
    this.#unknown = 0;
  }

  #found(template: Template): Template {
    this.#unknown = 0;
    if (this.#last !== undefined) this.#last.next = template;
    this.#last = template;
    return template;
  }
}
