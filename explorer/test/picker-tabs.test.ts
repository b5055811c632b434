import { describe, expect, it } from 'vitest';
import { DATASET_ID, TOKEN } from '../../test/support/harness.ts';
import {
  editorText,
  inBrowser,
  openExplorer,
  openTab,
  setEditorText,
  shownResponse,
  tabNames,
  untilReady,
  useChromium,
} from './browser.ts';
import { choice, openServer, picker, variables } from './picker.ts';

useChromium();

describe('The picker in the tabs', () => {
  inBrowser('leaves a text that somebody has written in its tab', async ({ page }) => {
    await openTab(page, 'OneAsset');
    await picker(page).getByRole('button', { name: 'Show' }).click();
    await expect.poll(() => tabNames(page)).toHaveLength(9);
    expect(await editorText(page, 'operation.graphql')).toContain('query Columns');
    expect(await variables(page)).toEqual({ id: '6f1d2c84-3b7e-4a59-9c10-5e8a7b4d2f31' });
    await shownResponse(page);
    await openTab(page, 'OneAsset');
    expect(await editorText(page, 'operation.graphql')).toContain('query OneAsset');
  });

  it.each<[string, object]>([
    ['hours', { timeRange: { start: '2015-01-01T06:00:00Z', stop: '2015-01-31T18:00:00Z' } }],
    ['an offset', { timeRange: { start: '2015-01-01T00:00:00+02:00' } }],
    ['numbers as bounds', { timeRange: { start: 1_420_070_400_000 } }],
    ['a variable of no meaning here', { assetIds: null }],
  ])('leaves variables with %s that somebody has written in their tab', async (_what, written) => {
    const { page, problems } = await openExplorer();
    const id = '6f1d2c84-3b7e-4a59-9c10-5e8a7b4d2f31';
    const mine = JSON.stringify({ id, ...written }, null, 2);
    await setEditorText(page, 'variables.json', mine);
    // At once: GraphiQL notes the text of its editors after a pause.
    await picker(page).getByRole('button', { name: 'Show' }).click();
    await expect.poll(() => tabNames(page)).toHaveLength(9);
    await shownResponse(page);
    await page.locator('.graphiql-tab-button').first().click();
    await expect.poll(() => editorText(page, 'variables.json')).toBe(mine);
    // Also when the picker has read it.
    await expect.poll(() => choice(page, 'Metrics').innerText()).toMatch(/^Metrics all/);
    await picker(page).getByLabel('To').fill('2015-03-01');
    await picker(page).getByRole('button', { name: 'Show' }).click();
    await expect.poll(async () => (await variables(page)).timeRange?.stop).toBe('2015-03-01');
    expect(await tabNames(page)).toHaveLength(10);
    await page.locator('.graphiql-tab-button').first().click();
    await expect.poll(() => editorText(page, 'variables.json')).toBe(mine);
    expect(problems).toEqual([]);
  });

  inBrowser('keeps what was chosen when a response comes', async ({ page }) => {
    const held = Promise.withResolvers<void>();
    await page.route('**/graphql', async (route) => {
      await held.promise;
      await route.fulfill({ json: { data: { late: true } } });
    });
    await page.getByRole('button', { name: /^Execute query/ }).click();
    await page.locator('.response[data-state=running]').waitFor();
    await picker(page).getByLabel('To').fill('2015-03-01');
    held.resolve();
    await page.locator('.response[data-state=done]').waitFor();
    expect(await picker(page).getByLabel('To').inputValue()).toBe('2015-03-01');
  });

  it('shows nothing by itself after a request that failed, or in another tab', async () => {
    const { page } = await openServer();
    const status = picker(page).locator('.picker-status');
    const sent: string[] = [];
    page.on('request', (request) => {
      const [, name] = /query (\w+)/.exec(request.postData() ?? '') ?? [];
      if (name !== undefined && !['IntrospectionQuery', 'Outline'].includes(name)) sent.push(name);
    });
    const tabs = await tabNames(page);
    const before = await editorText(page, 'variables.json');
    const ask = async () => {
      await picker(page).getByLabel('Dataset').fill(DATASET_ID);
      await page.keyboard.press('Enter');
    };
    // Without a token it fails.
    await ask();
    await expect.poll(() => page.getByRole('alert', { name: 'Errors' }).innerText()).toMatch(/token/i);
    await page.getByLabel('Bearer token').fill(TOKEN);
    await choice(page, 'Assets').click();
    await expect.poll(() => choice(page, 'Assets').innerText()).toBe('Assets all 3');
    expect(sent).toEqual([]);

    // It comes when another tab is open, and that tab then asks for its own dataset.
    await page.reload();
    await untilReady(page);
    await page.getByLabel('Bearer token').fill(TOKEN);
    const held = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    await page.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes('query Outline')) return route.continue();
      arrived.resolve();
      await held.promise;
      await route.continue();
    });
    await ask();
    await arrived.promise;
    await openTab(page, 'Metadata');
    await setEditorText(page, 'variables.json', JSON.stringify({ id: 'another' }));
    await expect.poll(() => picker(page).getByLabel('Dataset').inputValue()).toBe('another');
    held.resolve();
    await setEditorText(page, 'variables.json', JSON.stringify({ id: DATASET_ID }));
    await expect.poll(() => choice(page, 'Assets').innerText()).toBe('Assets all 3');
    await setEditorText(page, 'variables.json', JSON.stringify({ id: 'another' }));
    await expect.poll(() => picker(page).getByLabel('Dataset').inputValue()).toBe('another');
    await choice(page, 'Assets').click();
    await expect.poll(() => status.innerText()).toMatch(/nothing under this id/);
    expect(sent).toEqual([]);
    expect(await tabNames(page)).toEqual(tabs);
    await openTab(page, 'Columns');
    expect(await editorText(page, 'variables.json')).toBe(before);
  });
});

describe('The tabs of the picker', () => {
  inBrowser('have the names of their datasets, where these are known', async ({ page }) => {
    const named = () =>
      page
        .locator('.graphiql-tab-button')
        .evaluateAll((all) => all.map((tab) => [tab.getAttribute('data-dataset'), tab.textContent]));
    const examples = await named();
    expect(examples.slice(0, 2)).toEqual([
      ['Daily weather, Seattle and New York', 'Columns'],
      [null, 'Metadata'],
    ]);
    await page.getByRole('tab', { name: 'Daily weather, Seattle and New York Columns' }).waitFor();
    await openTab(page, 'OneAsset');
    const other = page.locator('.picker datalist option', { hasText: 'Mauna Loa CO2' });
    await picker(page)
      .getByLabel('Dataset')
      .fill((await other.getAttribute('value')) ?? '');
    await page.keyboard.press('Enter');
    await expect.poll(named).toEqual([...examples, ['Mauna Loa CO2', 'Columns']]);
    await shownResponse(page);
    await setEditorText(page, 'variables.json', '{ "id": "unknown" }');
    await expect.poll(named).toEqual([...examples, [null, 'Columns']]);
  });

  inBrowser('have the names of their own operations, however fast one follows another', async ({ page }) => {
    const names = await tabNames(page);
    // GraphiQL notes the name of an operation after a pause. The clicks come before it, one in each frame.
    await page.evaluate(async () => {
      for (const button of document.querySelectorAll<HTMLElement>('.graphiql-tab-button, .graphiql-tab-add')) {
        button.click();
        await new Promise(requestAnimationFrame);
      }
    });
    await expect.poll(() => tabNames(page)).toHaveLength(names.length + 1);
    expect((await tabNames(page)).slice(0, -1)).toEqual(names);
  });
});
