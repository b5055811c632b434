import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { inBrowser, openExplorer, useChromium } from './browser.ts';

useChromium();

/** The box of an element on the page. */
async function boxOf(element: Locator) {
  const box = await element.boundingBox();
  if (box === null) throw new Error('The element is not on the screen.');
  return box;
}

/** The boxes of the editors and of the response. */
async function panes(page: Page) {
  return {
    editors: await boxOf(page.locator('.graphiql-editors')),
    response: await boxOf(page.locator('.graphiql-response')),
  };
}

describe('The panes of GraphiQL', () => {
  inBrowser(
    'stand side by side from 1200 pixels on',
    async ({ page }) => {
      const { editors, response } = await panes(page);
      expect(response.x).toBeGreaterThanOrEqual(editors.x + editors.width);
      expect(Math.abs(response.y - editors.y)).toBeLessThan(30);
    },
    { width: 1200, height: 800 },
  );

  it.each([1199, 1024, 768, 390])('are stacked at %i pixels, the editors above the response', async (width) => {
    const { page } = await openExplorer({ width, height: 800 });
    const { editors, response } = await panes(page);
    expect(response.y).toBeGreaterThanOrEqual(editors.y + editors.height);
    for (const box of [editors, response, await boxOf(page.locator('.picker'))]) {
      expect(box.x).toBeGreaterThanOrEqual(0);
      expect(box.x + box.width).toBeLessThanOrEqual(width);
    }
    // The list of the picker is on the screen too.
    for (const label of ['Assets', 'Metrics']) {
      await page.locator('summary', { hasText: label }).click();
      const list = await boxOf(page.locator('.choice[open] .choice-list'));
      expect(list.x).toBeGreaterThanOrEqual(0);
      expect(list.x + list.width).toBeLessThanOrEqual(width);
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  });
});
