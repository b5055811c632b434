import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { assetResult, DATASET_ID } from '../../test/support/harness.ts';
import { useChromium } from './browser.ts';
import { hashOf, onDatasetPage, openSignedIn, soilOf, untilShown } from './dataset.ts';
import { areaPixels, drawnOn, FIRST, pixelsOf, SECOND } from './pixels.ts';

useChromium();

const names = (page: Page) => page.getByRole('list', { name: 'Lines' }).getByRole('button');
const alone = (page: Page) => page.locator('.dataset-key li [aria-pressed=true]').allInnerTexts();
const count = async (page: Page, colour: typeof FIRST | typeof SECOND) =>
  pixelsOf(await drawnOn(page, '.response-chart'), colour).length;

/** The rows of the table of the lowest, the mean and the highest values. */
const numbersOf = (page: Page) =>
  page
    .getByRole('region', { name: 'Lowest, mean and highest value of each line' })
    .locator('tbody tr')
    .evaluateAll((rows) => rows.map(({ children }) => [...children].map(({ textContent }) => textContent).join(' ')));

describe('The lines of a dataset', () => {
  const seattle = 'Seattle-Tacoma 0 3.02943 55.9 -1.6 16.4391 35.6';
  const newYork = 'New York (Central Park) 0 2.8601 118.9 -7.7 17.0992 37.8';

  onDatasetPage(
    'have their lowest, mean and highest values, and are shown alone and together, by key too',
    '#metric=precipitation&metric=temp_max',
    async ({ page }) => {
      await expect.poll(() => numbersOf(page)).toEqual([seattle, newYork]);
      await expect.poll(() => count(page, FIRST)).toBeGreaterThan(500);
      expect(await alone(page)).toEqual([]);
      await names(page).last().press('Enter');
      await expect.poll(() => count(page, FIRST)).toBe(0);
      expect(await count(page, SECOND)).toBeGreaterThan(500);
      expect(await alone(page)).toEqual(['New York (Central Park)']);
      expect(await numbersOf(page)).toEqual([newYork]);
      expect(hashOf(page)).toBe('#metric=precipitation&metric=temp_max&only=New+York+%28Central+Park%29');
      await page.reload();
      await untilShown(page);
      expect(await numbersOf(page)).toEqual([newYork]);
      await names(page).last().press('Enter');
      await expect.poll(() => count(page, FIRST)).toBeGreaterThan(500);
      expect(hashOf(page)).toBe('#metric=precipitation&metric=temp_max');
      await names(page).first().click();
      await expect.poll(() => numbersOf(page)).toEqual([seattle]);
      await names(page).last().click();
      await expect.poll(() => numbersOf(page)).toEqual([newYork]);
    },
  );

  onDatasetPage(
    'have a logarithmic axis, which is in the link and says what it leaves out',
    '#metric=precipitation&only=Seattle-Tacoma',
    async ({ page, sent }) => {
      const requests = sent.length;
      const before = (await drawnOn(page, '.response-chart')).data;
      await page.getByRole('button', { name: 'Logarithmic' }).click();
      await page.getByText('838 values of zero or less have no place on a logarithmic axis.').waitFor();
      await expect.poll(async () => (await drawnOn(page, '.response-chart')).data.equals(before)).toBe(false);
      expect(hashOf(page)).toBe('#metric=precipitation&axis=logarithmic&only=Seattle-Tacoma');
      // The numbers are those of all values.
      expect(await numbersOf(page)).toEqual(['Seattle-Tacoma 0 3.02943 55.9']);
      expect(sent).toHaveLength(requests);
    },
  );

  it('are alone with their area, if they are quantiles', async () => {
    const { page, problems } = await openSignedIn([soilOf(30)], '#asset=asset-1&metric=moisture&as=quantiles');
    // Not that of the slider.
    const area = async () => areaPixels(await drawnOn(page, '.response-chart')).filter(({ y }) => y < 300).length;
    await expect.poll(area).toBeGreaterThan(50_000);
    await expect.poll(() => count(page, SECOND)).toBeGreaterThan(100);
    await names(page).first().click();
    await expect.poll(() => count(page, SECOND)).toBe(0);
    expect(await area()).toBeGreaterThan(50_000);
    await names(page).last().click();
    await expect.poll(area).toBeLessThan(5000);
    expect(problems).toEqual([]);
  });

  it('have no mean where the page reads only some of their rows', async () => {
    const hours = Array.from({ length: 6000 }, (_, hour) => new Date(Date.UTC(2024, 0, 1, hour)).toISOString());
    const results = hours.map((value_date, hour) => ({ value_date, metrics: [{ name: 'm', value: hour % 2 }] }));
    const metadata = { id: DATASET_ID, name: 'Hours' };
    const assets = [{ ...assetResult('a'), results }];
    const { page, problems } = await openSignedIn([{ metadata, results: { assets } }]);
    expect(await numbersOf(page)).toEqual(['Field a 0 – 1']);
    expect(problems).toEqual([]);
  });
});
