import { type AssetResult, decodeRows } from '../rest/wire.ts';
import type { RowsSlice } from './row-index.ts';
import { isExotic, type Scanner } from './scanner.ts';

/** Goes over a value that starts at the scanner's place; whether it has the type that is meant. */
type Take = (scanner: Scanner) => boolean;

/** The attributes of an asset as the wire names them (REST specification, section 2.5), each with its type. */
const wireAttributes: readonly (readonly [name: string, take: Take])[] = [
  ['asset_id', takeText],
  ['asset_name', takeText],
  ['asset_version', takeInt64],
  ['asset_categories', takeTexts],
  ['asset_centroid_latitude', takeDouble],
  ['asset_centroid_longitude', takeDouble],
  ['asset_surface_area_m2', takeDouble],
  ['parent_asset_id', takeText],
  ['parent_asset_name', takeText],
  ['parent_asset_version', takeInt64],
];

const encoder = new TextEncoder();
/** The names of the attributes on the wire, for a scanner to tell apart. */
export const attributeNames: readonly Uint8Array[] = wireAttributes.map(([name]) => encoder.encode(name));

/** Which of them is the id. */
export const ID = 0;
/** The place of an attribute that is null or absent. */
export const NONE = -1;
/** So many digits are an int64 whatever they are. */
const SAFE_DIGITS = 18;
const int64 = /^-?\d{1,19}$/;

/** No attribute: of each there will be noted its first byte, and the one behind its last. */
export function noAttributes(): number[] {
  return new Array(2 * wireAttributes.length).fill(NONE);
}

/**
 * Goes over the value of an attribute, which the scanner is at, and notes its place.
 *
 * @param attribute as an index of `attributeNames`
 * @returns whether the value has its type, or is null
 */
export function takeAttribute(scanner: Scanner, attribute: number, places: number[]): boolean {
  const start = scanner.at;
  if (scanner.bytes[start] === 0x6e) {
    scanner.null();
    return true;
  }
  const [, take] = wireAttributes[attribute] as (typeof wireAttributes)[number];
  const isSound = take(scanner);
  places[2 * attribute] = start;
  places[2 * attribute + 1] = scanner.at;
  return isSound;
}

/** An asset whose attributes are decoded when they are read, from their places in the answer's bytes. */
export class IndexedAsset implements AssetResult {
  readonly assetId: string;
  /** Where its rows stand; null without rows. */
  readonly slice: RowsSlice | null;
  /** Its attributes are of their types. */
  readonly isSound = true;
  readonly #bytes: Buffer;
  readonly #places: readonly number[];
  #results: AssetResult['results'];

  /** @param places of attributes that have their types */
  constructor(bytes: Buffer, places: readonly number[], slice: RowsSlice | null) {
    this.#bytes = bytes;
    this.#places = places;
    this.slice = slice;
    this.assetId = this.#text(ID) ?? '';
  }

  get name(): string | null {
    return this.#text(1);
  }

  get version(): bigint | null {
    return this.#int64(2);
  }

  get categories(): string[] | null {
    const json = this.#json(3);
    return json === null ? null : JSON.parse(json).filter((category: string | null) => category !== null);
  }

  get latitude(): number | null {
    return this.#double(4);
  }

  get longitude(): number | null {
    return this.#double(5);
  }

  get surfaceAreaM2(): number | null {
    return this.#double(6);
  }

  get parentId(): string | null {
    return this.#text(7);
  }

  get parentName(): string | null {
    return this.#text(8);
  }

  get parentVersion(): bigint | null {
    return this.#int64(9);
  }

  /** The rows are decoded the plain way, when somebody wants them so. */
  get results(): AssetResult['results'] {
    if (this.slice === null) return null;
    this.#results ??= decodeSlice(this.slice);
    return this.#results;
  }

  #json(attribute: number): string | null {
    const start = this.#places[2 * attribute] as number;
    return start === NONE ? null : this.#bytes.toString('utf8', start, this.#places[2 * attribute + 1]);
  }

  #text(attribute: number): string | null {
    const json = this.#json(attribute);
    if (json === null) return null;
    return json.includes('\\') ? JSON.parse(json) : json.slice(1, -1);
  }

  #double(attribute: number): number | null {
    const json = this.#json(attribute);
    return json === null ? null : Number(json);
  }

  #int64(attribute: number): bigint | null {
    const json = this.#json(attribute);
    return json === null ? null : BigInt(json);
  }
}

/** The rows in a slice, decoded the plain way. */
export function decodeSlice({ bytes, start, end }: RowsSlice): AssetResult['results'] {
  return decodeRows(bytes.subarray(start, end));
}

function takeText(scanner: Scanner): boolean {
  const isText = scanner.bytes[scanner.at] === 0x22;
  scanner.skipValue();
  return isText;
}

function takeDouble(scanner: Scanner): boolean {
  const start = scanner.at;
  const isNumber = isNumeric(scanner.bytes[start] as number);
  scanner.skipValue();
  return isNumber && !isExotic(scanner.bytes, start, scanner.at);
}

function takeInt64(scanner: Scanner): boolean {
  const start = scanner.at;
  const isNumber = isNumeric(scanner.bytes[start] as number);
  scanner.skipValue();
  if (!isNumber) return false;
  const text = scanner.bytes.toString('latin1', start, scanner.at);
  if (!int64.test(text)) return false;
  return text.length <= SAFE_DIGITS || BigInt.asIntN(64, BigInt(text)) === BigInt(text);
}

/** Texts, and nulls among them. */
function takeTexts(scanner: Scanner): boolean {
  if (scanner.bytes[scanner.at] !== 0x5b) {
    scanner.skipValue();
    return false;
  }
  let areTexts = true;
  scanner.at += 1;
  if (scanner.isEmpty(0x5d)) return true;
  do {
    const byte = scanner.next();
    areTexts &&= byte === 0x22 || byte === 0x6e;
    scanner.skipValue();
  } while (scanner.more(0x5d));
  return areTexts;
}

function isNumeric(byte: number): boolean {
  return byte === 0x2d || (byte >= 0x30 && byte <= 0x39);
}
