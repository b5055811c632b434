import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { openExplorer, useChromium } from './browser.ts';
import { drawnOn, FIRST, pixelsOf } from './pixels.ts';
import { boxOf, drawTemperatures } from './response.ts';

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

describe('In the dark', () => {
  it('GraphiQL has a dark page with lines of lighter colours', async () => {
    const { page, problems } = await openExplorer({ colorScheme: 'dark' });
    await drawTemperatures(page);
    const pixels = async (color: readonly [number, number, number]) =>
      pixelsOf(await drawnOn(page, '.response-chart'), color).length;
    await expect.poll(() => pixels([0xff, 0x8c, 0x42])).toBeGreaterThan(500);
    expect(await pixels(FIRST)).toBe(0);
    expect(await page.locator('#page').evaluate((element) => getComputedStyle(element).backgroundColor)).toBe(
      'rgb(33, 42, 59)',
    );
    expect(problems).toEqual([]);
  });
});
