import type { Page } from 'playwright-core';
import { PNG } from 'pngjs';
import { describe, expect } from 'vitest';
import { queryAt } from '../harness.ts';
import { type Explorer, editorText, inBrowser, openTab, runOperation, tabNames, useChromium } from './browser.ts';
import { drawnOn, FIRST, meanHeight, pixelsOf, SECOND } from './pixels.ts';
import { plotData, plotTemperatures, pointAtMark, saved } from './plot.ts';

useChromium();

/** The data of the first example: the dates of a year and two columns. */
async function temperatures({ page, endpoint }: Explorer) {
  const [document, variables] = [await editorText(page, 'operation.graphql'), await editorText(page, 'variables.json')];
  const { body } = await queryAt(endpoint, document, { variables: JSON.parse(variables), token: 'demo-token' });
  const { valueDates, metrics } = body.data.dataset.results.series.nodes[0].columns;
  const [highest, lowest] = metrics.map(({ values }: { values: number[] }) => values);
  return { dates: valueDates as string[], highest: highest as number[], lowest: lowest as number[] };
}

/** Moves the pointer to a part of the chart's width. Returns the lines of the tooltip. */
async function hover(page: Page, part: number): Promise<string[]> {
  const box = await page.locator('.plot-chart').first().boundingBox();
  if (box === null) throw new Error('There is no chart.');
  await page.mouse.move(box.x + box.width * part, box.y + box.height / 3);
  const tip = page.locator('.plot-chart .plot-tip').first();
  return (await tip.innerText()).split('\n').map((line) => line.trim());
}

