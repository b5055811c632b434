import { describe, expect, it } from 'vitest';
import { DATASET_ID, respondWith, start } from '../support/harness.ts';
import { fileTicketUrl, receive, resultsPath, tickets } from '../support/results-files.ts';

const BYTE_ORDER_MARK = '\ufeff';
const onlyA = '(filter: { assetIds: ["a"] })';

describe('3.43 Results as CSV for spreadsheets', () => {
  it.each(['LONG', 'WIDE'])('are CSV behind a byte order mark (%s)', async (layout) => {
    const bed = await start({ env: tickets });
    const [forPeople, forPrograms] = await Promise.all(
      ['CSV_SPREADSHEET', 'CSV'].map(async (format) =>
        receive(bed, await fileTicketUrl(bed, `rowsFile(format: ${format}, layout: ${layout})`, onlyA), {}),
      ),
    );
    expect(forPeople?.text).toBe(BYTE_ORDER_MARK + forPrograms?.text.replace('value_date', 'value_date_utc'));
    expect(forPrograms?.text.startsWith('asset_id,asset_name,asset_version,value_date,')).toBe(true);
    expect(forPeople?.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': expect.stringMatching(`^attachment; filename=dataset-${DATASET_ID}-results-\\w{8}\\.csv$`),
    });
  });

  it('have an apostrophe before a text that a spreadsheet would change, and before one that has an apostrophe', async () => {
    expect(await guarded(changed)).toEqual(changed.map((text) => `'${text}`));
  });

  it('have other texts as they are', async () => {
    expect(await guarded(unchanged)).toEqual(unchanged);
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
  ...['=', '+', '-', '@', '\t', '\r', '\n', '\uff1d', '\uff0b', '\uff0d', '\uff20'].map((sign) => `${sign}1`),
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
