import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { TOKEN } from '../../test/support/harness.ts';
import { inBrowser, openExplorer, openTab, runOperation, setOperation, shownResponse, useChromium } from './browser.ts';
import { openServer } from './picker.ts';
import { drawTemperatures, showData } from './response.ts';

useChromium();

const run = promisify(execFile);

const openMenu = (page: Page) => page.locator('.response-export summary').click();

/** Opens the menu, and saves a file. */
async function savedFile(page: Page, name: string): Promise<Buffer> {
  await openMenu(page);
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name, exact: true }).click();
  const bytes = await readFile(await (await saving).path());
  await page.keyboard.press('Escape');
  return bytes;
}

/** Opens the menu, and copies the operation. */
async function copied(page: Page, name: string): Promise<string> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await openMenu(page);
  await page.getByRole('button', { name, exact: true }).click();
  await page.getByText('Put the token into the variable TOKEN.').waitFor();
  await page.keyboard.press('Escape');
  return page.evaluate(() => navigator.clipboard.readText());
}

describe('The files of a response', () => {
  inBrowser('have the assets and days of the operation, with a column for each metric', async ({ page }) => {
    await drawTemperatures(page);
    const lines = (await savedFile(page, 'CSV file')).toString().split('\r\n');
    expect(lines.slice(0, 2)).toEqual([
      'asset_id,asset_name,asset_version,value_date,precipitation,temp_max,temp_min,wind',
      'seattle-tacoma,Seattle-Tacoma,1,2015-01-01,0,5.6,-3.2,1.2',
    ]);
    expect(lines).toHaveLength(1 + 365 + 1);
    expect((await savedFile(page, 'Parquet file')).toString('latin1', 0, 4)).toBe('PAR1');
    expect((await savedFile(page, 'Arrow file')).toString('latin1', 0, 6)).toBe('ARROW1');
  });

  inBrowser('are those of the chosen dataset, under any alias and in fragments', async ({ page }) => {
    await setOperation(
      page,
      `query Other { ignored: __typename }
       query Mine($ids: [ID!]!, $metrics: [String!], $range: TimeRangeInput) { mine: datasetsByIds(ids: $ids) { name ...Values } }
       fragment Values on Dataset { r: results(filter: { timeRange: $range }) {
         series { nodes { asset { name } columns(metrics: $metrics) { valueDates metrics { name values } } } } } }`,
      {
        ids: ['6f1d2c84-3b7e-4a59-9c10-5e8a7b4d2f31', '6f1d2c84-3b7e-4a59-9c10-5e8a7b4d2f31'],
        metrics: ['wind'],
        range: { start: '2015-01-01', stop: '2015-01-01' },
      },
    );
    // GraphiQL looks for the operations after a pause, and then has a menu of them.
    await page.locator('.graphiql-execute-button[aria-haspopup=menu]').click();
    await page.getByRole('menuitem', { name: 'Mine' }).click();
    await shownResponse(page);
    await page.locator('.response').getByLabel('Dataset', { exact: true }).selectOption({ index: 1 });
    expect((await savedFile(page, 'CSV file')).toString().split('\r\n').slice(1)).toEqual([
      'seattle-tacoma,Seattle-Tacoma,1,2015-01-01,0,5.6,-3.2,1.2',
      expect.stringMatching(/^new-york[\w-]*,New York \(Central Park\),1,2015-01-01,/),
      '',
    ]);
  });

  inBrowser('are not offered where the operation selects no results', async ({ page }) => {
    await openTab(page, 'Metadata');
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
  const query = `# It's "quoted", \\ and $HOME, \`date\`, """ and '''
query Quoted($id: ID!, $text: ID!) { dataset(id: $id) { name } other: dataset(id: $text) { id } }`;
  const variables = { id: '6f1d2c84-3b7e-4a59-9c10-5e8a7b4d2f31', text: `it's "$TOKEN" \\ ''' """` };

  it.each<[string, (code: string) => [string, string[]]]>([
    ['curl', (code) => ['bash', ['-c', code]]],
    ['Python', (code) => ['python3', ['-c', code]]],
  ])('as %s gives the same response, and has no token', async (language, commandOf) => {
    const { page, problems } = await openExplorer();
    await setOperation(page, query, variables);
    // Only the page asks for the REST calls.
    const { extensions: _, ...shown } = await runOperation(page);
    const code = await copied(page, `Copy as ${language}`);
    expect(code).not.toContain('demo-token');
    const [command, args] = commandOf(code);
    const { stdout } = await run(command, args, { env: { ...process.env, TOKEN: 'demo-token' } });
    expect(JSON.parse(stdout)).toEqual(shown);
    expect(problems).toEqual([]);
  });
});

describe('Download links', () => {
  inBrowser('of the same dataset have different names', async ({ page, endpoint }) => {
    const url = (name: string) => new URL(`/download/${name}`, endpoint).href;
    await showData(page, {
      a: { name: 'Fields', csv: url('1'), parquet: url('2') },
      b: { name: 'Earthquakes', download: { url: url('3') } },
    });
    await expect
      .poll(() => page.locator('.response a').allInnerTexts())
      .toEqual(['Download Fields (a.csv)', 'Download Fields (a.parquet)', 'Download Earthquakes']);
  });
});
