import { readFile } from 'node:fs/promises';
import type { Download, Page } from 'playwright-core';
import { expect } from 'vitest';
import { runOperation } from './browser.ts';
import { drawnOn, FIRST, pixelsOf } from './pixels.ts';

/** Runs the first example, and waits for its chart. */
export async function plotTemperatures(page: Page): Promise<void> {
  await runOperation(page);
  await page.locator('.plot-chart canvas').waitFor();
}

/** Runs the operation with this data as its response. */
export async function plotData(page: Page, data: unknown): Promise<void> {
  await page.route('**/graphql', (route) => route.fulfill({ json: { data } }));
  await runOperation(page);
  await page.unroute('**/graphql');
}

/** Clicks a button and returns the saved file. */
export async function saved(page: Page, name: string): Promise<{ name: string; bytes: Buffer }> {
  const saving: Promise<Download> = page.waitForEvent('download');
  await page.getByRole('button', { name, exact: true }).click();
  const download = await saving;
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}

/** Moves the pointer to a mark on the map. */
export async function pointAtMark(page: Page): Promise<void> {
  await expect.poll(async () => pixelsOf(await drawnOn(page, '.plot-map'), FIRST).length).toBeGreaterThan(50);
  const [mark] = pixelsOf(await drawnOn(page, '.plot-map'), FIRST).slice(30);
  await page.locator('.plot-map').scrollIntoViewIfNeeded();
  const box = await page.locator('.plot-map canvas').boundingBox();
  if (mark === undefined || box === null) throw new Error('There is no mark.');
  await page.mouse.move(box.x + mark.x, box.y + mark.y);
}
