import { describe, expect, it } from 'vitest';
import { type ComputedFile, type ComputedTable, computedTable, fileField, typed } from '../support/computed-files.ts';
import { fileTicketUrl } from '../support/results-files.ts';
import { saveFrom, startWith } from './files.ts';
import { hasPyArrow, readWithDuckDB, readWithPolars, readWithPyArrow } from './readers.ts';
import type { Asset } from './table.ts';

const names = ['moisture', 'a,b', '"q"', 'Größe'];

/** Two assets with a row for each day, in the middle of which metrics are missing. */
const assets = ['a', 'b,"c"'].map(
  (id, asset): Asset => ({
    id,
    name: asset === 0 ? null : 'Field, "b"',
    version: asset === 0 ? '9223372036854775807' : null,
    rows: Array.from({ length: 400 }, (_, day) => ({
      date: new Date(Date.UTC(2023, 11, 20) + day * 86_400_000).toISOString().slice(0, 10),
      metrics: names
        .filter((_, index) => index === 0 || day < 20 || day > 70)
        .map((name, index) => [name, (day + index) % 9 === 0 ? null : `${(day * 7919) % 1000}.${asset}${index}`]),
    })),
  }),
);

const kinds: readonly ComputedFile[] = [
  { of: 'periods', every: 'DAY' },
  { of: 'periods', every: 'WEEK', metrics: ['"q"', 'unknown'] },
  { of: 'periods', every: 'QUARTER', quantiles: [0.5, 0] },
  { of: 'statistics' },
  { of: 'statistics', quantiles: [0.25, 1] },
  { of: 'byDate' },
  { of: 'byDate', quantiles: [0.05, 1e-7, 1], metrics: ['Größe'] },
];

/** Reads both formats with each tool that can. */
async function readAll(body: readonly Asset[] | string, file: ComputedFile) {
  const bed = await startWith(body);
  const save = async (format: 'parquet' | 'arrow') =>
    saveFrom(bed, format, await fileTicketUrl(bed, fileField(format, file)));
  const [parquet, arrow] = [await save('parquet'), await save('arrow')];
  const tables = [await readWithDuckDB(parquet), await readWithPolars(parquet), await readWithPolars(arrow)];
  if (hasPyArrow) tables.push(await readWithPyArrow(parquet), await readWithPyArrow(arrow));
  return { tables, expected: typed((await computedTable(bed, file)) as ComputedTable) };
}

describe('3.43 Results as files of what is computed', () => {
  it.each(kinds)('have the values of the fields: %o', async (file) => {
    const { tables, expected } = await readAll(assets, file);
    expect(expected.rows.length).toBeGreaterThan(7);
    for (const table of tables) expect(table).toEqual(expected);
  });

  it.each(kinds)('have all columns without rows: %o', async (file) => {
    const { tables, expected } = await readAll('{"assets":[]}', file);
    expect(expected.rows).toEqual([]);
    for (const table of tables) expect(table).toEqual(expected);
  });
});
