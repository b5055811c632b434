/**
 * A REST body, parsed (REST specification, sections 2.1 and 2.4 to 2.7). Numbers keep their text, because an int64 has more digits
 * than a double. Of a repeated member the last one counts.
 */

/** A number of JSON, as received. */
export class NumberText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** An object of JSON. A map, because a member may have any name. */
export class JsonObject extends Map<string, JsonValue> {
  /** The members that stand in it more than once. */
  repeated: Set<string> | undefined;
}
export type JsonValue = null | boolean | string | NumberText | readonly JsonValue[] | JsonObject;

const numbers = /[-+.\dEe]+/y;

/** More levels than any known field has. */
const MAX_LEVELS = 100;

/** Parses JSON. A byte order mark is skipped; what is nested deeper than any known field is null. @throws SyntaxError */
export function parseJson(received: string): JsonValue {
  const text = received.startsWith('\ufeff') ? received.slice(1) : received;
  // It checks the text. What follows reads a text that is valid.
  JSON.parse(text);
  let at = 0;
  let levels = 0;

  const skipSpace = () => {
    while (text.charCodeAt(at) <= 0x20) at += 1;
  };

  const readString = (): string => {
    const start = at;
    let hasEscapes = false;
    for (at += 1; text[at] !== '"'; at += 1) {
      if (text[at] !== '\\') continue;
      hasEscapes = true;
      at += 1;
    }
    at += 1;
    return hasEscapes ? JSON.parse(text.slice(start, at)) : text.slice(start + 1, at - 1);
  };

  /** Reads what is between brackets, entry by entry. */
  const readEntries = (close: string, read: () => void) => {
    levels += 1;
    at += 1;
    skipSpace();
    while (text[at] !== close) {
      read();
      skipSpace();
      if (text[at] === ',') at += 1;
      skipSpace();
    }
    at += 1;
    levels -= 1;
  };

  /** Passes over a list or an object. */
  const skip = () => {
    let open = 0;
    do {
      const char = text[at];
      if (char === '"') readString();
      else {
        if (char === '[' || char === '{') open += 1;
        if (char === ']' || char === '}') open -= 1;
        at += 1;
      }
    } while (open > 0);
    return null;
  };

  const readValue = (): JsonValue => {
    skipSpace();
    const first = text[at];
    if (first === '"') return readString();
    if (levels === MAX_LEVELS && (first === '[' || first === '{')) return skip();
    if (first === '[') {
      const list: JsonValue[] = [];
      readEntries(']', () => list.push(readValue()));
      return list;
    }
    if (first === '{') {
      const object = new JsonObject();
      readEntries('}', () => {
        const name = readString();
        skipSpace();
        at += 1;
        if (object.has(name)) object.repeated = new Set(object.repeated).add(name);
        object.set(name, readValue());
      });
      return object;
    }
    if (first === 't' || first === 'f' || first === 'n') {
      const word = first === 't' ? 'true' : first === 'f' ? 'false' : 'null';
      at += word.length;
      return first === 'n' ? null : first === 't';
    }
    numbers.lastIndex = at;
    const [number = ''] = numbers.exec(text) ?? [];
    at += number.length;
    return new NumberText(number);
  };

  return readValue();
}

/** Stands for a value of the wrong type. */
export const WRONG = Symbol('a value of the wrong type');

/** A field of a body: null if it is null or absent. */
export type Field<T> = T | null | typeof WRONG;

type Read<T> = (value: JsonValue) => T | typeof WRONG;

export function field<T>(object: JsonObject, name: string, read: Read<T>): Field<T> {
  const value = object.get(name) ?? null;
  return value === null ? null : read(value);
}

export const text: Read<string> = (value) => (typeof value === 'string' ? value : WRONG);

/** A double: any finite number. Both zeros are 0. */
export const double: Read<number> = (value) => {
  const number = value instanceof NumberText ? Number(value.text) : Number.NaN;
  return Number.isFinite(number) ? number + 0 : WRONG;
};

const integer = /^-?\d{1,19}$/;

/** An integer of 64 bits: digits, without a fraction and an exponent. */
export const int64: Read<bigint> = (value) => {
  if (!(value instanceof NumberText && integer.test(value.text))) return WRONG;
  const number = BigInt(value.text);
  return BigInt.asIntN(64, number) === number ? number : WRONG;
};

/** An integer of 32 bits, however it is written. */
export const int32: Read<number> = (value) => {
  const number = value instanceof NumberText ? Number(value.text) : Number.NaN;
  return (number | 0) === number ? number + 0 : WRONG;
};

/** A list of texts, without its nulls. */
export const texts: Read<string[]> = (value) => {
  if (!Array.isArray(value)) return WRONG;
  const kept = value.filter((entry) => entry !== null);
  return kept.every((entry) => typeof entry === 'string') ? kept : WRONG;
};

/** Whether something was omitted while a body was read. */
interface Omissions {
  omitted: boolean;
}

/**
 * A list of objects. Nulls in it are passed over. An entry that is no object, or that `convert` makes undefined, is omitted: then the
 * response has an error.
 */
const objects =
  <T>(omissions: Omissions, convert: (entry: JsonObject) => T | undefined): Read<T[]> =>
  (value) => {
    if (!Array.isArray(value)) return WRONG;
    const kept: T[] = [];
    for (const entry of value as readonly JsonValue[]) {
      if (entry === null) continue;
      const converted = entry instanceof JsonObject ? convert(entry) : undefined;
      if (converted === undefined) omissions.omitted = true;
      else kept.push(converted);
    }
    return kept;
  };