describe('The chart', () => {
  inBrowser('draws both lines: warm in July, cold in January, the highest above the lowest', async ({ page }) => {
    await plotTemperatures(page);
    const picture = await drawnOn(page, '.plot-chart');
    const highest = pixelsOf(picture, FIRST);
    const lowest = pixelsOf(picture, SECOND);
    expect(highest.length).toBeGreaterThan(500);
    expect(lowest.length).toBeGreaterThan(500);
    const [january, july] = [[0, 1 / 12] as const, [6 / 12, 7 / 12] as const];
    // Heights count from the top: warmer values are smaller.
    const rise = meanHeight(highest, ...january) - meanHeight(highest, ...july);
    expect(rise).toBeGreaterThan(picture.height / 5);
    for (const month of [january, july]) {
      expect(meanHeight(lowest, ...month) - meanHeight(highest, ...month)).toBeGreaterThan(picture.height / 50);
    }
  });

  inBrowser('shows the values of the date under the pointer', async (explorer) => {
    const { page } = explorer;
    await plotTemperatures(page);
    const { dates, highest, lowest } = await temperatures(explorer);
    const shown = new Set<string>();
    for (const part of [0.2, 0.5, 0.8]) {
      const [date = '', ...values] = await hover(page, part);
      const row = dates.indexOf(date);
      expect(row).toBeGreaterThan(0);
      expect(values.filter((text) => text !== '')).toEqual([
        'temp_max',
        `${highest[row]}`,
        'temp_min',
        `${lowest[row]}`,
      ]);
      shown.add(date.slice(0, 7));
    }
    expect(shown.size).toBe(3);
  });

  inBrowser('zooms by wheel, button and key, and back to the same picture', async ({ page }) => {
    await plotTemperatures(page);
    const picture = async () => (await drawnOn(page, '.plot-chart')).data;
    const whole = await picture();
    const zoomed = async () => !(await picture()).equals(whole);
    await page.getByRole('button', { name: 'Zoom in' }).click();
    expect(await zoomed()).toBe(true);
    await page.getByRole('button', { name: 'Zoom out' }).click();
    expect(await zoomed()).toBe(false);
    await page.locator('.plot-chart').hover();
    await page.mouse.wheel(0, -300);
    await expect.poll(zoomed).toBe(true);
    await page.mouse.move(5, 5);
    await page.getByRole('button', { name: 'Whole time' }).click();
    await expect.poll(zoomed).toBe(false);
    await page.locator('.plot-chart').focus();
    await page.keyboard.press('+');
    expect(await zoomed()).toBe(true);
    await page.keyboard.press('0');
    expect(await zoomed()).toBe(false);
  });

  inBrowser('hides and shows a line by its name', async ({ page }) => {
    await plotTemperatures(page);
    const count = async (colour: typeof FIRST | typeof SECOND) =>
      pixelsOf(await drawnOn(page, '.plot-chart'), colour).length;
    const name = page.getByRole('button', { name: 'temp_min' });
    expect(await name.getAttribute('aria-pressed')).toBe('true');
    const before = await count(SECOND);
    await name.click();
    expect(await name.getAttribute('aria-pressed')).toBe('false');
    expect(await count(SECOND)).toBe(0);
    expect(await count(FIRST)).toBeGreaterThan(500);
    await name.click();
    expect(await count(SECOND)).toBe(before);
  });

  inBrowser('is drawn from rows like from columns, with a line for each metric of each asset', async ({ page }) => {
    await openTab(page, 'Rows');
    await runOperation(page);
    const legend = page.getByRole('list', { name: 'Lines' }).getByRole('button');
    await legend.first().waitFor();
    const metrics = ['precipitation', 'temp_max', 'temp_min', 'wind'];
    expect(await legend.allInnerTexts()).toEqual(
      ['Seattle-Tacoma', 'New York (Central Park)'].flatMap((asset) => metrics.map((metric) => `${asset}: ${metric}`)),
    );
    expect(pixelsOf(await drawnOn(page, '.plot-chart'), SECOND).length).toBeGreaterThan(100);
  });

  inBrowser('exists for each dataset, with the asset’s name', async ({ page }) => {
    await openTab(page, 'SeveralDatasets');
    await runOperation(page);
    await page.locator('.plot-chart canvas').nth(1).waitFor();
    expect(await page.locator('.plot h3').allInnerTexts()).toEqual([
      'Mauna Loa CO2: Mauna Loa Observatory',
      'Iowa electricity by source: Iowa',
    ]);
  });

  inBrowser('belongs to the open tab', async ({ page }) => {
    await plotTemperatures(page);
    await openTab(page, 'Metadata');
    await page.locator('.plot-chart').waitFor({ state: 'detached' });
    await openTab(page, 'Columns');
    await page.locator('.plot-chart canvas').waitFor();
    expect(pixelsOf(await drawnOn(page, '.plot-chart'), FIRST).length).toBeGreaterThan(500);
    expect(await tabNames(page)).toHaveLength(6);
  });

  inBrowser('has gaps for missing values, and shows unknown date formats unchanged', async ({ page }) => {
    const values = [1, 1, null, null, 1, 1];
    const columns = (valueDates: string[]) => ({ columns: { valueDates, metrics: [{ name: 'm', values }] } });
    const widths = async () => {
      const places = pixelsOf(await drawnOn(page, '.plot-chart'), FIRST).map(({ x }) => x);
      return [...new Set(places)].sort((a, b) => a - b);
    };
    for (const dates of [
      ['2015-01-01', '2015-01-02', '2015-01-03', '2015-01-04', '2015-01-05', '2015-01-06'],
      ['week 1', 'week 2', 'week 3', 'week 4', 'week 5', 'week 6'],
    ]) {
      await plotData(page, { dataset: { name: 'Gaps', ...columns(dates) } });
      await page.locator('.plot-chart canvas').waitFor();
      const found = await widths();
      const steps = found.map((x, index) => x - (found[index - 1] ?? x));
      const gap = Math.max(...steps);
      // Two of six values are missing: the gap takes three fifths of the line, less its marks.
      expect(gap).toBeGreaterThan(((found.at(-1) ?? 0) - (found[0] ?? 0)) / 3);
      expect(steps.filter((step) => step > gap / 3)).toHaveLength(1);
    }
    await page.locator('.plot-chart').focus();
    await page.keyboard.press('Home');
    expect(await page.locator('.plot-reading').innerText()).toBe('week 1: m 1');
  });

  inBrowser('escapes names', async ({ page }) => {
    const name = '<img src=x onerror="globalThis.ran=1">';
    await plotData(page, {
      dataset: {
        name,
        node: {
          asset: { name, centroid: { latitude: 1, longitude: 2 } },
          columns: {
            valueDates: ['2015-01-01', '2015-01-02'],
            metrics: [
              { name, values: [1, 2] },
              { name: 'b', values: [2, 3] },
            ],
          },
        },
      },
    });
    await page.locator('.plot-map canvas').waitFor();
    expect(await hover(page, 0.9)).toContain(name);
    await pointAtMark(page);
    await expect.poll(() => page.locator('.plot-map .plot-tip').innerText()).toBe(`${name} 1, 2`);
    expect(await page.evaluate(() => 'ran' in globalThis)).toBe(false);
  });

  inBrowser('draws a hundred thousand values at once', async ({ page }) => {
    const valueDates = Array.from({ length: 10_000 }, (_, day) => new Date(day * 86_400_000).toISOString());
    const metrics = Array.from({ length: 10 }, (_, metric) => ({
      name: `m${metric}`,
      values: valueDates.map((_, day) => Math.round(1000 * Math.sin(day / 500 + metric)) / 10),
    }));
    await plotData(page, { dataset: { name: 'Many', columns: { valueDates, metrics } } });
    await page.locator('.plot-chart canvas').waitFor();
    expect(pixelsOf(await drawnOn(page, '.plot-chart'), FIRST).length).toBeGreaterThan(200);
    // The time is what is tested: a user waits for it. A quiet machine needs a small part of it.
    const milliseconds = await page.evaluate(async () => {
      const began = performance.now();
      for (const button of document.querySelectorAll<HTMLButtonElement>('.plot-zoom button')) button.click();
      await new Promise(requestAnimationFrame);
      await new Promise(requestAnimationFrame);
      return performance.now() - began;
    });
    expect(milliseconds).toBeLessThan(3000);
  });
});

