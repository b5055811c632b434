// Takes the picture of docs/operations.md: `npm run pictures:prometheus`. It takes as long as the graphs show.

import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { observeDemo } from '../../deploy/observability/observed-demo.ts';
import { chromiumNames, findTool } from '../../test/support/tools.ts';

const MINUTES = 11;

const WIDTH = 1280;

/** Two graphs next to each other, each with its query and its legend, and without what one clicks on. */
const style = `
  #graph_container { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 0 24px }
  #graph_container > .clearfix, #graph_container > .container-fluid { display: none }
  .form-inline, .nav-tabs, .eval_stats, .graph_container > .clearfix, [name=remove] { display: none }
  .query_form .col-lg-10 { flex: 0 0 100%; max-width: 100% }
  .expression_input { field-sizing: content; font-size: 14px; transition: none !important }
`;

const stopping = new AbortController();
await observeDemo(stopping.signal, ({ graphs }) => takePicture(graphs.href).finally(() => stopping.abort()));

async function takePicture(graphs: string): Promise<void> {
  await setTimeout(MINUTES * 60_000);
  const browser = await chromium.launch({
    executablePath: findTool(...chromiumNames) as string,
    args: ['--no-sandbox', '--disable-gpu'],
  });
  const page = await browser.newPage({ viewport: { width: WIDTH, height: 1600 } });
  // The page draws the graphs as wide as their place is then.
  await page.addInitScript(`addEventListener('DOMContentLoaded', () =>
    document.head.append(Object.assign(document.createElement('style'), { textContent: ${JSON.stringify(style)} })))`);
  await page.goto(graphs);
  await page.waitForLoadState('networkidle');
  await page.evaluate('document.activeElement.blur()');
  const bottom = await page.evaluate<number>(
    'document.querySelector("#graph_container").getBoundingClientRect().bottom',
  );
  const clip = { x: 0, y: 0, width: WIDTH, height: bottom };
  await page.screenshot({ path: fileURLToPath(new URL('../../docs/images/prometheus.png', import.meta.url)), clip });
  await browser.close();
}
