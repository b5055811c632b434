import type { Page } from 'playwright-core';
import { asset, parseSize } from '../../bench/dataset.ts';
import { DATASET_ID, start, type TestBed, TOKEN } from '../../test/support/harness.ts';
import { newPage, setOperation, untilReady } from './browser.ts';

const series = (rows: string) =>
  `query Large($id: ID!) { dataset(id: $id) { name results { series { nodes {
    version asset { assetId name version categories centroid { latitude longitude } } ${rows} } } } } }`;

/** All values of a dataset, as rows and as columns. */
export const operations = {
  rows: series('rows { valueDate metrics { name value } }'),
  columns: series('columns { valueDates metrics { name values } }'),
};

/**
 * Opens GraphiQL of a subgraph with one dataset, with an operation for all of its values.
 *
 * @param size the assets, dates and metrics: `1000x365x3`
 */
export async function openLarge(size: string, form: keyof typeof operations): Promise<TestBed & { page: Page }> {
  const parsed = parseSize(size);
  if (parsed === undefined) throw new TypeError(`${size} is no size.`);
  const assets = Array.from({ length: parsed.assets }, (_, index) => JSON.parse(asset(index, parsed).toString()));
  const metadata = { id: DATASET_ID, name: `Fields ${size}` };
  const bed = await start({ env: { EXPLORER: 'graphiql' }, datasets: [{ metadata, results: { assets } }] });
  const { page } = await newPage(new URL(bed.subgraph.url).origin, { isAlone: true });
  await page.addInitScript(watchPauses);
  await page.goto(new URL('/graphiql', bed.subgraph.url).href);
  await untilReady(page);
  await page.getByLabel('Bearer token').fill(TOKEN);
  await setOperation(page, operations[form], { id: DATASET_ID });
  await page.waitForLoadState('networkidle');
  return { ...bed, page };
}

/** What the page's own probe measures. */
interface Pauses {
  /** The longest time between two turns of a timer of 4 ms, in milliseconds. */
  longest: number;
  /** The texts that said how far the response was. */
  progress: Set<string>;
}

/** Runs in the page: notes how long its thread was busy without a break, and what it said meanwhile. */
function watchPauses(): void {
  const pauses: Pauses = { longest: 0, progress: new Set() };
  Object.assign(globalThis, { pauses });
  let last = performance.now();
  setInterval(() => {
    const now = performance.now();
    pauses.longest = Math.max(pauses.longest, now - last);
    last = now;
    const text = document.querySelector('.response-progress')?.textContent;
    if (text) pauses.progress.add(text);
  }, 4);
}

/** Forgets what the probe has measured so far. */
export async function resetPauses(page: Page): Promise<void> {
  await page.evaluate(() => {
    const { pauses } = globalThis as unknown as { pauses: Pauses };
    pauses.longest = 0;
    pauses.progress.clear();
  });
}

/** What the probe has measured: the longest pause in milliseconds, and the texts of the progress. */
export function readPauses(page: Page): Promise<{ longest: number; progress: string[] }> {
  return page.evaluate(() => {
    const { pauses } = globalThis as unknown as { pauses: Pauses };
    return { longest: Math.round(pauses.longest), progress: [...pauses.progress] };
  });
}
