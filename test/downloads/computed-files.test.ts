import { tableFromIPC } from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import { someMetrics, timeLimit } from '../oracle/field.ts';
import { compareFile } from '../oracle/file.ts';
import type { Unit } from '../oracle/periods.ts';
import { row } from '../support/aggregates.ts';
import {
  asCsv,
  asNdjson,
  type ComputedFile,
  type ComputedTable,
  computedQuery,
  computedTable,
  fileField,
  typed,
} from '../support/computed-files.ts';
import { getSummary, postResults, start, type TestBed } from '../support/harness.ts';
import { randomCases } from '../support/random-cases.ts';
import { fileTicketUrl, fileUrl, receive, resultsPath, tickets } from '../support/results-files.ts';

/** How many random bodies are tried. */
const CASES = randomCases(240);

const UNITS = ['DAY', 'WEEK', 'MONTH', 'QUARTER', 'YEAR'];
const kinds: readonly ComputedFile[] = [
  ...UNITS.map((every) => ({ of: 'periods', every }) as const),
  { of: 'statistics' },
  { of: 'byDate' },
];

/** Starts a subgraph whose service sends this body. */
async function startWith(body: string | object): Promise<TestBed> {
  const bed = await start({ env: { ...tickets, LOG_LEVEL: 'silent' } });
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  bed.simulator.intercept(({ operation }) => (operation === 'getDatasetResults' ? { body: text } : undefined));
  return bed;
}

/** Odd texts, 64-bit versions, nulls and empty series. Row 2 of the second asset is odd. */
const odd = `{"assets":[
  {"asset_id":"a,\\"1","asset_name":"Field, \\"a\\"\\r\\nn","asset_version":9223372036854775807,"results":[
    {"value_date":"2024-01-31","metrics":[{"name":"a,b","value":0.1},{"name":"\\"q\\"","value":null}]},
    {"value_date":"2024-01-30T23:00:00-05:00","metrics":[{"name":"a,b","value":0.2},{"name":null,"value":5}]},
    {"value_date":"2024-04-01","metrics":[{"name":"a,b","value":-0.0},{"name":"a,b","value":7},{"name":"","value":1e308}]},
    {"value_date":"2024-04-02","metrics":[{"name":"","value":1e308}]}]},
  {"asset_id":"b","asset_name":null,"asset_version":-9223372036854775808,"results":[
    {"value_date":"2023-12-31","metrics":[{"name":"lone \\ud800","value":1.10}]},
    {"value_date":"2024-02-29","metrics":[{"name":"a,b","value":12345678901234567890}]}]},
  {"asset_id":"none","results":null},{"asset_id":"empty","asset_name":"","results":[]}]}`;

/** Each kind of file of the same results: all metrics, and some, of which one is unknown. */
const files: readonly ComputedFile[] = [
  ...kinds,
  ...kinds.map((kind) => ({ ...kind, quantiles: [1, 0, 0.25] })),
  ...[['unknown', 'a,b'], []].flatMap((metrics) => kinds.map((kind) => ({ ...kind, metrics }))),
];

const titled = files.map((file) => [JSON.stringify(file), file] as const);

/** The types in Arrow files. */
const arrowTypes: Record<string, ComputedTable['columns'][number][1]> = {
  Utf8: 'text',
  'Dictionary<Int32, Utf8>': 'text',
  Int64: 'int64',
  Float64: 'double',
  'Date32<DAY>': 'date',
  'Timestamp<MILLISECOND, UTC>': 'timestamp',
};

/** The table of an Arrow file. */
function readArrow(bytes: Buffer): ComputedTable {
  const table = tableFromIPC(bytes);
  const columns = table.schema.fields.map(({ name, type }) => [name, arrowTypes[String(type)] ?? 'text'] as const);
  const rows = Array.from({ length: table.numRows }, (_, at) =>
    columns.map(([name, type]) => {
      const value = table.getChild(name)?.get(at) ?? null;
      // The library makes milliseconds of both.
      if (type === 'date' && value !== null) return new Date(value).toISOString().slice(0, 10);
      if (type === 'timestamp' && value !== null) return String(BigInt(value) * 1_000_000n);
      return typeof value === 'bigint' ? String(value) : value;
    }),
  );
  return { columns, rows };
}

/** Lines without the names of assets: in a file they are those of each entry, and in the API those of the highest version. */
const unnamed = (lines: string) => lines.replaceAll(/"asset_name":(?:null|"(?:[^"\\]|\\.)*"),/g, '');

const wellFormed = ({ columns, rows }: ComputedTable): ComputedTable => ({
  columns,
  rows: rows.map((cells) => cells.map((cell) => (typeof cell === 'string' ? cell.toWellFormed() : cell))),
});

