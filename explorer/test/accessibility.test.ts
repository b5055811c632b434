import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { DATASET_ID, start, TOKEN } from '../../test/support/harness.ts';
import { violationsOf } from './axe.ts';
import { newPage, openExplorer, shownResponse, startDemo, untilDrawn, untilReady, useChromium } from './browser.ts';
import { openResponseTab } from './response.ts';

useChromium();

const views = [
  { width: 1440, height: 900, colorScheme: 'light' },
  { width: 1440, height: 900, colorScheme: 'dark' },
  { width: 900, height: 900, colorScheme: 'light' },
  { width: 390, height: 844, colorScheme: 'dark' },
] as const;

/** Whether the page can be scrolled sideways. */
function isTooWide(page: Page): Promise<boolean> {
  return page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
}

describe.each(views)('Accessibility at $width pixels, $colorScheme', (view) => {
  it('of the start page of the demo', async () => {
    const endpoint = await startDemo();
    const { page } = await newPage(endpoint.origin, view);
    await page.goto(new URL('/', endpoint).href);
    expect(await violationsOf(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
  });

  it('of the start page of a server', async () => {
    const { subgraph } = await start({ env: { EXPLORER: 'graphiql' } });
    const { origin } = new URL(subgraph.url);
    const { page } = await newPage(origin, view);
    await page.addInitScript((id) => {
      localStorage.setItem('dataset-subgraph:recent', JSON.stringify([{ id, name: 'Soil moisture' }]));
    }, DATASET_ID);
    await page.goto(origin);
    await page.getByLabel('Dataset id').fill(DATASET_ID);
    await page.getByLabel('Bearer token').fill(TOKEN);
    expect(await violationsOf(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
  });

  it('of GraphiQL with a chart, and with an open list of the picker', async () => {
    const { page } = await openExplorer(view);
    await shownResponse(page);
    await untilDrawn(page);
    expect(await violationsOf(page)).toEqual([]);
    await page.locator('summary', { hasText: 'Metrics' }).click();
    await page.getByRole('checkbox', { name: 'wind' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
  });
});

describe.each(views)('Accessibility at $width pixels, $colorScheme', (view) => {
  it('of the table, the map with its values, the menu of exports, and an error', async () => {
    const { page } = await openExplorer(view);
    await shownResponse(page);
    await openResponseTab(page, 'Table');
    await page.locator('.response-number').first().waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await openResponseTab(page, 'Map');
    await page.locator('.response-scale').waitFor();
    await page.locator('.response-export summary').click();
    expect(await violationsOf(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
    await page.keyboard.press('Escape');
    await page.getByLabel('Dataset', { exact: true }).fill('unknown');
    await page.keyboard.press('Enter');
    await page.getByRole('alert', { name: 'Errors' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });
});

describe('A page that is asked to move little', () => {
  it('has no animation', async () => {
    const { page } = await openExplorer();
    await page.emulateMedia({ reducedMotion: 'reduce' });
    const longest = await page.evaluate(() =>
      Math.max(
        ...[...document.querySelectorAll('*')].flatMap((element) => {
          const { animationDuration, transitionDuration } = getComputedStyle(element);
          return `${animationDuration}, ${transitionDuration}`.split(', ').map(Number.parseFloat);
        }),
      ),
    );
    expect(longest).toBeLessThan(0.01);
    await untilReady(page);
  });
});
