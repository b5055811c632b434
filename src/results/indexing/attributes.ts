import { clearSign, isNumeric, kindOfNumber, NumberKind } from './number.ts';
import type { Scanner } from './scanner.ts';

/** The members of an asset (REST specification, section 2.5), by their names here. */
export const ATTRIBUTE = {
  id: 0,
  name: 1,
  version: 2,
  categories: 3,
  latitude: 4,
  longitude: 5,
  surfaceAreaM2: 6,
  parentId: 7,
  parentName: 8,
  parentVersion: 9,
  results: 10,
} as const;

type Type = 'text' | 'texts' | 'double' | 'int64' | 'rows';

/** The same members as the wire names them, each with its type. */
const wireAttributes: readonly (readonly [name: string, type: Type])[] = [
  ['asset_id', 'text'],
  ['asset_name', 'text'],
  ['asset_version', 'int64'],
  ['asset_categories', 'texts'],
  ['asset_centroid_latitude', 'double'],
  ['asset_centroid_longitude', 'double'],
  ['asset_surface_area_m2', 'double'],
  ['parent_asset_id', 'text'],
  ['parent_asset_name', 'text'],
  ['parent_asset_version', 'int64'],
  ['results', 'rows'],
];

const encoder = new TextEncoder();
/** The names of an asset's members on the wire, for a scanner to tell apart. */
export const attributeNames: readonly Uint8Array[] = wireAttributes.map(([name]) => encoder.encode(name));

/** So many digits are an int64 whatever they are. */
const SAFE_DIGITS = 18;
const int64 = /^-?\d{1,19}$/;
const MAX_INT64_LENGTH = 20;

/** The attributes of one asset while it is read: one object serves for all assets. */
export class AttributeReader {
  readonly starts: Int32Array = new Int32Array(wireAttributes.length);
  readonly ends: Int32Array = new Int32Array(wireAttributes.length);
  /** A bit for each attribute that is neither null nor absent; and for each of these that has a wrong type. */
  present = 0;
  wrong = 0;

  /** Begins a new asset. */
  clear(): void {
    this.present = 0;
    this.wrong = 0;
  }

  /**
   * Notes the value of an attribute: in place of what it had, since of a repeated member the last one counts.
   *
   * @param areTexts whether it is a list of nothing but texts and nulls
   */
  note(bytes: Buffer, attribute: number, start: number, end: number, areTexts: boolean): void {
    const bit = 1 << attribute;
    this.present &= ~bit;
    this.wrong &= ~bit;
    if (bytes[start] === 0x6e) return;
    this.present |= bit;
    this.starts[attribute] = start;
    this.ends[attribute] = end;
    const [, type] = wireAttributes[attribute] as (typeof wireAttributes)[number];
    if (type === 'texts' ? !areTexts : !isOfType(type, bytes, start, end)) this.wrong |= bit;
  }

  /** Whether there is an id, of which assets without one are left out. */
  get hasId(): boolean {
    return (this.present & ~this.wrong & (1 << ATTRIBUTE.id)) !== 0;
  }
}

/** Goes over a list that the scanner is at; whether it holds nothing but texts and nulls. */
export function skipTexts(scanner: Scanner): boolean {
  let areTexts = true;
  scanner.at += 1;
  if (scanner.isEmpty(0x5d)) return true;
  do {
    areTexts = isTextOrNull(scanner.next()) && areTexts;
    scanner.skipValue();
  } while (scanner.more(0x5d));
  return areTexts;
}

/** Whether a value that starts with this byte is a text, or null. */
export function isTextOrNull(byte: number): boolean {
  return byte === 0x22 || byte === 0x6e;
}

function isOfType(type: Exclude<Type, 'texts'>, bytes: Buffer, start: number, end: number): boolean {
  const byte = bytes[start] as number;
  if (type === 'text') return byte === 0x22;
  if (type === 'rows') return byte === 0x5b;
  if (!isNumeric(byte)) return false;
  return type === 'double' ? isDouble(bytes, start, end) : isInt64(bytes, start, end);
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
