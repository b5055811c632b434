import { parquetMetadata } from 'hyparquet';
import { describe, expect, it } from 'vitest';
import { days, row } from '../support/aggregates.ts';
import { start } from '../support/harness.ts';
import { receive, resultsPath } from '../support/results-files.ts';

/** The range of each column with statistics, and the columns with a dictionary, of each row group of a file. */
async function rowGroupsOf(results: readonly object[], query: string) {
  const bed = await start();
  const body = JSON.stringify({ assets: [{ asset_id: 'a', asset_name: 'Field', asset_version: 1, results }] });
  bed.simulator.intercept(({ operation }) => (operation === 'getDatasetResults' ? { body } : undefined));
  const { status, isComplete, bytes } = await receive(bed, resultsPath(`format=parquet&${query}`));
  expect([status, isComplete]).toEqual([200, true]);
  return parquetMetadata(new Uint8Array(bytes).buffer).row_groups.map(({ num_rows: rows, columns }) => {
    const found = columns.flatMap(({ meta_data: column }) => (column === undefined ? [] : [column]));
    const nameOf = ({ path_in_schema: [name] }: (typeof found)[number]) => name as string;
    return {
      rows: Number(rows),
      ranges: Object.fromEntries(
        found.flatMap((column) => {
          const { min_value: min, max_value: max, null_count: nulls } = column.statistics ?? {};
          return column.statistics === undefined ? [] : [[nameOf(column), [min, max, nulls]]];
        }),
      ),
      dictionaries: found.filter(({ encodings }) => encodings.includes('RLE_DICTIONARY')).map(nameOf),
    };
  });
}

const date = (text: string) => new Date(`${text}Z`);

describe('3.43 Row groups of Parquet files', () => {
  const texts = ['asset_id', 'asset_name', 'metric'];

  it('have the range of their dates, and of no other column', async () => {
    const values = Array.from({ length: 16_385 }, (_, day) => day / 7);
    expect(await rowGroupsOf(days('1980-01-01', values), 'layout=long')).toEqual([
      { rows: 16_384, ranges: { value_date: [date('1980-01-01'), date('2024-11-08'), 0n] }, dictionaries: texts },
      { rows: 1, ranges: { value_date: [date('2024-11-09'), date('2024-11-09'), 0n] }, dictionaries: [] },
    ]);
  });

  it.each([
    ['milliseconds', '2024-01-01T12:00:00Z'],
    ['microseconds', '2024-01-01T12:00:00.000001Z'],
  ])('have that of timestamps in %s', async (_, last) => {
    const rows = [row('2024-01-01', { m: 1 }), row(last, { m: 2 }), row(null, { m: 3 })];
    const [group] = await rowGroupsOf(rows, 'layout=wide');
    expect(group?.ranges).toEqual({ value_date: [date('2024-01-01'), new Date(last), 1n] });
  });

  it('have dictionaries of texts and values that repeat', async () => {
    const values = Array.from({ length: 1000 }, (_, day) => day % 10);
    const [group] = await rowGroupsOf(days('2024-01-01', values), 'layout=long');
    expect(group?.dictionaries).toEqual([...texts, 'value']);
  });

  it('have the range of each column of dates of what is computed', async () => {
    const [group] = await rowGroupsOf(days('2024-01-01', [3, 1, 2]), 'of=statistics');
    expect(group?.ranges).toEqual({
      first_date: [date('2024-01-01'), date('2024-01-01'), 0n],
      last_date: [date('2024-01-03'), date('2024-01-03'), 0n],
      minimum_date: [date('2024-01-02'), date('2024-01-02'), 0n],
      maximum_date: [date('2024-01-01'), date('2024-01-01'), 0n],
    });
  });
});
