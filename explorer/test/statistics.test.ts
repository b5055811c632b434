import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { DATASET_ID } from '../../test/support/harness.ts';
import { useChromium } from './browser.ts';
import { hashOf, keyOf, openSignedIn, untilShown } from './dataset.ts';

useChromium();

const DAY = 86_400_000;

/** A point in time so many days after a Monday. */
const dateAfter = (days: number) => new Date(Date.UTC(2024, 0, 1) + days * DAY).toISOString();

const days = Array.from({ length: 100 }, (_, day) => day);

/** An asset with the values of some dates: a metric that grows from a first value on, and a constant one. */
function fieldOf(id: string, dates: readonly string[], first = 0) {
  return {
    asset_id: id,
    asset_name: `Field ${id}`,
    results: dates.map((value_date, index) => ({
      value_date,
      metrics: [
        { name: 'height', value: first + index },
        { name: 'width', value: 1 },
      ],
    })),
  };
}

/** A dataset of some assets. */
function datasetOf(id: string, ...assets: ReturnType<typeof fieldOf>[]) {
  return { metadata: { id, name: `Dataset ${id}` }, results: { assets } };
}

const daily = days.map(dateAfter);
const without = (dates: readonly string[], ...missing: number[]) =>
  dates.filter((_, index) => !missing.includes(index));
const months = Array.from({ length: 24 }, (_, month) => new Date(Date.UTC(2022, month)).toISOString());

/** What the statistics say of a metric. */
async function factsOf(page: Page, metric: string): Promise<string[]> {
  const row = page.locator('.dataset-statistics').getByRole('row', { name: new RegExp(`^${metric}`) });
  await row.waitFor();
  return row.locator('td').allInnerTexts();
}

const completeness = async (page: Page, metric = 'height') => (await factsOf(page, metric))[2]?.replace('\n', ', ');
const heading = (page: Page) => page.locator('#statistics').innerText();

describe('The statistics of a dataset page', () => {
  it('are of the chosen assets, metrics and days, and each extreme leads to its asset', async () => {
    const dataset = datasetOf(DATASET_ID, fieldOf('a', without(daily, 9, 50)), fieldOf('b', daily, 10));
    const { page, problems } = await openSignedIn([dataset]);
    expect(await completeness(page)).toBe('99 %, 198 of 2 × 100 dates');
    expect(await heading(page)).toBe('All assets, whole time');
    expect((await factsOf(page, 'height')).slice(-4)).toEqual([
      '0',
      '2024-01-01\nField a',
      '109',
      '2024-04-09\nField b',
    ]);
    const extreme = page.getByRole('row', { name: /^height/ }).getByRole('button', { name: 'Field b' });
    await extreme.press('Enter');
    await expect.poll(() => hashOf(page)).toBe('#asset=b');
    await untilShown(page);
    expect(await keyOf(page)).toEqual(['Field b']);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('chart');
    await expect.poll(() => heading(page)).toBe('Field b, whole time');
    await expect.poll(() => completeness(page)).toBe('100 %, 100 of 100 dates');
    await page.goto(page.url().replace(/#.*/, '#asset=a&metric=height&from=2024-01-01&to=2024-01-31'));
    await expect.poll(() => heading(page)).toBe('Field a, 2024-01-01 to 2024-01-31');
    await expect.poll(() => completeness(page)).toBe('96.8 %, 30 of 31 dates');
    expect(await page.getByRole('row', { name: /^width/ }).count()).toBe(0);
    expect(problems).toEqual([]);
  });

  it('count the dates that the usual step lets expect; where no step is usual, rows', async () => {
    const workingDays = daily.filter((_, day) => day % 7 < 5);
    const cases: Record<string, readonly [dates: readonly string[], said: string]> = {
      [DATASET_ID]: [daily.filter((_, day) => day % 4 !== 1), '75 %, 75 of 100 dates'],
      weekdays: [without(workingDays, 20), '98.6 %, 71 of 72 dates'],
      months: [without(months, 5, 11), '91.7 %, 22 of 24 dates'],
      irregular: [[0, 1, 7, 8, 19, 40, 41, 99].map(dateAfter), '100 %, 8 of 8 rows'],
    };
    const datasets = Object.entries(cases).map(([id, [dates]]) => datasetOf(id, fieldOf('a', dates)));
    const { page } = await openSignedIn(datasets);
    for (const [id, [, said]] of Object.entries(cases)) {
      await page.goto(page.url().replace(/datasets\/.*/, `datasets/${id}`));
      await expect.poll(() => completeness(page)).toBe(said);
    }
  });
});
