import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import {
  DuckDBDateValue,
  DuckDBInstance,
  DuckDBTimestampNanosecondsValue,
  DuckDBTimestampTZValue,
  type DuckDBValue,
} from '@duckdb/node-api';
import pl from 'nodejs-polars';
import { isTested } from '../support/left-out.ts';
import * as python from './python.ts';
import type { Table, Type } from './table.ts';

const typeNames: Readonly<Record<string, Type>> = {
  VARCHAR: 'text',
  BIGINT: 'int64',
  DOUBLE: 'double',
  DATE: 'date',
  'TIMESTAMP WITH TIME ZONE': 'timestamp',
  TIMESTAMP_NS: 'timestamp',
  String: 'text',
  Int64: 'int64',
  Float64: 'double',
  Date: 'date',
  Datetime: 'timestamp',
  Categorical: 'text',
  string: 'text',
  int64: 'int64',
  double: 'double',
  'date32[day]': 'date',
  'timestamp[ms, tz=UTC]': 'timestamp',
  'timestamp[us, tz=UTC]': 'timestamp',
  'timestamp[ns, tz=UTC]': 'timestamp',
  'dictionary<values=string, indices=int32, ordered=0>': 'text',
  object: 'text',
  float64: 'double',
};

function typeOf(name: string): Type {
  const type = typeNames[name];
  if (type === undefined) throw new Error(`Nobody expects the type ${name}.`);
  return type;
}

const database = await DuckDBInstance.create(':memory:');

/** A text in SQL. */
export const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** A value of a table. */
function plain(value: DuckDBValue): string | number | null {
  if (value instanceof DuckDBDateValue) return value.toString();
  if (value instanceof DuckDBTimestampTZValue) return String(value.micros * 1000n);
  if (value instanceof DuckDBTimestampNanosecondsValue) return String(value.nanos);
  return typeof value === 'bigint' ? String(value) : (value as string | number | null);
}

/** What a query of DuckDB returns. */
export async function sql(query: string): Promise<Table> {
  const connection = await database.connect();
  try {
    const reader = await connection.runAndReadAll(query);
    const names = reader.columnNames();
    return {
      columns: reader.columnTypes().map((type, index) => [names[index] as string, typeOf(String(type))]),
      rows: reader.getRows().map((row) => row.map(plain)),
    };
  } finally {
    connection.closeSync();
  }
}

const texts = new Set(['asset_id', 'asset_name', 'value_date', 'value_date_utc', 'metric']);

/** The types that a reader of text files has to be told, in SQL. */
function sqlTypes(columns: readonly string[]): string {
  const typeOfColumn = (name: string) => (texts.has(name) ? 'VARCHAR' : name === 'asset_version' ? 'BIGINT' : 'DOUBLE');
  return `{${columns.map((name) => `${quoted(name)}: '${typeOfColumn(name)}'`).join()}}`;
}

/** Reads a file with DuckDB. @param columns the names of the columns of a text file */
export function readWithDuckDB(path: string, columns: readonly string[] = []): Promise<Table> {
  const file = quoted(path);
  if (path.endsWith('.parquet')) return sql(`FROM read_parquet(${file})`);
  if (path.endsWith('.ndjson')) return sql(`FROM read_ndjson(${file}, columns=${sqlTypes(columns)})`);
  // Else an empty text is a null.
  return sql(`FROM read_csv(${file}, header=true, allow_quoted_nulls=false, types=${sqlTypes(columns)})`);
}

/** Reads Parquet or Arrow with Polars. */
export async function readWithPolars(path: string): Promise<Table> {
  const bytes = await readFile(path);
  return tableOf(path.endsWith('.parquet') ? pl.readParquet(bytes) : pl.readIPC(bytes));
}

/** The nanoseconds of a unit of timestamps. */
const NANOSECONDS: Readonly<Record<string, bigint>> = { ms: 1_000_000n, us: 1000n, ns: 1n };

function tableOf(frame: pl.DataFrame): Table {
  const { columns, dtypes } = frame;
  const types = dtypes.map((type) => typeOf(type.variant));
  // A number of JavaScript does not hold each integer.
  const exact = frame.select(
    ...columns.map((name, at) => {
      const column = pl.col(name);
      if (types[at] === 'timestamp') return column.cast(pl.Int64).cast(pl.Utf8);
      return types[at] === 'double' ? column : column.cast(pl.Utf8);
    }),
  );
  const units = dtypes.map((type) => NANOSECONDS[(type as { timeUnit?: string }).timeUnit ?? ''] ?? 1n);
  const valueIn = (value: string | number | null, at: number) =>
    types[at] === 'timestamp' && value !== null ? String(BigInt(value) * (units[at] as bigint)) : value;
  return {
    columns: columns.map((name, index) => [name, types[index] as Type]),
    rows: exact.rows().map((row) => row.map(valueIn)),
  };
}

const script = fileURLToPath(new URL('read.py', import.meta.url));

/** read.py, which takes a second to start: one for all files. It ends when this process does, and so its input. */
function startPython() {
  const { stdin, stdout } = spawn(python.python, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  return { stdin, lines: createInterface(stdout)[Symbol.asyncIterator]() };
}
let program: ReturnType<typeof startPython> | undefined;

/** Has read.py read a file, which is the only one at that time. */
async function runPython(how: string, file: string): Promise<Table> {
  program ??= startPython();
  program.stdin.write(`${JSON.stringify([how, file])}\n`);
  const { value, done } = await program.lines.next();
  if (done) throw new Error('read.py ended.');
  const { columns, rows } = JSON.parse(value) as { columns: [string, string][]; rows: Table['rows'] };
  return { columns: columns.map(([name, type]) => [name, typeOf(type)]), rows };
}

/** Reads CSV with pandas, with types. It has no difference between a null and an empty text, and 64-bit integers as texts. */
export async function readWithPandas(path: string): Promise<Table> {
  const { columns, rows } = await runPython('types', path);
  return { columns: columns.map(([name, type]) => [name, name === 'asset_version' ? 'int64' : type]), rows };
}

/** Reads CSV or NDJSON from a URL with pandas, without any option that is not needed. */
export const readUrlWithPandas = (url: string, format: 'csv' | 'ndjson') => runPython(format, url);

/** Reads Parquet or Arrow with PyArrow. */
export const readWithPyArrow = (path: string) => runPython('pyarrow', path);

/** Whether files are read with PyArrow, too. */
export const hasPyArrow = isTested(
  'Parquet and Arrow as PyArrow reads them',
  python.hasPyArrow ? undefined : 'a Python with pyarrow in FILES_PYTHON, or PyPI when test:python runs before',
);
