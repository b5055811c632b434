import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { inBrowser, useChromium } from './browser.ts';
import { areaPixels, drawnOn } from './pixels.ts';
import { showData } from './response.ts';

useChromium();

/** A band of twelve days, four of which in the middle have no values, or no rows. */
function bandWithGap(gap: 'values' | 'rows') {
  const isGap = (day: number) => day >= 4 && day < 8;
  const days = Array.from({ length: 12 }, (_, day) => day).filter((day) => gap === 'values' || !isGap(day));
  const valueDates = days.map((day) => `2024-01-${String(day + 1).padStart(2, '0')}`);
  const quantiles = [1, 5, 10].map((value) => ({
    quantile: value / 10,
    values: days.map((day) => (isGap(day) ? null : value)),
  }));
  return { dataset: { results: { bands: { valueDates, metrics: [{ name: 'moisture', quantiles }] } } } };
}

/** How many pixels of the upper half an area covers, and no line, in each third of the width. The slider is below. */
async function coveredThirds(page: Page): Promise<number[]> {
  const picture = await drawnOn(page, '.response-chart');
  const counts = [0, 0, 0];
  for (const { x, y } of areaPixels(picture)) {
    const third = Math.floor((x / picture.width) * 3);
    if (y < picture.height / 2) counts[third] = (counts[third] ?? 0) + 1;
  }
  return counts;
}

describe('A band', () => {
  for (const gap of ['values', 'rows'] as const) {
    inBrowser(`is no area where it has no ${gap}, also on a logarithmic axis`, async ({ page }) => {
      await showData(page, bandWithGap(gap));
      for (const _ of ['value', 'logarithmic']) {
        const isCovered = async () => (await coveredThirds(page)).map((count) => count > 2000);
        await expect.poll(isCovered).toEqual([true, false, true]);
        await page.getByRole('button', { name: 'Logarithmic' }).click();
      }
    });
  }
});
