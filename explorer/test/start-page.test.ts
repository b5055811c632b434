import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { DATASET_ID, start, TOKEN } from '../../test/support/harness.ts';
import { newPage, startDemo, untilDrawn, useChromium } from './browser.ts';

useChromium();

describe('The start page of the demo', () => {
  it('shows each dataset with what it holds', async () => {
    const endpoint = await startDemo();
    const { page, problems } = await newPage(endpoint.origin);
    await page.goto(new URL('/', endpoint).href);
    const items = page.locator('.datasets > li');
    expect(await items.locator('h2').allInnerTexts()).toEqual([
      'Daily weather, Seattle and New York',
      'Mauna Loa CO2',
      'Iowa electricity by source',
      'Earthquakes of one week',
      '1,000 fields, three years (generated)',
    ]);
    expect((await items.first().innerText()).split('\n').filter((line) => line !== '')).toEqual([
      'Daily weather, Seattle and New York',
      'Precipitation (mm), highest and lowest temperature (°C) and wind (m/s) of each day at two stations.',
      'Assets',
      '2',
      'Metrics',
      'precipitation, temp_max, temp_min, wind',
      'Time',
      '2012-01-01 to 2015-12-31',
      'File',
      'weather.csv',
      'Source',
      'NOAA Climate Data Online; U.S. government work',
      // The sketches.
      ...['precipitation', 'temp_max', 'temp_min', 'wind'],
    ]);
    const paths = items.first().locator('figure path');
    expect(await paths.count()).toBe(4 * 2);
    expect((await paths.first().getAttribute('d'))?.match(/L/g)).toHaveLength(119);
    expect(await items.nth(3).innerText()).toMatch(/Assets\s+none, only a file\s+Time\s.*File\s+earthquakes\.geojson/s);
    expect(problems).toEqual([]);
  });
});

describe('The start page of a server', () => {
  /** The start page of a server in front of a dataset. */
  async function openServer(isAlone = false) {
    const bed = await start({ env: { EXPLORER: 'graphiql' } });
    const { origin } = new URL(bed.subgraph.url);
    const { page, problems } = await newPage(origin, { isAlone });
    await page.goto(origin);
    await page.getByRole('heading', { name: 'dataset-subgraph' }).waitFor();
    return { bed, page, problems, origin };
  }

  /** Opens the dataset of the server. */
  async function openDataset(page: Page): Promise<void> {
    await page.getByLabel('Bearer token').fill(TOKEN);
    await page.getByLabel('Dataset id').fill(DATASET_ID);
    await page.getByRole('button', { name: 'Open' }).click();
    await untilDrawn(page);
  }

  it('opens a dataset by its id and a token, and shows its chart', async () => {
    const { bed, page, problems, origin } = await openServer();
    // The token has the focus, and the id is next.
    await page.keyboard.type(TOKEN);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.type(` ${DATASET_ID} `);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Soil moisture' }).waitFor();
    await untilDrawn(page);
    expect(page.url()).toBe(`${origin}/datasets/${DATASET_ID}`);
    await page.getByRole('rowheader', { name: 'moisture' }).waitFor();
    await page.locator('.dataset-map .response-scale').waitFor();
    // The metadata and the results for the outline, and the results for the chart, for the statistics and for the map beside it.
    expect(bed.calls()).toHaveLength(5);
    expect(problems).toEqual([]);
  });

  it('shows the datasets that were used before in this browser: ids and names only', async () => {
    const { page, problems } = await openServer();
    expect(await page.getByRole('heading', { name: 'Used in this browser' }).count()).toBe(0);
    await openDataset(page);
    expect(await page.evaluate(() => ({ ...localStorage }))).toEqual({
      'dataset-subgraph:recent': JSON.stringify([{ id: DATASET_ID, name: 'Soil moisture' }]),
    });
    // The token is still there on the way back, and after the browser's own button.
    await page.getByRole('link', { name: 'dataset-subgraph' }).click();
    expect(await page.getByLabel('Bearer token').inputValue()).toBe(TOKEN);
    await page.getByRole('link', { name: 'Soil moisture' }).click();
    await untilDrawn(page);
    await page.goBack();
    await page.getByRole('button', { name: 'Forget these datasets' }).click();
    expect(await page.getByRole('link', { name: 'Soil moisture' }).count()).toBe(0);
    expect(await page.evaluate(() => localStorage['dataset-subgraph:recent'])).toBe('[]');
    expect(problems).toEqual([]);
  });

  it('shows nothing of damaged storage, and works where local storage is full', async () => {
    const { page, problems } = await openServer(true);
    for (const damaged of ['{', '7', 'null', '[7, null, {"id": 1}, {"id": "a"}]']) {
      await page.evaluate((text) => localStorage.setItem('dataset-subgraph:recent', text), damaged);
      await page.reload();
      await page.getByLabel('Dataset id').waitFor();
      expect(await page.getByRole('heading', { name: 'Used in this browser' }).count()).toBe(0);
    }
    await page.addInitScript(() => {
      const { setItem } = Storage.prototype;
      Object.defineProperty(Storage.prototype, 'setItem', {
        value: function (this: Storage, key: string, value: string) {
          if (this === localStorage) throw new DOMException('full', 'QuotaExceededError');
          setItem.call(this, key, value);
        },
      });
    });
    await page.reload();
    await openDataset(page);
    expect(problems).toEqual([]);
  });
});
