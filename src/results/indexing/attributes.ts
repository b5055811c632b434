import { attributeFields, type FieldType } from '../../rest/contract/response-fields.ts';
import type { Scanner } from '../../scanner/scanner.ts';
import type { AttributeName } from '../asset-entries.ts';
import { clearSign, isNumeric, kindOfNumber, NumberKind } from './number.ts';

type Type = FieldType | 'rows';

/** The attributes of an asset and its rows, each with its name on the wire and its type. */
const wireAttributes: readonly (readonly [name: string, wireName: string, type: Type])[] = [
  ...Object.entries(attributeFields).map(([name, [wireName, type]]) => [name, wireName, type] as const),
  ['results', 'results', 'rows'],
];

/** The attributes of an asset, numbered. The last number is that of its rows. */
export const ATTRIBUTE = Object.fromEntries(wireAttributes.map(([name], number) => [name, number])) as Readonly<
  Record<AttributeName | 'results', number>
>;

/** Their bits stand below those for wrong types in an asset's record (asset-table.ts). */
const MAX_ATTRIBUTES = 14;
if (ATTRIBUTE.results > MAX_ATTRIBUTES) throw new Error(`An asset has more than ${MAX_ATTRIBUTES} attributes.`);

const encoder = new TextEncoder();
/** Their names on the wire as bytes, for the scanner. */
export const attributeNames: readonly Uint8Array[] = wireAttributes.map(([, wireName]) => encoder.encode(wireName));

/** Whether each of them is a list of strings. */
export const areStrings: readonly boolean[] = wireAttributes.map(([, , type]) => type === 'texts');

/** Up to this length, every integer fits into an int64. */
const SAFE_DIGITS = 18;
const int64 = /^-?\d{1,19}$/;
const MAX_INT64_LENGTH = 20;
/** An integer as GraphQL writes it. */
const plainInteger = /^(?:0|-?[1-9]\d*)$/;

/** The attributes of the asset that is read. One object is reused for all assets. */
export class AttributeReader {
  readonly starts: Int32Array = new Int32Array(wireAttributes.length);
  readonly ends: Int32Array = new Int32Array(wireAttributes.length);
  /** Bits: the attributes that are neither null nor absent, and those of them that have a wrong type. */
  present = 0;
  wrong = 0;
  /** Whether the bytes of each attribute are its JSON in the GraphQL response, apart from the quotes around an int64. */
  arePlain = true;

  /** Begins a new asset. */
  clear(): void {
    this.present = 0;
    this.wrong = 0;
    this.arePlain = true;
  }

  /**
   * Sets an attribute. If a member is repeated, the last one wins.
   *
   * @param strings what it has, if it is a list of strings
   */
  set(bytes: Buffer, attribute: number, start: number, end: number, strings: StringsKind): void {
    const bit = 1 << attribute;
    this.present &= ~bit;
    this.wrong &= ~bit;
    if (bytes[start] === 0x6e) return;
    this.present |= bit;
    this.starts[attribute] = start;
    this.ends[attribute] = end;
    const [, , type] = wireAttributes[attribute] as (typeof wireAttributes)[number];
    if (type === 'texts' ? strings === StringsKind.other : !isOfType(type, bytes, start, end)) this.wrong |= bit;
    if ((this.wrong & bit) !== 0 || !isPlain(type, bytes, start, end, strings)) this.arePlain = false;
  }

  /** Whether the asset has an id. Assets without one are omitted. */
  get hasId(): boolean {
    return (this.present & ~this.wrong & (1 << ATTRIBUTE.assetId)) !== 0;
  }
}

/** What a list has: only strings, strings and nulls, or other values. It is `other` as well if it is no list. */
export const StringsKind = { other: 0, withNulls: 1, strings: 2 } as const;
export type StringsKind = (typeof StringsKind)[keyof typeof StringsKind];

/** Skips a list. */
export function skipStrings(scanner: Scanner): StringsKind {
  let kind: StringsKind = StringsKind.strings;
  scanner.at += 1;
  if (scanner.isEmpty(0x5d)) return kind;
  do {
    kind = withElement(kind, scanner.next());
    scanner.skipValue();
  } while (scanner.more(0x5d));
  return kind;
}

/** The kind of a list with one more element, which starts with this byte. */
export function withElement(kind: StringsKind, byte: number): StringsKind {
  if (byte === 0x22) return kind;
  return byte === 0x6e && kind !== StringsKind.other ? StringsKind.withNulls : StringsKind.other;
}

/** Whether the bytes of an attribute of the right type can be copied. */
function isPlain(type: Type, bytes: Buffer, start: number, end: number, strings: StringsKind): boolean {
  if (type === 'texts') return strings === StringsKind.strings;
  if (type === 'int32') return plainInteger.test(bytes.toString('latin1', start, end));
  // `-0` is 0 as an int64.
  return type !== 'int64' || bytes[start] !== 0x2d || bytes[start + 1] !== 0x30;
}

function isOfType(type: Exclude<Type, 'texts'>, bytes: Buffer, start: number, end: number): boolean {
  const byte = bytes[start] as number;
  if (type === 'text') return byte === 0x22;
  if (type === 'rows') return byte === 0x5b;
  if (!isNumeric(byte)) return false;
  if (type === 'double') return isDouble(bytes, start, end);
  return type === 'int32' ? isInt32(bytes, start, end) : isInt64(bytes, start, end);
}

function isDouble(bytes: Buffer, start: number, end: number): boolean {
  const kind = kindOfNumber(bytes, start, end);
  if (kind === NumberKind.negativeZero) clearSign(bytes, start);
  return kind !== NumberKind.infinite;
}

function isInt64(bytes: Buffer, start: number, end: number): boolean {
  if (end - start > MAX_INT64_LENGTH) return false;
  const text = bytes.toString('latin1', start, end);
  if (!int64.test(text)) return false;
  return text.length <= SAFE_DIGITS || BigInt.asIntN(64, BigInt(text)) === BigInt(text);
}

/** As an Int of GraphQL, `1e2` is a number like 100. */
function isInt32(bytes: Buffer, start: number, end: number): boolean {
  const value = Number(bytes.toString('latin1', start, end));
  return (value | 0) === value;
}