/*
 * Clause 3.43 of docs/contract.md in detail: files of what is computed from rows.
 * - `seriesPeriodsFile`, `seriesStatisticsFile` and `byDateFile` have what the fields `periods` and `statistics` of each series
 *   and `byDate` of the results have: the same numbers, rows, limits and errors (clause 45). An entry without a list has no rows.
 *   Names and versions are those of each entry. The schema names the columns. Counts are 64-bit integers. A repeated quantile has
 *   one column.
 * - The URL has `of` (`periods`, `statistics` or `byDate`), `every` in lower case, and `quantile` (repeatable).
 * - `metrics` chooses metrics for every kind, as the argument of the fields does: `metric` in the URL (repeatable), or
 *   `metrics=none` for an empty list. A `LONG` file of rows has only rows of these metrics; the columns of a `WIDE` one are these,
 *   in their order, and it is written while the results arrive.
 * - No combination of the fields' arguments is invalid. In a URL, a parameter that is missing or does not fit what the file has is
 *   BAD_USER_INPUT: `layout=wide` but for rows, `every` but for periods, and `quantile` for rows.
 * - What is an error of the field ends the file as other errors do, with the code of the field: too many periods or values with
 *   REQUEST_LIMIT_EXCEEDED (400). CSV and NDJSON of periods and statistics are written while the results arrive, so that the first
 *   assets may have been sent. A file by date begins when all results were read, and so does each Parquet or Arrow file; what these
 *   keep counts for `MEMORY_BUDGET`.
 * - In Parquet and Arrow each column of dates has the type of its dates, as that of rows has (results-files-clients.test.ts). In Arrow
 *   columns of text have dictionaries as there.
 * - The file is `dataset-<id>-periods.<format>`, `-statistics` or `-by-date`. The metadata of Parquet and Arrow has `of`, `every` and
 *   `metrics`, too.
 */
