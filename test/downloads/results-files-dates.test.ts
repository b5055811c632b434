import { type Table, tableFromIPC } from 'apache-arrow';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fileDates } from '../oracle/file-dates.ts';
import { start, type TestBed } from '../support/harness.ts';
import { randomCases } from '../support/random-cases.ts';
import { receive, resultsPath } from '../support/results-files.ts';

/** How many random lists of dates are tried. */
const CASES = randomCases(100);

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

const json = JSON.stringify;
const zeros = '0'.repeat(109);

describe('3.43 Dates in files with types', () => {
  it.each<[string, (string | undefined)[], ReturnType<typeof datesIn>]>([
    ['days', ['"1970-01-02"', '"0000-01-01"', '"9999-12-31"'], date([1, -719_528, 2_932_896])],
    ['days and nulls', ['null', '"2024-01-31"', undefined], date([null, 19_753, null])],
    ['escaped days', ['"2024\\u002d01-31"', '"2024-01-31"'], date([19_753, 19_753])],
    [
      'times, in UTC without an offset',
      ['"1970-01-01T00:00:01Z"', '"1970-01-01t02:00:00+01:00"', '"1970-01-01 00:00:00.25"'],
      timestamp('MILLISECOND', [1000n, 3_600_000n, 250n]),
    ],
    ['days among times', ['"1970-01-02"', '"1969-12-31T23:59:59z"'], timestamp('MILLISECOND', [86_400_000n, -1000n])],
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
    ['no dates', ['null', undefined], asText(null, null)],
  ])('%s', async (_title, given, expected) => {
    const bed = await start({ env: { LOG_LEVEL: 'silent' } });
    serveDates(bed, given);
    for (const layout of ['long', 'wide']) expect(await receiveDates(bed, layout)).toEqual(expected);
    // So many digits make rows that are decoded.
    serveDates(bed, given, '100000000000000000000.5');
    expect(await receiveDates(bed)).toEqual(expected);
  });

  it('have no type without rows', async () => {
    const bed = await start();
    for (const query of ['format=arrow', 'format=arrow&assetId=']) {
      bed.simulator.intercept(({ operation }) => (operation === 'getDatasetResults' ? { body: '{}' } : undefined));
      expect(datesIn(tableFromIPC((await receive(bed, resultsPath(query))).bytes))).toEqual(asText());
    }
  });

  it('are as the service sent them in the other formats', async () => {
    const bed = await start();
    serveDates(bed, ['"2024-01-31"', '"1970-01-01T00:00:00.1000+02:00"']);
    for (const format of ['csv', 'csv_spreadsheet', 'ndjson']) {
      const { text } = await receive(bed, resultsPath(`format=${format}`));
      for (const each of ['2024-01-31', '1970-01-01T00:00:00.1000+02:00']) expect(text).toContain(each);
    }
  });
});

const digits = (count: number) => fc.stringMatching(new RegExp(`^\\d{0,${count}}$`));
const pad = (value: number) => String(value).padStart(2, '0');
const upTo = (max: number) => fc.integer({ min: 0, max }).map(pad);

const dayIn = (min: number, max: number) =>
  fc
    .tuple(fc.integer({ min, max }), fc.nat(11), fc.nat(27))
    .map(([year, month, each]) => `${String(year).padStart(4, '0')}-${pad(month + 1)}-${pad(each + 1)}`);
const offset = fc.oneof(
  fc.constantFrom('', 'Z', 'z', '+01', '-0230', 'Z[UTC]', '+02:00[Europe/Paris]'),
  fc.tuple(fc.constantFrom('+', '-'), upTo(23), upTo(59)).map(([sign, hours, minutes]) => `${sign}${hours}:${minutes}`),
);
/** Times on these days with at most so many digits of seconds. */
const timeOn = (day: fc.Arbitrary<string>, count: number) =>
  fc
    .tuple(day, fc.constantFrom('T', 't', ' '), upTo(23), upTo(59), upTo(59), digits(count), offset)
    .map(([each, separator, hours, minutes, seconds, fraction, zone]) => {
      const point = fraction === '' ? '' : `.${fraction}`;
      const text = `${each}${separator}${hours}:${minutes}:${seconds}${point}`;
      // In the basic form, now and then.
      return `${seconds === '07' ? text.replaceAll(/[-:]/g, '') : text}${zone}`;
    });
const odd = fc.constantFrom('', '2024-1-1', '2016-12-31T23:59:60Z', '2024-01-31T24:00', '202401', 'x');
/** Days of other forms. */
const formsOfDay = (day: fc.Arbitrary<string>) =>
  fc.oneof(
    { weight: 20, arbitrary: day },
    { weight: 1, arbitrary: day.map((each) => each.replaceAll('-', '')) },
    { weight: 1, arbitrary: day.map((each) => each.slice(0, 7)) },
    { weight: 1, arbitrary: day.map((each) => each.slice(0, 4)) },
  );

/** Lists of dates that mostly have a type. */
const lists = fc
  .tuple(fc.constantFrom(0, 3, 6, 9, 12), fc.boolean(), fc.constantFrom(dayIn(0, 9999), dayIn(1900, 2100)))
  .chain(([count, hasTimes, day]) => {
    const weighted = [
      { weight: 20, arbitrary: formsOfDay(day) },
      { weight: hasTimes ? 20 : 0, arbitrary: timeOn(day, count) },
      { weight: 1, arbitrary: odd },
    ];
    return fc.array(fc.option(fc.oneof(...weighted), { freq: 6 }), { maxLength: 8 });
  });

/** One list of each kind, because not all kinds come by chance. */
const ofEachKind = [
  '',
  '2024-01-31',
  ...['', '.000001', '.000000001'].map((digits) => `2024-01-31T12:00:00${digits}Z`),
].map((each): [string[]] => [[each]]);

const unitNames: Readonly<Record<string, string>> = {
  'timestamp[ms]': 'MILLISECOND',
  'timestamp[us]': 'MICROSECOND',
  'timestamp[ns]': 'NANOSECOND',
};

/** What a file must have. */
function expectedOf(dates: readonly (string | null)[]): ReturnType<typeof datesIn> {
  const { type, cellOf } = fileDates(dates, true);
  const cells = dates.map(cellOf);
  if (type === 'text') return asText(...(cells as (string | null)[]));
  if (type === 'date') return date(cells.map((each) => (each === null ? null : Number(each))));
  return timestamp(unitNames[type] as string, cells as (bigint | null)[]);
}

describe('3.43 Random dates in files with types', () => {
  it('keep every digit', { tags: ['random'], timeout: 60_000 + CASES * 400 }, async () => {
    const bed = await start({ env: { LOG_LEVEL: 'silent' } });
    const kinds = new Set<string | undefined>();
    await fc.assert(
      fc.asyncProperty(lists, async (dates) => {
        serveDates(
          bed,
          dates.map((each) => json(each)),
        );
        const found = await receiveDates(bed);
        kinds.add(`${found.kind} ${found.type}`);
        expect(found).toEqual(expectedOf(dates));
      }),
      { numRuns: CASES, examples: ofEachKind },
    );
    expect(kinds.size).toBe(5);
  });
});
