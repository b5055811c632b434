import { Bytes, NULL } from './bytes.ts';
import { constantWriter } from './constant.ts';
import type { HeldEntries } from './entries.ts';
import type { ErrorKind, Errors } from './errors.ts';
import type { Selected } from './field.ts';
import type { Memory } from './memory.ts';
import { numberEnd } from './number.ts';
import { isDigit, Scanner } from './scanner.ts';

type Type = 'text' | 'texts' | 'double' | 'int32' | 'int64';

/** The attributes of an asset: their names here and in the body, their types, and the object and the field of it that each of them is. */
export const attributes = {
  assetId: ['asset_id', 'text', 'asset.assetId'],
  name: ['asset_name', 'text', 'asset.name'],
  version: ['asset_version', 'int64', 'asset.version'],
  categories: ['asset_categories', 'texts', 'asset.categories'],
  latitude: ['asset_centroid_latitude', 'double', 'centroid.latitude'],
  longitude: ['asset_centroid_longitude', 'double', 'centroid.longitude'],
  surfaceAreaM2: ['asset_surface_area_m2', 'double', 'asset.surfaceAreaM2'],
  parentId: ['parent_asset_id', 'text', 'parent.assetId'],
  parentName: ['parent_asset_name', 'text', 'parent.name'],
  parentVersion: ['parent_asset_version', 'int64', 'parent.version'],
} as const satisfies Record<string, readonly [string, Type, `${string}.${string}`]>;

type Name = keyof typeof attributes;
const names = Object.keys(attributes) as Name[];
const VERSION = names.indexOf('version');
const types: readonly Type[] = names.map((name) => attributes[name][1]);

/** The names of the members of an asset. The last one is that of its rows. */
export const memberNames: readonly Buffer[] = [...names.map((name) => attributes[name][0]), 'results'].map((name) =>
  Buffer.from(name),
);

/** Below this an attribute is null or absent, or null because of an error. */
const PRESENT = 0;
const ABSENT = -1;
const WRONG = -2;
const TOO_LARGE = -3;

/** The attributes of the asset that is read, as JSON. */
export class Attributes {
  /** The JSON of all, and where that of each is: in which of its pieces, and where there. */
  readonly #json: Bytes;
  readonly #memory: Memory;
  readonly #scanner = new Scanner();
  readonly #pieces: Pick<Bytes, 'buffer' | 'view'>[] = [];
  readonly #starts = new Int32Array(names.length);
  readonly #ends = new Int32Array(names.length);
  /** A bit for each attribute that is a text with an escape, that was read, and that was read again. */
  #escaped = 0;
  #read = 0;
  #readAgain = 0;
  /** Once it was decoded. */
  #assetId: string | undefined;

  constructor(memory: Memory) {
    this.#json = new Bytes(memory, 1024, false);
    this.#memory = memory;
  }

  /** The bytes of memory that it has. */
  get capacity(): number {
    return this.#json.capacity;
  }

  release(): void {
    this.#json.release();
  }

  begin(): void {
    this.#json.rewind(0);
    this.#starts.fill(ABSENT);
    this.#escaped = 0;
    this.#read = 0;
    this.#readAgain = 0;
    this.#assetId = undefined;
  }

