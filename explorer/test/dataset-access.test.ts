import { describe, expect, it } from 'vitest';
import { DATASET_ID, TOKEN } from '../../test/support/harness.ts';
import { violationsOf } from './axe.ts';
import { newPage, shownResponse, startDemo, untilReady, useChromium } from './browser.ts';
import { openDemo, openSignedIn, screen, signIn, untilShown, WEATHER } from './dataset.ts';

useChromium();

describe('The token', () => {
  it('stays in the tab over a reload and in GraphiQL, is in no URL, and is gone after “Sign out”', async () => {
    const { page, problems, origin } = await openSignedIn();
    await page.reload();
    await untilShown(page);
    await page.getByRole('link', { name: 'Show query' }).click();
    await untilReady(page);
    expect(page.url()).not.toContain(TOKEN);
    expect(await page.getByLabel('Bearer token').inputValue()).toBe(TOKEN);
    expect(JSON.stringify(await shownResponse(page))).toContain('"moisture"');
    await page.goto(`${origin}/datasets/${DATASET_ID}`);
    await untilShown(page);
    await page.locator('.dataset-token summary').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('A bearer token is missing').waitFor();
    expect(await page.locator('.response-chart').count()).toBe(0);
    expect(await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))).not.toContain(
      TOKEN,
    );
    await page.goBack();
    await untilReady(page);
    expect(await page.getByLabel('Bearer token').inputValue()).toBe('');
    const { page: another } = await newPage(origin, screen);
    await another.goto(`${origin}/datasets/${DATASET_ID}`);
    await another.getByText('A bearer token is missing').waitFor();
    expect(problems).toEqual([]);
  });

  it('that is wrong is an error in the place of the chart, and the right one mends it', async () => {
    const { page } = await openSignedIn();
    await signIn(page, 'wrong');
    const errors = page.locator('#chart [role=alert]');
    await errors.waitFor();
    expect(await errors.innerText()).toMatch(/UNAUTHENTICATED[\s\S]*Put a valid token into the field “Bearer token”/);
    expect(await page.locator('.response-chart').count()).toBe(0);
    await signIn(page);
    await untilShown(page);
    expect(await errors.count()).toBe(0);
  });
});

describe('The page of an unknown dataset', () => {
  it('says so in the place of the chart, and what to do', async () => {
    const { page } = await openDemo('unknown');
    const errors = page.locator('#chart [role=alert]');
    await errors.waitFor();
    expect(await errors.innerText()).toMatch(/NOT_FOUND[\s\S]*Check the id/);
    expect(await page.title()).toBe('unknown – dataset-subgraph');
  });
});

describe('The page of a dataset for everybody', () => {
  it.each([
    { width: 1280, height: 720, colorScheme: 'light' },
    { width: 1920, height: 1080, colorScheme: 'dark' },
    { width: 390, height: 844, colorScheme: 'dark' },
  ] as const)('has no violation of axe-core at $width pixels, $colorScheme, and the chart first', async (view) => {
    const { page } = await openDemo(WEATHER, '', view);
    await untilShown(page);
    await page.getByRole('rowheader', { name: 'wind' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.locator('summary', { hasText: 'Metrics' }).click();
    expect(await violationsOf(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(view.width);
    const box = await page.locator('.response-canvas').boundingBox();
    expect(box?.y).toBeLessThan(view.height / 2);
  });

  it('has a skip link: two keys to the chart', async () => {
    const { page } = await openDemo();
    await untilShown(page);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.className)).toBe('response-chart');
    await page.keyboard.press('Home');
    await expect.poll(() => page.locator('.response-reading').innerText()).toMatch(/^2012-01-01: /);
    expect(new URL(page.url()).hash).toBe('');
  });

  it('loads at most 450 kB, compressed, and no GraphiQL', async () => {
    const endpoint = await startDemo();
    const { page } = await newPage(endpoint.origin, screen);
    const paths = new Map<string, string>();
    let bytes = 0;
    const session = await page.context().newCDPSession(page);
    await session.send('Network.enable');
    session.on('Network.requestWillBeSent', ({ requestId, request: { url } }) => {
      const { pathname, protocol } = new URL(url);
      if (pathname !== '/graphql' && protocol === 'http:') paths.set(requestId, pathname);
    });
    session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      if (paths.has(requestId)) bytes += encodedDataLength;
    });
    await page.goto(new URL(`/datasets/${WEATHER}`, endpoint).href);
    await untilShown(page);
    await page.waitForLoadState('networkidle');
    process.stderr.write(`The page of a dataset: ${Math.round(bytes / 1000)} kB on the wire\n`);
    expect(bytes).toBeLessThanOrEqual(450_000);
    expect(bytes).toBeGreaterThan(150_000);
    expect([...paths.values()].filter((path) => /monaco|editor|graphql/i.test(path))).toEqual([]);
  });
});
