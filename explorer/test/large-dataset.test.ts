import { describe, expect, it } from 'vitest';
import { assetResult, DATASET_ID, gate, start } from '../../test/support/harness.ts';
import { violationsOf } from './axe.ts';
import { newPage, useChromium } from './browser.ts';
import { keyOf, readings, screen, signIn, untilShown } from './dataset.ts';
import { areaPixels, drawnOn } from './pixels.ts';

useChromium();

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

/**
 * Opens the dataset's page, with a service that waits before it sends the last days, and in the middle of the values of the second
 * part of the time.
 */
async function openHeld() {
  const bed = await start({ env: { EXPLORER: 'graphiql' }, datasets: [largeSoil()] });
  const lastDays = gate();
  const secondPart = Promise.withResolvers<void>();
  async function* heldBody() {
    yield '{"assets":[';
    await secondPart.promise;
    yield ']}';
  }
  let secondStop: number | undefined;
  bed.simulator.intercept(async ({ operation, body }) => {
    const { start_date, stop_date } = JSON.parse(body || '{}').time_range ?? {};
    if (operation === 'getDatasetResults' && start_date !== undefined) await lastDays.opened;
    // Only parts have both bounds.
    if (start_date === undefined || stop_date === undefined) return undefined;
    secondStop ??= stop_date;
    return stop_date === secondStop ? { body: heldBody() } : undefined;
  });
  const { origin } = new URL(bed.subgraph.url);
  const { page, problems } = await newPage(origin, screen);
  await page.goto(`${origin}/datasets/${DATASET_ID}`);
  await signIn(page);
  /** The part of the first chart's width that has an area. The slider is below. */
  const filled = async () => {
    const drawn = await drawnOn(page, '.response-chart');
    const area = areaPixels(drawn).filter(({ y }) => y < 150);
    return new Set(area.map(({ x }) => x)).size / drawn.width;
  };
  return { bed, page, problems, lastDays, secondPart, filled };
}

describe('The page of a large dataset', () => {
  it('shows its metadata, then the first values while the service still sends, then all', async () => {
    const { bed, page, problems, lastDays, secondPart, filled } = await openHeld();
    await page.getByRole('heading', { name: 'Soil' }).waitFor();
    expect(await page.locator('.dataset-days').innerText()).toBe('2020-01-01 to 2023-12-31');
    expect(await page.locator('.dataset-about').innerText()).toBe('Weekly');
    expect(await page.locator('.response-chart').count()).toBe(0);
    lastDays.open();
    await page.locator('.response-chart canvas').waitFor();
    await expect.poll(filled).toBeGreaterThan(0.05);
    expect(await filled()).toBeLessThan(0.2);
    expect(await keyOf(page)).toEqual(['All assets: median, and the area from 10 % to 90 %']);
    const progress = page.getByRole('progressbar', { name: 'Receiving the response …' });
    expect(await progress.getAttribute('value')).toBe('0.25');
    expect(await page.locator('.response-progress').innerText()).toMatch(/\d\d\.\d kB, [\d.]+ m?s$/);
    await page.getByText('The assets and metrics are those of the last days. The others are being read …').waitFor();
    expect(await page.getByText('Computing the statistics …').count()).toBe(1);
    expect(await violationsOf(page)).toEqual([]);
    secondPart.resolve();
    await untilShown(page);
    // The second part has no rows.
    await expect.poll(filled).toBeGreaterThan(0.7);
    expect((await readings(page, ['Home']))[0]).toMatch(/^2020-01-01: /);
    expect(await page.getByRole('progressbar').count()).toBe(0);
    expect(await page.locator('.dataset-cost').innerText()).toMatch(/4 REST calls/);
    await page.getByRole('rowheader', { name: 'moisture' }).waitFor();
    await expect.poll(() => page.locator('.dataset-rest').count()).toBe(0);
    // The last days, four parts of the time, and the whole time for the statistics and the outline.
    const whole = bed.filters().map((filter) => JSON.stringify(filter) === '{}');
    expect(whole).toEqual([false, false, false, false, false, true, true]);
    expect(problems).toEqual([]);
  });

  it('keeps the first values, and says why there are no more, when the service breaks off', async () => {
    const { page, problems, lastDays, secondPart, filled } = await openHeld();
    lastDays.open();
    await page.locator('.response-chart canvas').waitFor();
    secondPart.reject(new Error('The service breaks off.'));
    await page.getByRole('alert', { name: 'Errors' }).waitFor();
    await expect.poll(filled).toBeGreaterThan(0.05);
    expect(await keyOf(page)).toEqual(['All assets: median, and the area from 10 % to 90 %']);
    await page.getByRole('rowheader', { name: 'moisture' }).waitFor();
    expect(problems).toEqual([]);
  });

  it('says once why the other assets are not known', async () => {
    const { bed, page, problems, lastDays, secondPart } = await openHeld();
    lastDays.open();
    await page.locator('.response-chart canvas').waitFor();
    let whole = 0;
    // The first call for the whole time is that of the statistics.
    bed.simulator.intercept(({ body }) => {
      if (body === '{}') whole += 1;
      return whole === 2 ? { status: 500 } : undefined;
    });
    secondPart.resolve();
    await expect
      .poll(() => page.locator('.dataset-rest').innerText())
      .toBe(
        'The assets and metrics are those of the last days. The others could not be read: The dataset service failed.',
      );
    expect(problems).toEqual([]);
  });
});