  /** Reads an attribute. If it is repeated, the last one counts. */
  read(scanner: Scanner, index: number): void {
    const json = this.#json;
    const start = scanner.at;
    scanner.skip();
    this.#note(index);
    if (scanner.escaped) this.#escaped |= 1 << index;
    const before = json.position;
    if (scanner.at - start > this.#memory.maxPart) this.#starts[index] = TOO_LARGE;
    else if (scanner.bytes[start] === 0x6e) this.#starts[index] = ABSENT;
    else {
      const isRight = writeJson(json, types[index] as Type, scanner, start);
      this.#starts[index] = isRight ? json.length - (json.position - before) : WRONG;
      this.#ends[index] = json.length;
      this.#pieces[index] = { buffer: json.buffer, view: json.view };
    }
  }

  /** Reads those of an entry that is held, which is known to be valid. @param rows where its list of rows is, from the first byte of the entry */
  readAll(entry: HeldEntries, rows: { readonly start: number; readonly end: number }): void {
    const scanner = this.#scanner;
    const { start, end } = entry;
    scanner.read(entry, end);
    scanner.at = start;
    this.begin();
    scanner.expect(0x7b);
    for (let close = scanner.next(); close !== 0x7d; close = scanner.next()) {
      if (close === 0x2c) scanner.at += 1;
      const name = scanner.name(memberNames);
      if (name >= 0 && name < names.length) this.read(scanner, name);
      else if (scanner.at - start === rows.start) scanner.at = start + rows.end;
      else scanner.skip();
    }
  }

  /** The attribute is too large to be read. */
  lose(index: number): void {
    this.#note(index);
    this.#starts[index] = TOO_LARGE;
  }

  #note(index: number): void {
    this.#readAgain |= this.#read & (1 << index);
    this.#read |= 1 << index;
    this.#escaped &= ~(1 << index);
    this.#assetId = undefined;
  }

