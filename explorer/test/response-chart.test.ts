import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { queryAt } from '../../test/support/harness.ts';
import { type Explorer, editorText, inBrowser, openTab, runOperation, tabNames, useChromium } from './browser.ts';
import { drawnOn, FIRST, meanHeight, pixelsOf, SECOND } from './pixels.ts';
import { drawTemperatures, pointAtMark, showData } from './response.ts';

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
  const box = await page.locator('.response-chart').first().boundingBox();
  if (box === null) throw new Error('There is no chart.');
  await page.mouse.move(box.x + box.width * part, box.y + box.height / 3);
  const tip = page.locator('.response-chart .response-tip').first();
  return (await tip.innerText()).split('\n').map((line) => line.trim());
}

describe('The chart', () => {
  inBrowser(
    'draws a chart for each metric: warm in July, cold in January, the highest above the lowest',
    async ({ page }) => {
      await drawTemperatures(page);
      const picture = await drawnOn(page, '.response-chart');
      const all = pixelsOf(picture, FIRST);
      const highest = all.filter(({ y }) => y < picture.height / 2);
      const lowest = all.filter(({ y }) => y > picture.height / 2);
      const [january, july] = [[0, 1 / 12] as const, [6 / 12, 7 / 12] as const];
      for (const line of [highest, lowest]) {
        expect(line.length).toBeGreaterThan(500);
        // Heights count from the top: warmer values are smaller.
        expect(meanHeight(line, ...january) - meanHeight(line, ...july)).toBeGreaterThan(picture.height / 10);
      }
    },
  );

  inBrowser('shows the values of the date under the pointer', async (explorer) => {
    const { page } = explorer;
    await drawTemperatures(page);
    const { dates, highest, lowest } = await temperatures(explorer);
    const shown = new Set<string>();
    for (const part of [0.2, 0.5, 0.8]) {
      const [date = '', ...values] = await hover(page, part);
      const row = dates.indexOf(date);
      expect(row).toBeGreaterThan(0);
      expect(values).toEqual([
        'temp_max',
        `Seattle-Tacoma ${highest[row]}`,
        'temp_min',
        `Seattle-Tacoma ${lowest[row]}`,
      ]);
      shown.add(date.slice(0, 7));
    }
    expect(shown.size).toBe(3);
  });

  inBrowser('shows the values of one date, also where each chart is drawn with other points', async ({ page }) => {
    const valueDates = Array.from({ length: 5000 }, (_, day) => new Date(day * 86_400_000).toISOString().slice(0, 10));
    const metrics = [37, 59].map((step, metric) => ({
      name: `m${metric}`,
      values: valueDates.map((_, day) => (day * day * step) % 1009),
    }));
    await showData(page, { dataset: { node: { asset: { name: 'A' }, columns: { valueDates, metrics } } } });
    await page.locator('.response-chart canvas').waitFor();
    for (const part of [0.2, 0.35, 0.5, 0.65, 0.8]) {
      const [date = '', ...values] = await hover(page, part);
      const row = valueDates.indexOf(date);
      expect(values).toEqual(metrics.flatMap(({ name, values: all }) => [name, `A ${all[row]}`]));
    }
  });

  inBrowser('shows no value under a date of another chart, and begins with the nearest line', async ({ page }) => {
    const node = (name: string, metric: string, days: number[], values: (number | null)[]) => ({
      asset: { name },
      columns: { valueDates: days.map((day) => `2024-01-0${day}`), metrics: [{ name: metric, values }] },
    });
    const nodes = [
      node('A', 'p', [1, 5], [-1, -1]),
      node('B', 'p', [1, 5], [null, null]),
      node('C', 'p', [1, 5], [0, 0]),
      node('D', 'q', [2, 4, 6], [1, 2, 3]),
    ];
    await showData(page, { dataset: { nodes } });
    await page.locator('.response-chart canvas').waitFor();
    expect(await hover(page, 0.15)).toEqual(['2024-01-01', 'p', 'A -1', 'C 0', 'B no value']);
  });

  inBrowser('zooms by Ctrl or Cmd and the wheel, button and key, and back to the same picture', async ({ page }) => {
    await drawTemperatures(page);
    const picture = async () => (await drawnOn(page, '.response-chart')).data;
    const whole = await picture();
    const zoomed = async () => !(await picture()).equals(whole);
    await page.getByRole('button', { name: 'Zoom in' }).click();
    expect(await zoomed()).toBe(true);
    await page.getByRole('button', { name: 'Zoom out' }).click();
    expect(await zoomed()).toBe(false);
    await page.locator('.response-chart').hover();
    for (const key of ['Control', 'Meta']) {
      await page.keyboard.down(key);
      await page.mouse.wheel(0, -100);
      await expect.poll(zoomed).toBe(true);
      await page.mouse.wheel(0, 1000);
      await expect.poll(zoomed).toBe(false);
      await page.keyboard.up(key);
    }
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -300);
    await expect.poll(zoomed).toBe(true);
    await page.keyboard.up('Control');
    await page.mouse.move(5, 5);
    await page.getByRole('button', { name: 'Whole time' }).click();
    await expect.poll(zoomed).toBe(false);
    await page.locator('.response-chart').focus();
    await page.keyboard.press('+');
    expect(await zoomed()).toBe(true);
    await page.keyboard.press('0');
    expect(await zoomed()).toBe(false);
  });

  inBrowser('zooms out again after the ends of the slider have met', async ({ page }) => {
    await drawTemperatures(page);
    const picture = async () => (await drawnOn(page, '.response-chart')).data;
    await page.locator('.response-chart').scrollIntoViewIfNeeded();
    const box = await page.locator('.response-chart canvas').first().boundingBox();
    if (box === null) throw new Error('There is no chart.');
    const whole = await picture();
    for (const [zoom, isWhole] of [
      ['Whole time', true],
      ['Zoom out', false],
    ] as const) {
      // The slider begins 64 pixels from the left, and ends 24 pixels from the right and 8 pixels from the bottom.
      const y = box.y + box.height - 8 - 12;
      await page.mouse.move(box.x + 67, y);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width, y, { steps: 5 });
      await page.mouse.up();
      await page.mouse.move(5, 5);
      // Two days are visible at most.
      await expect.poll(async () => pixelsOf(await drawnOn(page, '.response-chart'), FIRST).length).toBeLessThan(1000);
      const met = await picture();
      await page.getByRole('button', { name: zoom }).click();
      await expect.poll(async () => (await picture()).equals(met)).toBe(false);
      await page.mouse.move(5, 5);
      await expect.poll(async () => (await picture()).equals(whole)).toBe(isWhole);
    }
  });

  inBrowser('hides and shows the chart of a metric by its name', async ({ page }) => {
    await drawTemperatures(page);
    const height = async () => (await drawnOn(page, '.response-chart')).height;
    const name = page.getByRole('button', { name: 'temp_min' });
    expect(await name.getAttribute('aria-pressed')).toBe('true');
    const before = await height();
    await name.click();
    expect(await name.getAttribute('aria-pressed')).toBe('false');
    await expect.poll(height).toBeLessThan(before);
    expect(pixelsOf(await drawnOn(page, '.response-chart'), FIRST).length).toBeGreaterThan(500);
    await name.click();
    await expect.poll(height).toBe(before);
  });

  inBrowser('is drawn from rows like from columns, with a line for each asset', async ({ page }) => {
    await openTab(page, 'Rows');
    await runOperation(page);
    const buttons = (name: string) => page.getByRole('list', { name }).locator('[aria-pressed]');
    await buttons('Lines').first().waitFor();
    expect(await buttons('Metrics').allInnerTexts()).toEqual(['precipitation', 'temp_max', 'temp_min', 'wind']);
    expect(await buttons('Lines').allInnerTexts()).toEqual(['Seattle-Tacoma', 'New York (Central Park)']);
    await page.locator('.response-chart canvas').waitFor();
    const count = async (colour: typeof FIRST | typeof SECOND) =>
      pixelsOf(await drawnOn(page, '.response-chart'), colour).length;
    await expect.poll(() => count(SECOND)).toBeGreaterThan(100);
    const before = await count(SECOND);
    await buttons('Lines').last().click();
    await expect.poll(() => count(SECOND)).toBe(0);
    expect(await count(FIRST)).toBeGreaterThan(100);
    await buttons('Lines').last().click();
    await expect.poll(() => count(SECOND)).toBe(before);
  });

  inBrowser('exists for each dataset, with the asset’s name', async ({ page }) => {
    await openTab(page, 'SeveralDatasets');
    await runOperation(page);
    const heading = page.getByRole('heading', { level: 2 });
    await expect.poll(() => heading.innerText()).toBe('Mauna Loa CO2: Mauna Loa Observatory');
    await page.locator('.response').getByLabel('Dataset', { exact: true }).selectOption({ index: 1 });
    await expect.poll(() => heading.innerText()).toBe('Iowa electricity by source: Iowa');
    await page.locator('.response-chart canvas').waitFor();
    expect(pixelsOf(await drawnOn(page, '.response-chart'), FIRST).length).toBeGreaterThan(100);
  });

  inBrowser('belongs to the open tab', async ({ page }) => {
    await drawTemperatures(page);
    await openTab(page, 'Metadata');
    await page.locator('.response-chart').waitFor({ state: 'detached' });
    await openTab(page, 'Columns');
    await page.locator('.response-chart canvas').waitFor();
    expect(pixelsOf(await drawnOn(page, '.response-chart'), FIRST).length).toBeGreaterThan(500);
    expect(await tabNames(page)).toHaveLength(8);
  });

  inBrowser('has gaps for missing values, and shows unknown date formats unchanged', async ({ page }) => {
    const values = [1, 1, null, null, 1, 1];
    const columns = (valueDates: string[]) => ({ columns: { valueDates, metrics: [{ name: 'm', values }] } });
    const widths = async () => {
      const places = pixelsOf(await drawnOn(page, '.response-chart'), FIRST).map(({ x }) => x);
      return [...new Set(places)].sort((a, b) => a - b);
    };
    for (const dates of [
      ['2015-01-01', '2015-01-02', '2015-01-03', '2015-01-04', '2015-01-05', '2015-01-06'],
      ['week 1', 'week 2', 'week 3', 'week 4', 'week 5', 'week 6'],
    ]) {
      await showData(page, { dataset: { name: 'Gaps', ...columns(dates) } });
      await page.locator('.response-chart canvas').waitFor();
      const found = await widths();
      const steps = found.map((x, index) => x - (found[index - 1] ?? x));
      const gap = Math.max(...steps);
      // Two of six values are missing: the gap takes three fifths of the line, less its marks.
      expect(gap).toBeGreaterThan(((found.at(-1) ?? 0) - (found[0] ?? 0)) / 3);
      expect(steps.filter((step) => step > gap / 3)).toHaveLength(1);
    }
    await page.locator('.response-chart').focus();
    await page.keyboard.press('Home');
    expect(await page.locator('.response-reading').innerText()).toBe('week 1: m 1');
  });

  inBrowser('escapes names', async ({ page }) => {
    const name = '<img src=x onerror="globalThis.ran=1">';
    await showData(page, {
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
    await page.locator('.response-chart canvas').waitFor();
    expect(await hover(page, 0.9)).toContain(`${name} 2`);
    await pointAtMark(page);
    await expect.poll(() => page.locator('.response-map .response-tip').innerText()).toBe(`${name} 1, 2`);
    expect(await page.evaluate(() => 'ran' in globalThis)).toBe(false);
  });

  inBrowser('draws a hundred thousand values at once', async ({ page }) => {
    const valueDates = Array.from({ length: 10_000 }, (_, day) => new Date(day * 86_400_000).toISOString());
    const metrics = Array.from({ length: 10 }, (_, metric) => ({
      name: `m${metric}`,
      values: valueDates.map((_, day) => Math.round(1000 * Math.sin(day / 500 + metric)) / 10),
    }));
    await showData(page, { dataset: { name: 'Many', columns: { valueDates, metrics } } });
    await page.locator('.response-chart canvas').waitFor();
    expect(pixelsOf(await drawnOn(page, '.response-chart'), FIRST).length).toBeGreaterThan(200);
    // The time is what is tested: a user waits for it. A quiet machine needs a small part of it.
    const milliseconds = await page.evaluate(async () => {
      const began = performance.now();
      for (const button of document.querySelectorAll<HTMLButtonElement>('.response-tools button')) {
        if (['Zoom in', 'Zoom out', 'Whole time'].includes(button.innerText)) button.click();
      }
      await new Promise(requestAnimationFrame);
      await new Promise(requestAnimationFrame);
      return performance.now() - began;
    });
    expect(milliseconds).toBeLessThan(3000);
  });
});