describe('What the pane saves', () => {
  inBrowser('as PNG: the chart with its title and legend', async ({ page }) => {
    await plotTemperatures(page);
    const { name, bytes } = await saved(page, 'Save as PNG');
    expect(name).toBe('daily-weather-seattle-and-new-york-seattle-tacoma.png');
    const picture = PNG.sync.read(bytes);
    expect([picture.width, picture.height]).toEqual([2400, 1350]);
    expect(pixelsOf(picture, FIRST).length).toBeGreaterThan(2000);
    expect(pixelsOf(picture, SECOND).length).toBeGreaterThan(2000);
    expect([...picture.data.subarray(0, 4)]).toEqual([255, 255, 255, 255]);
  });

  inBrowser('as SVG: a drawing with text, without hidden lines', async ({ page }) => {
    await plotTemperatures(page);
    await page.getByRole('button', { name: 'temp_min' }).click();
    const { name, bytes } = await saved(page, 'Save as SVG');
    expect(name).toBe('daily-weather-seattle-and-new-york-seattle-tacoma.svg');
    const drawing = await page.evaluate((text) => {
      const { documentElement } = new DOMParser().parseFromString(text, 'image/svg+xml');
      return {
        root: documentElement.tagName,
        texts: [...documentElement.querySelectorAll('text')].map(({ textContent }) => textContent),
        strokes: [...documentElement.querySelectorAll('path')].map((path) => path.getAttribute('stroke')),
      };
    }, bytes.toString());
    expect(drawing.root).toBe('svg');
    expect(drawing.texts).toEqual(
      expect.arrayContaining(['Daily weather, Seattle and New York: Seattle-Tacoma', 'temp_max', 'temp_min']),
    );
    expect(drawing.strokes).toContain('#d55e00');
    expect(drawing.strokes).not.toContain('#0072b2');
  });

  inBrowser('as CSV: the values of the response', async (explorer) => {
    const { page } = explorer;
    await plotTemperatures(page);
    const { name, bytes } = await saved(page, 'Save as CSV');
    expect(name).toBe('daily-weather-seattle-and-new-york-seattle-tacoma.csv');
    const { dates, highest, lowest } = await temperatures(explorer);
    const lines = dates.map(
      (date, row) => `"Daily weather, Seattle and New York",Seattle-Tacoma,${date},${highest[row]},${lowest[row]}`,
    );
    expect(bytes.toString()).toBe(['dataset,asset,date,temp_max,temp_min', ...lines, ''].join('\r\n'));
  });
});