describe('3.43 Results as files of what is computed', () => {
  it.each(titled)('has the values of the fields: %s', async (_title, file) => {
    const bed = await startWith(odd);
    const expected = (await computedTable(bed, file)) as ComputedTable;
    const text = async (format: string) => {
      const { status, isComplete, text } = await receive(bed, resultsPath(computedQuery(format, file)));
      expect([status, isComplete]).toEqual([200, true]);
      return text;
    };
    expect(await text('ndjson')).toBe(asNdjson(expected));
    expect(await text('csv')).toBe(asCsv(wellFormed(expected)));
    const arrow = await receive(bed, await fileTicketUrl(bed, fileField('arrow', file)), {});
    expect(arrow.isComplete).toBe(true);
    expect(readArrow(arrow.bytes)).toEqual(typed(wellFormed(expected)));
  });

  it('prints numbers as a GraphQL response does', async () => {
    const bed = await startWith(odd);
    const { text } = await receive(bed, resultsPath('format=csv&of=periods&every=quarter&metric=a,b'));
    const lead = '"a,""1","Field, ""a""\r\nn",9223372036854775807';
    expect(text).toBe(
      [
        'asset_id,asset_name,asset_version,date,metric,count,sum,mean,standard_deviation,minimum,maximum',
        `${lead},2024-01-01,"a,b",2,0.30000000000000004,0.15000000000000002,0.05,0.1,0.2`,
        `${lead},2024-04-01,"a,b",1,0,0,0,0,0`,
        'b,,-9223372036854775808,2023-10-01,"a,b",0,,,,,',
        'b,,-9223372036854775808,2024-01-01,"a,b",1,12345678901234567000,12345678901234567000,0,12345678901234567000,12345678901234567000',
        '',
      ].join('\r\n'),
    );
  });

  it('has the values of the fields for random results', { tags: ['random'], timeout: timeLimit(CASES) }, async () => {
    await compareFile({
      cases: CASES,
      settings: [{}, { holdBytes: 1024 }],
      bodies: { odd: 12 },
      file: ({ dice }) => {
        const { of, every } = dice.of(kinds);
        return {
          format: dice.of(['ndjson', 'ndjson', 'csv', 'arrow']),
          of,
          every: every as Unit,
          metrics: dice.oneIn(2) ? undefined : someMetrics(dice),
          quantiles: [...new Set(Array.from({ length: dice.below(4) }, () => dice.below(1001) / 1000))],
        };
      },
      // The same numbers, to the last digit but for deviations. The name of an asset is that of its highest version.
      also: async ({ file: { format, of, every, metrics, quantiles }, id, server, bytes }) => {
        if (format !== 'ndjson') return;
        const computed = { of, every, metrics, quantiles } as ComputedFile;
        const expected = (await computedTable(server.bed, computed, id)) as ComputedTable;
        expect(unnamed(bytes.toString())).toBe(unnamed(asNdjson(expected)));
      },
    });
  });

  it.each(kinds)('of no rows has a header only: %o', async (file) => {
    for (const body of ['{}', '{"assets":null}', '{"assets":[]}', '{"assets":[{"asset_id":"a","results":null}]}']) {
      const bed = await startWith(body);
      const expected = (await computedTable(bed, { ...file, metrics: ['m'] })) as ComputedTable;
      expect(expected.rows).toEqual([]);
      for (const format of ['csv', 'ndjson']) {
        const { text } = await receive(bed, resultsPath(computedQuery(format, { ...file, metrics: ['m'] })));
        expect(text).toBe(format === 'csv' ? asCsv(expected) : '');
      }
    }
    const bed = await startWith('{}');
    const { text, isComplete } = await receive(bed, resultsPath(`${computedQuery('csv', file)}&assetId=`));
    expect([text.split('\r\n').length, isComplete, bed.calls()]).toEqual([2, true, []]);
  });

  it('has its arguments in its URL, and its kind in its name', async () => {
    const bed = await start({ env: tickets });
    const filter = '(filter: { assetIds: ["a"] })';
    const queries = {
      'seriesPeriodsFile(format: CSV, every: MONTH, metrics: ["moisture", "moisture"])': [
        'of=periods&every=month&metric=moisture',
        'periods',
      ],
      'seriesPeriodsFile(format: CSV, every: YEAR, quantiles: [0.5])': [
        'of=periods&every=year&quantile=0.5',
        'periods',
      ],
      'seriesStatisticsFile(format: CSV, metrics: [])': ['of=statistics&metrics=none', 'statistics'],
      'seriesStatisticsFile(format: CSV, quantiles: [0.25])': ['of=statistics&quantile=0.25', 'statistics'],
      'byDateFile(format: CSV, metrics: ["", "é&"])': ['of=byDate&metric=&metric=%C3%A9%26', 'by-date'],
      'byDateFile(format: CSV, quantiles: [1, 0, 1, 1e-7])': [
        'of=byDate&quantile=1&quantile=0&quantile=1e-7',
        'by-date',
      ],
      'byDateFile(format: CSV, quantiles: [])': ['of=byDate', 'by-date'],
      'rowsFile(format: CSV, metrics: null)': ['layout=long', 'results'],
    };
    for (const [field, [query, kind]] of Object.entries(queries)) {
      const url = await fileUrl(bed, field, filter);
      expect(new URL(url).search).toBe(`?format=csv&${query}&assetId=a`);
      const ticket = await fileTicketUrl(bed, field, filter);
      const [open, closed] = [await receive(bed, url), await receive(bed, ticket, {})];
      expect([open.status, open.text]).toEqual([200, closed.text]);
      expect(open.headers['content-disposition']).toMatch(new RegExp(`-${kind}\\.csv$`));
    }
  });

  it('has the same headers and no body for HEAD', async () => {
    const bed = await startWith(odd);
    for (const file of kinds.slice(4)) {
      const path = resultsPath(computedQuery('csv', file));
      const { headers: expected } = await receive(bed, path);
      const { status, headers, text } = await receive(bed, path, undefined, 'HEAD');
      expect([status, headers['content-type'], text]).toEqual([200, expected['content-type'], '']);
      expect(headers['content-disposition']).toBe(expected['content-disposition']);
    }
  });

  it('makes one call, and for Arrow a metadata call before it', async () => {
    const bed = await start();
    await receive(bed, resultsPath('format=csv&of=statistics&assetId=a'));
    expect(bed.calls()).toEqual([postResults({ mo_ids: ['a'] })]);
    bed.simulator.clear();
    const { bytes } = await receive(bed, resultsPath('format=arrow&of=periods&every=week&metric=moisture'));
    expect(bed.calls()).toEqual([getSummary(), postResults({})]);
    expect(Object.fromEntries(tableFromIPC(bytes).schema.metadata)).toEqual({
      dataset_id: '11111111-1111-4111-8111-111111111111',
      dataset_name: 'Soil moisture',
      attribution_text: 'Example agency',
      attribution_file: 'attribution.txt',
      of: 'periods',
      every: 'week',
      metrics: '["moisture"]',
      filter: '{}',
      created: expect.any(String),
    });
  });

  it('may be several batches of rows', async () => {
    const days = Array.from({ length: 20_000 }, (_, day) => new Date(day * 86_400_000).toISOString().slice(0, 10));
    const results = days.slice(0, 9000).map((date, day) => row(date, { m: day, n: -day }));
    const bed = await startWith({ assets: ['a', 'b'].map((asset_id) => ({ asset_id, results })) });
    const file = { of: 'periods', every: 'DAY' } as const;
    const expected = (await computedTable(bed, file)) as ComputedTable;
    expect(expected.rows).toHaveLength(36_000);
    expect(readArrow((await receive(bed, resultsPath(computedQuery('arrow', file)))).bytes)).toEqual(typed(expected));
  });
});
