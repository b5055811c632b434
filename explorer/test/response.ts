import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { PROJECT } from '../../test/support/process.ts';
import { runOperation, setOperation } from './browser.ts';
import { WEATHER } from './dataset.ts';
import { drawnOn, FIRST, pixelsOf } from './pixels.ts';

/** The variables of the demo's first example. */
const temperatures = {
  id: WEATHER,
  assetIds: ['seattle-tacoma'],
  metrics: ['temp_max', 'temp_min'],
  timeRange: { start: '2015-01-01', stop: '2015-12-31' },
};

/** Shows the chart of the temperatures of one station, for a year. */
export function drawTemperatures(page: Page): Promise<void> {
  return drawOperation(page, 'Columns', temperatures);
}

/** Shows the charts of all metrics of both stations, for two weeks. */
export function drawWeather(page: Page): Promise<void> {
  return drawOperation(page, 'Rows', { ...temperatures, assetIds: undefined, first: 14 });
}

async function drawOperation(page: Page, name: string, variables: object): Promise<void> {
  await setOperation(page, await readFile(join(PROJECT, 'operations', `${name}.graphql`), 'utf8'), variables);
  await runOperation(page);
  await page.locator('.response-chart canvas').waitFor();
}

/** Runs the operation with this as its response; a text is sent as it is. */
export async function showResponse(page: Page, response: object | string): Promise<void> {
  const body = typeof response === 'string' ? response : JSON.stringify(response);
  await page.route('**/graphql', (route) => route.fulfill({ body, contentType: 'application/json' }));
  await page.getByRole('button', { name: /^Execute query/ }).click();
  await page.locator('.response[data-state=done]').waitFor();
  await page.unroute('**/graphql');
}

/** Runs the operation with this data as its response. */
export async function showData(page: Page, data: unknown): Promise<void> {
  await showResponse(page, { data });
}

/** Shows the chart of this data. */
export async function drawData(page: Page, data: unknown): Promise<void> {
  await showData(page, data);
  await page.locator('.response-chart canvas').waitFor();
}

/** Data of a node for each asset, with these dates and the values of the metric `m`. */
export const nodeOf = (name: string, valueDates: readonly string[], values: readonly (number | null)[]) => ({
  asset: { name },
  columns: { valueDates, metrics: [{ name: 'm', values }] },
});

/** So many days from a first one on. */
export function daysFrom(first: string, count: number): string[] {
  return Array.from({ length: count }, (_, day) =>
    new Date(Date.parse(first) + day * 86_400_000).toISOString().slice(0, 10),
  );
}

/** Opens a tab of the response. */
export async function openResponseTab(page: Page, name: 'Chart' | 'Table' | 'Map' | 'JSON'): Promise<void> {
  await page.getByRole('tab', { name, exact: true }).click();
}

/** Clicks a button and returns the saved file. */
export async function saved(page: Page, name: string): Promise<{ name: string; bytes: Buffer }> {
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name, exact: true }).click();
  const download = await saving;
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}

/** The dataset's values as the table saves them. */
export async function savedCsv(page: Page): Promise<string> {
  await openResponseTab(page, 'Table');
  return (await saved(page, 'Save as CSV')).bytes.toString();
}

/** The chart as it saves its drawing, and the texts in it. */
export async function savedTexts(page: Page): Promise<{ name: string; drawing: string; texts: string[] }> {
  const { name, bytes } = await saved(page, 'Save as SVG');
  const drawing = bytes.toString();
  const texts = await page.evaluate((text) => {
    const { documentElement } = new DOMParser().parseFromString(text, 'image/svg+xml');
    return [...documentElement.querySelectorAll('text')].map(({ textContent }) => textContent ?? '');
  }, drawing);
  return { name, drawing, texts };
}

/** The box of a part of the page. */
export async function boxOf(page: Page, selector: string) {
  const box = await page.locator(selector).first().boundingBox();
  if (box === null) throw new Error(`There is no ${selector}.`);
  return box;
}

/** Moves the pointer to a point of the chart. Returns the lines of the tooltip and its box. */
export async function tooltipAt(page: Page, x: number, y: number) {
  const chart = await boxOf(page, '.response-chart');
  // The tooltip does not come for the first event alone.
  await page.mouse.move(chart.x + x - 1, chart.y + y);
  await page.mouse.move(chart.x + x, chart.y + y);
  const tip = page.locator('.response-chart .response-tip').first();
  await expect.poll(() => tip.innerText()).toMatch(/\d/);
  const lines = (await tip.innerText()).split('\n').map((line) => line.trim());
  return { lines, box: await boxOf(page, '.response-chart .response-tip') };
}

/** The rows of the table beside the map. */
export const placesOf = (page: Page) =>
  page
    .getByRole('region', { name: 'Values on the map' })
    .locator('tr')
    .evaluateAll((all) => all.map((row) => [...row.children].map(({ textContent }) => textContent).join('|')));

/** Opens the map without values: all places have the same colour. */
export async function openPlaces(page: Page): Promise<void> {
  await openResponseTab(page, 'Map');
  await page.getByLabel('Colour by').selectOption('nothing');
  await expect.poll(async () => pixelsOf(await drawnOn(page, '.response-map'), FIRST).length).toBeGreaterThan(50);
}

/** Opens the map, and moves the pointer to its first mark. */
export async function pointAtMark(page: Page): Promise<void> {
  await openPlaces(page);
  const pixels = pixelsOf(await drawnOn(page, '.response-map'), FIRST);
  const [top = { x: 0, y: 0 }] = pixels;
  const mark = pixels.filter(({ x, y }) => Math.hypot(x - top.x, y - top.y) < 12);
  const middle = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  await page.locator('.response-map').scrollIntoViewIfNeeded();
  const box = await boxOf(page, '.response-map canvas');
  await page.mouse.move(box.x + middle(mark.map(({ x }) => x)), box.y + middle(mark.map(({ y }) => y)));
}
