import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { assetResult, DATASET_ID, dataset } from '../../test/support/harness.ts';
import {
  editorText,
  inBrowser,
  openExplorer,
  openTab,
  setEditorText,
  shownResponse,
  tabNames,
  useChromium,
} from './browser.ts';
import { WEATHER, watchOperations } from './dataset.ts';
import { openServer, pickerOf, variables } from './picker.ts';

useChromium();

/** A dataset of a thousand assets. */
const large = {
  ...dataset,
  results: {
    assets: Array.from({ length: 1000 }, (_, index) => ({
      ...assetResult(`id-${String(index).padStart(4, '0')}`),
      asset_name: `Field ${index}`,
    })),
  },
};

describe('The picker', () => {
  inBrowser('shows what the first example selects, writes another query, and runs it', async ({ page }) => {
    const { form, from, to, list, click, dataset: id } = pickerOf(page);
    expect([await id.inputValue(), await from.inputValue(), await to.inputValue()]).toEqual([
      WEATHER,
      '2015-01-01',
      '2015-12-31',
    ]);
    expect([await list('Assets').innerText(), await list('Metrics').innerText()]).toEqual(['Assets 1', 'Metrics 2']);
    await list('Assets').click();
    await form.getByLabel('New York').check();
    expect(await list('Assets').innerText()).toBe('Assets all 2');
    await list('Metrics').click();
    await form.getByLabel('temp_max').uncheck();
    await form.getByLabel('wind').check();
    expect(await list('Metrics').innerText()).toBe('Metrics 2 of 4');
    await from.fill('2013-02-01');
    await to.fill('2013-02-03');
    await click('Show');
    const timeRange = { start: '2013-02-01', stop: '2013-02-03' };
    await expect.poll(() => variables(page)).toEqual({ id: WEATHER, metrics: ['temp_min', 'wind'], timeRange });
    const operation = (await readFile('operations/Columns.graphql', 'utf8')).trimEnd();
    expect(await editorText(page, 'operation.graphql')).toBe(operation);
    const valueDates = ['2013-02-01', '2013-02-02', '2013-02-03'];
    const nodes = ['Seattle-Tacoma', 'New York (Central Park)'].map((name) => ({
      asset: { name },
      columns: { valueDates },
    }));
    await expect
      .poll(async () => (await shownResponse(page)).data)
      .toMatchObject({ dataset: { results: { series: { nodes } } } });
    // It wrote into the tab of the example, whose text nobody had edited.
    expect(await tabNames(page)).toHaveLength(8);
  });

  inBrowser('says what is missing, and runs nothing then', async ({ page }) => {
    const { from, to, list, click, status, dataset: id } = pickerOf(page);
    await list('Metrics').click();
    await click('None');
    await click('Show');
    await expect.poll(() => status.innerText()).toBe('Choose at least one metric.');
    // The list closes when it is left.
    await list('Metrics').click();
    await click('All');
    await from.fill('2015-12-31');
    await to.fill('2015-12-30');
    await click('Show');
    await expect.poll(() => status.innerText()).toBe('The first day must not be after the last day.');
    await id.fill('');
    await click('Show');
    await expect.poll(() => status.innerText()).toBe('Enter the id of a dataset.');
    expect(await variables(page)).toMatchObject({ metrics: ['temp_max', 'temp_min'] });
  });

  inBrowser('works by keyboard alone', async ({ page }) => {
    const { form, list } = pickerOf(page);
    await list('Metrics').press('Enter');
    await form.getByLabel('wind').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.type('WIN');
    expect(await form.locator('.choice[open] li').allInnerTexts()).toEqual(['wind']);
    // All, None, the list, its only box.
    for (let steps = 0; steps < 4; steps++) await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await page.keyboard.press('Escape');
    expect(await form.locator('.choice[open]').count()).toBe(0);
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('SUMMARY');
    expect(await list('Metrics').innerText()).toBe('Metrics 3 of 4');
    await form.getByRole('button', { name: 'Show' }).press('Enter');
    await expect.poll(() => variables(page)).toMatchObject({ metrics: ['temp_max', 'temp_min', 'wind'] });
  });

  it('asks a server for the names only, and shows the first twenty of a thousand assets', async () => {
    const { bed, page, problems } = await openServer({ datasets: [large] });
    const { form, list, click, open, dataset: id } = pickerOf(page);
    expect(await id.inputValue()).toBe('');
    expect(bed.calls()).toEqual([]);
    const outline = page.waitForResponse((response) => /query Outline/.test(response.request().postData() ?? ''));
    await open('Tab');
    expect((await (await outline).text()).length).toBeLessThan(150_000);
    await page.getByText('Soil moisture: 1000 assets, 2 metrics, 2024-01-01 to 2024-01-04').waitFor();
    // One for the metadata, one for the results.
    expect(bed.calls()).toHaveLength(2);
    expect(await list('Assets').innerText()).toBe('Assets 20 of 1000');
    await list('Assets').click();
    expect(await form.locator('.choice[open] li').count()).toBe(200);
    await page.getByText('200 of 1000 shown').waitFor();
    await click('None');
    await form.getByLabel('Filter assets').fill('field 99');
    await page.getByText('11 of 1000 shown').waitFor();
    await click('All');
    expect(await list('Assets').innerText()).toBe('Assets 11 of 1000');
    await click('Show');
    const assetIds = ['id-0099', ...Array.from({ length: 10 }, (_, index) => `id-099${index}`)];
    await expect.poll(async () => (await variables(page)).assetIds).toEqual(assetIds);
    expect(problems).toEqual([]);
  });

  it('shows a dataset after Enter, and the reason in the place of the response where it cannot', async () => {
    const { bed, page } = await openServer();
    const { open, status } = pickerOf(page);
    const sent = watchOperations(page);
    const response = page.getByRole('region', { name: 'Response' });
    await open('Enter', DATASET_ID, '');
    await expect.poll(() => response.innerText()).toMatch(/UNAUTHENTICATED\s+Missing: dataset\s+Put a valid token/);
    expect([await status.innerText(), bed.calls(), sent.length]).toEqual(['', [], 1]);
    await open();
    await expect.poll(() => variables(page)).toEqual({ id: DATASET_ID });
    expect(JSON.stringify(await shownResponse(page))).toContain('"moisture"');
    expect(await status.innerText()).toBe('Soil moisture: 3 assets, 2 metrics, 2024-01-01 to 2024-01-04');
    await open('Enter', 'unknown');
    await expect.poll(() => response.innerText()).toMatch(/NOT_FOUND\s+Missing: dataset\s+Check the id/);
    expect(await page.locator('.response-chart').count()).toBe(0);
    expect(await status.innerText()).toBe('');
    await page.route('**/graphql', (route) => route.abort('connectionrefused'));
    // The picker asks again once it knows that it has failed.
    const textAfterEnter = async () => {
      await page.keyboard.press('Enter');
      return response.innerText();
    };
    await expect.poll(textAfterEnter).toMatch(/^The server did not respond\.\s.*\s+Check that the subgraph runs/s);
    await page.unroute('**/graphql');
    await open();
    await page.locator('.response-chart canvas').waitFor();
    expect(await page.getByRole('alert', { name: 'Errors' }).count()).toBe(0);
  });

  it('writes, reads and runs queries with the root fields of SCHEMA_NAMES', async () => {
    const { page } = await openServer({ env: { EXPLORER: 'graphiql', SCHEMA_NAMES: 'Query.dataset:platformDataset' } });
    const { from, click, open } = pickerOf(page);
    await open();
    await expect.poll(() => variables(page)).toEqual({ id: DATASET_ID });
    expect(await editorText(page, 'operation.graphql')).toContain('  dataset: platformDataset(id: $id) {');
    expect(JSON.stringify(await shownResponse(page))).toContain('"moisture"');
    const tabs = await tabNames(page);
    // A query of its own is replaced, and opens no further tab.
    await from.fill('2024-01-02');
    await click('Show');
    await expect.poll(() => variables(page)).toMatchObject({ timeRange: { start: '2024-01-02' } });
    expect(await tabNames(page)).toEqual(tabs);
  });

  it('says that a static dataset is a file', async () => {
    const { results: _, ...file } = dataset;
    const metadata = { ...file.metadata, asset_count: 0 };
    const { page, problems } = await openServer({ datasets: [{ ...file, metadata }] });
    await pickerOf(page).open('Tab');
    await page.getByText('Soil moisture has no assets. A static dataset is a file: see the tab Download.').waitFor();
    expect(problems).toEqual([]);
  });
});

