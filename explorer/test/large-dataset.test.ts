import { describe, expect, it } from 'vitest';
import { assetResult, DATASET_ID, gate, start } from '../../test/support/harness.ts';
import { violationsOf } from './axe.ts';
import { newPage, useChromium } from './browser.ts';
import { keyOf, readings, screen, signIn, untilShown } from './dataset.ts';
import { drawnOn, FIRST, pixelsOf, SECOND } from './pixels.ts';

useChromium();

/** The names of the lines. */
const FIRST_ASSETS = 'The first assets, until all are read';
const ALL_ASSETS = 'All assets: median, and the area from 10 % to 90 %';

const DAY_MS = 86_400_000;
const [FIRST_DAY, LAST_DAY] = [Date.UTC(2020), Date.UTC(2023, 11, 31)];

/** A dataset of thirty assets with a row each week of four years. Its metadata call it larger. */
function largeSoil() {
  const dates = Array.from({ length: 209 }, (_, week) => new Date(FIRST_DAY + week * 7 * DAY_MS));
  const assets = Array.from({ length: 30 }, (_, index) => ({
    ...assetResult(`asset-${index}`),
    results: dates.map((date) => ({
      value_date: date.toISOString().slice(0, 10),
      metrics: [{ name: 'moisture', value: index }],
    })),
  }));
  const days = { start_date: FIRST_DAY, stop_date: LAST_DAY };
  return {
    metadata: { id: DATASET_ID, name: 'Soil', description: 'Weekly', asset_count: 1000, ...days },
    results: { assets },
  };
}

/** The rows of the dataset before a time. */
function rowsUntil(stop: number) {
  return largeSoil().results.assets.map((asset) => ({
    ...asset,
    results: asset.results.filter(({ value_date }) => Date.parse(value_date) <= stop),
  }));
}

/**
 * Opens the dataset's page, with a service that waits before it sends the last days, and in the middle of the values of the first and
 * of the second part of the time.
 */
async function openHeld() {
  const bed = await start({ env: { EXPLORER: 'graphiql' }, datasets: [largeSoil()] });
  const [lastDays, firstPart] = [gate(), gate()];
  const secondPart = Promise.withResolvers<void>();
  // It may fail before its call comes.
  secondPart.promise.catch(() => undefined);
  async function* heldBody(assets: readonly object[], until: Promise<unknown>) {
    const body = JSON.stringify({ assets });
    yield body.slice(0, body.length / 2);
    await until;
    yield body.slice(body.length / 2);
  }
  let secondStop: number | undefined;
  bed.simulator.intercept(async ({ operation, body }) => {
    const { start_date, stop_date } = JSON.parse(body || '{}').time_range ?? {};
    if (operation === 'getDatasetResults' && start_date !== undefined) await lastDays.opened;
    // Only parts have an end.
    if (stop_date === undefined) return undefined;
    if (start_date === undefined) return { body: heldBody(rowsUntil(stop_date), firstPart.opened) };
    secondStop ??= stop_date;
    return stop_date === secondStop ? { body: heldBody([], secondPart.promise) } : undefined;
  });
  const { origin } = new URL(bed.subgraph.url);
  const { page, problems } = await newPage(origin, screen);
  await page.goto(`${origin}/datasets/${DATASET_ID}`);
  await signIn(page);
  /** The part of the first chart's width that has something in a colour. The slider is below. */
  const widthOf = async (colour: typeof FIRST | typeof SECOND, alpha: [min: number, max: number]) => {
    const drawn = await drawnOn(page, '.response-chart');
    const pixels = pixelsOf(drawn, colour, alpha).filter(({ y }) => y < 150);
    return new Set(pixels.map(({ x }) => x)).size / drawn.width;
  };
  const filled = () => widthOf(FIRST, [40, 60]);
  const preview = () => widthOf(SECOND, [40, 255]);
  return { bed, page, problems, lastDays, firstPart, secondPart, filled, preview };
}

