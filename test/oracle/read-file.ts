import { zstdDecompressSync } from 'node:zlib';
import { tableFromIPC } from 'apache-arrow';
import { parquetMetadata, parquetRead } from 'hyparquet';
import { type JsonObject, NumberText, parseJson } from './body.ts';
import { dateOf } from './dates.ts';
import type { Cell, Table } from './files.ts';

/** Reads the bytes of files as tables, and compares them. */

export type Format = 'csv' | 'csv_spreadsheet' | 'ndjson' | 'parquet' | 'arrow';

/** A cell as a file has it: in a file of text, numbers are text. */
type Found = string | number | bigint | null;

interface FoundTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Found[])[];
  /** The types of its columns, by their names, if it has types. */
  readonly types?: ReadonlyMap<string, string>;
  readonly invalidValues?: string | undefined;
}

/** The records of CSV (RFC 4180): a field is null if it is empty, and without quotation marks. */
function csvRecords(text: string): (string | null)[][] {
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  const records: (string | null)[][] = [];
  let record: (string | null)[] = [];
  while (field.lastIndex < text.length) {
    const found = field.exec(text);
    if (found === null) throw new SyntaxError('This is no CSV.');
    const [, quoted, plain = '', end] = found;
    record.push(quoted === undefined ? plain || null : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    records.push(record);
    record = [];
  }
  return records;
}

function readCsv(text: string): FoundTable {
  const [header = [], ...rows] = csvRecords(text);
  return { columns: header.map((name) => name ?? ''), rows };
}

function readNdjson(text: string): FoundTable {
  const lines = text
    .split('\n')
    .slice(0, -1)
    .map((line) => parseJson(line) as JsonObject);
  const rows = lines.map((line) =>
    Array.from(line.values(), (value) => (value instanceof NumberText ? value.text : (value as string | null))),
  );
  return { columns: [...(lines[0]?.keys() ?? [])], rows };
}

interface ArrowData {
  readonly length: number;
  readonly values: ArrayLike<number | bigint>;
  readonly valueOffsets?: Int32Array;
  readonly dictionary?: { get(index: number): string };
  getValid(row: number): boolean;
}

/** The values of a column as they are stored. */
function arrowValues(data: ArrowData): Found[] {
  return Array.from({ length: data.length }, (_, row) => {
    if (!data.getValid(row)) return null;
    const { values, valueOffsets, dictionary } = data;
    if (dictionary !== undefined && dictionary !== null) return dictionary.get(Number(values[row]));
    if (valueOffsets === undefined) return values[row] as number | bigint;
    return Buffer.from((values as Uint8Array).subarray(valueOffsets[row], valueOffsets[row + 1])).toString();
  });
}

const arrowTypes: Readonly<Record<string, string>> = {
  'Date32<DAY>': 'date',
  'Timestamp<MILLISECOND, UTC>': 'timestamp[ms]',
  'Timestamp<MICROSECOND, UTC>': 'timestamp[us]',
  'Timestamp<NANOSECOND, UTC>': 'timestamp[ns]',
};

function readArrow(bytes: Buffer): FoundTable {
  const table = tableFromIPC(bytes);
  const { fields, metadata } = table.schema;
  const columns = fields.map((_, index) =>
    (table.getChildAt(index)?.data ?? []).flatMap((data) => arrowValues(data as unknown as ArrowData)),
  );
  return {
    columns: fields.map(({ name }) => name),
    rows: Array.from({ length: table.numRows }, (_, row) => columns.map((column) => column[row] as Found)),
    types: new Map(fields.map(({ name, type }) => [name, arrowTypes[String(type)] ?? 'text'])),
    invalidValues: metadata.get('invalid_values'),
  };
}

/** Dates as they are stored. */
const stored = {
  timestampFromMilliseconds: (value: bigint) => value,
  timestampFromMicroseconds: (value: bigint) => value,
  timestampFromNanoseconds: (value: bigint) => value,
  dateFromDays: (value: number) => value,
};

const timestampUnits: Readonly<Record<string, string>> = { MILLIS: 'ms', MICROS: 'us', NANOS: 'ns' };

async function readParquet(bytes: Buffer): Promise<FoundTable> {
  const file = new Uint8Array(bytes).buffer;
  const { schema, key_value_metadata: metadata = [] } = parquetMetadata(file);
  const [, ...columns] = schema;
  let rows: Found[][] = [];
  await parquetRead({
    file,
    compressors: { ZSTD: (input: Uint8Array) => new Uint8Array(zstdDecompressSync(input)) },
    parsers: stored as never,
    onComplete: (all) => {
      rows = all as Found[][];
    },
  });
  return {
    columns: columns.map(({ name }) => name),
    rows: rows.map((row) => row.map((cell) => cell ?? null)),
    types: new Map(
      columns.map(({ name, logical_type: type }) => [
        name,
        type?.type === 'TIMESTAMP'
          ? `timestamp[${timestampUnits[type.unit]}]`
          : type?.type === 'DATE'
            ? 'date'
            : 'text',
      ]),
    ),
    invalidValues: metadata.find(({ key }) => key === 'invalid_values')?.value,
  };
}

export async function readFile(bytes: Buffer, format: Format): Promise<FoundTable> {
  if (format === 'arrow') return readArrow(bytes);
  if (format === 'parquet') return readParquet(bytes);
  const text = bytes.toString();
  return format === 'ndjson' ? readNdjson(text) : readCsv(text);
}

/** Texts that a spreadsheet would run, or change for certain, and texts that it leaves alone for certain. */
const changed =
  /^(?:[\s\u200b\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n']|0\d+$|\d{16,}$|\d+[eE]\d+$|\d+[-/.]\d+$)/;
const unchanged = /^(?!true$|false$)(?:[a-z][a-z _]*|0|[1-9]\d{0,14})$/i;

/** What is wrong with a text in a file for spreadsheets. */
function guardMismatch(found: string, text: string): string | undefined {
  const isGuarded = found === `'${text}`;
  if (!isGuarded && found !== text) return `${found} instead of ${text}`;
  return isGuarded
    ? unchanged.test(text)
      ? `${found} needs no guard`
      : undefined
    : changed.test(text)
      ? `${found} has no guard`
      : undefined;
}

const NANOSECONDS_OF_MS = 1_000_000n;

/** A date in a file for spreadsheets; undefined if it stays as it is. */
function spreadsheetDate(date: string): string | undefined {
  const read = dateOf(date);
  if (read === undefined) return undefined;
  const time = new Date(Number(read.instant / NANOSECONDS_OF_MS - (read.instant % NANOSECONDS_OF_MS < 0n ? 1n : 0n)));
  const [day = '', clock = ''] = time.toISOString().split('T');
  if (day.length > 10) return undefined;
  return read.isDay ? day : `${day} ${clock.replace('Z', '').replace('.000', '')}`;
}

/** What is wrong with a file. Undefined if nothing is. */
export async function fileMismatch(bytes: Buffer, format: Format, expected: Table): Promise<string | undefined> {
  const found = await readFile(bytes, format);
  const isSpreadsheet = format === 'csv_spreadsheet';
  const textMismatch = isSpreadsheet
    ? guardMismatch
    : (given: string, text: string) => (given === text ? undefined : `${given} instead of ${text}`);
  const columns = expected.columns.map((name) => (isSpreadsheet && expected.dates.has(name) ? `${name}_utc` : name));
  // Without a line NDJSON has no columns.
  if (format !== 'ndjson' || found.rows.length > 0) {
    const names = isSpreadsheet
      ? [found.columns[0]?.replace(/^\ufeff/, '') ?? '', ...found.columns.slice(1)]
      : found.columns;
    if (isSpreadsheet && names[0] === found.columns[0]) return 'no byte order mark';
    const wrong = columns
      .map((name, index) => textMismatch(names[index] ?? '', name))
      .find((each) => each !== undefined);
    if (wrong !== undefined || names.length !== columns.length)
      return `the columns ${names} instead of ${columns}: ${wrong}`;
  }
  if (found.rows.length !== expected.rows.length) return `${found.rows.length} rows instead of ${expected.rows.length}`;
  if (found.types !== undefined) {
    for (const [name, type] of expected.dates)
      if (found.types.get(name) !== type) return `${name} of type ${found.types.get(name)} instead of ${type}`;
    if (expected.invalidValues !== undefined && found.invalidValues !== String(expected.invalidValues))
      return `${found.invalidValues} invalid values instead of ${expected.invalidValues}`;
  }
  for (const [row, cells] of expected.rows.entries()) {
    for (const [column, cell] of cells.entries()) {
      const value = (found.rows[row] as Found[])[column] as Found;
      const isDate = isSpreadsheet && expected.dates.has(expected.columns[column] as string);
      const date = isDate && typeof cell === 'string' ? spreadsheetDate(cell) : undefined;
      const wrong =
        date === undefined
          ? cellMismatch(value, cell, textMismatch, isSpreadsheet)
          : date === value
            ? undefined
            : `${value} instead of ${date}`;
      if (wrong !== undefined) return `row ${row}, ${columns[column]}: ${wrong}`;
    }
  }
  return undefined;
}

function cellMismatch(
  found: Found,
  expected: Cell,
  textMismatch: (found: string, text: string) => string | undefined,
  isSpreadsheet: boolean,
): string | undefined {
  const number = found === null ? null : Number(found) + 0;
  if (typeof expected === 'object' && expected !== null) return expected.mismatch(number);
  if (typeof expected === 'string' && typeof found === 'string') return textMismatch(found, expected);
  const digits = isSpreadsheet && /\d{16}/.test(String(expected)) ? `'${expected}` : String(expected);
  const isSame =
    typeof expected === 'number'
      ? number === expected
      : typeof expected === 'bigint'
        ? String(found) === digits
        : found === expected;
  return isSame ? undefined : `${found} instead of ${expected}`;
}
