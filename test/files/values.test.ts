import { describe, expect, it } from 'vitest';
import type { FileFormat } from '../../src/graphql/results-file.ts';
import { download, startWith } from './files.ts';
import { hasPyArrow, readWithDuckDB, readWithPandas, readWithPolars, readWithPyArrow } from './readers.ts';
import { type Asset, type Layout, type Table, tableOf } from './table.ts';

/** The columns of the metrics in a wide file. Those whose name is empty or taken have a number. */
const wideColumns = [
  'm',
  'precise',
  'value_date_2',
  'value_date_2_2',
  'asset_id_2',
  '=1+1',
  '_2',
  'é 💥',
  'a.b',
  '__proto__',
  'lone \ufffd',
  'NaN',
];

const assets: Asset[] = [
  {
    id: 'numbers',
    name: null,
    version: '-9223372036854775808',
    rows: [
      {
        date: '2024-01-01',
        metrics: [
          ['m', '5e-324'],
          ['precise', '0.30000000000000004'],
          ['value_date', '1.7976931348623157e308'],
          ['value_date_2', '-0.0'],
          ['asset_id', '-2.2250738585072014E-308'],
          ['=1+1', '123456789012345680000'],
          ['', '1e0'],
          ['é 💥', '-1.7976931348623157e+308'],
          ['a.b', '9007199254740993'],
        ],
      },
      { date: null, metrics: [] },
      { date: '', metrics: [['m', null]] },
      { date: 'no name', metrics: [[null, '1.5']] },
      {
        date: 'twice',
        metrics: [
          ['m', '1'],
          ['m', '2'],
          ['__proto__', '3'],
        ],
      },
    ],
  },
  { id: 'no rows', name: 'none', version: '1', rows: [] },
  {
    id: 'comma, "quote"',
    name: '',
    version: '9223372036854775807',
    rows: [{ date: 'two\r\nlines\n', metrics: [['lone \udc00', '-1.5']] }],
  },
  { id: '=1+1', name: '@name', version: '0', rows: [{ date: '+1', metrics: [['=1+1', '2']] }] },
  { id: '-1', name: '\ttab', version: null, rows: [{ date: '\rreturn', metrics: [['é 💥', '2.5']] }] },
  { id: 'lone \ud800\\', name: '💥 é', version: null, rows: [{ date: '\udfff"\ud83d', metrics: [['a.b', '0.1']] }] },
  {
    id: ' NULL ',
    name: 'NULL',
    version: null,
    rows: [
      {
        date: 'nan',
        metrics: [
          ['NaN', null],
          ['precise', '17'],
        ],
      },
    ],
  },
  { id: 'a\ufeff', name: "'", version: '2', rows: [{ date: 'x'.repeat(100_000), metrics: [['m', '1e-7']] }] },
];

/** A text in CSV for spreadsheets: one must neither run nor change it. */
function guarded(text: string | null): string | null {
  return text?.toWellFormed().replace(/^[=+\-@\t\r']/, "'$&") ?? null;
}

/** Assets for spreadsheets: their versions have few digits, or they would be text. */
const withShortVersions = assets.map((asset) => ({ ...asset, version: asset.version?.slice(0, 15) ?? null }));

/** What a reader must see. */
function expected(layout: Layout, text?: (value: string | null) => string | null, format?: FileFormat): Table {
  const isSpreadsheet = format === 'csv_spreadsheet';
  const names = text === undefined ? wideColumns : wideColumns.map((name) => text(name) ?? '');
  const { columns, rows } = tableOf(isSpreadsheet ? withShortVersions : assets, layout, text, names);
  if (!isSpreadsheet) return { columns, rows };
  return { columns: columns.map(([name, type]) => [name === 'value_date' ? 'value_date_utc' : name, type]), rows };
}

type Case = [
  FileFormat,
  string,
  (path: string, columns: readonly string[]) => Promise<Table>,
  Parameters<typeof expected>[1]?,
];
const cases: Case[] = [
  ['csv', 'DuckDB', readWithDuckDB],
  ['csv', 'pandas', readWithPandas, (text) => text?.toWellFormed() ?? ''],
  ['csv_spreadsheet', 'DuckDB', readWithDuckDB, guarded],
  ['csv_spreadsheet', 'pandas', readWithPandas, (text) => guarded(text) ?? ''],
  ['ndjson', 'DuckDB', readWithDuckDB],
  ['parquet', 'DuckDB', readWithDuckDB],
  ['parquet', 'Polars', readWithPolars],
  ['arrow', 'Polars', readWithPolars],
];
const withPyArrow: Case[] = [
  ['parquet', 'PyArrow', readWithPyArrow],
  ['arrow', 'PyArrow', readWithPyArrow],
];

describe.each<Layout>(['long', 'wide'])('3.43 Results as files, %s', (layout) => {
  it.each(cases)('as %s have each value exactly, as %s reads them', async (format, _reader, read, text) => {
    const table = expected(layout, text, format);
    const served = format === 'csv_spreadsheet' ? withShortVersions : assets;
    const path = await download(await startWith(served), format, layout);
    expect(
      await read(
        path,
        table.columns.map(([name]) => name),
      ),
    ).toEqual(table);
  });

  it.runIf(hasPyArrow).each(withPyArrow)('as %s have each value exactly, as %s reads them', async (format, _, read) => {
    const path = await download(await startWith(assets), format, layout);
    expect(await read(path, [])).toEqual(expected(layout));
  });
});
