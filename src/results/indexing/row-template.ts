import { digits, kindOfNumber, NumberKind, SHORT_MANTISSA } from './number.ts';
import { plain, type Scanner } from './scanner.ts';

/**
 * What stands in a slot: a text or null, a number or null, a value that nobody asks for, or an entry that has to be left
 * out because it is no object.
 */
export const SlotKind = { text: 0, number: 1, other: 2, leftOut: 3 } as const;
export type SlotKind = (typeof SlotKind)[keyof typeof SlotKind];

/** A metric of rows of one template. */
export interface TemplateMetric {
  /** Null where it is null or absent. */
  readonly name: string | null;
  /** The name as it stands in the bytes. */
  readonly nameJson: Buffer;
  /** The slot of the value; undefined where it is absent. */
  readonly value: number | undefined;
}

/** A row taken apart: where its slots are, and which of them is what. */
export interface TemplateParts {
  /** The row's first byte, and the one behind its last. */
  readonly start: number;
  readonly end: number;
  /** Of each slot, in the order of the bytes, its kind, its first byte, and the one behind its last. */
  readonly kinds: readonly SlotKind[];
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** The slot of the date; undefined where it is absent. */
  readonly date: number | undefined;
  /** The names as JSON, and the slots of the values, undefined where absent; null where the list is null or absent. */
  readonly metrics: readonly { readonly name: string; readonly value: number | undefined }[] | null;
  /** Whether metrics have to be left out. */
  readonly omitted: boolean;
}

/** The first bytes of values that are neither objects nor null. */
const startsEntry = new Uint8Array(256).fill(1, 0x30, 0x3a);
for (const byte of '"[-tf') startsEntry[byte.charCodeAt(0)] = 1;

/** Where the negative zeros start that were met since this was emptied: the signs are theirs once their row is read. */
export const negativeZeros: number[] = [];

/** Bytes with their first part as words of four, which are compared faster. */
interface Literal {
  readonly bytes: Buffer;
  readonly words: Int32Array;
}

/**
 * What rows have in common that differ only in their date and in their numbers: the bytes around these slots. A service
 * writes nearly all rows in one template, so a row is mostly read by comparing these bytes; and how an answer is put
 * together from a row is worked out once for each template (row-serializer.ts).
 */
export class RowTemplate {
  /** Which of the answer's templates it is. */
  readonly index: number;
  /** What stands before each slot, and behind the last one. */
  readonly literals: readonly Literal[];
  /** The number of bytes of each. */
  readonly lengths: Int32Array;
  /** The number of bytes of all of them. */
  readonly literalBytes: number;
  readonly kinds: readonly SlotKind[];
  readonly date: number | undefined;
  readonly metrics: readonly TemplateMetric[] | null;
  /** Of each metric's name the metric; the first one where several have it. */
  readonly metricsByName: ReadonlyMap<string, TemplateMetric>;
  /** Whether metrics have to be left out of each row. */
  readonly omitted: boolean;
  /** The template of the row that last followed one of this template. */
  next: RowTemplate = this;

  constructor(index: number, bytes: Buffer, parts: TemplateParts) {
    this.index = index;
    this.kinds = [...parts.kinds];
    this.literals = literalRanges(parts).map(([from, to]) => literal(bytes.subarray(from, to)));
    this.lengths = Int32Array.from(this.literals, (part) => part.bytes.length);
    this.literalBytes = this.lengths.reduce((sum, length) => sum + length, 0);
    this.date = parts.date;
    this.omitted = parts.omitted;
    this.metrics = parts.metrics?.map(toTemplateMetric) ?? null;
    this.metricsByName = new Map(
      this.metrics?.flatMap((metric) => (metric.name === null ? [] : [[metric.name, metric] as const])).reverse(),
    );
  }

  /** Whether a row that was taken apart has this template. */
  equals(bytes: Buffer, parts: TemplateParts): boolean {
    if (parts.kinds.length !== this.kinds.length) return false;
    if (!this.kinds.every((kind, slot) => kind === parts.kinds[slot])) return false;
    return literalRanges(parts).every(([from, to], part) => {
      const expected = (this.literals[part] as Literal).bytes;
      return expected.length === to - from && expected.compare(bytes, from, to) === 0;
    });
  }

