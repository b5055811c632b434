import { describe, expect } from 'vitest';
import { inBrowser, inNewTab, openTab, runOperation, tabNames, useChromium } from './browser.ts';
import { readings } from './dataset.ts';
import { drawnOn, FIRST, meanHeight, pixelsOf, SECOND } from './pixels.ts';
import { boxOf, drawData, drawTemperatures, drawWeather, nodeOf, pointAtMark, tooltipAt } from './response.ts';

useChromium();

describe('The chart', () => {
  inNewTab('is one for each metric: warm in July, cold in January', async ({ page }) => {
    await drawTemperatures(page);
    const picture = await drawnOn(page, '.response-chart');
    const all = pixelsOf(picture, FIRST);
    const highest = all.filter(({ y }) => y < picture.height / 2);
    const lowest = all.filter(({ y }) => y > picture.height / 2);
    for (const line of [highest, lowest]) {
      expect(line.length).toBeGreaterThan(500);
      // Heights count from the top: warmer values are smaller. Each metric has an axis of its own.
      const difference = meanHeight(line, 0, 1 / 12) - meanHeight(line, 6 / 12, 7 / 12);
      expect(difference).toBeGreaterThan(picture.height / 10);
    }
  });

  inNewTab('zooms by Ctrl or Cmd and the wheel, button and key, and back to the same picture', async ({ page }) => {
    await drawTemperatures(page);
    const picture = async () => (await drawnOn(page, '.response-chart')).data;
    const whole = await picture();
    const zoomed = async () => !(await picture()).equals(whole);
    for (const [button, isZoomed] of [
      ['Zoom in', true],
      ['Zoom out', false],
    ] as const) {
      await page.getByRole('button', { name: button }).click();
      expect(await zoomed()).toBe(isZoomed);
    }
    await page.locator('.response-chart').hover();
    for (const key of ['Control', 'Meta']) {
      await page.keyboard.down(key);
      await page.mouse.wheel(0, -100);
      await expect.poll(zoomed).toBe(true);
      await page.mouse.wheel(0, 1000);
      await expect.poll(zoomed).toBe(false);
      await page.keyboard.up(key);
    }
    await page.mouse.move(5, 5);
    await page.locator('.response-chart').press('+');
    expect(await zoomed()).toBe(true);
    await page.getByRole('button', { name: 'Whole time' }).click();
    await expect.poll(zoomed).toBe(false);
    await page.locator('.response-chart').press('+');
    await page.keyboard.press('0');
    expect(await zoomed()).toBe(false);
  });

  inNewTab('has lines and metrics that a click hides and shows', async ({ page }) => {
    await drawWeather(page);
    const buttons = (name: string) => page.getByRole('list', { name }).locator('[aria-pressed]');
    expect(await buttons('Metrics').allInnerTexts()).toEqual(['precipitation', 'temp_max', 'temp_min', 'wind']);
    expect(await buttons('Lines').allInnerTexts()).toEqual(['Seattle-Tacoma', 'New York (Central Park)']);
    const count = async (colour: typeof FIRST | typeof SECOND) =>
      pixelsOf(await drawnOn(page, '.response-chart'), colour).length;
    await expect.poll(() => count(SECOND)).toBeGreaterThan(100);
    const before = await count(SECOND);
    await buttons('Lines').last().click();
    await expect.poll(() => count(SECOND)).toBe(0);
    expect(await count(FIRST)).toBeGreaterThan(100);
    await buttons('Lines').last().click();
    await expect.poll(() => count(SECOND)).toBe(before);
    const height = async () => (await drawnOn(page, '.response-chart')).height;
    const whole = await height();
    await buttons('Metrics').last().click();
    expect(await buttons('Metrics').last().getAttribute('aria-pressed')).toBe('false');
    await expect.poll(height).toBeLessThan(whole);
    await buttons('Metrics').last().click();
    await expect.poll(height).toBe(whole);
  });

  inBrowser('exists for each dataset, with the asset’s name, and belongs to its tab', async ({ page }) => {
    await openTab(page, 'SeveralDatasets');
    await runOperation(page);
    const heading = page.getByRole('heading', { level: 2 });
    await expect.poll(() => heading.innerText()).toBe('Mauna Loa CO2: Mauna Loa Observatory');
    await page.locator('.response').getByLabel('Dataset', { exact: true }).selectOption({ index: 1 });
    await expect.poll(() => heading.innerText()).toBe('Iowa electricity by source: Iowa');
    await openTab(page, 'Metadata');
    await page.locator('.response-chart').waitFor({ state: 'detached' });
    expect(await page.locator('.response').innerText()).toBe('Run the query to see its response here.');
    await openTab(page, 'SeveralDatasets');
    await page.locator('.response-chart canvas').waitFor();
    expect(await heading.innerText()).toBe('Iowa electricity by source: Iowa');
    expect(pixelsOf(await drawnOn(page, '.response-chart'), FIRST).length).toBeGreaterThan(100);
    expect(await tabNames(page)).toHaveLength(8);
  });

  inNewTab('has a gap for missing values', async ({ page }) => {
    const weeks = Array.from({ length: 6 }, (_, index) => `week ${index + 1}`);
    await drawData(page, { dataset: nodeOf('Gaps', weeks, [1, 1, null, null, 1, 1]) });
    const columns = new Set(pixelsOf(await drawnOn(page, '.response-chart'), FIRST).map(({ x }) => x));
    const found = [...columns].sort((a, b) => a - b);
    const steps = found.map((x, index) => x - (found[index - 1] ?? x));
    const gap = Math.max(...steps);
    // Two of six values are missing: the gap takes three fifths of the line, less its marks.
    expect(gap).toBeGreaterThan(((found.at(-1) ?? 0) - (found[0] ?? 0)) / 3);
    expect(steps.filter((step) => step > gap / 3)).toHaveLength(1);
    expect(await readings(page, ['Home'])).toEqual(['week 1: m 1']);
  });

  inNewTab('escapes names', async ({ page }) => {
    const name = '<img src=x onerror="globalThis.ran=1">';
    const metrics = [
      { name, values: [1, 2] },
      { name: 'b', values: [2, 3] },
    ];
    const asset = { name, centroid: { latitude: 1, longitude: 2 } };
    await drawData(page, {
      dataset: { name, node: { asset, columns: { valueDates: ['2015-01-01', '2015-01-02'], metrics } } },
    });
    const { width } = await boxOf(page, '.response-chart');
    expect((await tooltipAt(page, width * 0.9, 100)).lines).toContain(`${name} 2`);
    await pointAtMark(page);
    await expect.poll(() => page.locator('.response-map .response-tip').innerText()).toBe(`${name} 1, 2`);
    expect(await page.evaluate(() => 'ran' in globalThis)).toBe(false);
  });
});
