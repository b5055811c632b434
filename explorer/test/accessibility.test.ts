import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { DATASET_ID, start, startService, TOKEN } from '../../test/support/harness.ts';
import { violationsOf } from './axe.ts';
import { newPage, openExplorer, shownResponse, startDemo, untilDrawn, untilReady, useChromium } from './browser.ts';
import { openDemo, signIn, untilShown, WEATHER } from './dataset.ts';
import { openResponseTab } from './response.ts';

useChromium();

/** Checks the page by axe-core, and that it cannot be scrolled sideways. */
async function expectAccessible(page: Page, what: string): Promise<void> {
  const isTooWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  expect([what, await violationsOf(page), isTooWide]).toEqual([what, [], false]);
}

describe.each([
  { width: 1280, height: 720, colorScheme: 'light' },
  { width: 390, height: 844, colorScheme: 'dark' },
] as const)('Accessibility at $width pixels, $colorScheme', (view) => {
  it('of the start pages', async () => {
    const endpoint = await startDemo();
    const { page } = await newPage(endpoint.origin, view);
    await page.goto(new URL('/', endpoint).href);
    await expectAccessible(page, 'the start page of the demo');
    const { subgraph } = await start({ env: { EXPLORER: 'graphiql' } });
    await page.goto(new URL('/', subgraph.url).href);
    await page.evaluate((id) => {
      localStorage.setItem('dataset-subgraph:recent', JSON.stringify([{ id, name: 'Soil moisture' }]));
    }, DATASET_ID);
    await page.reload();
    await page.getByRole('link', { name: 'Soil moisture' }).waitFor();
    await page.getByLabel('Bearer token').fill(TOKEN);
    await expectAccessible(page, 'the start page of a server');
  });

  it('of GraphiQL: a chart, a list of the picker, the table, the map with its values, the exports, an error', async () => {
    const { page } = await openExplorer(view);
    await shownResponse(page);
    await untilDrawn(page);
    await expectAccessible(page, 'a chart');
    await page.locator('.response-calls summary').click();
    await page.locator('summary', { hasText: 'Metrics' }).click();
    await page.getByRole('checkbox', { name: 'wind' }).waitFor();
    await expectAccessible(page, 'a list of the picker, and the REST calls');
    await page.keyboard.press('Escape');
    await openResponseTab(page, 'Table');
    await page.locator('.response-number').first().waitFor();
    await expectAccessible(page, 'the table');
    await openResponseTab(page, 'Map');
    await page.locator('.response-scale').waitFor();
    await page.locator('.response-export summary').click();
    await expectAccessible(page, 'the map and the exports');
    await page.keyboard.press('Escape');
    await page.getByLabel('Dataset', { exact: true }).fill('unknown');
    await page.keyboard.press('Enter');
    await page.getByRole('alert', { name: 'Errors' }).waitFor();
    await expectAccessible(page, 'an error');
  });

  it('of the page of a dataset, which has the chart first', async () => {
    const { page } = await openDemo(WEATHER, '', view);
    await untilShown(page);
    await page.getByRole('rowheader', { name: 'wind' }).waitFor();
    expect((await page.locator('.response-chart').boundingBox())?.y).toBeLessThan(view.height / 2);
    if (view.width === 1280) await page.locator('.dataset-map .response-scale').waitFor();
    await page.locator('summary', { hasText: 'Assets' }).click();
    await expectAccessible(page, 'a chart and an open list');
    await page.keyboard.press('Escape');
    for (const [name, part] of [
      ['Map', '.response-scale'],
      ['Heat map', '.response-chart canvas'],
      ['Table', '.response-number'],
    ] as const) {
      await page.getByRole('tab', { name, exact: true }).click();
      await page.locator(part).first().waitFor();
      await expectAccessible(page, name);
    }
    await page.locator('.response-export summary').click();
    await expectAccessible(page, 'the exports');
  });

  it('of signing in', async () => {
    const auth = await startService({ accounts: [] });
    const { subgraph, simulator } = await start({ env: { EXPLORER: 'graphiql', AUTH_SERVICE_URL: auth.url } });
    const { origin } = new URL(subgraph.url);
    const { page } = await newPage(origin, view);
    const form = page.getByRole('form', { name: 'Sign in' });
    for (const path of ['/', `/datasets/${DATASET_ID}`]) {
      await page.goto(`${origin}${path}`);
      await form.waitFor();
      await expectAccessible(page, path);
    }
    await form.getByLabel('E-mail').fill('anna@example.com');
    await form.getByLabel('Password').fill('wrong');
    await page.keyboard.press('Enter');
    await form.getByRole('alert').waitFor();
    await expectAccessible(page, 'a wrong password');
    await signIn(page, 'wrong');
    await page.getByText('The service does not accept the token.').waitFor();
    await expectAccessible(page, 'a rejected token');
    simulator.intercept(() => ({ status: 503 }));
    await signIn(page);
    await page.getByRole('button', { name: 'Retry' }).waitFor();
    await expectAccessible(page, 'an error with a button');
    await page.goto(`${origin}/graphiql`);
    await untilReady(page);
    await page.locator('summary', { hasText: 'Sign in' }).click();
    await expectAccessible(page, 'GraphiQL');
    const box = await form.boundingBox();
    expect(box && box.x > 0 && box.x + box.width < view.width).toBe(true);
  });
});

describe('A page that is asked to move little', () => {
  it('has no animation', async () => {
    const { page } = await openExplorer({ isAlone: true });
    await page.emulateMedia({ reducedMotion: 'reduce' });
    const durations = await page.evaluate(() =>
      [...document.querySelectorAll('*')].flatMap((element) => {
        const { animationDuration, transitionDuration } = getComputedStyle(element);
        return `${animationDuration}, ${transitionDuration}`.split(', ').map(Number.parseFloat);
      }),
    );
    expect(Math.max(...durations)).toBeLessThan(0.01);
  });
});