  /**
   * Reads a row of this template, which starts at the scanner's place.
   *
   * @param entries where to put the end of each slot, from `entry` on
   * @returns whether the row has this template; if not, the scanner stays where it is
   */
  match(scanner: Scanner, entries: Int32Array, entry: number): boolean {
    const { literals, kinds } = this;
    const { bytes, view } = scanner;
    const start = scanner.at;
    let at = start;
    for (let slot = 0; ; slot += 1) {
      at = behindLiteral(bytes, view, at, literals[slot] as Literal);
      if (at < 0 || slot === kinds.length) break;
      const kind = kinds[slot];
      if (kind === SlotKind.number) at = behindNumber(bytes, at);
      else if (kind === SlotKind.text) at = behindText(bytes, at);
      else if (kind === SlotKind.leftOut && startsEntry[bytes[at] as number] !== 1) at = -1;
      else {
        scanner.at = at;
        scanner.skipValue();
        at = scanner.at;
      }
      if (at < 0) break;
      entries[entry + slot] = at;
    }
    scanner.at = at < 0 ? start : at;
    return at >= 0;
  }
}

/** The same for rows of the same template, and hardly ever for others. */
export function templateHash(bytes: Buffer, { start, end, kinds, starts, ends }: TemplateParts): number {
  let hash = 0x811c9dc5;
  let at = start;
  for (let slot = 0; slot <= kinds.length; slot += 1) {
    const to = starts[slot] ?? end;
    for (; at < to; at += 1) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193);
    hash = Math.imul(hash ^ (0x100 + (kinds[slot] ?? 0)), 0x01000193);
    at = ends[slot] ?? end;
  }
  return hash;
}

function literalRanges({ start, end, starts, ends }: TemplateParts): [from: number, to: number][] {
  return [...starts, end].map((to, slot) => [ends[slot - 1] ?? start, to]);
}

function literal(part: Buffer): Literal {
  const bytes = Buffer.from(part);
  return { bytes, words: Int32Array.from({ length: bytes.length >> 2 }, (_, word) => bytes.readInt32LE(word * 4)) };
}

function toTemplateMetric({ name, value }: { name: string; value: number | undefined }): TemplateMetric {
  return { name: JSON.parse(name), nameJson: Buffer.from(name), value };
}

/** Where these bytes end, which start here; -1 if they are others. */
function behindLiteral(bytes: Buffer, view: DataView, start: number, { bytes: expected, words }: Literal): number {
  const end = start + expected.length;
  if (end > bytes.length) return -1;
  let at = start;
  for (let word = 0; word < words.length; word += 1) {
    if (view.getInt32(at, true) !== words[word]) return -1;
    at += 4;
  }
  for (; at < end; at += 1) {
    if (bytes[at] !== expected[at - start]) return -1;
  }
  return end;
}

/** Where a text without escapes, or null, ends that starts here; -1 if it is something else. */
function behindText(bytes: Buffer, start: number): number {
  if (bytes[start] !== 0x22) return behindNull(bytes, start);
  let at = start + 1;
  while (plain[bytes[at] as number] === 1) at += 1;
  return bytes[at] === 0x22 ? at + 1 : -1;
}

/** Where a finite number, or null, ends that starts here; -1 if it is something else. */
function behindNumber(bytes: Buffer, start: number): number {
  let at = bytes[start] === 0x2d ? start + 1 : start;
  const first = bytes[at] as number;
  if (digits[first] !== 1) return behindNull(bytes, start);
  at = first === 0x30 ? at + 1 : behindDigits(bytes, at);
  if (bytes[at] === 0x2e) {
    const fraction = at + 1;
    at = behindDigits(bytes, fraction);
    if (at === fraction) return -1;
  }
  const mantissaEnd = at;
  if (bytes[at] === 0x65 || bytes[at] === 0x45) {
    at += 1;
    if (bytes[at] === 0x2b || bytes[at] === 0x2d) at += 1;
    const exponent = at;
    at = behindDigits(bytes, exponent);
    if (at === exponent) return -1;
  }
  const isUsual = at === mantissaEnd && at - start <= SHORT_MANTISSA && (first !== 0x30 || bytes[start] !== 0x2d);
  if (isUsual) return at;
  const kind = kindOfNumber(bytes, start, at);
  if (kind === NumberKind.infinite) return -1;
  if (kind === NumberKind.negativeZero) negativeZeros.push(start);
  return at;
}

function behindDigits(bytes: Buffer, start: number): number {
  let at = start;
  while (digits[bytes[at] as number] === 1) at += 1;
  return at;
}

function behindNull(bytes: Buffer, at: number): number {
  const isNull = bytes[at] === 0x6e && bytes[at + 1] === 0x75 && bytes[at + 2] === 0x6c && bytes[at + 3] === 0x6c;
  return isNull ? at + 4 : -1;
}
