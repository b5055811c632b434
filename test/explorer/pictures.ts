import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { PROJECT, startGuarded } from '../process.ts';

// Takes the pictures of the documentation: `npm run pictures`.

const demo = startGuarded(process.execPath, ['src/demo.ts'], { env: { PORT: '0', LOG_LEVEL: 'silent' } });
const [, start = ''] = await demo.printed(/^Start page: (\S+)/m);
const [, address = ''] = await demo.printed(/^GraphiQL: (\S+)/m);
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });

/** Opens GraphiQL, runs one of its examples, and takes a picture. */
async function take(name: string, size: { width: number; height: number }, tab: string, then: (page: Page) => unknown) {
  const page = await browser.newPage({ viewport: size });
  await page.goto(address);
  await page.locator('.graphiql-query-editor .view-line').first().waitFor();
  await page.locator('.graphiql-tab-button', { hasText: new RegExp(`^${tab}$`) }).click();
  await page.waitForFunction(`document.querySelector('.graphiql-query-editor').textContent.includes('${tab}')`);
  await page.getByRole('button', { name: /^Execute query/ }).click();
  await page.locator('.plot-map canvas').first().waitFor();
  // The coasts load after the chart.
  await page.waitForLoadState('networkidle');
  await then(page);
  await page.screenshot({ path: join(PROJECT, 'docs/images', name) });
  await page.close();
}

const startPage = await browser.newPage({ viewport: { width: 1280, height: 900 } });
await startPage.goto(start);
await startPage.screenshot({ path: join(PROJECT, 'docs/images/start-page.png') });
await startPage.close();
await take('graphiql-plot.png', { width: 1280, height: 800 }, 'Columns', (page) =>
  page.locator('.plot-chart').hover({ position: { x: 270, y: 60 } }),
);
await take('graphiql-map.png', { width: 1280, height: 900 }, 'Rows', () => {});
await take('graphiql-narrow.png', { width: 390, height: 844 }, 'Columns', (page) =>
  page.locator('.plot').evaluate((plot) => plot.scrollIntoView()),
);
await browser.close();
await demo.stop();