describe('The page of a large dataset', () => {
  it('shows its metadata, then the first assets and the first values while the service still sends, then all', async () => {
    const { bed, page, problems, lastDays, firstPart, secondPart, filled, preview } = await openHeld();
    await page.getByRole('heading', { name: 'Soil' }).waitFor();
    expect(await page.locator('.dataset-days').innerText()).toBe('2020-01-01 to 2023-12-31');
    expect(await page.locator('.dataset-about').innerText()).toBe('Weekly');
    expect(await page.locator('.response-chart').count()).toBe(0);
    lastDays.open();
    await expect.poll(preview).toBeGreaterThan(0.8);
    expect(await filled()).toBe(0);
    expect(await keyOf(page)).toEqual([FIRST_ASSETS]);
    const top = await page.locator('.response-chart').boundingBox();
    firstPart.open();
    await expect.poll(filled).toBeGreaterThan(0.05);
    expect(await filled()).toBeLessThan(0.2);
    expect(await preview()).toBeGreaterThan(0.8);
    expect(await keyOf(page)).toEqual([FIRST_ASSETS, ALL_ASSETS]);
    const progress = page.getByRole('progressbar', { name: 'Receiving the response …' });
    expect(await progress.getAttribute('value')).toBe('0.4');
    expect(await page.locator('.response-progress').innerText()).toMatch(/\d\d\.\d kB, [\d.]+ m?s$/);
    await page.getByText('The assets and metrics are those of the last days. The others are being read …').waitFor();
    expect(await page.getByText('Computing the statistics …').count()).toBe(1);
    expect(await violationsOf(page)).toEqual([]);
    secondPart.resolve();
    await untilShown(page);
    // The second part has no rows.
    await expect.poll(filled).toBeGreaterThan(0.7);
    expect(await preview()).toBe(0);
    expect(await keyOf(page)).toEqual([ALL_ASSETS]);
    expect(await page.locator('.response-chart').boundingBox()).toEqual(top);
    expect((await readings(page, ['Home']))[0]).toMatch(/^2020-01-01: /);
    expect(await page.getByRole('progressbar').count()).toBe(0);
    expect(await page.locator('.dataset-cost').innerText()).toMatch(/5 REST calls/);
    await page.getByRole('rowheader', { name: 'moisture' }).waitFor();
    await expect.poll(() => page.locator('.dataset-rest').count()).toBe(0);
    // The last days, the first assets, four parts of the time, and the whole time for the statistics and the outline.
    const whole = bed.filters().map((filter) => JSON.stringify(filter) === '{}');
    expect(whole).toEqual([false, false, false, false, false, false, true, true]);
    expect(problems).toEqual([]);
  });

  it('keeps the first values, and says why there are no more, when the service breaks off', async () => {
    const { page, problems, lastDays, firstPart, secondPart, filled } = await openHeld();
    lastDays.open();
    firstPart.open();
    await page.locator('.response-chart canvas').waitFor();
    secondPart.reject(new Error('The service breaks off.'));
    await page.getByRole('alert', { name: 'Errors' }).waitFor();
    await expect.poll(filled).toBeGreaterThan(0.05);
    expect(await keyOf(page)).toEqual([FIRST_ASSETS, ALL_ASSETS]);
    await page.getByRole('rowheader', { name: 'moisture' }).waitFor();
    expect(problems).toEqual([]);
  });

  it('draws all values without the first assets, and says once why the other assets are not known', async () => {
    const { bed, page, problems, lastDays, filled } = await openHeld();
    lastDays.open();
    let whole = 0;
    // The first call for the whole time is that of the statistics.
    bed.simulator.intercept(({ body }) => {
      if (body === '{}') whole += 1;
      return whole === 2 || body.includes('mo_ids') ? { status: 500 } : undefined;
    });
    await expect.poll(filled).toBeGreaterThan(0.8);
    expect(await keyOf(page)).toEqual([ALL_ASSETS]);
    await expect
      .poll(() => page.locator('.dataset-rest').innerText())
      .toBe(
        'The assets and metrics are those of the last days. The others could not be read: The dataset service failed.',
      );
    expect(problems).toEqual([]);
  });
});