  /** Writes an attribute. Returns its error, if it has one. */
  write(out: Bytes, index: number): ErrorKind | undefined {
    const start = this.#starts[index] as number;
    if (start >= PRESENT) {
      const { buffer, view } = this.#pieces[index] as Bytes;
      out.copy(buffer, view, start, this.#ends[index] as number);
    } else out.literal(NULL);
    return this.errorAt(index);
  }

  errorAt(index: number): ErrorKind | undefined {
    const start = this.#starts[index] as number;
    if (start === TOO_LARGE) return 'tooLarge';
    return start === WRONG ? 'wrongType' : undefined;
  }

  /** The error of the first of these that has one. */
  errorOf(indices: readonly number[]): ErrorKind | undefined {
    const failed = indices.find((index) => (this.#starts[index] as number) < ABSENT);
    return failed === undefined ? undefined : this.errorAt(failed);
  }

  /** The error of the first of the id, the name and the version that has one, or of those that are repeated. */
  get errorOfLeading(): ErrorKind | undefined {
    return (this.#readAgain & 0b111) > 0 ? 'wrongType' : this.errorOf([0, 1, 2]);
  }

  /** Whether it is null or absent. */
  isAbsent(index: number): boolean {
    return this.#starts[index] === ABSENT;
  }

  get assetId(): string {
    this.#assetId ??= this.text('assetId') as string;
    return this.#assetId;
  }

  /** The value of an attribute that is a text. Undefined if it has none. */
  text(name: Name): string | undefined {
    return this.#value(names.indexOf(name));
  }

  get version(): bigint | undefined {
    const version = this.#value(VERSION);
    return version === undefined ? undefined : BigInt(version);
  }

  /** The value of one of these: null if it has none, undefined if it was not read. */
  value(name: 'assetId' | 'name' | 'version'): string | bigint | null | undefined {
    if ((this.#read & (1 << names.indexOf(name))) === 0) return undefined;
    return (name === 'version' ? this.version : this.text(name)) ?? null;
  }

  /** The value of an attribute, by its index. Null if it has none. */
  decoded(index: number): unknown {
    const start = this.#starts[index] as number;
    if (start < PRESENT) return null;
    const type = types[index];
    if (type === 'text') return this.#value(index);
    if (type === 'int64') return BigInt(this.#value(index) as string);
    const { buffer } = this.#pieces[index] as Bytes;
    return JSON.parse(buffer.toString('utf8', start, this.#ends[index]));
  }

  #value(index: number): string | undefined {
    const start = this.#starts[index] as number;
    if (start < PRESENT) return undefined;
    const [{ buffer }, end] = [this.#pieces[index] as Bytes, this.#ends[index] as number];
    const isEscaped = (this.#escaped & (1 << index)) !== 0;
    return isEscaped ? JSON.parse(buffer.toString('utf8', start, end)) : buffer.toString('utf8', start + 1, end - 1);
  }

  /** Entries without an id do not count. */
  get hasId(): boolean {
    return (this.#starts[0] as number) >= PRESENT;
  }

  /** Whether the id was read, and is none. */
  get isWithoutId(): boolean {
    return (this.#read & 1) === 1 && !this.hasId;
  }
}

/** The values of the attributes of an asset, for a caller that needs them as values: null if they are null or absent. Integers of 64 bits are bigint. */
export interface AttributeValues {
  readonly values: Readonly<Record<Name, unknown>>;
  /** Why they are null. */
  readonly errors: Readonly<Partial<Record<Name, ErrorKind>>>;
  /** The bytes of the entry, without its rows. */
  readonly bytes: number;
}

/** Decodes attributes. @param bytes of their entry, without its rows */
export function valuesOf(read: Attributes, bytes: number): AttributeValues {
  const values: Partial<Record<Name, unknown>> = {};
  const errors: Partial<Record<Name, ErrorKind>> = {};
  for (const [index, name] of names.entries()) {
    values[name] = read.decoded(index);
    const kind = read.errorAt(index);
    if (kind !== undefined) errors[name] = kind;
  }
  return { values: values as AttributeValues['values'], errors, bytes };
}

/** Writes an attribute as GraphQL has it. Returns whether it has the type. */
function writeJson(out: Bytes, type: Type, { bytes, view, at }: Scanner, start: number): boolean {
  if (type === 'text' && bytes[start] !== 0x22) return false;
  if (type === 'int64' && isShortInteger(bytes, start, at)) {
    out.byte(0x22);
    out.copy(bytes, view, start, at);
    out.byte(0x22);
    return true;
  }
  const isCopied = type === 'text' || (type === 'double' && numberEnd(bytes, view, start) === at);
  const text = isCopied ? undefined : textOf(type, bytes.toString('utf8', start, at));
  if (isCopied) out.copy(bytes, view, start, at);
  else if (text !== undefined) out.text(text);
  return isCopied || text !== undefined;
}

/** Whether it has digits alone, and so few that it has no more than 64 bits. */
function isShortInteger(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (!isDigit(bytes[at] as number)) return false;
  return end - start <= 18;
}

/** The JSON of an attribute that cannot be copied. Undefined if it has a wrong type. */
function textOf(type: Type, json: string): string | undefined {
  if (type === 'int64') {
    const isInt64 = /^-?\d{1,19}$/.test(json) && (json.length < 19 || BigInt.asIntN(64, BigInt(json)) === BigInt(json));
    return isInt64 ? `"${json === '-0' ? '0' : json}"` : undefined;
  }
  const value: unknown = JSON.parse(json);
  if (type === 'double') return Object.is(value, -0) ? '0' : undefined;
  // An integer of 32 bits may have a fraction of zeros, or an exponent.
  if (type === 'int32') return (Number(value) | 0) === value ? String(Number(value) + 0) : undefined;
  const isList = Array.isArray(value) && value.every((item) => typeof item === 'string' || item === null);
  if (!isList) return undefined;
  return value.includes(null) ? JSON.stringify(value.filter((item) => item !== null)) : json;
}

/**
 * The objects of attributes, and whether they are null without one of these, or without all. If the value of one of them is null because of
 * an error, some objects are null: the error is that of the field that is selected, or of the object itself.
 */
const objects: Readonly<Record<string, AttributeObject>> = {
  asset: { of: fieldsOf('asset'), needs: [], without: 'all', failsAt: 'never' },
  centroid: { of: fieldsOf('centroid'), needs: namesOf('centroid'), without: 'one', failsAt: 'field' },
  parent: { of: fieldsOf('parent'), needs: namesOf('parent'), without: 'all', failsAt: 'never' },
  parentAsset: { of: { assetId: 'parentId' }, needs: ['parentId'], without: 'one', failsAt: 'object' },
};

interface AttributeObject {
  readonly of: Readonly<Record<string, Name>>;
  readonly needs: readonly Name[];
  readonly without: 'one' | 'all';
  readonly failsAt: 'field' | 'object' | 'never';
}

/** The names of the attributes of an object. */
function namesOf(object: string): Name[] {
  return names.filter((name) => attributes[name][2].startsWith(`${object}.`));
}

/** The same by the fields that they are. */
function fieldsOf(object: string): Record<string, Name> {
  return Object.fromEntries(namesOf(object).map((name) => [attributes[name][2].slice(object.length + 1), name]));
}

/** The id, the name and the version: what readers need of each entry. */
const LEADING = 0b111;

/** The attributes that are needed of entries, a bit for each: its index. */
export function attributesIn(select: readonly Selected[]): number {
  let bits = LEADING;
  for (const { field, select: parts } of select) {
    const object = objects[field];
    const chosen = [...(object?.needs ?? []), ...parts.flatMap((part) => object?.of[part.field] ?? [])];
    for (const name of chosen) bits |= 1 << names.indexOf(name);
    bits |= attributesIn(parts);
  }
  return bits;
}

export function isAttribute(field: string): boolean {
  return field === 'version' || field in objects;
}

type Write = (out: Bytes, of: Attributes, errors: Errors) => void;

/** Writes `version`, or an object: `asset { … }`. */
export class AttributeWriter {
  readonly write: Write;
  readonly #memory: Memory;
  readonly #context: unknown;

  constructor(selected: Selected, memory: Memory, context: unknown) {
    this.#memory = memory;
    this.#context = context;
    this.write = selected.field === 'version' ? this.#attribute(selected, 'version', []) : this.#object(selected, []);
  }

  #attribute({ args, origin }: Selected, name: Name, path: readonly string[]): Write {
    const index = names.indexOf(name);
    const textOf = args.text as ((value: string, context: unknown) => string) | undefined;
    const isId = name === 'assetId';
    return (out, of, errors) => {
      if (this.#memory.isSpent && !isId) {
        out.literal(NULL);
        errors.add(path, 'workExceeded', { origin });
        return;
      }
      const before = out.position;
      const value = textOf === undefined ? undefined : of.text(name);
      if (textOf !== undefined && value !== undefined) out.text(JSON.stringify(textOf(value, this.#context)));
      else {
        const kind = of.write(out, index);
        if (kind !== undefined) errors.add(path, kind, { origin });
      }
      this.#memory.add(out.position - before);
    };
  }

  #field(part: Selected, known: Readonly<Record<string, Name>>, path: readonly string[]): Write {
    if (part.field === 'constant') {
      const write = constantWriter(part, this.#context, path);
      return (out, _, errors) => write(out, errors);
    }
    const name = known[part.field];
    return name === undefined ? this.#object(part, path) : this.#attribute(part, name, path);
  }

  #object({ field, select, end, origin }: Selected, path: readonly string[]): Write {
    const { of: known, needs, without, failsAt } = objects[field] as AttributeObject;
    const needed = needs.map((name) => names.indexOf(name));
    const most = without === 'one' ? 0 : needed.length - 1;
    const writes = select.map((part) => ({
      prefix: part.prefix,
      write: this.#field(part, known, [...path, part.key]),
    }));
    return (out, of, errors) => {
      let absent = 0;
      for (const index of needed) if (of.isAbsent(index)) absent += 1;
      if (needed.length > 0 && absent > most) {
        out.literal(NULL);
        return;
      }
      const start = out.position;
      const before = errors.list.length;
      const kind = failsAt === 'object' ? of.errorOf(needed) : undefined;
      if (kind !== undefined) {
        out.literal(NULL);
        errors.add(path, kind, { origin });
        return;
      }
      for (const { prefix, write } of writes) {
        out.literal(prefix);
        write(out, of, errors);
        if (failsAt !== 'field' || errors.list.length === before) continue;
        out.rewind(start);
        out.literal(NULL);
        return;
      }
      out.literal(end);
    };
  }
}
