import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { DATASET_ID, start, startService, TOKEN } from '../../test/support/harness.ts';
import {
  editorText,
  inBrowser,
  newPage,
  runOperation,
  shownResponse,
  tabNames,
  untilReady,
  useChromium,
} from './browser.ts';
import { hashOf, openDemo, openSignedIn, screen, signIn, untilShown } from './dataset.ts';

useChromium();

const EMAIL = 'anna@example.com';
const PASSWORD = 'correct horse battery';

/** All that the browser keeps of a page, but for the tab, and what others may see of it. */
const keptBy = (page: Page) =>
  page.evaluate(() => JSON.stringify([{ ...localStorage }, document.cookie, history.state, location.href]));

/** What the browser keeps for the tab. */
const keptForTab = (page: Page) => page.evaluate(() => ({ ...sessionStorage }) as Record<string, string>);

describe('The token', () => {
  it('stays in the tab over a reload and in GraphiQL, is in no URL, and is gone after “Sign out”', async () => {
    const { page, problems, origin } = await openSignedIn();
    const urls: string[] = [];
    page.on('request', (request) => urls.push(request.url()));
    await page.reload();
    await untilShown(page);
    await page.getByRole('link', { name: 'Show query' }).click();
    await untilReady(page);
    expect(await page.getByLabel('Bearer token').inputValue()).toBe(TOKEN);
    expect(JSON.stringify(await shownResponse(page))).toContain('"moisture"');
    expect(`${page.url()}${urls.join()}${await keptBy(page)}`).not.toContain(TOKEN);
    await page.goto(`${origin}/datasets/${DATASET_ID}`);
    await untilShown(page);
    await page.locator('.dataset-token summary').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('A bearer token is missing').waitFor();
    expect(await page.locator('.response-chart').count()).toBe(0);
    expect(JSON.stringify([await keptForTab(page), await keptBy(page)])).not.toContain(TOKEN);
    await page.goBack();
    await untilReady(page);
    expect(await page.getByLabel('Bearer token').inputValue()).toBe('');
    const { page: another } = await newPage(origin, screen);
    await another.goto(`${origin}/datasets/${DATASET_ID}`);
    await another.getByText('A bearer token is missing').waitFor();
    expect(problems).toEqual([]);
  });

  it('that is wrong makes the page ask for another in the place of the chart, and the right one mends it', async () => {
    const { page } = await openSignedIn();
    await signIn(page, 'wrong');
    const refusal = page.locator('#chart [role=alert]');
    await refusal.waitFor();
    expect(await refusal.innerText()).toBe('The service does not accept the token. It may have expired.');
    expect(await page.locator('.response-chart').count()).toBe(0);
    await signIn(page, ` BEARER  ${TOKEN} `);
    await untilShown(page);
    expect(await refusal.count()).toBe(0);
  });

  it('is accepted with “Bearer” before it, as it was copied', async () => {
    const { subgraph } = await start({ env: { EXPLORER: 'graphiql' } });
    const { origin } = new URL(subgraph.url);
    const { page } = await newPage(origin);
    await page.goto(origin);
    const field = page.getByLabel('Bearer token');
    for (const text of [`Bearer ${TOKEN}`, ` bearer\t ${TOKEN}`, `BEARER\r\n${TOKEN}\n`, `${TOKEN}\n`]) {
      await page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
      await field.fill('');
      await field.press('Control+v');
      expect(await field.inputValue()).toBe(TOKEN);
    }
  });

  inBrowser('of GraphiQL is in the session storage alone, and that of the demo nowhere', async ({ page }) => {
    const demoToken = 'demo-token';
    expect(JSON.stringify([await keptForTab(page), await keptBy(page)])).not.toContain(demoToken);
    await page.getByLabel('Bearer token').fill('canary-of-the-page');
    await runOperation(page);
    const { 'dataset-subgraph:token': kept, ...rest } = await keptForTab(page);
    expect(kept).toBe('canary-of-the-page');
    expect(JSON.stringify([rest, await keptBy(page)])).not.toContain('canary');
    await page.reload();
    await untilReady(page);
    expect(await page.getByLabel('Bearer token').inputValue()).toBe('canary-of-the-page');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await expect.poll(() => page.getByLabel('Bearer token').inputValue()).toBe(demoToken);
    expect(JSON.stringify([await keptForTab(page), await keptBy(page)])).not.toContain('canary');
  });

  it('of the start page stays over a reload, and runs nothing by itself in GraphiQL or by a link of it', async () => {
    const bed = await start({ env: { EXPLORER: 'graphiql' } });
    const { origin } = new URL(bed.subgraph.url);
    const { page } = await newPage(origin);
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') sent.push(JSON.parse(request.postData() ?? '').operationName);
    });
    await page.goto(origin);
    await page.getByLabel('Bearer token').fill(TOKEN);
    await page.reload();
    expect(await page.getByLabel('Bearer token').inputValue()).toBe(TOKEN);
    expect(await keptBy(page)).not.toContain(TOKEN);
    await page.goto(`${origin}/graphiql`);
    await untilReady(page);
    await page.goto(`${origin}/graphiql#dataset=${DATASET_ID}`);
    await expect.poll(() => tabNames(page)).toHaveLength(9);
    expect(JSON.parse(await editorText(page, 'variables.json'))).toEqual({ id: DATASET_ID });
    expect(await page.getByRole('form', { name: 'Picker' }).getByLabel('Dataset').inputValue()).toBe(DATASET_ID);
    expect(await editorText(page, 'received.json')).toBe('');
    expect([sent, bed.calls()]).toEqual([['IntrospectionQuery'], []]);
    await page.goto(origin);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await expect.poll(() => page.getByLabel('Bearer token').inputValue()).toBe('');
    expect(JSON.stringify(await keptForTab(page))).not.toContain(TOKEN);
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

/** The token of the second sign-in. */
const NEW_TOKEN = 'another-token-of-anna';

/** A server with a login, and a browser. */
async function openWithLogin(path: string) {
  const accounts = [TOKEN, NEW_TOKEN].map((token) => ({ email: EMAIL, password: PASSWORD, token }));
  const auth = await startService({ accounts });
  const { subgraph, simulator } = await start({
    accounts,
    env: { EXPLORER: 'graphiql', AUTH_SERVICE_URL: auth.url },
  });
  const { origin } = new URL(subgraph.url);
  const { page, problems } = await newPage(origin, screen);
  const urls: string[] = [];
  page.on('request', (request) => urls.push(request.url()));
  await page.goto(`${origin}${path}`);
  return { page, problems, urls, auth, simulator, form: page.getByRole('form', { name: 'Sign in' }) };
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

describe('Signing in', () => {
  it('on the page of a dataset says what is wrong, shows its chart, and keeps the token for the tab alone', async () => {
    const { page, urls, auth, form } = await openWithLogin(`/datasets/${DATASET_ID}`);
    await form.waitFor();
    await typeAccount(page, 'wrong');
    await form.getByRole('alert').waitFor();
    expect(await form.getByRole('alert').innerText()).toBe(
      'The login service rejected the e-mail address or password.',
    );
    expect(await form.getByLabel('E-mail').inputValue()).toBe(EMAIL);
    expect(await form.getByLabel('Password').inputValue()).toBe('');
    await form.locator('[type=password]:focus').waitFor();
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await untilShown(page);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('chart');
    expect(await keptForTab(page)).toEqual({ 'dataset-subgraph:token': TOKEN });
    await page.reload();
    await untilShown(page);
    await page.locator('summary', { hasText: 'Signed in' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('Sign in to see this dataset.').waitFor();
    expect(await page.locator('.response-chart').count()).toBe(0);
    expect(await keptForTab(page)).toEqual({});
    expect(urls.length).toBeGreaterThan(10);
    const kept = `${urls.join()}${await keptBy(page)}`;
    for (const secret of [TOKEN, EMAIL, PASSWORD, encodeURIComponent(EMAIL)]) expect(kept).not.toContain(secret);
    expect(auth.requests.map(({ body }) => JSON.parse(body))).toEqual([
      { email: EMAIL, password: 'wrong' },
      { email: EMAIL, password: PASSWORD },
    ]);
  });

  it('again has the place of the data where the session has expired, and the view stays', async () => {
    const { page, auth, simulator, form } = await openWithLogin(
      `/datasets/${DATASET_ID}#asset=a&asset=b&metric=moisture&show=table&zoom=2024-01-01&zoom=2024-01-02`,
    );
    await form.waitFor();
    await typeAccount(page);
    await page.locator('.response-number').first().waitFor();
    await page.getByRole('rowheader', { name: 'moisture' }).waitFor();
    // The service rejects the first token, and the login gives the second.
    simulator.intercept(({ headers }) =>
      headers.authorization?.[0] === `Bearer ${TOKEN}` ? { status: 401 } : undefined,
    );
    auth.intercept(() => ({ body: JSON.stringify({ token: NEW_TOKEN }) }));
    await page.locator('summary', { hasText: 'Metrics' }).click();
    await page.getByRole('checkbox', { name: 'temperature' }).check();
    await page.getByText('The service does not accept the token. It may have expired.').waitFor();
    expect(await page.locator('#chart').getByRole('form', { name: 'Sign in' }).count()).toBe(1);
    expect(await form.count()).toBe(1);
    expect(await page.getByText('Signed in').count()).toBe(0);
    expect(await page.locator('.response-number').count()).toBe(0);
    const zoom = '&zoom=2024-01-01&zoom=2024-01-02';
    const view = `#asset=a&asset=b&metric=moisture&metric=temperature&show=table${zoom}`;
    expect(hashOf(page)).toBe(view);
    await page.keyboard.press('Escape');
    await form.getByLabel('E-mail').focus();
    await typeAccount(page);
    await page.getByRole('columnheader', { name: 'temperature', exact: true }).first().waitFor();
    expect(await page.locator('output').innerText()).toBe('6 rows');
    await page.getByText('Signed in').waitFor();
    await page.getByRole('rowheader', { name: 'moisture' }).waitFor();
    expect([hashOf(page), await form.count()]).toEqual([view, 0]);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('chart');
    expect(await keptForTab(page)).toEqual({ 'dataset-subgraph:token': NEW_TOKEN });
    // What asks for everything again meets an expired session, too.
    simulator.intercept(() => ({ status: 401 }));
    await page.getByRole('button', { name: 'Run again' }).click();
    await form.waitFor();
    simulator.intercept(undefined);
    await form.getByLabel('E-mail').focus();
    await typeAccount(page);
    await page.getByRole('columnheader', { name: 'temperature', exact: true }).first().waitFor();
    expect(hashOf(page)).toBe(view);
    await page.getByRole('tab', { name: 'Chart', exact: true }).click();
    await page.getByRole('button', { name: 'Show only 2024-01-01 to 2024-01-02' }).waitFor();
  });

  it('on the start page leads on to the dataset', async () => {
    const { page, problems, form } = await openWithLogin('/');
    await form.waitFor();
    await typeAccount(page);
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    await page.keyboard.type(DATASET_ID);
    await page.keyboard.press('Enter');
    await untilShown(page);
    expect(problems).toEqual([]);
  });

  it('in GraphiQL fills the token in', async () => {
    const { page, problems, form } = await openWithLogin('/graphiql');
    await untilReady(page);
    await page.locator('summary', { hasText: 'Sign in' }).click();
    await page.keyboard.press('Tab');
    await typeAccount(page);
    await page.getByText('Sign in again').waitFor();
    expect(await page.getByLabel('Bearer token').inputValue()).toBe(TOKEN);
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Sign in again');
    expect(await form.isVisible()).toBe(false);
    expect(problems).toEqual([]);
  });
});