describe('The picker in the tabs', () => {
  inBrowser('leaves a text that somebody has written in its tab', async ({ page }) => {
    await openTab(page, 'OneAsset');
    await pickerOf(page).click('Show');
    await expect.poll(() => tabNames(page)).toHaveLength(9);
    expect(await editorText(page, 'operation.graphql')).toContain('query Columns');
    expect(await variables(page)).toEqual({ id: WEATHER });
    await shownResponse(page);
    await openTab(page, 'OneAsset');
    expect(await editorText(page, 'operation.graphql')).toContain('query OneAsset');
  });

  it.each<object>([
    { timeRange: { start: '2015-01-01T06:00:00Z', stop: '2015-01-31T18:00:00Z' } },
    { timeRange: { start: 1_420_070_400_000 } },
    { assetIds: null },
  ])('leaves variables that it cannot show in their tab: %j', async (written) => {
    const { page } = await openExplorer();
    const { to, list, click } = pickerOf(page);
    const firstTab = page.locator('.graphiql-tab-button').first();
    const mine = JSON.stringify({ id: WEATHER, ...written }, null, 2);
    await setEditorText(page, 'variables.json', mine);
    // At once: GraphiQL notes the text of its editors after a pause.
    await click('Show');
    await expect.poll(() => tabNames(page)).toHaveLength(9);
    await shownResponse(page);
    await firstTab.click();
    await expect.poll(() => editorText(page, 'variables.json')).toBe(mine);
    // Also when the picker has read it.
    await expect.poll(() => list('Metrics').innerText()).toMatch(/^Metrics all/);
    await to.fill('2015-03-01');
    await click('Show');
    await expect.poll(async () => (await variables(page)).timeRange?.stop).toBe('2015-03-01');
    expect(await tabNames(page)).toHaveLength(10);
    await firstTab.click();
    await expect.poll(() => editorText(page, 'variables.json')).toBe(mine);
  });

  it('shows nothing by itself in another tab', async () => {
    const { page } = await openServer();
    const { open, status, list, dataset: id } = pickerOf(page);
    const sent = watchOperations(page);
    const tabs = await tabNames(page);
    const before = await editorText(page, 'variables.json');
    const held = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    await page.route('**/graphql', async (route) => {
      arrived.resolve();
      await held.promise;
      await route.continue();
    });
    await open();
    await arrived.promise;
    await openTab(page, 'Metadata');
    await setEditorText(page, 'variables.json', JSON.stringify({ id: 'another' }));
    await expect.poll(() => id.inputValue()).toBe('another');
    held.resolve();
    await list('Assets').click();
    await expect.poll(() => status.innerText()).toMatch(/nothing under this id/);
    expect(sent.filter(({ name }) => !['Metadata', 'Outline'].includes(name))).toEqual([]);
    expect(await tabNames(page)).toEqual(tabs);
    await openTab(page, 'Columns');
    expect(await editorText(page, 'variables.json')).toBe(before);
  });

  inBrowser('names the tabs by their datasets, where these are known', async ({ page }) => {
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
    await pickerOf(page).open('Enter', (await other.getAttribute('value')) ?? '', 'demo-token');
    await expect.poll(named).toEqual([...examples, ['Mauna Loa CO2', 'Columns']]);
    await shownResponse(page);
    await setEditorText(page, 'variables.json', '{ "id": "unknown" }');
    await expect.poll(named).toEqual([...examples, [null, 'Columns']]);
  });
});
