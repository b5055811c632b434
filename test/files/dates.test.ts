import { readFile } from 'node:fs/promises';
import { tableFromIPC } from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import { download, startWith } from './files.ts';
import { hasPyArrow, quoted, readWithDuckDB, readWithPolars, readWithPyArrow, sql } from './readers.ts';
import { type Asset, type Table, tableOf } from './table.ts';

/** The dates of the rows of one asset, and what a reader must see. */
type Case = [type: 'date' | 'timestamp' | 'text', stored: string, dates: (string | null)[], seen: (string | null)[]];

const cases: Case[] = [
  ['date', 'DATE', ['2024-01-31', null, '1969-12-31', '0001-01-01'], ['2024-01-31', null, '1969-12-31', '0001-01-01']],
  [
    'timestamp',
    'TIMESTAMP_MILLIS',
    ['1970-01-01T00:00:00.250Z', '1970-01-02', '1970-01-01T00:00:00+01:00', '1969-12-31T23:59:59.999', null],
    ['250000000', '86400000000000', '-3600000000000', '-1000000', null],
  ],
  ['timestamp', 'TIMESTAMP_MICROS', ['1970-01-01T00:00:00.000001Z', '2262-01-01'], ['1000', '9214646400000000000']],
  ['timestamp', 'TIMESTAMP_NANOS', ['1970-01-01T00:00:00.000000001Z', '1970-01-01'], ['1', '0']],
  ['text', 'UTF8', ['2024-01-31', 'yesterday'], ['2024-01-31', 'yesterday']],
  // 129 bytes.
  ['text', 'UTF8', [`1970-01-01T00:00:00.${'0'.repeat(109)}`], [`1970-01-01T00:00:00.${'0'.repeat(109)}`]],
];

describe('3.43 Dates in files with types', () => {
  it.each(cases)('are read as %s, stored as %s', async (type, stored, dates, seen) => {
    const rowsOf = (all: (string | null)[]) => all.map((date) => ({ date, metrics: [['m', '1'] as const] }));
    const asset: Asset = { id: 'a', name: null, version: '1', rows: rowsOf(dates) };
    const { columns, rows } = tableOf([{ ...asset, rows: rowsOf(seen) }], 'wide', undefined, ['m']);
    const expected: Table = {
      columns: columns.map((each) => (each[0] === 'value_date' ? [each[0], type] : each)),
      rows,
    };
    const bed = await startWith([asset]);
    const parquet = await download(bed, 'parquet', 'wide');
    const arrow = await download(bed, 'arrow', 'wide');
    // DuckDB has no nanoseconds of times in UTC.
    const inDuckDB = seen.map((each) =>
      stored === 'TIMESTAMP_NANOS' && each !== null ? each.replace(/\d{1,3}$/, '0') : each,
    );
    expect((await readWithDuckDB(parquet)).columns).toEqual(expected.columns);
    expect((await readWithDuckDB(parquet)).rows.map((row) => row[3])).toEqual(inDuckDB);
    expect(await readWithPolars(parquet)).toEqual(expected);
    expect(await readWithPolars(arrow)).toEqual(expected);
    if (hasPyArrow) {
      expect(await readWithPyArrow(parquet)).toEqual(expected);
      expect(await readWithPyArrow(arrow)).toEqual(expected);
    }
    const schema = `SELECT coalesce(converted_type, logical_type) FROM parquet_schema(${quoted(parquet)}) WHERE name = 'value_date'`;
    expect(String((await sql(schema)).rows[0]?.[0]).replace(/^.*NANOS.*$/, 'TIMESTAMP_NANOS')).toBe(stored);
    const metadata = `SELECT decode(value) FROM parquet_kv_metadata(${quoted(parquet)}) WHERE decode(key) = 'value_date_type'`;
    expect((await sql(metadata)).rows).toEqual([[type]]);
    expect(tableFromIPC(await readFile(arrow)).schema.metadata.get('value_date_type')).toBe(type);
  });
});
