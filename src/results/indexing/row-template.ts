import { digits, unescaped } from '../../scanner/characters.ts';
import type { Scanner } from '../../scanner/scanner.ts';
import { SEED } from './id-hash.ts';
import { kindOfNumber, NumberKind, nonFiniteEnd, SHORT_MANTISSA } from './number.ts';

/**
 * The kind of a slot: a string or null, a number, the text of a non-finite one or null, a value that is never written, or an
 * entry that is omitted.
 */
export const SlotKind = { string: 0, number: 1, other: 2, omitted: 3 } as const;
export type SlotKind = (typeof SlotKind)[keyof typeof SlotKind];

/** Whether a row has a template, and then whether any of its numbers is the text of a non-finite one. */
export const Match = { none: 0, numbers: 1, texts: 2 } as const;
export type Match = (typeof Match)[keyof typeof Match];

/** A metric of the rows of one template. */
export interface TemplateMetric {
  /** Null if it is null or absent. */
  readonly name: string | null;
  /** The name as JSON, as received. */
  readonly nameJson: Buffer;
  /** The slot of the value. Undefined if it is absent. */
  readonly value: number | undefined;
}

/** The parts of a row: its slots, and which of them hold the date and the values. */
export interface TemplateParts {
  /** The first byte of the row, and its end (exclusive). */
  readonly start: number;
  readonly end: number;
  /** The kind, the first byte and the end of each slot, in the order of the bytes. */
  readonly kinds: readonly SlotKind[];
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** The slot of the date. Undefined if it is absent. */
  readonly date: number | undefined;
  /** The names as JSON, and the slots of the values (undefined if absent). Null if the list is null or absent. */
  readonly metrics: readonly { readonly name: string; readonly value: number | undefined }[] | null;
  /** Whether metrics are omitted. */
  readonly omitted: boolean;
}

/** The first bytes of an entry that is omitted: of values that are neither objects nor null. */
const startsOmitted = new Uint8Array(256).fill(1, 0x30, 0x3a);
for (const byte of '"[-tf') startsOmitted[byte.charCodeAt(0)] = 1;

/**
 * Bytes of a template, also as doubles of eight bytes for a faster comparison. That is exact: doubles with different bits are
 * equal only if both are zero, which JSON without raw control characters never is. And a NaN equals nothing: the row is then read
 * name by name.
 */
interface Literal {
  readonly bytes: Buffer;
  readonly doubles: Float64Array;
  /** The last eight bytes, if there are so many. They may overlap the others. */
  readonly last: number | undefined;
}

/**
 * The bytes that rows have in common: the literals around the slots. For example, the row
 *
 *     {"value_date":"2024","metrics":[{"name":"x","value":1.5}]}
 *
 * has the slots 0 (`"2024"`, a string) and 1 (`1.5`, a number), and these literals with 14, 32 and 3 bytes:
 *
 *     {"value_date":   ,"metrics":[{"name":"x","value":   }]}
 *
 * Nearly all rows of a service have one template. So a row is usually read by comparing the literals, and a row serializer
 * is compiled once for each template (row-serializer.ts).
 */
export class RowTemplate {
  /** Its index among the templates of the response. */
  readonly index: number;
  /** The literal before each slot, and the one after the last slot. */
  readonly literals: readonly Literal[];
  /** The number of bytes of each literal. */
  readonly lengths: Int32Array;
  /** The number of bytes of all literals. */
  readonly literalBytes: number;
  readonly kinds: readonly SlotKind[];
  readonly date: number | undefined;
  readonly metrics: readonly TemplateMetric[] | null;
  /** The number of bytes of the names of the metrics, as JSON. */
  readonly nameBytes: number;
  /** The metrics by name. If a name is repeated, the first metric wins. */
  readonly metricsByName: ReadonlyMap<string, TemplateMetric>;
  /** Whether metrics of each row are omitted. */
  readonly omitted: boolean;
  /** The template of the row that last followed a row of this template. */
  next: RowTemplate = this;

  constructor(index: number, bytes: Buffer, parts: TemplateParts) {
    this.index = index;
    this.kinds = [...parts.kinds];
    this.literals = literalRanges(parts).map(([from, to]) => literal(bytes.subarray(from, to)));
    this.lengths = new Int32Array(this.literals.map(({ bytes: { length } }) => length));
    this.literalBytes = this.lengths.reduce((sum, length) => sum + length, 0);
    this.date = parts.date;
    this.omitted = parts.omitted;
    this.metrics = parts.metrics?.map(toTemplateMetric) ?? null;
    this.nameBytes = this.metrics?.reduce((sum, { nameJson }) => sum + nameJson.length, 0) ?? 0;
    this.metricsByName = metricsByName(this.metrics);
  }

  /** Whether a row with these parts has this template. */
  equals(bytes: Buffer, parts: TemplateParts): boolean {
    if (parts.kinds.length !== this.kinds.length) return false;
    if (!this.kinds.every((kind, slot) => kind === parts.kinds[slot])) return false;
    return literalRanges(parts).every(([from, to], part) => {
      const expected = (this.literals[part] as Literal).bytes;
      return expected.length === to - from && expected.compare(bytes, from, to) === 0;
    });
  }

