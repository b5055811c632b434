import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { inNewTab, useChromium } from './browser.ts';
import { boxOf, nodeOf, openResponseTab, saved, savedCsv, showData } from './response.ts';

useChromium();

const data = {
  dataset: {
    name: 'Fields',
    nodes: [
      ['b', 'Field 10', [3, null]],
      ['a', 'Field 9', [1, 2]],
    ].map(([assetId, name, values]) => ({
      version: '7',
      asset: { assetId, name },
      columns: { valueDates: ['2024-01-02', '2024-01-01'], metrics: [{ name: 'moisture', values }] },
    })),
  },
};

/** The fields of the rows that are shown. */
async function rows(page: Page): Promise<string[]> {
  return page
    .locator('.response-scroller tbody tr:not(.response-rows-away)')
    .evaluateAll((all) => all.map((row) => [...row.children].map(({ textContent }) => textContent).join('|')));
}

async function sortBy(page: Page, name: string): Promise<void> {
  await page.getByRole('columnheader', { name }).getByRole('button').click();
}

describe('The table', () => {
  inNewTab(
    'has a row for each date of each asset, sorted by a column up, down or not at all, with missing values last',
    async ({ page }) => {
      await showData(page, data);
      await openResponseTab(page, 'Table');
      expect(await page.getByRole('columnheader').allInnerTexts()).toEqual([
        'asset_id',
        'asset_name',
        'asset_version',
        'value_date',
        'moisture',
      ]);
      await expect
        .poll(() => rows(page))
        .toEqual([
          'b|Field 10|7|2024-01-02|3',
          'b|Field 10|7|2024-01-01|',
          'a|Field 9|7|2024-01-02|1',
          'a|Field 9|7|2024-01-01|2',
        ]);
      expect(await page.locator('.response-count').innerText()).toBe('4 rows');
      const values = async () => (await rows(page)).map((row) => row.split('|').at(-1));
      await sortBy(page, 'moisture');
      await expect.poll(values).toEqual(['1', '2', '3', '']);
      expect(await page.getByRole('columnheader', { name: 'moisture' }).getAttribute('aria-sort')).toBe('ascending');
      await sortBy(page, 'moisture');
      await expect.poll(values).toEqual(['3', '2', '1', '']);
      await sortBy(page, 'moisture');
      await expect.poll(values).toEqual(['3', '', '1', '2']);
      expect(await page.getByRole('columnheader', { name: 'moisture' }).getAttribute('aria-sort')).toBe('none');
      // Numbers within names count as numbers: 9 is before 10. Rows that are equal keep their order.
      await sortBy(page, 'asset_name');
      await expect.poll(values).toEqual(['1', '2', '3', '']);
      await sortBy(page, 'value_date');
      await expect.poll(values).toEqual(['', '2', '3', '1']);
    },
  );

  inNewTab('has missing names and dates last, upwards and downwards, in CSV too', async ({ page }) => {
    await showData(page, {
      dataset: {
        nodes: [
          ['a', null, ['2024-01-02', null, '2024-01-01']],
          ['b', 'B', ['2024-01-01']],
          ['c', 'A', [null]],
        ].map(([assetId, name, valueDates]) => ({
          asset: { assetId, name },
          columns: { valueDates, metrics: [{ name: 'm', values: (valueDates as []).map((_, row) => row) }] },
        })),
      },
    });
    await openResponseTab(page, 'Table');
    const byName = ['c|A||0', 'b|B|2024-01-01|0', 'a||2024-01-02|0', 'a|||1', 'a||2024-01-01|2'];
    await sortBy(page, 'asset_name');
    await expect.poll(() => rows(page)).toEqual(byName);
    await sortBy(page, 'asset_name');
    await expect.poll(() => rows(page)).toEqual([byName[1], byName[0], ...byName.slice(2)]);
    await sortBy(page, 'value_date');
    const byDate = ['a||2024-01-01|2', 'b|B|2024-01-01|0', 'a||2024-01-02|0', 'a|||1', 'c|A||0'];
    await expect.poll(() => rows(page)).toEqual(byDate);
    await sortBy(page, 'value_date');
    await expect.poll(() => rows(page)).toEqual([byDate[2], byDate[0], byDate[1], byDate[3], byDate[4]]);
    expect((await savedCsv(page)).split('\r\n').slice(1, -1)).toEqual([
      'a,,,2024-01-02,0',
      'a,,,2024-01-01,2',
      'b,B,,2024-01-01,0',
      'a,,,,1',
      'c,A,,,0',
    ]);
  });

  inNewTab('has columns that fit, numbers of six digits, and all digits in the title and in CSV', async ({ page }) => {
    const [date, value] = ['2024-01-02T03:04:05.678Z', 0.1234567890123456];
    await showData(page, {
      dataset: {
        nodes: ['A field with a rather long name', 'B'].map((name) => ({
          asset: { name },
          columns: { valueDates: [date, date], metrics: [{ name: 'm', values: [value, 12_345_678.9] }] },
        })),
      },
    });
    await openResponseTab(page, 'Table');
    const first = `A field with a rather long name|${date}`;
    await expect.poll(async () => (await rows(page)).slice(0, 2)).toEqual([`${first}|0.123457`, `${first}|12345679`]);
    const cells = page.locator('.response-scroller :is(td, th button)');
    const cut = () =>
      cells.evaluateAll((all) =>
        all.filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.textContent),
      );
    await expect.poll(cut).toEqual([]);
    expect(await page.locator('.response-number').first().getAttribute('title')).toBe(String(value));
    expect(await savedCsv(page)).toContain(`,2024-01-02 03:04:05.678,${value}\r\n`);
    // There is no column for what was not selected.
    await showData(page, { dataset: nodeOf('A', ['1'], [1]) });
    await expect.poll(() => page.getByRole('columnheader').allInnerTexts()).toEqual(['asset_name', 'value_date', 'm']);
  });

  inNewTab('has columns that a drag and the arrow keys widen', async ({ page }) => {
    await showData(page, data);
    await openResponseTab(page, 'Table');
    await expect.poll(async () => (await rows(page)).length).toBe(4);
    const edge = page.getByRole('separator', { name: 'Width of asset_name' });
    const width = async () => Math.round((await page.getByRole('columnheader').nth(1).boundingBox())?.width ?? 0);
    const before = await width();
    expect(await edge.getAttribute('aria-valuenow')).toBe(String(before));
    const box = await boxOf(page, '[aria-label="Width of asset_name"]');
    await page.mouse.move(box.x + 4, box.y + 4);
    await page.mouse.down();
    await page.mouse.move(box.x + 104, box.y + 4, { steps: 4 });
    await page.mouse.up();
    await page.mouse.move(box.x + 300, box.y + 4);
    expect(await width()).toBe(before + 100);
    await edge.press('ArrowRight');
    expect(await width()).toBe(before + 116);
    await edge.press('ArrowLeft');
    await edge.press('ArrowLeft');
    expect(await edge.getAttribute('aria-valuenow')).toBe(String(before + 84));
    await edge.press('Enter');
    expect(await width()).toBe(before);
  });

  inNewTab('saves as CSV what it shows: filtered and sorted', async ({ page }) => {
    await showData(page, data);
    await openResponseTab(page, 'Table');
    await page.getByLabel('Filter assets').fill('field 9');
    await sortBy(page, 'moisture');
    await sortBy(page, 'moisture');
    await expect.poll(() => page.locator('.response-count').innerText()).toBe('2 of 4 rows');
    const { name, bytes } = await saved(page, 'Save as CSV');
    expect(name).toMatch(/^fields-table-.*-[0-9a-f]{8}\.csv$/);
    expect(bytes.toString()).toBe(
      'asset_id,asset_name,asset_version,value_date_utc,moisture\r\na,Field 9,7,2024-01-01,2\r\na,Field 9,7,2024-01-02,1\r\n',
    );
  });

  inNewTab('has only the visible rows in the page, and the others when it is scrolled', async ({ page }) => {
    const valueDates = Array.from({ length: 50_000 }, (_, row) => `row ${row}`);
    const values = valueDates.map((_, row) => row);
    await showData(page, { dataset: { columns: { valueDates, metrics: [{ name: 'm', values }] } } });
    await openResponseTab(page, 'Table');
    await expect.poll(async () => (await rows(page))[0]).toBe('row 0|0');
    expect((await rows(page)).length).toBeLessThan(100);
    const scroller = page.getByRole('region', { name: 'Rows' });
    await scroller.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await expect.poll(async () => (await rows(page)).at(-1)).toBe('row 49999|49999');
    expect((await rows(page)).length).toBeLessThan(100);
    await scroller.focus();
    await page.keyboard.press('Home');
    await expect.poll(async () => (await rows(page))[0]).toBe('row 0|0');
  });
});
