import { describe, expect, it } from 'vitest';
import { receive, resultsPath } from '../support/results-files.ts';
import { download, startWith } from './files.ts';
import { hasPyArrow, quoted, readWithDuckDB, readWithPolars, readWithPyArrow, sql } from './readers.ts';
import { type Asset, bodyOf, type Layout, type Table, tableOf } from './table.ts';

/** An asset with a row for each day, whose metrics have these names. */
function assetOf(id: string, days: number, metrics: readonly string[]): Asset {
  const rows = Array.from({ length: days }, (_, day) => ({
    date: `day ${day}`,
    metrics: metrics.map((name, index) => [name, day % 7 === index ? null : `${day}.${index}`] as const),
  }));
  return { id, name: `Field ${id}`, version: '1', rows };
}

/** How many rows each row group of a Parquet file has. */
async function rowGroups(path: string): Promise<number[]> {
  const groups = `SELECT DISTINCT row_group_id, row_group_num_rows FROM parquet_metadata(${quoted(path)}) ORDER BY 1`;
  return (await sql(groups)).rows.map(([, rows]) => Number(rows));
}

/** Reads both formats with each tool that can. */
async function readAll(assets: readonly Asset[] | string, layout: Layout): Promise<Table[]> {
  const bed = await startWith(assets);
  const parquet = await download(bed, 'parquet', layout);
  const arrow = await download(bed, 'arrow', layout);
  const tables = [await readWithDuckDB(parquet), await readWithPolars(parquet), await readWithPolars(arrow)];
  if (hasPyArrow) tables.push(await readWithPyArrow(parquet), await readWithPyArrow(arrow));
  return tables;
}

const names = ['one', 'two', 'three'];

describe('3.43 Results as files of several batches', () => {
  it.each<[Layout, number[]]>([
    ['long', [16_384, 16_384, 16_384, 10_848]],
    ['wide', [16_384, 3_616]],
  ])('have all rows in their order (%s)', async (layout, groups) => {
    const assets = ['a', 'b', 'c', 'd'].map((id) => assetOf(id, 5000, names));
    const expected = tableOf(assets, layout, undefined, names);
    for (const table of await readAll(assets, layout)) expect(table).toEqual(expected);
    expect(await rowGroups(await download(await startWith(assets), 'parquet', layout))).toEqual(groups);
  });

  it('have fewer rows in each if they have many columns', async () => {
    const metrics = Array.from({ length: 1000 }, (_, index) => `metric ${index}`);
    const assets = [assetOf('a', 1200, metrics)];
    const expected = tableOf(assets, 'wide', undefined, metrics);
    for (const table of await readAll(assets, 'wide')) expect(table).toEqual(expected);
    expect(await rowGroups(await download(await startWith(assets), 'parquet', 'wide'))).toEqual([1045, 155]);
  });

  it('have fewer rows in each if their texts are long', async () => {
    const assets = [{ ...assetOf('a', 5, ['one']), name: 'n'.repeat(500_000) }, assetOf('b', 2, ['one'])];
    const expected = tableOf(assets, 'long');
    for (const table of (await readAll(assets, 'long')).slice(0, 3)) expect(table).toEqual(expected);
    expect(await rowGroups(await download(await startWith(assets), 'parquet', 'long'))).toEqual([3, 4]);
  });

  it.each<Layout>(['long', 'wide'])(
    'have a row that is longer than a batch, and more forms than are kept (%s)',
    async (layout) => {
      // More than a row may have that has a template.
      const many = Array.from({ length: 20_000 }, (_, index) => [names[index % 3] as string, `-${index}e-3`] as const);
      const long: Asset = { id: 'long', name: null, version: null, rows: [{ date: 'd', metrics: many }] };
      const all = Array.from({ length: 40 }, (_, index) => `m${index}`);
      const rows = Array.from({ length: 1500 }, (_, at) => ({
        date: `${at}`,
        metrics: [at % 40, (at * 7 + 1) % 40, (at * 11 + (at >> 5)) % 40].map(
          (index) => [`m${index}`, `${at}`] as const,
        ),
      }));
      const forms: Asset = { id: 'forms', name: null, version: '5', rows };
      const assets = [assetOf('first', 1, [...names, ...all]), long, forms, assetOf('last', 2, all)];
      const expected = tableOf(assets, layout, undefined, [...names, ...all]);
      for (const table of await readAll(assets, layout)) expect(table).toEqual(expected);
    },
  );

  it('break off in Parquet where the end of the file would be too large', { timeout: 240_000 }, async () => {
    const name = (index: number) => `{"name":"m${index}","value":1}`;
    const first = `{"metrics":[${Array.from({ length: 1000 }, (_, index) => name(index)).join()}]}`;
    // 130 row groups of 1045 rows and 1004 columns have 130,520 columns, and another one has too many.
    const rows = Array.from({ length: 130 * 1045 }, (_, index) => `{"metrics":[${name(index % 1000)}]}`);
    const bed = await startWith(`{"assets":[{"asset_id":"a","results":[${first},${rows.join()}]}]}`);
    const file = await receive(bed, resultsPath('format=parquet&layout=wide'));
    expect([file.status, file.isComplete]).toEqual([200, false]);
  });
});

/** The table of a file with types that has no rows. */
function emptyTable(layout: Layout): Table {
  const { columns, rows } = tableOf([], layout);
  return { columns: columns.map(([name, type]) => [name, name === 'value_date' ? 'timestamp' : type]), rows };
}

describe('3.43 Results as files without rows', () => {
  it.each<[string, string]>([
    ['of no assets', '{"assets":[]}'],
    ['of assets without rows', bodyOf([{ id: 'a', name: null, version: null, rows: [] }])],
    ['without a list', '{}'],
  ])('%s have all columns', async (_title, body) => {
    for (const layout of ['long', 'wide'] as const) {
      const expected = emptyTable(layout);
      for (const table of await readAll(body, layout)) expect(table).toEqual(expected);
    }
  });

  it('have values in a row although it has none of a group of rows', async () => {
    const empty: Asset = {
      id: 'a',
      name: null,
      version: null,
      rows: Array.from({ length: 20_000 }, () => ({ date: null, metrics: [] })),
    };
    const assets = [empty, assetOf('b', 2, ['one'])];
    const expected = tableOf(assets, 'wide', undefined, ['one']);
    for (const table of await readAll(assets, 'wide')) expect(table).toEqual(expected);
  });
});