/** Metrics (section 2.7). */
export interface Metric {
  readonly name: Field<string>;
  readonly value: Field<number>;
  /** Whether the value is one of the texts NaN, Infinity and -Infinity: an error where it is shown, and missing where it counts. */
  readonly isNoNumber: boolean;
}

/** Result (section 2.6): a row. */
export interface Row {
  readonly date: Field<string>;
  readonly metrics: Field<readonly Metric[]>;
}

/** AssetResult (section 2.5): the entry of an asset. */
export interface Entry {
  readonly assetId: string;
  readonly name: Field<string>;
  readonly version: Field<bigint>;
  readonly categories: Field<readonly string[]>;
  readonly latitude: Field<number>;
  readonly longitude: Field<number>;
  readonly surfaceAreaM2: Field<number>;
  readonly parentId: Field<string>;
  readonly parentName: Field<string>;
  readonly parentVersion: Field<bigint>;
  readonly results: Field<readonly Row[]>;
  /** Whether its id, its name, its version or its rows are repeated. */
  readonly isRepeated: boolean;
}

/** ProcessingResultTimeSeries (section 2.4). */
export interface Results {
  readonly processingId: Field<string>;
  readonly sourceId: Field<string>;
  readonly assets: Field<readonly Entry[]>;
  /** Whether list entries were omitted: assets without an id, and entries that are not objects; and whether some of rows and metrics were. */
  readonly omitted: boolean;
  readonly omittedInRows: boolean;
  /** Whether the list of assets is repeated. */
  readonly repeatsAssets: boolean;
  /** Whether rows stand in the body that do not count: before other rows of the same entry, or in an entry without an id. */
  readonly hasLostRows: boolean;
}

const noNumber = /^(?:nan|-?infinity)$/i;

function metricOf(metric: JsonObject): Metric {
  const value = metric.get('value');
  const isNoNumber = typeof value === 'string' && noNumber.test(value);
  return { name: field(metric, 'name', text), value: field(metric, 'value', double), isNoNumber };
}

/** The body as an object that has a member of the contract, or no member at all. Undefined for any other body. */
function objectOf(body: string, members: readonly string[]): JsonObject | undefined {
  let value: JsonValue;
  try {
    value = parseJson(body);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  if (!(value instanceof JsonObject)) return undefined;
  return value.size === 0 || members.some((member) => value.has(member)) ? value : undefined;
}

/** The body that was read last: most are asked for several times. */
let last: { readonly body: string; readonly results: Results | undefined } | undefined;

/** Reads the body of results. Undefined if it is none. */
export function readResults(body: string): Results | undefined {
  if (last?.body !== body) last = { body, results: resultsIn(body) };
  return last.results;
}

function resultsIn(body: string): Results | undefined {
  const object = objectOf(body, ['assets', 'processing_id', 'source_id']);
  if (object === undefined) return undefined;
  const omissions = { omitted: false };
  const inRows = { omitted: false };
  const rowOf = (row: JsonObject): Row => ({
    date: field(row, 'value_date', text),
    metrics: field(row, 'metrics', objects(inRows, metricOf)),
  });
  let hasLostRows = false;
  const entryOf = (entry: JsonObject): Entry | undefined => {
    const assetId = field(entry, 'asset_id', text);
    const isLost = typeof assetId !== 'string' && entry.has('results');
    if (isLost || ['asset_id', 'results'].some((name) => entry.repeated?.has(name))) hasLostRows = true;
    if (typeof assetId !== 'string') return undefined;
    return {
      assetId,
      name: field(entry, 'asset_name', text),
      version: field(entry, 'asset_version', int64),
      categories: field(entry, 'asset_categories', texts),
      latitude: field(entry, 'asset_centroid_latitude', double),
      longitude: field(entry, 'asset_centroid_longitude', double),
      surfaceAreaM2: field(entry, 'asset_surface_area_m2', double),
      parentId: field(entry, 'parent_asset_id', text),
      parentName: field(entry, 'parent_asset_name', text),
      parentVersion: field(entry, 'parent_asset_version', int64),
      results: field(entry, 'results', objects(inRows, rowOf)),
      isRepeated: ['asset_id', 'asset_name', 'asset_version', 'results'].some((name) => entry.repeated?.has(name)),
    };
  };
  const assets = field(object, 'assets', objects(omissions, entryOf));
  return {
    processingId: field(object, 'processing_id', text),
    sourceId: field(object, 'source_id', text),
    assets,
    omitted: omissions.omitted,
    omittedInRows: inRows.omitted,
    repeatsAssets: object.repeated?.has('assets') === true,
    hasLostRows,
  };
}

/**
 * Whether results have rows that do not count, which is known only when they were read. What is made of all rows of the body is null
 * with an error then (engine/test/canonical.test.ts), which the oracle does not say.
 */
export function hasLostRows(body: string): boolean {
  return readResults(body)?.hasLostRows === true;
}

const metadataMembers = [
  ...['asset_count', 'attributionFile', 'attributionText', 'description', 'id', 'name', 'processing_id'],
  ...['processing_name', 'sharedOption', 'source_id', 'source_name', 'start_date', 'stop_date'],
];

/** Reads the body of metadata, DatasetMetadata (section 2.1). Undefined if it is none. */
export function readMetadata(body: string): JsonObject | undefined {
  return objectOf(body, metadataMembers);
}
