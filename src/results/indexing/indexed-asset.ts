import { attributeFields, type FieldType } from '../../rest/contract/response-fields.ts';
import { type AssetResult, type WireField, wrongType } from '../../rest/contract/wire.ts';
import type { AssetEntry, AttributeName, AttributeOutput, PlainAttributes } from '../asset-entries.ts';
import { ATTRIBUTE } from './attributes.ts';
import type { RowsSlice } from './row-index.ts';

/** The attributes of the assets of a response, by record. */
export interface AssetAttributes {
  /** Whether an attribute has another type than specified. */
  hasWrongType(record: number, attribute: number): boolean;
  /** An attribute as JSON. Null if it is null, absent, or has another type. */
  json(record: number, attribute: number): string | null;
  /** Adds the bytes of each attribute. */
  addAttributeBytes(record: number, sums: Int32Array): void;
  /** Whether any attribute of any asset is long. */
  readonly hasLongAttributes: boolean;
  /** Whether the bytes of each attribute are its JSON in the GraphQL response, apart from the quotes around an int64. */
  arePlain(record: number): boolean;
  /** Whether an attribute is present and has its type. */
  has(record: number, attribute: number): boolean;
  /** Copies the bytes of an attribute that is present. */
  copy(record: number, attribute: number, out: AttributeOutput): void;
}

const decoders: Readonly<Record<FieldType, (json: string) => unknown>> = {
  text: decodeString,
  texts: (json) => JSON.parse(json).filter((text: string | null) => text !== null),
  double: Number,
  int32: Number,
  int64: BigInt,
};

/** A class whose objects have the attributes as properties: getters, one for each field of the table. */
const WithAttributes = class {} as new () => Omit<AssetResult, 'assetId'>;

/** An asset of a response. An attribute is decoded when it is read. */
export class IndexedAsset extends WithAttributes implements AssetEntry, PlainAttributes {
  readonly assetId: string;
  readonly slice: RowsSlice | null;
  readonly #table: AssetAttributes;
  /** The first offset entry of its record in the table. */
  readonly #record: number;

  constructor(assetId: string, slice: RowsSlice | null, table: AssetAttributes, record: number) {
    super();
    this.assetId = assetId;
    this.slice = slice;
    this.#table = table;
    this.#record = record;
  }

  get attributeBytes(): number {
    const bytes = new Int32Array(ATTRIBUTE.results);
    this.addAttributeBytes(bytes);
    return bytes.reduce((sum, each) => sum + each, 0);
  }

  addAttributeBytes(sums: Int32Array): void {
    this.#table.addAttributeBytes(this.#record, sums);
  }

  get mayBeLong(): boolean {
    return this.#table.hasLongAttributes;
  }

  get plain(): PlainAttributes | undefined {
    return this.#table.arePlain(this.#record) ? this : undefined;
  }

  has(attribute: AttributeName): boolean {
    return this.#table.has(this.#record, ATTRIBUTE[attribute]);
  }

  copy(attribute: AttributeName, out: AttributeOutput): void {
    this.#table.copy(this.#record, ATTRIBUTE[attribute], out);
  }

  static {
    for (const [name, [, type]] of Object.entries(attributeFields)) {
      if (name === 'assetId') continue;
      const [attribute, decode] = [ATTRIBUTE[name as AttributeName], decoders[type]];
      const get = function (this: IndexedAsset) {
        return this.#value<unknown>(attribute, decode);
      };
      Object.defineProperty(IndexedAsset.prototype, name, { get });
    }
  }

  get rowsError(): Error | undefined {
    return this.#table.hasWrongType(this.#record, ATTRIBUTE.results) ? wrongType : undefined;
  }

  #value<T>(attribute: number, decode: (json: string) => T): WireField<T> {
    if (this.#table.hasWrongType(this.#record, attribute)) return wrongType;
    const json = this.#table.json(this.#record, attribute);
    return json === null ? null : decode(json);
  }
}

/** Decodes a JSON string. */
export function decodeString(json: string): string {
  return json.includes('\\') ? JSON.parse(json) : json.slice(1, -1);
}
