import { tableFromIPC } from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import { startWith } from '../support/aggregates.ts';
import { getSummary, postResults, start } from '../support/harness.ts';
import { fileTicketUrl, fileUrl, receive, resultsPath, tickets } from '../support/results-files.ts';

const assetColumns = 'asset_id,asset_name,asset_version,';
const dateColumns = 'date,metric,count,sum,mean,standard_deviation,minimum,maximum';
const statisticsColumns = 'metric,count,null_count,sum,mean,standard_deviation,minimum,maximum,first,last';
const pointColumns = 'first_date,last_date,minimum_date,maximum_date';
const lines = (...all: string[]) => all.map((line) => `${line}\r\n`).join('');

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
 * - The file is `dataset-<id>-periods-<digest>.<format>`, `-statistics-…` or `-by-date-…`. The metadata of Parquet and Arrow has `of`, `every` and
 *   `metrics`, too.
 */
describe('3.43 Results as files of what is computed', () => {
  it.each([
    ['of=periods&every=day', `${assetColumns}${dateColumns}`],
    ['of=statistics', `${assetColumns}${statisticsColumns},${pointColumns}`],
    ['of=byDate', dateColumns],
  ])('of no rows has a header only, and the same headers for HEAD: %s', async (query, header) => {
    const bed = await startWith('{}');
    const path = resultsPath(`format=csv&${query}&assetId=`);
    const file = await receive(bed, path);
    expect([file.text, file.isComplete, bed.calls()]).toEqual([lines(header), true, []]);
    const { status, headers, text } = await receive(bed, path, undefined, 'HEAD');
    expect([status, text]).toEqual([200, '']);
    for (const name of ['content-type', 'content-disposition']) expect(headers[name]).toBe(file.headers[name]);
  });

  it('has its arguments in its URL, and its kind in its name', async () => {
    const bed = await start({ env: tickets });
    const filter = '(filter: { assetIds: ["a"] })';
    const queries = {
      'seriesPeriodsFile(format: CSV, every: MONTH, metrics: ["moisture", "moisture"])': [
        'of=periods&every=month&metric=moisture',
        'periods',
      ],
      'seriesStatisticsFile(format: CSV, metrics: [])': ['of=statistics&metrics=none', 'statistics'],
      'seriesStatisticsFile(format: CSV, quantiles: [0.25])': ['of=statistics&quantile=0.25', 'statistics'],
      'byDateFile(format: CSV, metrics: ["", "é&"])': ['of=byDate&metric=&metric=%C3%A9%26', 'by-date'],
      'byDateFile(format: CSV, quantiles: [1, 0, 1, 1e-7])': [
        'of=byDate&quantile=1&quantile=0&quantile=1e-7',
        'by-date',
      ],
      'rowsFile(format: CSV, metrics: null)': ['layout=long', 'results'],
    };
    for (const [field, [query, kind]] of Object.entries(queries)) {
      const url = await fileUrl(bed, field, filter);
      expect(new URL(url).search).toBe(`?format=csv&${query}&assetId=a`);
      const ticket = await fileTicketUrl(bed, field, filter);
      const [open, closed] = [await receive(bed, url), await receive(bed, ticket, {})];
      expect([open.status, open.text]).toEqual([200, closed.text]);
      expect(open.headers['content-disposition']).toMatch(new RegExp(`-${kind}-[0-9a-f]{8}\\.csv$`));
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
});
