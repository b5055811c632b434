import { type Table, tableFromIPC } from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import { start, type TestBed } from '../support/harness.ts';
import { receive, resultsPath } from '../support/results-files.ts';

/** A service whose rows have these dates, each as JSON. Undefined is absent. */
function serveDates(bed: TestBed, dates: readonly (string | undefined)[], value = '1'): void {
  const rows = dates.map((date) => {
    const member = date === undefined ? '' : `"value_date":${date},`;
    return `{${member}"metrics":[{"name":"m","value":${value}}]}`;
  });
  const body = `{"assets":[{"asset_id":"a","results":[${rows.join()}]}]}`;
  bed.simulator.intercept(({ operation }) => (operation === 'getDatasetResults' ? { body } : undefined));
}

/** The type of the dates in an Arrow file, by the file's metadata and its schema, and the dates: numbers as they are stored. */
function datesIn(table: Table): { kind: string | undefined; type: string; values: unknown[] } {
  const column = table.getChild('value_date');
  const values = column?.data.flatMap((data) =>
    Array.from({ length: data.length }, (_, row) => {
      if (!data.getValid(row)) return null;
      return data.values instanceof Int32Array && data.valueOffsets === undefined
        ? data.values[row]
        : data.values instanceof BigInt64Array
          ? data.values[row]
          : text(data, row);
    }),
  );
  return { kind: table.schema.metadata.get('value_date_type'), type: String(column?.type), values: values ?? [] };
}

function text({ values, valueOffsets }: { values: Uint8Array; valueOffsets: Int32Array }, row: number): string {
  return Buffer.from(values.subarray(valueOffsets[row], valueOffsets[row + 1])).toString();
}

async function receiveDates(bed: TestBed, layout = 'long') {
  const { status, isComplete, bytes } = await receive(bed, resultsPath(`format=arrow&layout=${layout}`));
  expect([status, isComplete]).toEqual([200, true]);
  return datesIn(tableFromIPC(bytes));
}

const date = (values: (number | null)[]) => ({ kind: 'date', type: 'Date32<DAY>', values });
const timestamp = (unit: string, values: (bigint | null)[]) => ({
  kind: 'timestamp',
  type: `Timestamp<${unit}, UTC>`,
  values,
});
const asText = (...values: (string | null)[]) => ({ kind: 'text', type: 'Utf8', values });

const zeros = '0'.repeat(109);

describe('3.43 Dates in files with types', () => {
  it.each<[string, (string | undefined)[], ReturnType<typeof datesIn>]>([
    ['days', ['"1970-01-02"', '"0000-01-01"', '"9999-12-31"'], date([1, -719_528, 2_932_896])],
    ['days and nulls', ['null', '"2024-01-31"', undefined], date([null, 19_753, null])],
    [
      'times, in UTC without an offset',
      ['"1970-01-01T00:00:01Z"', '"1970-01-01t02:00:00+01:00"', '"1970-01-01 00:00:00.25"'],
      timestamp('MILLISECOND', [1000n, 3_600_000n, 250n]),
    ],
    [
      'microseconds',
      ['"1970-01-01T00:00:00.000001Z"', '"1969-12-31T23:59:59.999999Z"', '"9999-12-31"', 'null'],
      timestamp('MICROSECOND', [1n, -1n, 253_402_214_400_000_000n, null]),
    ],
    [
      'nanoseconds',
      ['"1970-01-01T00:00:00.000000001Z"', '"1969-12-31T23:59:59.999999999Z"', '"1970-01-01"'],
      timestamp('NANOSECOND', [1n, -1n, 0n]),
    ],
    ['digits that are 0', [`"1970-01-01T00:00:00.1${zeros.slice(2)}"`], timestamp('MILLISECOND', [100n])],
    ['tenths of nanoseconds', ['"1970-01-01T00:00:00.0000000001Z"'], asText('1970-01-01T00:00:00.0000000001Z')],
    [
      'nanoseconds among times of other centuries',
      ['"1970-01-01T00:00:00.000000001Z"', '"1600-01-01"'],
      asText('1970-01-01T00:00:00.000000001Z', '1600-01-01'),
    ],
    ['more than 128 bytes', [`"1970-01-01T00:00:00.${zeros}"`], asText(`1970-01-01T00:00:00.${zeros}`)],
    ['months, years and basic dates', ['"1970-02"', '"1971"', '"19700103"', '"1970-01-04"'], date([31, 365, 2, 3])],
    [
      'forms of ISO 8601',
      [
        ...['"1970-01-01T00:01Z"', '"1970-01-01 02:00:00,5+0200"', '"19700101T000001-01"', '"1970-02"'],
        '"1970-01-01T01:00+01:00[Europe/Paris]"',
      ],
      timestamp('MILLISECOND', [60_000n, 500n, 3_601_000n, 2_678_400_000n, 0n]),
    ],
    ['a day that is none', ['"2024-01-31"', '"2023-02-29"'], asText('2024-01-31', '2023-02-29')],
    ['a leap second', ['"2016-12-31T23:59:60Z"'], asText('2016-12-31T23:59:60Z')],
    ['an empty text', ['"2024-01-31"', '""'], asText('2024-01-31', '')],
    ['no dates', ['null', undefined], timestamp('MILLISECOND', [null, null])],
  ])('%s', async (_title, given, expected) => {
    const bed = await start({ env: { LOG_LEVEL: 'silent' } });
    serveDates(bed, given);
    for (const layout of ['long', 'wide']) expect(await receiveDates(bed, layout)).toEqual(expected);
    // So many digits make long rows.
    serveDates(bed, given, '100000000000000000000.5');
    expect(await receiveDates(bed)).toEqual(expected);
  });

  it('are timestamps without rows', async () => {
    const bed = await start();
    for (const query of ['format=arrow', 'format=arrow&assetId=']) {
      bed.simulator.intercept(({ operation }) => (operation === 'getDatasetResults' ? { body: '{}' } : undefined));
      expect(datesIn(tableFromIPC((await receive(bed, resultsPath(query))).bytes))).toEqual(
        timestamp('MILLISECOND', []),
      );
    }
  });
});
