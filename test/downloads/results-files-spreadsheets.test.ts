import { describe, expect, it } from 'vitest';
import { assetResult, DATASET_ID, respondWith, start } from '../support/harness.ts';
import { fileTicketUrl, receive, resultsPath, tickets } from '../support/results-files.ts';

const BYTE_ORDER_MARK = '\ufeff';
const onlyA = '(filter: { assetIds: ["a"] })';
const leadingOf = (format: string) => `asset_id,asset_name,asset_version,value_date${format === 'csv' ? '' : '_utc'}`;
const lines = (...all: string[]) => all.map((line) => `${line}\r\n`).join('');

describe('3.43 Results as CSV for spreadsheets', () => {
  it.each(['LONG', 'WIDE'])('are CSV behind a byte order mark (%s)', async (layout) => {
    const bed = await start({ env: tickets });
    const [forPeople, forPrograms] = await Promise.all(
      ['CSV_SPREADSHEET', 'CSV'].map(async (format) =>
        receive(bed, await fileTicketUrl(bed, `rowsFile(format: ${format}, layout: ${layout})`, onlyA), {}),
      ),
    );
    expect(forPeople?.text).toBe(BYTE_ORDER_MARK + forPrograms?.text.replace('value_date', 'value_date_utc'));
    expect(forPrograms?.text.startsWith(leadingOf('csv'))).toBe(true);
    expect(forPeople?.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': expect.stringMatching(`^attachment; filename=dataset-${DATASET_ID}-results-\\w{8}\\.csv$`),
    });
  });

  it.each(['=', '+', '-', '@', '\t', '\r', '\n', '\uff1d', '\uff0b', '\uff0d', '\uff20'])(
    'have an apostrophe before a text that a spreadsheet would take for a formula, and CSV has none: %j',
    async (sign) => {
      const bed = await start();
      const metrics = [{ name: `${sign}m`, value: 1 }];
      const results = [{ value_date: `${sign}2`, metrics }, { value_date: `x${sign}` }];
      respondWith(bed.simulator, { results: { assets: [{ ...assetResult('a'), asset_name: `${sign}1`, results }] } });
      const field = (value: string) => (/[\r\n]/.test(value) ? `"${value}"` : value);
      for (const [format, mark, guard] of [
        ['csv_spreadsheet', BYTE_ORDER_MARK, "'"],
        ['csv', '', ''],
      ]) {
        const leading = leadingOf(format as string);
        const lead = `a,${field(`${guard}${sign}1`)},1,`;
        const date = field(`${guard}${sign}2`);
        const other = field(`x${sign}`);
        const name = field(`${guard}${sign}m`);
        const ofLong = await receive(bed, resultsPath(`format=${format}`));
        expect(ofLong.text).toBe(
          mark + lines(`${leading},metric,value`, `${lead}${date},${name},1`, `${lead}${other},,`),
        );
        const ofWide = await receive(bed, resultsPath(`format=${format}&layout=wide`));
        expect(ofWide.text).toBe(mark + lines(`${leading},${name}`, `${lead}${date},1`, `${lead}${other},`));
      }
    },
  );

  it('have an apostrophe before a text that a spreadsheet would change, and before one that has an apostrophe', async () => {
    expect(await guarded(changed)).toEqual(changed.map((text) => `'${text}`));
  });

  it('have other texts as they are', async () => {
    expect(await guarded(unchanged)).toEqual(unchanged);
  });

  it('have versions of more than 15 digits as text', async () => {
    const versions = ['-5', '999999999999999', '1000000000000000', '-9223372036854775808'];
    const assets = versions.map((version) => `{"asset_id":"a","asset_version":${version},"results":[{}]}`);
    const bed = await start();
    respondWith(bed.simulator, { results: `{"assets":[${assets}]}` });
    const { text } = await receive(bed, resultsPath('format=csv_spreadsheet'));
    const [, ...found] = text.trimEnd().split('\r\n');
    const [one, two, ...long] = versions;
    expect(found).toEqual([one, two, ...long.map((version) => `'${version}`)].map((version) => `a,,${version},,,`));
  });

  it('have dates in UTC as spreadsheets read them, in files of rows and of what is computed', async () => {
    const bed = await start({ env: { LOG_LEVEL: 'silent' } });
    const results = dates.map(([value_date]) => ({ value_date, metrics: [{ name: 'm', value: 1 }] }));
    for (const value of ['1', '100000000000000000000.5']) {
      // So many digits make long rows.
      const body = JSON.stringify({ assets: [{ ...assetResult('a'), results }] }).replaceAll(
        '"value":1',
        `"value":${value}`,
      );
      respondWith(bed.simulator, { results: body });
      const { text } = await receive(bed, resultsPath('format=csv_spreadsheet&layout=wide'));
      const [head, ...rows] = text.trimEnd().split('\r\n');
      expect(head).toBe(`${BYTE_ORDER_MARK}asset_id,asset_name,asset_version,value_date_utc,m`);
      expect(rows.map((row) => row.split(',')[3])).toEqual(dates.map(([, date]) => date));
    }
    const readable = JSON.stringify({ assets: [{ ...assetResult('a'), results: results.slice(0, 8) }] });
    respondWith(bed.simulator, { results: readable });
    const computed = async (query: string) => (await receive(bed, resultsPath(`format=csv_spreadsheet&${query}`))).text;
    expect(await computed('of=periods&every=year')).toMatch(/,date_utc,metric,.*\r\na,Field a,1,2023-01-01,m,/);
    expect(await computed('of=byDate')).toMatch(/^\ufeffdate_utc,metric,.*\r\n2023-12-31 22:30:00,m,1,/);
    const [head = '', row = ''] = (await computed('of=statistics')).split('\r\n');
    const dateOf = (column: string) => row.split(',')[head.split(',').indexOf(column)];
    expect([dateOf('first_date_utc'), dateOf('last_date_utc')]).toEqual([
      '2023-12-31 22:30:00',
      '2024-03-01 12:00:00.500',
    ]);
  });
});

