import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { assetResult, DATASET_ID, type Setup, start, TOKEN } from '../../test/support/harness.ts';
import { newPage, startDemo, type View } from './browser.ts';

/** The demo's dataset of two weather stations. */
export const WEATHER = '6f1d2c84-3b7e-4a59-9c10-5e8a7b4d2f31';

/** What most tests use: a screen without a map beside the chart. */
export const screen = { width: 1200, height: 720 };

/** An operation that the page sent. */
export interface Sent {
  readonly name: string;
  readonly variables: Record<string, unknown>;
}

/** The operations that the page sends, without the introspection. */
export function watchOperations(page: Page): Sent[] {
  const sent: Sent[] = [];
  page.on('request', (request) => {
    if (request.method() !== 'POST') return;
    const { query, variables } = JSON.parse(request.postData() ?? '');
    const [, name = ''] = /^ *query (\w+)/m.exec(query) ?? [];
    if (name !== 'IntrospectionQuery') sent.push({ name, variables });
  });
  return sent;
}

/** Waits until the chart of the current view is drawn. */
export async function untilShown(page: Page): Promise<void> {
  await page.locator('.dataset-response[aria-busy=false] .response-chart canvas').waitFor();
}

/** Opens the page of a dataset of the demo. */
export async function openDemo(id = WEATHER, fragment = '', view: View = screen) {
  const endpoint = await startDemo();
  const { page, problems } = await newPage(endpoint.origin, view);
  const sent = watchOperations(page);
  await page.goto(new URL(`/datasets/${id}${fragment}`, endpoint).href);
  return { page, problems, sent, endpoint };
}

/** A test of the weather's page with this view, once its chart is drawn. It must report no problems. */
export function onDatasetPage(
  title: string,
  fragment: string,
  test: (opened: Awaited<ReturnType<typeof openDemo>>) => Promise<void>,
): void {
  it(title, async () => {
    const opened = await openDemo(WEATHER, fragment);
    await untilShown(opened.page);
    await test(opened);
    expect(opened.problems).toEqual([]);
  });
}

/** The view that the address has. */
export const hashOf = (page: Page) => new URL(page.url()).hash;

/** The names of the lines. */
export const keyOf = (page: Page) => page.locator('.dataset-key li').allInnerTexts();

/** Presses keys on the chart, and returns what is read out after each. */
export async function readings(page: Page, keys: readonly string[]): Promise<string[]> {
  const texts: string[] = [];
  for (const key of keys) {
    await page.locator('.response-chart').press(key);
    texts.push(await page.locator('.response-reading').innerText());
  }
  return texts;
}

/** The variables that select all of the demo's weather, but its metrics. */
export const bothStations = { id: WEATHER, assetIds: ['seattle-tacoma', 'new-york-central-park'] };

/** A dataset with so many assets, whose values differ by one from each to the next. */
export function soilOf(assetCount = 3) {
  const assets = Array.from({ length: assetCount }, (_, index) => {
    const asset = assetResult(`asset-${index}`);
    const results = asset.results.map(({ value_date, metrics }) => ({
      value_date,
      metrics: metrics.map(({ name, value }) => ({ name, value: value + index })),
    }));
    return { ...asset, results };
  });
  const dates = { start_date: 1_704_067_200_000, stop_date: 1_704_326_400_000 };
  return { metadata: { id: DATASET_ID, name: 'Soil moisture', ...dates }, results: { assets } };
}

/** Gives the page a token. */
export async function signIn(page: Page, token = TOKEN): Promise<void> {
  // It is in the header, unless the page asks for it in the place of the chart.
  const menu = page.locator('.dataset-token summary');
  await menu.or(page.locator('.dataset-sign-in')).waitFor();
  if (await menu.isVisible()) await menu.click();
  await page.getByLabel('Bearer token').fill(token);
  await page.getByRole('button', { name: 'Use this token' }).click();
}

/** Opens the first dataset of a server with its token. */
export async function openSignedIn(
  datasets: NonNullable<Setup['datasets']> = [soilOf()],
  fragment = '',
  env: Record<string, string> = {},
  view: View = screen,
) {
  const bed = await start({ env: { EXPLORER: 'graphiql', ...env }, datasets });
  const { origin } = new URL(bed.subgraph.url);
  const { page, problems } = await newPage(origin, view);
  const sent = watchOperations(page);
  await page.goto(`${origin}/datasets/${DATASET_ID}${fragment}`);
  await signIn(page);
  await untilShown(page);
  return { bed, page, problems, sent, origin };
}
