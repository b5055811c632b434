import { describe, expect, it } from 'vitest';
import { assetResult, DATASET_ID, respondWith, start } from '../support/harness.ts';
import { fileTicketUrl, receive, resultsPath, tickets } from '../support/results-files.ts';

const BYTE_ORDER_MARK = '\ufeff';
const onlyA = '(filter: { assetIds: ["a"] })';
const leading = 'asset_id,asset_name,asset_version,value_date';
const lines = (...all: string[]) => all.map((line) => `${line}\r\n`).join('');

describe('3.43 Results as CSV for spreadsheets', () => {
  it.each(['LONG', 'WIDE'])('are CSV behind a byte order mark (%s)', async (layout) => {
    const bed = await start({ env: tickets });
    const [forPeople, forPrograms] = await Promise.all(
      ['CSV_SPREADSHEET', 'CSV'].map(async (format) =>
        receive(bed, await fileTicketUrl(bed, `rowsFile(format: ${format}, layout: ${layout})`, onlyA), {}),
      ),
    );
    expect(forPeople?.text).toBe(BYTE_ORDER_MARK + forPrograms?.text);
    expect(forPrograms?.text.startsWith(leading)).toBe(true);
    expect(forPeople?.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': `attachment; filename=dataset-${DATASET_ID}-results.csv`,
    });
  });

  it('have the mark without rows, too', async () => {
    const { text } = await receive(await start(), resultsPath('format=csv_spreadsheet&assetId='));
    expect(text).toBe(BYTE_ORDER_MARK + lines(`${leading},metric,value`));
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
});