/** What becomes of names of assets. */
async function guarded(names: readonly string[]): Promise<string[]> {
  const bed = await start();
  const assets = names.map((asset_name) => ({ asset_id: 'a', asset_name, results: [{}] }));
  respondWith(bed.simulator, { results: { assets } });
  const { text } = await receive(bed, resultsPath('format=csv_spreadsheet'));
  return text
    .split(/\r\na,/)
    .slice(1)
    .map((line) =>
      line
        .replace(/,,,,(?:\r\n)?$/, '')
        .replace(/^"(.*)"$/s, '$1')
        .replaceAll('""', '"'),
    );
}

/** Numbers, amounts, dates, times, logical values, errors and formulas of spreadsheets in several languages. */
const changed = [
  ...['01001', '007', '1234567890123456', '3E5', '1e-7', '1.5', '1,5', '1 000', "1'000", '50%', '50 %'],
  ...['$5', '5 €', 'EUR 5', '5 kr'],
  ...['1-2', '1/2', '1.2.', '2024-03', '20/3/2024', '1 1/2', '12:30', '5 pm', '5 a', '12:30 AM', '(7)', '\u22125'],
  ...['2024-03-01', '2024-03-01T12:00:00Z', '2024-03-01 12:00+01:00', '20240301T120000'],
  ...['1-Mar', 'MARCH1', 'Sept2', 'dec 1', 'Jan-24', '1. März 2024', '1 août', '3 mei', '3月1日', '１２３', '٣/٤'],
  ...['TRUE', 'false', '#N/A', '#DIV/0!', '#ref!', "'01001", "'"],
  ...[' =1+1', '\u00a0=1', '\u200b=1', '\ufeff+1', '\u2800@a', '\u00ad-a', '\u200e=1', ' 01001'],
  ...['\u200b1-2', '01\u200b001'],
  ...[`${'\u200b'.repeat(2000)}=1`, '7'.repeat(2000)],
];

/** Texts that look a little like these. */
const unchanged = [
  ...['0', '7', '2015', '999999999999999', 'a1', 'A1', 'E5', '5a', '12b', 'field-7', 'Site 3', 'B-12'],
  ...['Q1 2024', '1st', '0x1F'],
  ...['May', 'March', 'marsh 1', 'mayor-2', 'Ma 1', 'true north', 'not true', '#1', '#tag', 'n/a', 'NA', 'NULL'],
  ...['a=1', 'x-1', '6f1d2c84-3b7e-4a59-9c10-5e8a7b4d2f31', 'x01001', 'a.b', 'é 💥', 'FR-75', '5 apples'],
  ...['T12', '3 of 4'],
];

/** Dates as the service sends them, and as they are in the file. */
const dates = [
  ['2024-02-29', '2024-02-29'],
  ['2024-03', '2024-03-01'],
  ['2024', '2024-01-01'],
  ['20240301', '2024-03-01'],
  ['2024-03-01T12:00:00Z', '2024-03-01 12:00:00'],
  ['2024-01-01T00:30+02:00', '2023-12-31 22:30:00'],
  ['2024-03-01T00:00:00Z', '2024-03-01 00:00:00'],
  ['2024-03-01 12:00:00.5009', '2024-03-01 12:00:00.500'],
  ['Q1', 'Q1'],
  ['1-2', "'1-2"],
  ['2023-02-29', "'2023-02-29"],
  ['=1', "'=1"],
  ['0000-01-01T00:00:00+01:00', "'0000-01-01T00:00:00+01:00"],
  ['9999-12-31T23:59:59-01:00', "'9999-12-31T23:59:59-01:00"],
] as const;
