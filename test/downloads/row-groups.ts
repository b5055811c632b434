import { parquetMetadata } from 'hyparquet';
import { expect } from 'vitest';
import type { TestBed } from '../support/harness.ts';
import { receive, resultsPath } from '../support/results-files.ts';

/** The range of each column with statistics, and the columns with a dictionary, of each row group of a Parquet file. */
export async function rowGroupsOf(bed: TestBed, query: string) {
  const { status, isComplete, bytes } = await receive(bed, resultsPath(`format=parquet&${query}`));
  expect([status, isComplete]).toEqual([200, true]);
  return parquetMetadata(new Uint8Array(bytes).buffer).row_groups.map(({ num_rows: rows, columns }) => {
    const found = columns.flatMap(({ meta_data: column }) => (column === undefined ? [] : [column]));
    const nameOf = ({ path_in_schema: [name] }: (typeof found)[number]) => name as string;
    const ranges = found.flatMap((column) => {
      const { min_value: min, max_value: max, null_count: nulls } = column.statistics ?? {};
      return column.statistics === undefined ? [] : [[nameOf(column), [min, max, nulls]] as const];
    });
    const dictionaries = found.filter(({ encodings }) => encodings.includes('RLE_DICTIONARY')).map(nameOf);
    return { rows: Number(rows), ranges: Object.fromEntries(ranges), dictionaries };
  });
}
