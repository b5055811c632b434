import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { PROJECT, startGuarded } from '../../test/support/process.ts';
import { chromiumNames, findTool } from '../../test/support/tools.ts';

// Takes the pictures of the documentation: `npm run pictures`.

const demo = startGuarded(process.execPath, ['simulator/demo.ts'], { env: { PORT: '0', LOG_LEVEL: 'silent' } });
const [, start = ''] = await demo.printed(/^Start page: (\S+)/m);
const [, address = ''] = await demo.printed(/^GraphiQL: (\S+)/m);
const browser = await chromium.launch({
  executablePath: findTool(...chromiumNames) as string,
  args: ['--no-sandbox', '--disable-gpu'],
});

/** What is done before a picture is taken. */
interface Steps {
  /** Before the operation runs. */
  before?(page: Page): Promise<unknown>;
  /** After its response has come. */
  after?(page: Page): Promise<unknown>;
}

/** Opens GraphiQL, runs one of its examples, and takes a picture. */
async function take(name: string, size: { width: number; height: number }, tab: string, { before, after }: Steps) {
  const page = await browser.newPage({ viewport: size });
  await page.goto(address);
  await page.locator('.graphiql-query-editor .view-line').first().waitFor();
  await page.locator('.graphiql-tab-button', { hasText: new RegExp(`^${tab}$`) }).click();
  await page.waitForFunction(`document.querySelector('.graphiql-query-editor').textContent.includes('${tab}')`);
  await before?.(page);
  await page.getByRole('button', { name: /^Execute query/ }).click();
  await page.locator('.response[data-state=done]').waitFor();
  await after?.(page);
  // The coasts load after the map.
  await page.waitForLoadState('networkidle');
  await page.screenshot({ path: join(PROJECT, 'docs/images', name) });
  await page.close();
}

const startPage = await browser.newPage({ viewport: { width: 1280, height: 900 } });
await startPage.goto(start);
await startPage.screenshot({ path: join(PROJECT, 'docs/images/start-page.png') });
await startPage.close();

const datasetPage = await browser.newPage({ viewport: { width: 1280, height: 900 } });
await datasetPage.goto(start);
await datasetPage.getByRole('link', { name: 'Daily weather' }).click();
await datasetPage.locator('.response-scale').waitFor();
await datasetPage.waitForLoadState('networkidle');
await datasetPage.screenshot({ path: join(PROJECT, 'docs/images/dataset-page.png') });
await datasetPage.close();

/** Opens a tab of the response, and waits for what it shows. */
async function open(page: Page, tab: string, shown: string): Promise<void> {
  await page.getByRole('tab', { name: tab, exact: true }).click();
  await page.locator(shown).first().waitFor();
}

const screen = { width: 1280, height: 800 };
await take('graphiql-chart.png', screen, 'Columns', {
  after: (page) => page.locator('.response-chart canvas').hover({ position: { x: 270, y: 60 } }),
});
await take('graphiql-table.png', screen, 'Rows', { after: (page) => open(page, 'Table', '.response-number') });
await take('graphiql-map.png', screen, 'Rows', { after: (page) => open(page, 'Map', '.response-map canvas') });
await take('graphiql-error.png', screen, 'Columns', { before: (page) => page.getByLabel('Bearer token').fill('') });
await take('graphiql-narrow.png', { width: 390, height: 844 }, 'Columns', {
  after: async (page) => {
    await page.locator('.response-chart canvas').waitFor();
    await page.locator('.response').evaluate((response) => response.scrollIntoView());
  },
});
await browser.close();
await demo.stop();
