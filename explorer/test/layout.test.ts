import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { openExplorer, useChromium } from './browser.ts';
import { openDemo, openSignedIn, soilOf, untilShown } from './dataset.ts';
import { drawnOn, FIRST, pixelsOf } from './pixels.ts';
import { boxOf, drawTemperatures, tooltipAt } from './response.ts';

useChromium();

/** The boxes of the editors and of the response. */
async function panes(page: Page) {
  return { editors: await boxOf(page, '.graphiql-editors'), response: await boxOf(page, '.graphiql-response') };
}

describe('The panes of GraphiQL', () => {
  it('stand side by side from 1200 pixels on, and below it the editors are above the response', async () => {
    const { page, problems } = await openExplorer({ width: 1200, height: 800, isAlone: true });
    const { editors, response } = await panes(page);
    expect(response.x).toBeGreaterThanOrEqual(editors.x + editors.width);
    expect(Math.abs(response.y - editors.y)).toBeLessThan(30);
    for (const width of [1199, 768, 390]) {
      await page.setViewportSize({ width, height: 800 });
      const stacked = await panes(page);
      expect(stacked.response.y).toBeGreaterThanOrEqual(stacked.editors.y + stacked.editors.height);
      const boxes = [stacked.editors, stacked.response, await boxOf(page, '.picker')];
      // The lists of the picker are on the screen too.
      for (const label of ['Assets', 'Metrics']) {
        await page.locator('summary', { hasText: label }).click();
        boxes.push(await boxOf(page, '.choice[open] .choice-list'));
      }
      await page.keyboard.press('Escape');
      for (const box of boxes) {
        expect(box.x).toBeGreaterThanOrEqual(0);
        expect(box.x + box.width).toBeLessThanOrEqual(width);
      }
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    }
    expect(problems).toEqual([]);
  });
});

describe('The page of a dataset', () => {
  const phone = { width: 390, height: 844 };

  it('has what chooses the view above the charts at 390 pixels, and a tooltip that covers one chart at most', async () => {
    const { page, problems } = await openDemo(undefined, '', phone);
    await untilShown(page);
    const [bar, canvas] = [await boxOf(page, '.dataset-bar'), await boxOf(page, '.response-canvas')];
    expect(bar.y + bar.height).toBeLessThan(canvas.y);
    expect(canvas.y).toBeLessThan(phone.height / 2);
    // In the second of four charts.
    const { lines, box } = await tooltipAt(page, 200, 28 + 120 + 28 + 60);
    expect(
      lines
        .slice(1)
        .map((line) => line.replace(/ [-\d.]+$/, ''))
        .toSorted(),
    ).toEqual(['New York (Central Park)', 'Seattle-Tacoma', 'temp_max']);
    expect(box.height).toBeLessThan(120);
    expect(box.x + box.width).toBeLessThanOrEqual(phone.width);
    await page.getByLabel('Time', { exact: true }).selectOption('Days …');
    await page.getByRole('form', { name: 'Days' }).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(phone.width);
    expect(problems).toEqual([]);
  });

  it('has its chart on the screen of a phone with names of any length', async () => {
    const soil = soilOf(15);
    const long = (name: unknown) => `${name}, ${'the long and winding name of a field '.repeat(8)}`;
    const assets = soil.results.assets.map((asset) => ({ ...asset, asset_name: long(asset.asset_name) }));
    const metadata = { ...soil.metadata, name: long(soil.metadata.name), description: long('Soil').repeat(4) };
    const { page } = await openSignedIn([{ metadata, results: { assets } }], '', {}, phone);
    const canvas = await boxOf(page, '.response-canvas');
    expect(canvas.y).toBeLessThan(phone.height - 200);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(phone.width);
    expect(await page.locator('.dataset-key li').first().getAttribute('title')).toBe(assets[0]?.asset_name);
  });

  it('has the map of all assets beside the chart where the screen is wide', async () => {
    const { page, sent, problems } = await openDemo(undefined, '#metric=temp_max', { width: 1280, height: 720 });
    await page.locator('.dataset-map .response-map canvas').waitFor();
    const [chart, map] = [await boxOf(page, '.response-chart'), await boxOf(page, '.dataset-map .response-map')];
    expect(map.x).toBeGreaterThan(chart.x + chart.width);
    expect(map.y + map.height).toBeLessThan(720);
    await page.setViewportSize({ width: 1200, height: 720 });
    await page.locator('.dataset-map').waitFor({ state: 'detached' });
    expect(sent.filter(({ name }) => name === 'PeriodMap')).toHaveLength(1);
    expect(problems).toEqual([]);
  });
});

describe('In the dark', () => {
  it('GraphiQL has a dark page with lines of lighter colours', async () => {
    const { page, problems } = await openExplorer({ colorScheme: 'dark' });
    await drawTemperatures(page);
    const pixels = async (color: readonly [number, number, number]) =>
      pixelsOf(await drawnOn(page, '.response-chart'), color).length;
    await expect.poll(() => pixels([0xff, 0x8c, 0x42])).toBeGreaterThan(500);
    expect(await pixels(FIRST)).toBe(0);
    expect(await page.locator('#page').evaluate((element) => getComputedStyle(element).backgroundColor)).toBe(
      'rgb(16, 19, 25)',
    );
    expect(problems).toEqual([]);
  });
});
