import { readFile } from 'node:fs/promises';
import type { Download, Page } from 'playwright-core';
import { expect } from 'vitest';
import { runOperation } from './browser.ts';
import { drawnOn, FIRST, pixelsOf } from './pixels.ts';

/** Runs the first example, and waits for its chart. */
export async function drawTemperatures(page: Page): Promise<void> {
  await runOperation(page);
  await page.locator('.response-chart canvas').waitFor();
}

/** Runs the operation with this as its response. */
export async function showResponse(page: Page, response: object): Promise<void> {
  await page.route('**/graphql', (route) => route.fulfill({ json: response }));
  await page.getByRole('button', { name: /^Execute query/ }).click();
  await page.locator('.response[data-state=done]').waitFor();
  await page.unroute('**/graphql');
}

/** Runs the operation with this data as its response. */
export async function showData(page: Page, data: unknown): Promise<void> {
  await showResponse(page, { data });
}

/** Opens a tab of the response. */
export async function openResponseTab(page: Page, name: 'Chart' | 'Table' | 'Map' | 'JSON'): Promise<void> {
  await page.getByRole('tab', { name, exact: true }).click();
}

/** Clicks a button and returns the saved file. */
export async function saved(page: Page, name: string): Promise<{ name: string; bytes: Buffer }> {
  const saving: Promise<Download> = page.waitForEvent('download');
  await page.getByRole('button', { name, exact: true }).click();
  const download = await saving;
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}

/** The dataset's values as the table saves them. */
export async function savedCsv(page: Page): Promise<string> {
  await openResponseTab(page, 'Table');
  return (await saved(page, 'Save as CSV')).bytes.toString();
}

/** Opens the map without values: all places have the same colour. */
export async function openPlaces(page: Page): Promise<void> {
  await openResponseTab(page, 'Map');
  await page.getByLabel('Colour by').selectOption('nothing');
}

/** Opens the map, and moves the pointer to its first mark. */
export async function pointAtMark(page: Page): Promise<void> {
  await openPlaces(page);
  await page.locator('.response-map canvas').waitFor();
  await expect.poll(async () => pixelsOf(await drawnOn(page, '.response-map'), FIRST).length).toBeGreaterThan(50);
  const pixels = pixelsOf(await drawnOn(page, '.response-map'), FIRST);
  const [top = { x: 0, y: 0 }] = pixels;
  const mark = pixels.filter(({ x, y }) => Math.hypot(x - top.x, y - top.y) < 12);
  const middle = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  await page.locator('.response-map').scrollIntoViewIfNeeded();
  const box = await page.locator('.response-map canvas').boundingBox();
  if (box === null) throw new Error('There is no map.');
  await page.mouse.move(box.x + middle(mark.map(({ x }) => x)), box.y + middle(mark.map(({ y }) => y)));
}
