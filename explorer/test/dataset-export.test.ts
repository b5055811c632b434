import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { useChromium } from './browser.ts';
import { openDemo, untilShown, WEATHER } from './dataset.ts';

useChromium();

const run = promisify(execFile);

/** Saves a file of the open menu. */
async function savedFile(page: Page, name: string): Promise<Buffer> {
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name, exact: true }).click();
  return readFile(await (await saving).path());
}

/** The text of the element with the focus. */
const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent);

describe('The files of a dataset', () => {
  it('are reached by keyboard alone: two keys to the chart, and at most 15 to a file of all rows', async () => {
    const { page, problems } = await openDemo(WEATHER, '#metric=temp_max&metric=wind');
    await untilShown(page);
    let keys = 0;
    const press = async (key: string) => {
      await page.keyboard.press(key);
      keys++;
    };
    await press('Tab');
    await press('Enter');
    expect(await page.evaluate(() => document.activeElement?.className)).toBe('response-chart');
    while ((await focused(page)) !== 'Export' && keys < 15) await press('Shift+Tab');
    await press('Enter');
    await press('Tab');
    expect(await focused(page)).toBe('CSV file');
    const saving = page.waitForEvent('download');
    await press('Enter');
    const lines = (await readFile(await (await saving).path())).toString().split('\r\n');
    expect(keys).toBeLessThanOrEqual(15);
    expect(lines.slice(0, 2)).toEqual([
      'asset_id,asset_name,asset_version,value_date,temp_max,wind',
      'seattle-tacoma,Seattle-Tacoma,1,2012-01-01,12.8,4.7',
    ]);
    expect(lines).toHaveLength(1 + 2 * 1461 + 1);
    await page.getByText('The download of the CSV file has started.').waitFor();
    expect(problems).toEqual([]);
  });

  it('have all rows of the chosen assets, metrics and time, in each format, as the copied query has', async () => {
    const { page, problems } = await openDemo(
      WEATHER,
      '#asset=seattle-tacoma&metric=wind&from=2015-01-01&to=2015-01-31',
    );
    await untilShown(page);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.locator('.response-export summary').click();
    await page.getByText('All rows of the chosen assets, with the chosen metrics and time:').waitFor();
    const header = 'asset_id,asset_name,asset_version,value_date,wind';
    const csv = (await savedFile(page, 'CSV file')).toString();
    expect(csv.split('\r\n')).toHaveLength(1 + 31 + 1);
    expect(csv).toContain(`${header}\r\nseattle-tacoma,Seattle-Tacoma,1,2015-01-01,1.2\r\n`);
    expect((await savedFile(page, 'CSV file for spreadsheets')).toString()).toBe(
      `\ufeff${csv.replace('value_date', 'value_date_utc')}`,
    );
    const objects = (await savedFile(page, 'NDJSON file')).toString().trimEnd().split('\n');
    expect(objects).toHaveLength(31);
    expect(JSON.parse(objects[0] ?? '')).toEqual({
      asset_id: 'seattle-tacoma',
      asset_name: 'Seattle-Tacoma',
      asset_version: 1,
      value_date: '2015-01-01',
      wind: 1.2,
    });
    expect((await savedFile(page, 'Parquet file')).toString('latin1', 0, 4)).toBe('PAR1');
    expect((await savedFile(page, 'Arrow file')).toString('latin1', 0, 6)).toBe('ARROW1');
    await page.getByRole('button', { name: 'Copy as curl' }).click();
    await page.getByText('Copied as curl. Put the token into the variable TOKEN.').waitFor();
    const code = await page.evaluate(() => navigator.clipboard.readText());
    expect(code).not.toContain('demo-token');
    const { stdout } = await run('bash', ['-c', code], { env: { ...process.env, TOKEN: 'demo-token' } });
    const { columns } = JSON.parse(stdout).data.dataset.results.series.nodes[0];
    expect(columns.valueDates).toHaveLength(31);
    expect(columns.metrics).toEqual([{ name: 'wind', values: expect.arrayContaining([1.2]) }]);
    expect(problems).toEqual([]);
  });

  it('have all assets where the page shows their quantiles', async () => {
    const { page } = await openDemo(WEATHER, '#asset=seattle-tacoma&metric=wind&range=last-30-days&as=quantiles');
    await untilShown(page);
    await page.locator('.response-export summary').click();
    await page.getByText('All rows of all assets, with the chosen metrics and time:').waitFor();
    expect((await savedFile(page, 'CSV file')).toString().split('\r\n')).toHaveLength(1 + 2 * 30 + 1);
  });
});
