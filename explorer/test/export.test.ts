import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { TOKEN } from '../../test/support/harness.ts';
import {
  copiedText,
  inBrowser,
  inNewTab,
  openTab,
  runOperation,
  setOperation,
  shownResponse,
  useChromium,
} from './browser.ts';
import { onDatasetPage, untilShown, WEATHER } from './dataset.ts';
import { openServer } from './picker.ts';
import { drawTemperatures, openResponseTab, saved, showData } from './response.ts';

useChromium();

const run = promisify(execFile);

const openMenu = (page: Page) => page.locator('.response-export summary').click();

/** The lines of a saved file, of the open menu. */
async function savedLines(page: Page, name: string): Promise<string[]> {
  return (await saved(page, name)).bytes.toString().split(/\r?\n/);
}

/** Copies the operation from the open menu, and runs the code with the demo's token. Returns the response. */
async function runCopied(page: Page, language: 'curl' | 'Python') {
  await page.getByRole('button', { name: `Copy as ${language}` }).click();
  await page.getByText(`Copied as ${language}. Put the token into the variable TOKEN.`).waitFor();
  const code = await copiedText(page);
  expect(code).not.toContain('demo-token');
  const command = language === 'curl' ? 'bash' : 'python3';
  const { stdout } = await run(command, ['-c', code], { env: { ...process.env, TOKEN: 'demo-token' } });
  return JSON.parse(stdout);
}

describe('The files of a dataset', () => {
  onDatasetPage(
    'are reached by keyboard alone: two keys to the chart, and at most 15 to a file of all rows',
    '#metric=temp_max&metric=wind',
    async ({ page }) => {
      let keys = 0;
      const press = async (key: string) => {
        await page.keyboard.press(key);
        keys++;
      };
      const focused = () => page.evaluate(() => document.activeElement?.textContent);
      await press('Tab');
      await press('Enter');
      expect(await page.evaluate(() => document.activeElement?.className)).toBe('response-chart');
      while ((await focused()) !== 'Export' && keys < 15) await press('Shift+Tab');
      await press('Enter');
      await press('Tab');
      expect(await focused()).toBe('CSV file');
      const saving = page.waitForEvent('download');
      await press('Enter');
      const lines = (await readFile(await (await saving).path())).toString().split('\r\n');
      expect(keys).toBeLessThanOrEqual(15);
      expect(lines.slice(0, 2)).toEqual([
        'asset_id,asset_name,asset_version,value_date,temp_max,wind',
        'seattle-tacoma,Seattle-Tacoma,1,2012-01-01,12.8,4.7',
      ]);
      expect(lines).toHaveLength(1 + 2 * 1461 + 1);
      await page.getByText('The download of the CSV file has started.').waitFor();
    },
  );

  onDatasetPage(
    'have all rows of the chosen assets, metrics and time, in each format, as the copied query has',
    '#asset=seattle-tacoma&metric=wind&from=2015-01-01&to=2015-01-31',
    async ({ page }) => {
      await openMenu(page);
      await page.getByText('All rows of the chosen assets, with the chosen metrics and time:').waitFor();
      const csv = (await saved(page, 'CSV file')).bytes.toString();
      expect(csv.split('\r\n')).toHaveLength(1 + 31 + 1);
      expect(csv).toContain('version,value_date,wind\r\nseattle-tacoma,Seattle-Tacoma,1,2015-01-01,1.2\r\n');
      expect((await saved(page, 'CSV file for spreadsheets')).bytes.toString()).toBe(
        `\ufeff${csv.replace('value_date', 'value_date_utc')}`,
      );
      const objects = await savedLines(page, 'NDJSON file');
      expect(objects).toHaveLength(31 + 1);
      expect(JSON.parse(objects[0] ?? '')).toMatchObject({ asset_id: 'seattle-tacoma', wind: 1.2 });
      expect((await saved(page, 'Parquet file')).bytes.toString('latin1', 0, 4)).toBe('PAR1');
      expect((await saved(page, 'Arrow file')).bytes.toString('latin1', 0, 6)).toBe('ARROW1');
      const { columns } = (await runCopied(page, 'curl')).data.dataset.results.series.nodes[0];
      expect(columns.valueDates).toHaveLength(31);
      expect(columns.metrics).toEqual([{ name: 'wind', values: expect.arrayContaining([1.2]) }]);
    },
  );

  onDatasetPage(
    'and of its charts and tables have names that differ where their content does',
    '#asset=seattle-tacoma&metric=wind',
    async ({ page }) => {
      const names: string[] = [];
      const save = async (...buttons: string[]) => {
        for (const button of buttons) names.push((await saved(page, button)).name);
      };
      const saveAll = async () => {
        await save('Save as PNG', 'Save as SVG');
        await openMenu(page);
        await save('CSV file', 'CSV file for spreadsheets', 'Parquet file');
        await page.keyboard.press('Escape');
      };
      await saveAll();
      await page.getByRole('button', { name: 'Zoom in' }).click();
      await save('Save as PNG');
      await page.getByLabel('Time', { exact: true }).selectOption('Last 30 days');
      await page.getByRole('button', { name: /^Show only/ }).waitFor({ state: 'detached' });
      await untilShown(page);
      await saveAll();
      await openResponseTab(page, 'Table');
      await save('Save as CSV');
      await page.getByRole('button', { name: 'wind', exact: true }).click();
      await page.locator('[aria-sort=ascending]').waitFor();
      await save('Save as CSV');
      expect(new Set(names).size).toBe(names.length);
      const digest = '[0-9a-f]{8}';
      expect(names).toEqual(
        expect.arrayContaining([
          expect.stringMatching(`^daily-weather-.*-line-chart-wind-2012-01-01-2015-12-31-${digest}\\.png$`),
          expect.stringMatching(`^dataset-${WEATHER}-results-${digest}\\.parquet$`),
          expect.stringMatching(`^daily-weather-.*-table-wind-2015-12-02-2015-12-31-${digest}\\.csv$`),
        ]),
      );
    },
  );

  onDatasetPage(
    'have all assets where the page shows their quantiles',
    '#asset=seattle-tacoma&metric=wind&range=last-30-days&as=quantiles',
    async ({ page }) => {
      await openMenu(page);
      await page.getByText('All rows of all assets, with the chosen metrics and time:').waitFor();
      expect(await savedLines(page, 'CSV file')).toHaveLength(1 + 2 * 30 + 1);
    },
  );
});

