import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { inBrowser, useChromium } from './browser.ts';
import { drawnOn } from './pixels.ts';
import { saved, showData } from './response.ts';

useChromium();

describe('A heat map', () => {
  /** Points at a cell of the heat map, and waits for its text. */
  async function expectCell(page: Page, part: number, row: number, text: string): Promise<void> {
    const chart = page.locator('.response-chart[aria-roledescription="heat map"]');
    await chart.locator('canvas').waitFor();
    const box = await chart.locator('canvas').boundingBox();
    if (box === null) throw new Error('There is no heat map.');
    // It begins 64 pixels from the left and 28 from the top, ends 24 pixels from the right, and is 72 pixels high.
    await page.mouse.move(box.x + 64 + (box.width - 88) * part, box.y + 28 + 72 * row);
    await expect.poll(() => chart.locator('.response-tip').innerText()).toBe(text);
  }

  const node = (name: string, valueDates: string[], values: (number | null)[]) => ({
    asset: { name },
    columns: { valueDates, metrics: [{ name: 'm', values }] },
  });

  inBrowser('names the dates of a cell, and says which values are means', async ({ page }) => {
    const dates = ['2024-01-01', '2024-01-02', '2024-12-31'];
    await showData(page, { dataset: { nodes: [node('A', dates, [1, 2, 7]), node('B', dates, [null, 4, null])] } });
    await page.getByRole('button', { name: 'Heat map' }).click();
    await expectCell(page, 0.1, 0.2, 'A, 2024-01-01 to 2024-01-02: 1.5 (mean of 2)');
    await expectCell(page, 0.1, 0.8, 'B, 2024-01-02: 4');
    await expectCell(page, 0.9, 0.2, 'A, 2024-12-31: 7');
    await expectCell(page, 0.9, 0.8, 'B: no value');
    await expectCell(page, 0.5, 0.8, 'B: no value');
  });

  inBrowser('tells large values with small differences apart', async ({ page }) => {
    const dates = ['week 1 of the first year', 'week 2 of the first year'];
    const nodes = [node('A', dates, [1_000_000_000, 1_000_000_001]), node('B', dates, [1_000_000_002, 1_000_000_003])];
    await showData(page, { dataset: { nodes } });
    await page.getByRole('button', { name: 'Heat map' }).click();
    await expectCell(page, 0.75, 0.2, 'A, week 2 of the first year: 1000000001');
    const picture = await drawnOn(page, '.response-chart');
    const colours = new Set(
      [0.25, 0.75].flatMap((part) =>
        [0.25, 0.75].map((row) => {
          const [x, y] = [Math.round(64 + (picture.width - 88) * part), Math.round(28 + 72 * row)];
          return picture.data.readUInt32BE((y * picture.width + x) * 4);
        }),
      ),
    );
    expect(colours.size).toBe(4);
  });

  inBrowser('has cells with edges, of the colours of their values and no others', async ({ page }) => {
    const dates = ['2024-01-01', '2024-01-02', '2024-01-03'];
    await showData(page, {
      dataset: { nodes: [node('A', dates, [0, 100, 0]), node('B', dates, [100, null, 100])] },
    });
    await page.getByRole('button', { name: 'Heat map' }).click();
    await expectCell(page, 0.5, 0.2, 'A, 2024-01-02: 100');
    const { width, data } = await drawnOn(page, '.response-chart');
    const colourAt = (x: number, y: number) => {
      const [red, green, blue, opacity] = data.subarray((y * width + x) * 4);
      return opacity === 0 ? 'nothing' : `${red} ${green} ${blue}`;
    };
    const left = 64;
    const right = width - 24;
    const colours = new Set<string>();
    for (let y = 30; y < 98; y++) for (let x = left + 2; x < right - 2; x++) colours.add(colourAt(x, y));
    expect([...colours].sort()).toEqual(['0 32 76', '255 234 70', 'nothing']);
    // The value that is missing is a hole, and the rows do not touch each other.
    expect(colourAt(Math.round((left + right) / 2), 28 + 54)).toBe('nothing');
    expect(colourAt(left + 20, 28 + 36)).toBe('nothing');
  });

  inBrowser('is as wide as its time: two dates with a gap between them are no neighbours', async ({ page }) => {
    const days = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31];
    const dates = days.map((day) => `2024-01-${String(day).padStart(2, '0')}`);
    const values = days.map(() => 1);
    await showData(page, { dataset: { nodes: [node('A', dates, values), node('B', dates, values)] } });
    await page.getByRole('button', { name: 'Heat map' }).click();
    await expectCell(page, 14.5 / 30, 0.2, 'A: no value');
    await expectCell(page, 9 / 30, 0.2, 'A, 2024-01-10: 1');
    await expectCell(page, 20 / 30, 0.2, 'A, 2024-01-21: 1');
  });

  inBrowser('has a colour scale with numbers and whole names, also after a zoom and in a file', async ({ page }) => {
    const dates = ['2024-01-01', '2024-01-02', '2024-01-03'];
    const names = ['Seattle-Tacoma Airport', 'New York (Central Park)'];
    await showData(page, { dataset: { nodes: names.map((name, asset) => node(name, dates, [3, 7, 12 + asset])) } });
    await page.getByRole('button', { name: 'Heat map' }).click();
    await page.locator('.response-chart[aria-roledescription="heat map"] canvas').waitFor();
    const opaque = async () => {
      const { width, data } = await drawnOn(page, '.response-chart');
      let count = 0;
      for (let y = 30; y < 98; y++) {
        for (let x = width / 2; x < width - 30; x++) count += Number(data[(y * width + x) * 4 + 3] === 255);
      }
      return count;
    };
    await expect.poll(opaque).toBeGreaterThan(5000);
    await page.getByRole('button', { name: 'Zoom in' }).click();
    expect(await opaque()).toBeGreaterThan(5000);
    const { bytes } = await saved(page, 'Save as SVG');
    const texts = [...bytes.toString().matchAll(/<text[^>]*>([^<]*)</g)].map(([, text]) => text);
    expect(texts).toEqual(expect.arrayContaining(['m', '3', '13', ...names]));
    expect(bytes.toString()).toContain('rgb(0,32,76)');
  });

  const manyDates = Array.from({ length: 10 }, (_, day) => `2024-01-0${day}`.replace('00', '10'));

  inBrowser('has a row for each asset that the filter finds, and no choice of lines', async ({ page }) => {
    const nodes = Array.from({ length: 30 }, (_, asset) =>
      node(
        `Field ${asset}`,
        manyDates,
        manyDates.map((_, day) => day),
      ),
    );
    await showData(page, { dataset: { nodes } });
    await page.getByRole('button', { name: 'None', exact: true }).click();
    await page.getByRole('button', { name: 'Heat map' }).click();
    await expect.poll(() => page.locator('.response-count').innerText()).toBe('30 of 30');
    expect(await page.getByRole('button', { name: /^(All|None|Reset|Field 1)$/ }).count()).toBe(0);
    await page.getByLabel('Filter', { exact: true }).fill('Field 2');
    await expect.poll(() => page.locator('.response-count').innerText()).toBe('11 of 30');
    await page.getByRole('button', { name: 'Heat map' }).click();
    await expect.poll(() => page.locator('.response-count').innerText()).toBe('0 of 30');
  });
});
