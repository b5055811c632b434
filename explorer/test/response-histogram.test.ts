import { describe, expect } from 'vitest';
import { inNewTab, useChromium } from './browser.ts';
import { readings } from './dataset.ts';
import { drawnOn, FIRST, pixelsOf } from './pixels.ts';
import { boxOf, daysFrom, saved, showData } from './response.ts';

useChromium();

/** Assets with a row for each date. The values of `p` are 0 to 99, equally often; those of `q` are all 7. */
function snapshot(assets: number, valueDates: readonly string[]) {
  const nodes = Array.from({ length: assets }, (_, asset) => ({
    asset: { name: `Field ${asset}` },
    columns: {
      valueDates,
      metrics: [
        { name: 'p', values: valueDates.map(() => asset % 100) },
        { name: 'q', values: valueDates.map(() => 7) },
      ],
    },
  }));
  return { dataset: { name: 'Fields', nodes } };
}

const chart = '.response-chart[aria-roledescription="histogram"]';

describe('Many assets at one date', () => {
  inNewTab('are a histogram of each metric, and lines on request', async ({ page }) => {
    await showData(page, snapshot(10_000, ['2024-06-01']));
    await page.locator(`${chart} canvas`).waitFor();
    expect(await page.locator('.response-hint').allInnerTexts()).toEqual([
      '10000 assets with values at 1 date (2024-06-01): a chart shows how many values are in which range. “Histogram” switches to lines.',
    ]);
    expect(await page.locator(chart).getAttribute('aria-label')).toBe(
      'Fields. Histograms: p, q. Values of: 10000 assets. The arrow keys read out the values.',
    );
    // Twenty bars of the same height.
    const picture = await drawnOn(page, '.response-chart');
    const bars = pixelsOf(picture, FIRST).filter(({ y }) => y < 28 + 170);
    const columns = [...Map.groupBy(bars, ({ x }) => x).values()];
    const tops = columns.map((column) => Math.min(...column.map(({ y }) => y)));
    expect(Math.max(...tops) - Math.min(...tops)).toBeLessThan(2);
    expect(new Set(bars.map(({ x }) => x)).size).toBeGreaterThan((picture.width - 88) * 0.9);

    expect(await readings(page, ['Home', 'End'])).toEqual([
      'p 0 to 5: 500 values',
      expect.stringMatching(/^q 7 to 7\.\d+: 10000 values$/),
    ]);
    const box = await boxOf(page, `${chart} canvas`);
    await page.mouse.move(box.x + 64 + (box.width - 88) * 0.52, box.y + 100);
    await expect.poll(() => page.locator('.response-tip').innerText()).toBe('50 to 55: 500 values');
    expect((await saved(page, 'Save as SVG')).bytes.toString()).toContain('p: number of values in each range');

    await page.getByLabel('Filter', { exact: true }).fill('Field 999');
    await expect.poll(() => page.locator('.response-count').innerText()).toBe('11 of 10000');
    await expect.poll(() => page.locator('.response-hint').innerText()).toContain('11 assets with values at 1 date');
    await page.getByRole('button', { name: 'Histogram', pressed: true }).click();
    await page.locator('.response-chart[aria-roledescription="line chart"]').waitFor();
    await page.getByRole('button', { name: 'Histogram', pressed: false }).click();
    await page.locator(chart).waitFor();
  });

  inNewTab('are one of up to three dates and more than twenty assets, and of others on request', async ({ page }) => {
    const histogram = page.getByRole('button', { name: 'Histogram' });
    const dates = daysFrom('2024-06-01', 3);
    await showData(page, snapshot(21, dates));
    await expect
      .poll(() => page.locator('.response-hint').innerText())
      .toContain('21 assets with values at 3 dates (2024-06-01 to 2024-06-03)');
    for (const data of [snapshot(20, dates), snapshot(21, [...dates, '2024-06-04'])]) {
      await showData(page, data);
      await page.locator('.response-chart[aria-roledescription="line chart"]').waitFor();
      await histogram.click();
      await page.locator(chart).waitFor();
      expect(await readings(page, ['Home'])).toEqual([expect.stringMatching(/^p 0 to [\d.]+: \d values$/)]);
      await histogram.click();
    }
  });
});
