import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { assetResult, DATASET_ID, dataset, TOKEN } from '../../test/support/harness.ts';
import { editorText, inBrowser, shownResponse, tabNames, useChromium } from './browser.ts';
import { choice, openServer, picker, variables } from './picker.ts';

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
  inBrowser('shows what the first example selects', async ({ page }) => {
    expect(await picker(page).getByLabel('Dataset').inputValue()).toBe('6f1d2c84-3b7e-4a59-9c10-5e8a7b4d2f31');
    expect(await choice(page, 'Assets').innerText()).toBe('Assets 1');
    expect(await choice(page, 'Metrics').innerText()).toBe('Metrics 2');
    expect(await picker(page).getByLabel('From').inputValue()).toBe('2015-01-01');
    expect(await picker(page).getByLabel('To').inputValue()).toBe('2015-12-31');
  });

  inBrowser('writes the query and its variables, runs it, and shows the chart', async ({ page }) => {
    await choice(page, 'Assets').click();
    await picker(page).getByLabel('New York').check();
    expect(await choice(page, 'Assets').innerText()).toBe('Assets all 2');
    await choice(page, 'Metrics').click();
    await picker(page).getByLabel('temp_max').uncheck();
    await picker(page).getByLabel('wind').check();
    expect(await choice(page, 'Metrics').innerText()).toBe('Metrics 2 of 4');
    await picker(page).getByLabel('From').fill('2013-02-01');
    await picker(page).getByLabel('To').fill('2013-02-03');
    await picker(page).getByRole('button', { name: 'Show' }).click();
    await expect
      .poll(() => variables(page))
      .toEqual({
        id: '6f1d2c84-3b7e-4a59-9c10-5e8a7b4d2f31',
        metrics: ['temp_min', 'wind'],
        timeRange: { start: '2013-02-01', stop: '2013-02-03' },
      });
    expect(await editorText(page, 'operation.graphql')).toBe(
      (await readFile('operations/Columns.graphql', 'utf8')).trimEnd(),
    );
    await expect.poll(async () => JSON.stringify(await shownResponse(page))).toContain('2013-02-03');
    const { data } = (await shownResponse(page)) as {
      data: { dataset: { results: { series: { nodes: { asset: object; columns: { valueDates: string[] } }[] } } } };
    };
    const { nodes } = data.dataset.results.series;
    expect(nodes.map(({ asset }) => asset)).toMatchObject([
      { name: 'Seattle-Tacoma' },
      { name: 'New York (Central Park)' },
    ]);
    expect(nodes[0]?.columns.valueDates).toEqual(['2013-02-01', '2013-02-02', '2013-02-03']);
    // It wrote into the tab of the example, whose text nobody had edited.
    expect(await tabNames(page)).toHaveLength(8);
  });

  inBrowser('says what is missing, and runs nothing then', async ({ page }) => {
    const status = picker(page).locator('.picker-status');
    await choice(page, 'Metrics').click();
    await picker(page).getByRole('button', { name: 'None' }).click();
    await picker(page).getByRole('button', { name: 'Show' }).click();
    await expect.poll(() => status.innerText()).toBe('Choose at least one metric.');
    // The list closes when it is left.
    await choice(page, 'Metrics').click();
    await picker(page).getByRole('button', { name: 'All' }).click();
    await picker(page).getByLabel('From').fill('2015-12-31');
    await picker(page).getByLabel('To').fill('2015-12-30');
    await picker(page).getByRole('button', { name: 'Show' }).click();
    await expect.poll(() => status.innerText()).toBe('The first day must not be after the last day.');
    await picker(page).getByLabel('Dataset').fill('');
    await picker(page).getByRole('button', { name: 'Show' }).click();
    await expect.poll(() => status.innerText()).toBe('Enter the id of a dataset.');
    expect(await variables(page)).toMatchObject({ metrics: ['temp_max', 'temp_min'] });
  });

  inBrowser('works by keyboard alone', async ({ page }) => {
    await choice(page, 'Metrics').focus();
    await page.keyboard.press('Enter');
    await picker(page).getByLabel('wind').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.type('WIN');
    expect(await picker(page).locator('.choice[open] li').allInnerTexts()).toEqual(['wind']);
    // All, None, the list, its only box.
    for (let steps = 0; steps < 4; steps++) await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await page.keyboard.press('Escape');
    expect(await picker(page).locator('.choice[open]').count()).toBe(0);
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('SUMMARY');
    expect(await choice(page, 'Metrics').innerText()).toBe('Metrics 3 of 4');
    await picker(page).getByRole('button', { name: 'Show' }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => variables(page)).toMatchObject({ metrics: ['temp_max', 'temp_min', 'wind'] });
  });

  it('asks a server for the names only, and shows the first twenty of a thousand assets', async () => {
    const { bed, page, problems } = await openServer({ datasets: [large] });
    expect(await picker(page).getByLabel('Dataset').inputValue()).toBe('');
    expect(bed.calls()).toEqual([]);
    await page.getByLabel('Bearer token').fill(TOKEN);
    await picker(page).getByLabel('Dataset').fill(DATASET_ID);
    const outline = page.waitForResponse('**/graphql');
    await page.keyboard.press('Tab');
    expect((await (await outline).text()).length).toBeLessThan(150_000);
    await page.getByText('Soil moisture: 1000 assets, 2 metrics, 2024-01-01 to 2024-01-04').waitFor();
    // One for the metadata, one for the results.
    expect(bed.calls()).toHaveLength(2);
    expect(await choice(page, 'Assets').innerText()).toBe('Assets 20 of 1000');
    await choice(page, 'Assets').click();
    expect(await picker(page).locator('.choice[open] li').count()).toBe(200);
    await page.getByText('200 of 1000 shown').waitFor();
    await picker(page).getByRole('button', { name: 'None' }).click();
    await picker(page).getByLabel('Filter assets').fill('field 99');
    await page.getByText('11 of 1000 shown').waitFor();
    await picker(page).getByRole('button', { name: 'All' }).click();
    expect(await choice(page, 'Assets').innerText()).toBe('Assets 11 of 1000');
    await picker(page).getByRole('button', { name: 'Show' }).click();
    await expect
      .poll(async () => (await variables(page)).assetIds)
      .toEqual(['id-0099', ...Array.from({ length: 10 }, (_, index) => `id-099${index}`)]);
    expect(problems).toEqual([]);
  });

  it('shows a dataset after Enter, and the reason where it cannot', async () => {
    const { bed, page } = await openServer();
    const status = picker(page).locator('.picker-status');
    let outlines = 0;
    page.on('request', (request) => {
      if (request.postData()?.includes('query Outline')) outlines++;
    });
    await picker(page).getByLabel('Dataset').fill(DATASET_ID);
    await page.keyboard.press('Enter');
    const errors = page.getByRole('alert', { name: 'Errors' });
    await expect.poll(() => errors.innerText()).toMatch(/UNAUTHENTICATED\s+Missing: dataset\s+Put a valid token/);
    expect(await status.innerText()).toBe('');
    expect(bed.calls()).toEqual([]);
    expect(outlines).toBe(1);
    await page.getByLabel('Bearer token').fill(TOKEN);
    await picker(page).getByLabel('Dataset').focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => variables(page)).toEqual({ id: DATASET_ID });
    expect(JSON.stringify(await shownResponse(page))).toContain('"moisture"');
    expect(await status.innerText()).toBe('Soil moisture: 3 assets, 2 metrics, 2024-01-01 to 2024-01-04');
  });

  it('puts the error of a dataset in the place of the response before', async () => {
    const { page } = await openServer();
    const response = page.getByRole('region', { name: 'Response' });
    await page.getByLabel('Bearer token').fill(TOKEN);
    await picker(page).getByLabel('Dataset').fill(DATASET_ID);
    await page.keyboard.press('Enter');
    await page.locator('.response-chart canvas').waitFor();
    await picker(page).getByLabel('Dataset').fill('unknown');
    await page.keyboard.press('Enter');
    await expect.poll(() => response.innerText()).toMatch(/NOT_FOUND\s+Missing: dataset\s+Check the id/);
    expect(await page.locator('.response-chart').count()).toBe(0);
    expect(await picker(page).locator('.picker-status').innerText()).toBe('');
    await page.route('**/graphql', (route) => route.abort('connectionrefused'));
    // The picker asks again once it knows that it has failed.
    const textAfterEnter = async () => {
      await page.keyboard.press('Enter');
      return response.innerText();
    };
    await expect.poll(textAfterEnter).toMatch(/^The server did not respond\.\s.*\s+Check that the subgraph runs/s);
    await page.unroute('**/graphql');
    await page.route('**/graphql', (route) => route.fulfill({ body: '<h1>Log in</h1>', contentType: 'text/html' }));
    await expect.poll(textAfterEnter).toBe('The response is not JSON (status 200).');
    await page.unroute('**/graphql');
    await picker(page).getByLabel('Dataset').fill(DATASET_ID);
    await page.keyboard.press('Enter');
    await page.locator('.response-chart canvas').waitFor();
    expect(await page.getByRole('alert', { name: 'Errors' }).count()).toBe(0);
  });

  it('takes any day, whatever unit the service has for the first and the last one', async () => {
    const seconds = { start_date: 1_704_067_200, stop_date: 1_704_326_400 };
    const { page } = await openServer({ datasets: [{ ...dataset, metadata: { ...dataset.metadata, ...seconds } }] });
    await page.getByLabel('Bearer token').fill(TOKEN);
    await picker(page).getByLabel('Dataset').fill(DATASET_ID);
    await page.keyboard.press('Tab');
    await page.getByText('Soil moisture: 3 assets, 2 metrics, 1970-01-20 to 1970-01-20').waitFor();
    await picker(page).getByLabel('From').fill('2024-01-02');
    await picker(page).getByLabel('To').fill('2024-01-03');
    await picker(page).getByRole('button', { name: 'Show' }).click();
    await expect
      .poll(() => variables(page))
      .toEqual({
        id: DATASET_ID,
        timeRange: { start: '2024-01-02', stop: '2024-01-03' },
      });
    expect(JSON.stringify(await shownResponse(page))).toContain('"2024-01-02"');
  });

  it('writes, reads and runs queries with the root fields of SCHEMA_NAMES', async () => {
    const { page } = await openServer({ env: { EXPLORER: 'graphiql', SCHEMA_NAMES: 'Query.dataset:platformDataset' } });
    await page.getByLabel('Bearer token').fill(TOKEN);
    await picker(page).getByLabel('Dataset').fill(DATASET_ID);
    await page.keyboard.press('Enter');
    await expect.poll(() => variables(page)).toEqual({ id: DATASET_ID });
    expect(await editorText(page, 'operation.graphql')).toContain('  dataset: platformDataset(id: $id) {');
    expect(JSON.stringify(await shownResponse(page))).toContain('"moisture"');
    const tabs = await tabNames(page);
    // A query of its own is replaced, and opens no further tab.
    await picker(page).getByLabel('From').fill('2024-01-02');
    await picker(page).getByRole('button', { name: 'Show' }).click();
    await expect.poll(() => variables(page)).toMatchObject({ timeRange: { start: '2024-01-02' } });
    expect(await tabNames(page)).toEqual(tabs);
  });

  it('chooses the first assets of a dataset whose query somebody else has sent', async () => {
    const { page } = await openServer({ datasets: [large] });
    await page.goto(`${new URL(page.url()).origin}/graphiql#dataset=${DATASET_ID}`);
    await expect.poll(() => variables(page)).toEqual({ id: DATASET_ID });
    await page.getByLabel('Bearer token').fill(TOKEN);
    await picker(page).getByRole('button', { name: 'Show' }).click();
    await expect.poll(async () => (await variables(page)).assetIds?.length).toBe(20);
    // All of them, by a decision.
    await choice(page, 'Assets').click();
    await picker(page).getByRole('button', { name: 'All' }).click();
    await picker(page).getByRole('button', { name: 'Show' }).click();
    await expect.poll(() => variables(page)).toEqual({ id: DATASET_ID });
  });

  it('says that a static dataset is a file', async () => {
    const { results: _, ...file } = dataset;
    const { page, problems } = await openServer({
      datasets: [{ ...file, metadata: { ...file.metadata, asset_count: 0 } }],
    });
    await page.getByLabel('Bearer token').fill(TOKEN);
    await picker(page).getByLabel('Dataset').fill(DATASET_ID);
    await page.keyboard.press('Tab');
    await page.getByText('Soil moisture has no assets. A static dataset is a file: see the tab Download.').waitFor();
    expect(problems).toEqual([]);
  });
});
