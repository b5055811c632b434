import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { RecordedRequest } from '../../simulator/src/simulator.ts';
import { DATASET_ID, dataset, respondWith } from '../../test/support/harness.ts';
import { useChromium } from './browser.ts';
import { hashOf, openSignedIn, untilShown } from './dataset.ts';
import { openResponseTab, saved } from './response.ts';

useChromium();

/** What is wrong, and the items of all lists of errors. */
const errorsOn = (page: Page) => page.getByRole('alert').getByRole('listitem').allInnerTexts();

const retry = (page: Page) => page.getByRole('button', { name: 'Retry' });

/** What the page says of a dataset without values, whatever the reason is. */
const guesses = /no values to draw|no results of|static dataset|Check the id/;

describe('An error on the page of a dataset', () => {
  it('says once what is known and what is missing, and “Retry” mends it', async () => {
    const { page, bed } = await openSignedIn([dataset], '#metric=moisture', { UPSTREAM_TIMEOUT_MS: '3000' });
    const ofResults = ({ operation }: RecordedRequest) => operation === 'getDatasetResults';
    for (const [when, fault, name, text] of [
      [
        'all calls time out',
        { hang: true },
        DATASET_ID,
        /^[^\n]* UPSTREAM_TIMEOUT\s+Missing: dataset\.name, .* and \d more/,
      ],
      [
        'all calls fail',
        { status: 500 },
        DATASET_ID,
        /^[^\n]* UPSTREAM_ERROR\s+Missing: dataset\.name, .* and \d more/,
      ],
      [
        'the results fail',
        { status: 503 },
        'Soil moisture',
        /^[^\n]* UPSTREAM_UNAVAILABLE\s+Missing: dataset\.results$/m,
      ],
    ] as const) {
      bed.simulator.intercept((request) => (when !== 'the results fail' || ofResults(request) ? fault : undefined));
      await page.reload();
      await retry(page).waitFor();
      expect([when, await errorsOn(page)]).toEqual([when, [expect.stringMatching(text)]]);
      expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe(name);
      expect(await page.locator('.dataset-page').innerText()).not.toMatch(guesses);
      bed.simulator.intercept(undefined);
      await retry(page).click();
      await untilShown(page);
      expect(await page.evaluate(() => document.activeElement?.id)).toBe('chart');
      expect(await errorsOn(page)).toEqual([]);
    }
    expect(hashOf(page)).toBe('#metric=moisture');
    // What a service says of a static dataset.
    bed.simulator.intercept((request) => (ofResults(request) ? { status: 404 } : undefined));
    await page.reload();
    await page.getByText('The service has no results of this dataset. A static dataset is a file.').waitFor();
    await page.getByRole('button', { name: 'Download the file' }).waitFor();
    expect([await errorsOn(page), await retry(page).count()]).toEqual([[], 0]);
    expect(await page.locator('.dataset-page').innerText()).not.toContain('Check the id');
  });

  it('of the chart, or of the name, stands once and leaves the rest', async () => {
    const { page, bed } = await openSignedIn([dataset], '#metric=moisture');
    await page.getByRole('rowheader', { name: 'moisture' }).waitFor();
    bed.simulator.intercept(() => ({ status: 503 }));
    // The statistics of this time fail, too.
    await page.getByLabel('Time', { exact: true }).selectOption('Last 30 days');
    await retry(page).waitFor();
    await page.waitForLoadState('networkidle');
    expect(await errorsOn(page)).toHaveLength(1);
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Soil moisture');
    // Nothing is known of its metadata.
    bed.simulator.intercept(({ operation }) => (operation === 'getDatasetMetadata' ? { status: 500 } : undefined));
    await retry(page).click();
    await untilShown(page);
    await expect.poll(() => errorsOn(page)).toEqual([expect.stringMatching(/UPSTREAM_ERROR\s+Missing: dataset\.name/)]);
    await page.getByRole('rowheader', { name: 'moisture' }).waitFor();
    bed.simulator.intercept(undefined);
    await retry(page).click();
    await expect.poll(() => errorsOn(page)).toEqual([]);
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Soil moisture');
    await untilShown(page);
  });
});

describe('“Run again”', () => {
  it('reads everything again, and keeps the view', async () => {
    const choice = '#asset=a&metric=moisture&from=2024-01-01&to=2024-01-02';
    const { page, bed, sent, problems } = await openSignedIn([dataset], choice);
    await openResponseTab(page, 'Table');
    const values = async () => (await saved(page, 'Save as CSV')).bytes.toString().match(/\d+\.\d+(?=\r)/g);
    await page.getByRole('rowheader', { name: 'moisture' }).waitFor();
    expect(await values()).toEqual(['0.5', '1.5']);
    const once = sent.splice(0);
    const [asset] = (dataset.results as { assets: { results: unknown[] }[] }).assets;
    const results = ['2024-01-01', '2024-01-02'].map((value_date, day) => ({
      value_date,
      metrics: [{ name: 'moisture', value: 7.25 + day }],
    }));
    respondWith(bed.simulator, { results: { assets: [{ ...asset, results }] } });
    const button = page.getByRole('button', { name: 'Run again' });
    await button.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Rows' }).getByText('8.25').waitFor();
    expect(await button.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(await values()).toEqual(['7.25', '8.25']);
    await expect.poll(() => sent).toHaveLength(once.length);
    const byName = (one: { name: string }, other: { name: string }) => one.name.localeCompare(other.name);
    expect(sent.toSorted(byName)).toEqual(once.toSorted(byName));
    expect(hashOf(page)).toBe(`${choice}&show=table`);
    expect(problems).toEqual([]);
  });
});