  /**
   * Reads the row at the scanner if it has this template.
   *
   * @param entries gets the end of each slot, from index `entry` on
   * @param negativeZeros gets the first byte of each negative zero, also of a row that has another template in the end
   * @returns whether the row has this template; if not, the scanner stays where it is
   */
  match(scanner: Scanner, entries: Int32Array, entry: number, negativeZeros: number[]): Match {
    const { literals, kinds } = this;
    const { bytes, view } = scanner;
    const start = scanner.at;
    let at = start;
    let match: Match = Match.numbers;
    for (let slot = 0; ; slot += 1) {
      at = literalEnd(bytes, view, at, literals[slot] as Literal);
      if (at < 0 || slot === kinds.length) break;
      const kind = kinds[slot];
      if (kind === SlotKind.number) {
        const end = numberEnd(bytes, view, at, negativeZeros);
        if (end < 0) match = Match.texts;
        at = end < 0 ? nonFiniteEnd(bytes, at) : end;
      } else if (kind === SlotKind.string) at = stringEnd(bytes, at);
      else if (kind === SlotKind.omitted && startsOmitted[bytes[at] as number] !== 1) at = -1;
      else {
        scanner.at = at;
        scanner.skipValue();
        at = scanner.at;
      }
      if (at < 0) break;
      entries[entry + slot] = at;
    }
    scanner.at = at < 0 ? start : at;
    return at < 0 ? Match.none : match;
  }
}

/** The first metric of each name. */
function metricsByName(metrics: readonly TemplateMetric[] | null): ReadonlyMap<string, TemplateMetric> {
  const named = metrics?.flatMap((metric) => (metric.name === null ? [] : [[metric.name, metric] as const]));
  return new Map(named?.reverse());
}

/** A hash of the template of a row. */
export function templateHash(bytes: Buffer, { start, end, kinds, starts, ends }: TemplateParts): number {
  let hash = SEED;
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
  const doubles = new Float64Array(bytes.length >> 3);
  for (let index = 0; index < doubles.length; index += 1) doubles[index] = bytes.readDoubleLE(index * 8);
  return { bytes, doubles, last: doubles.length === 0 ? undefined : bytes.readDoubleLE(bytes.length - 8) };
}

function toTemplateMetric({ name, value }: { name: string; value: number | undefined }): TemplateMetric {
  return { name: JSON.parse(name), nameJson: Buffer.from(name), value };
}

/** The end of a literal that starts here. -1 if the bytes differ. */
function literalEnd(bytes: Buffer, view: DataView, start: number, { bytes: expected, doubles, last }: Literal): number {
  const end = start + expected.length;
  if (end > bytes.length) return -1;
  let at = start;
  for (let index = 0; index < doubles.length; index += 1) {
    if (view.getFloat64(at, true) !== doubles[index]) return -1;
    at += 8;
  }
  if (last !== undefined) return at === end || view.getFloat64(end - 8, true) === last ? end : -1;
  for (; at < end; at += 1) {
    if (bytes[at] !== expected[at - start]) return -1;
  }
  return end;
}

/** The end of a string without escapes, or of null. -1 for anything else. */
function stringEnd(bytes: Buffer, start: number): number {
  if (bytes[start] !== 0x22) return nullEnd(bytes, start);
  let at = start + 1;
  while (unescaped[bytes[at] as number] === 1) at += 1;
  return bytes[at] === 0x22 ? at + 1 : -1;
}

/** The end of a finite number, or of null. -1 for anything else. */
function numberEnd(bytes: Buffer, view: DataView, start: number, negativeZeros: number[]): number {
  let at = bytes[start] === 0x2d ? start + 1 : start;
  const first = bytes[at] as number;
  if (digits[first] !== 1) return nullEnd(bytes, start);
  at = first === 0x30 ? at + 1 : digitsEnd(bytes, at);
  if (bytes[at] === 0x2e) {
    const fraction = at + 1;
    at = fractionEnd(bytes, view, fraction);
    if (at === fraction) return -1;
  }
  const mantissaEnd = at;
  if (bytes[at] === 0x65 || bytes[at] === 0x45) {
    at += 1;
    if (bytes[at] === 0x2b || bytes[at] === 0x2d) at += 1;
    const exponent = at;
    at = digitsEnd(bytes, exponent);
    if (at === exponent) return -1;
  }
  const isUsual = at === mantissaEnd && at - start <= SHORT_MANTISSA && (first !== 0x30 || bytes[start] !== 0x2d);
  if (isUsual) return at;
  const kind = kindOfNumber(bytes, start, at);
  if (kind === NumberKind.infinite) return -1;
  if (kind === NumberKind.negativeZero) negativeZeros.push(start);
  return at;
}

/** The same as `digitsEnd`, for many digits: four of them at a time. */
function fractionEnd(bytes: Buffer, view: DataView, start: number): number {
  let at = start;
  for (const last = bytes.length - 4; at <= last; at += 4) {
    // A digit is a byte from 0 to 9 in the word. The sum sets the highest bit of each other byte.
    const word = view.getInt32(at, true) ^ 0x30303030;
    const others = (((word & 0x7f7f7f7f) + 0x76767676) | word) & 0x80808080;
    if (others !== 0) return at + ((31 - Math.clz32(others & -others)) >> 3);
  }
  return digitsEnd(bytes, at);
}

function digitsEnd(bytes: Buffer, start: number): number {
  let at = start;
  while (digits[bytes[at] as number] === 1) at += 1;
  return at;
}

function nullEnd(bytes: Buffer, at: number): number {
  const isNull = bytes[at] === 0x6e && bytes[at + 1] === 0x75 && bytes[at + 2] === 0x6c && bytes[at + 3] === 0x6c;
  return isNull ? at + 4 : -1;
}
