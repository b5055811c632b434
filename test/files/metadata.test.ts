import { describe, expect, it } from 'vitest';
import { start } from '../support/harness.ts';
import { tickets } from '../support/results-files.ts';
import { download, linkOf } from './files.ts';
import { quoted, readUrlWithPandas, readWithDuckDB, readWithPolars, sql } from './readers.ts';

const filter = '(filter: { assetIds: ["b"], timeRange: { start: 5 } })';
const rows = ['2024-01-01', '2024-01-02', '2024-01-03'].map((date, day) => [
  'b',
  'Field b',
  '1',
  date,
  day + 0.5,
  -1.5 - day,
]);
const columns = ['asset_id', 'asset_name', 'asset_version', 'value_date', 'moisture', 'temperature'];
const expected = (dates: 'text' | 'date') => {
  const types = ['text', 'text', 'int64', dates, 'double', 'double'];
  return { columns: columns.map((name, index) => [name, types[index]]), rows };
};

describe('3.43 Results as files', () => {
  it.each(['parquet', 'arrow'] as const)('say in their metadata what they hold (%s)', async (format) => {
    const bed = await start({ env: tickets });
    const path = await download(bed, format, 'wide', filter);
    const metadata = await (format === 'parquet' ? ofParquet(path) : ofArrow(path));
    const { created, ...others } = metadata;
    expect(others).toEqual({
      dataset_id: '11111111-1111-4111-8111-111111111111',
      dataset_name: 'Soil moisture',
      attribution_text: 'Example agency',
      attribution_file: 'attribution.txt',
      of: 'rows',
      layout: 'wide',
      filter: '{"mo_ids":["b"],"time_range":{"start_date":5}}',
      value_date_type: 'date',
      invalid_values: '0',
    });
    expect(Math.abs(Date.parse(created as string) - Date.now())).toBeLessThan(60_000);
    expect(created).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(await (format === 'parquet' ? readWithDuckDB(path) : readWithPolars(path))).toEqual(expected('date'));
  });

  it.each(['csv', 'ndjson'] as const)('are read by pandas straight from the link (%s)', async (format) => {
    const bed = await start({ env: tickets });
    const { host } = new URL(await linkOf(bed, format, 'wide', filter));
    expect(host).toBe(new URL(bed.subgraph.url).host);
    const table = await readUrlWithPandas(await linkOf(bed, format, 'wide', filter), format);
    expect(table).toEqual(expected('text'));
  });
});

async function ofParquet(path: string): Promise<Record<string, unknown>> {
  const query = `SELECT decode(key), decode(value) FROM parquet_kv_metadata(${quoted(path)})`;
  return Object.fromEntries((await sql(query)).rows);
}

/** No other reader of Arrow that npm has shows the metadata of the schema. */
async function ofArrow(path: string): Promise<Record<string, unknown>> {
  const { tableFromIPC } = await import('apache-arrow');
  const { readFile } = await import('node:fs/promises');
  return Object.fromEntries(tableFromIPC(await readFile(path)).schema.metadata);
}