describe('The files of a response', () => {
  inNewTab('have the assets and days of the operation, with a column for each metric', async ({ page }) => {
    await drawTemperatures(page);
    await openMenu(page);
    const lines = await savedLines(page, 'CSV file');
    expect(lines.slice(0, 2)).toEqual([
      'asset_id,asset_name,asset_version,value_date,precipitation,temp_max,temp_min,wind',
      'seattle-tacoma,Seattle-Tacoma,1,2015-01-01,0,5.6,-3.2,1.2',
    ]);
    expect(lines).toHaveLength(1 + 365 + 1);
  });

  inNewTab('are those of the chosen dataset, under any alias and in fragments', async ({ page }) => {
    const query = `query Other { ignored: __typename }
       query Mine($ids: [ID!]!, $metrics: [String!], $range: TimeRangeInput) { mine: datasetsByIds(ids: $ids) { name ...Values } }
       fragment Values on Dataset { r: results(filter: { timeRange: $range }) {
         series { nodes { asset { name } columns(metrics: $metrics) { valueDates metrics { name values } } } } } }`;
    const range = { start: '2015-01-01', stop: '2015-01-01' };
    await setOperation(page, query, { ids: [WEATHER, WEATHER], metrics: ['wind'], range });
    // GraphiQL looks for the operations after a pause, and then has a menu of them.
    await page.locator('.graphiql-execute-button[aria-haspopup=menu]').click();
    await page.getByRole('menuitem', { name: 'Mine' }).click();
    await shownResponse(page);
    await page.locator('.response').getByLabel('Dataset', { exact: true }).selectOption({ index: 1 });
    await openMenu(page);
    expect((await savedLines(page, 'CSV file')).slice(1)).toEqual([
      'seattle-tacoma,Seattle-Tacoma,1,2015-01-01,0,5.6,-3.2,1.2',
      expect.stringMatching(/^new-york[\w-]*,New York \(Central Park\),1,2015-01-01,/),
      '',
    ]);
  });

  inNewTab('are not offered where the operation selects no results', async ({ page }) => {
    await setOperation(page, '{ dataset(id: "unknown") { name } }');
    await runOperation(page);
    await openMenu(page);
    await page.getByRole('button', { name: 'Copy as curl' }).waitFor();
    expect(await page.getByRole('button', { name: 'CSV file' }).count()).toBe(0);
  });

  it('are an error where the server makes no links', async () => {
    const { page, problems } = await openServer();
    await page.getByLabel('Bearer token').fill(TOKEN);
    await setOperation(page, '{ dataset(id: "d-1") { results { series { nodes { rows { valueDate } } } } } }');
    await showData(page, { dataset: { columns: { metrics: [{ name: 'm', values: [1] }] } } });
    await openMenu(page);
    await page.getByRole('button', { name: 'CSV file', exact: true }).click();
    await page.getByText('Download tickets are not enabled in this subgraph.').waitFor();
    expect(problems).toEqual([]);
  });
});

describe('An operation as code', () => {
  inNewTab('gives the same response, as curl and as Python, and has no token', async ({ page }) => {
    const query = `# It's "quoted", \\ and $HOME, \`date\`, """ and '''
      query Quoted($id: ID!, $text: ID!) { dataset(id: $id) { name } other: dataset(id: $text) { id } }`;
    await setOperation(page, query, { id: WEATHER, text: `it's "$TOKEN" \\ ''' """` });
    // Only the page asks for the REST calls.
    const { extensions: _, ...shown } = await runOperation(page);
    await openMenu(page);
    for (const language of ['curl', 'Python'] as const) expect(await runCopied(page, language)).toEqual(shown);
  });
});

describe('A static file', () => {
  inNewTab('has a link if it is of this server, with a name of its own', async ({ page, endpoint }) => {
    const url = (name: string) => new URL(`/download/${name}`, endpoint).href;
    await showData(page, {
      a: { name: 'Fields', csv: url('1'), parquet: url('2') },
      b: { name: 'Earthquakes', download: { url: url('3') } },
      other: { name: 'Another', download: { url: 'https://evil.example/download/a-ticket' } },
      script: { name: 'Script', download: { url: 'javascript:alert(1)//download/' } },
    });
    const links = page.locator('.response a');
    await links.first().waitFor();
    expect(
      await links.evaluateAll((all) => all.map((link) => [link.textContent, (link as HTMLAnchorElement).href])),
    ).toEqual([
      ['Download Fields (a.csv)', url('1')],
      ['Download Fields (a.parquet)', url('2')],
      ['Download Earthquakes', url('3')],
    ]);
  });

  inBrowser('is saved by a click on its link', async ({ page }) => {
    await openTab(page, 'Download');
    await runOperation(page);
    const saving = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download Earthquakes of one week' }).click();
    const download = await saving;
    expect(download.suggestedFilename()).toBe('earthquakes.geojson');
    const bytes = await readFile(await download.path());
    expect(bytes.equals(await readFile('simulator/demo-data/earthquakes.json'))).toBe(true);
  });
});
