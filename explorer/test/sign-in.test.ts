import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { DATASET_ID, start, startService, TOKEN } from '../../test/support/harness.ts';
import { violationsOf } from './axe.ts';
import { newPage, untilReady, useChromium, type View } from './browser.ts';
import { screen, untilShown } from './dataset.ts';

useChromium();

const EMAIL = 'anna@example.com';
const PASSWORD = 'correct horse battery';

/** A server with a login, and a browser. */
async function openWithLogin(path: string, view: View = screen) {
  const auth = await startService({ accounts: [{ email: EMAIL, password: PASSWORD, token: TOKEN }] });
  const { subgraph } = await start({ env: { EXPLORER: 'graphiql', AUTH_SERVICE_URL: auth.url } });
  const { origin } = new URL(subgraph.url);
  const { page, problems } = await newPage(origin, view);
  const urls: string[] = [];
  page.on('request', (request) => urls.push(request.url()));
  await page.goto(`${origin}${path}`);
  return { page, problems, urls, auth };
}

/** Types the account by keyboard alone, once the field of the e-mail address has the focus. */
async function typeAccount(page: Page, password = PASSWORD): Promise<void> {
  await page.locator('[autocomplete=username]:focus').waitFor();
  await page.keyboard.type(EMAIL);
  await page.keyboard.press('Tab');
  await page.keyboard.type(password);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
}

/** All that the browser keeps of a page for later. */
function keptBy(page: Page): Promise<string> {
  return page.evaluate(() => JSON.stringify([{ ...localStorage }, document.cookie, history.state, location.href]));
}

describe('Signing in', () => {
  it('on the page of a dataset shows its chart, keeps the token for the tab alone, and signing out forgets it', async () => {
    const { page, problems, urls, auth } = await openWithLogin(`/datasets/${DATASET_ID}`);
    const form = page.getByRole('form', { name: 'Sign in' });
    await form.waitFor();
    await typeAccount(page);
    await untilShown(page);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('chart');
    expect(await page.evaluate(() => ({ ...sessionStorage }))).toEqual({ 'dataset-subgraph:token': TOKEN });
    await page.reload();
    await untilShown(page);
    await page.locator('summary', { hasText: 'Signed in' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('Sign in above').waitFor();
    expect(await page.locator('.response-chart').count()).toBe(0);
    expect(await page.evaluate(() => ({ ...sessionStorage }))).toEqual({});
    expect(urls.length).toBeGreaterThan(10);
    const kept = `${urls.join()}${await keptBy(page)}`;
    for (const secret of [TOKEN, EMAIL, PASSWORD, encodeURIComponent(EMAIL)]) expect(kept).not.toContain(secret);
    expect(auth.requests.map(({ body }) => JSON.parse(body))).toEqual([{ email: EMAIL, password: PASSWORD }]);
    expect(problems).toEqual([]);
  });

  it.each([
    { width: 1280, height: 720, colorScheme: 'light' },
    { width: 390, height: 844, colorScheme: 'dark' },
  ] as const)('with a wrong password is an error at the form, at $width pixels, $colorScheme', async (view) => {
    const { page } = await openWithLogin(`/datasets/${DATASET_ID}`, view);
    const form = page.getByRole('form', { name: 'Sign in' });
    await form.waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await typeAccount(page, 'wrong');
    await form.getByRole('alert').waitFor();
    expect(await form.getByRole('alert').innerText()).toBe(
      'The login service rejected the e-mail address or password.',
    );
    expect(await form.getByLabel('E-mail').inputValue()).toBe(EMAIL);
    const password = form.getByLabel('Password');
    expect([await password.inputValue(), await password.evaluate((field) => field === document.activeElement)]).toEqual(
      ['', true],
    );
    expect(await violationsOf(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(view.width);
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await untilShown(page);
  });

  it('on the start page leads on to the dataset', async () => {
    const { page, problems } = await openWithLogin('/');
    await page.getByRole('form', { name: 'Sign in' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await typeAccount(page);
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    await page.keyboard.type(DATASET_ID);
    await page.keyboard.press('Enter');
    await untilShown(page);
    expect(problems).toEqual([]);
  });

  it.each([1280, 390])('in GraphiQL fills the token in, at %i pixels', async (width) => {
    const { page, problems } = await openWithLogin('/graphiql', { ...screen, width });
    await untilReady(page);
    await page.locator('summary', { hasText: 'Sign in' }).click();
    expect(await violationsOf(page)).toEqual([]);
    const form = page.getByRole('form', { name: 'Sign in' });
    const box = await form.boundingBox();
    expect([box?.x, (box?.x ?? 0) + (box?.width ?? 0)].every((x) => x !== undefined && x > 0 && x < width)).toBe(true);
    await page.keyboard.press('Tab');
    await typeAccount(page);
    await page.getByText('Sign in again').waitFor();
    expect(await page.getByLabel('Bearer token').inputValue()).toBe(TOKEN);
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Sign in again');
    expect(await form.isVisible()).toBe(false);
    expect(problems).toEqual([]);
  });
});
