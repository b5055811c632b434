import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { inNewTab, useChromium } from './browser.ts';
import { readings } from './dataset.ts';
import { drawnOn, OUTLIER, pixelsOf } from './pixels.ts';
import { boxOf, daysFrom, nodeOf, savedTexts, showData } from './response.ts';

useChromium();

const chart = '.response-chart[aria-roledescription="heat map"]';

/** Shows the heat map of these assets. */
async function showHeatMap(page: Page, nodes: readonly object[]): Promise<void> {
  await showData(page, { dataset: { nodes } });
  await page.getByRole('button', { name: 'Heat map' }).click();
  await page.locator(`${chart} canvas`).waitFor();
}

/** Points at a cell of the heat map, and waits for its text. */
async function expectCell(page: Page, part: number, row: number, text: string): Promise<void> {
  const box = await boxOf(page, `${chart} canvas`);
  // It begins 64 pixels from the left and 28 from the top, ends 24 pixels from the right, and is 72 pixels high.
  await page.mouse.move(box.x + 64 + (box.width - 88) * part, box.y + 28 + 72 * row);
  await expect.poll(() => page.locator(`${chart} .response-tip`).innerText()).toBe(text);
}

/** The widths of the parts of a line across the heat map, at a distance from the top, that have one colour. */
async function runsAt(page: Page, y: number): Promise<number[]> {
  const { width, data } = await drawnOn(page, '.response-chart');
  const widths: number[] = [];
  let before = '';
  for (let x = 64; x < width - 24; x++) {
    const [red, green, blue, opacity] = data.subarray((y * width + x) * 4);
    const colour = `${red} ${green} ${blue}`;
    // Cells have edges.
    if (opacity !== 255) continue;
    if (colour === before) widths.push((widths.pop() ?? 0) + 1);
    else widths.push(1);
    before = colour;
  }
  return widths;
}

describe('A heat map', () => {
  inNewTab('has a column for each irregular date, and for one date a single one', async ({ page }) => {
    const dates = ['2024-01-01', '2024-01-02', '2024-12-31'];
    await showHeatMap(page, [nodeOf('A', dates, [1, 2, 7]), nodeOf('B', dates, [null, 4, null])]);
    await expectCell(page, 0.1, 0.2, 'A, 2024-01-01: 1');
    await expectCell(page, 0.1, 0.8, 'B, 2024-01-01: no value');
    await expectCell(page, 0.4, 0.8, 'B, 2024-01-02: 4');
    await expectCell(page, 0.6, 0.2, 'A, 2024-01-02: 2');
    await expectCell(page, 0.7, 0.2, 'A, 2024-12-31: 7');
    expect((await savedTexts(page)).texts).toEqual(expect.arrayContaining(dates));
    // The arrow keys read out the cells.
    const keys = ['ArrowDown', 'ArrowRight', 'ArrowDown', 'ArrowDown', 'ArrowUp', 'End', 'ArrowUp', 'Home'];
    expect(await readings(page, keys)).toEqual([
      'A, 2024-01-01: 1',
      'A, 2024-01-02: 2',
      'B, 2024-01-02: 4',
      'B, 2024-01-02: 4',
      'A, 2024-01-02: 2',
      'B, 2024-12-31: no value',
      'A, 2024-12-31: 7',
      'A, 2024-01-01: 1',
    ]);
    // It stays a heat map.
    await showData(page, { dataset: { nodes: [nodeOf('A', ['2024-01-02'], [2]), nodeOf('B', ['2024-01-02'], [4])] } });
    for (const part of [0.02, 0.98]) await expectCell(page, part, 0.8, 'B, 2024-01-02: 4');
  });

  inNewTab('says which dates share a cell, and shows the value that is farthest from the median', async ({ page }) => {
    const times = Array.from({ length: 1600 }, (_, hour) => new Date(hour * 3_600_000).toISOString());
    const values = times.map((_, hour) => (hour === 801 ? 9 : (hour % 3) + 1));
    await showHeatMap(page, [nodeOf('A', times, values), nodeOf('B', times, values)]);
    const note = 'of 2 values, the farthest from the median';
    await expectCell(page, 0.5005, 0.2, `A, 1970-02-03 08:00:00 UTC to 1970-02-03 09:00:00 UTC: 9 (${note})`);
  });

  inNewTab('keeps the row of one stuck sensor among thousands, in a colour that no other has', async ({ page }) => {
    const dates = daysFrom('2024-01-01', 3);
    const moisture = (asset: number) => dates.map((_, day) => (asset === 4170 ? 97.3 : 20 + ((asset * 7 + day) % 15)));
    const nodes = Array.from({ length: 10_000 }, (_, asset) => nodeOf(`Field ${asset}`, dates, moisture(asset)));
    await showHeatMap(page, nodes);
    const [top, height] = [28, 360];
    const stuck = async () => pixelsOf(await drawnOn(page, '.response-chart'), OUTLIER).filter(({ y }) => y > top);
    await expect.poll(async () => (await stuck()).length).toBeGreaterThan(500);
    const { width } = await drawnOn(page, '.response-chart');
    const [xs, ys] = [new Set((await stuck()).map(({ x }) => x)), new Set((await stuck()).map(({ y }) => y))];
    // Three columns with edges, two pixels high, at the place of the asset.
    expect(xs.size).toBeGreaterThan((width - 64 - 24) * 0.7);
    expect([...ys]).toHaveLength(2);
    expect(Math.abs(Math.min(...ys) - (top + (height * 4170) / 10_000))).toBeLessThan(2);
    const box = await boxOf(page, `${chart} canvas`);
    await page.mouse.move(box.x + width / 2, box.y + Math.min(...ys) + 1);
    const text = 'Field 4170, 2024-01-02: 97.3 (of 56 assets, the farthest from the median)';
    await expect.poll(() => page.locator(`${chart} .response-tip`).innerText()).toBe(text);
    const { texts } = await savedTexts(page);
    expect(texts).toEqual(expect.arrayContaining([...dates, '20', '34', 'up to 97.3']));
  });

  inNewTab('has cells with edges, of the colours of their values and no others', async ({ page }) => {
    const dates = daysFrom('2024-01-01', 3);
    await showHeatMap(page, [nodeOf('A', dates, [0, 100, 0]), nodeOf('B', dates, [100, null, 100])]);
    await expectCell(page, 0.5, 0.2, 'A, 2024-01-02: 100');
    const { width, data } = await drawnOn(page, '.response-chart');
    const colourAt = (x: number, y: number) => {
      const [red, green, blue, opacity] = data.subarray((y * width + x) * 4);
      return opacity === 0 ? 'nothing' : `${red} ${green} ${blue}`;
    };
    const [left, right] = [64, width - 24];
    const colours = new Set<string>();
    for (let y = 30; y < 98; y++) for (let x = left + 2; x < right - 2; x++) colours.add(colourAt(x, y));
    expect([...colours].sort()).toEqual(['0 32 76', '255 234 70', 'nothing']);
    // The value that is missing is a hole, and the rows do not touch each other.
    expect(colourAt(Math.round((left + right) / 2), 28 + 54)).toBe('nothing');
    expect(colourAt(left + 20, 28 + 36)).toBe('nothing');
  });

  inNewTab(
    'has columns of one width: one for each step, also the first, the last and those of months',
    async ({ page }) => {
      const months = Array.from({ length: 48 }, (_, month) =>
        new Date(Date.UTC(2012, month)).toISOString().slice(0, 10),
      );
      await showHeatMap(page, [nodeOf('A', ['2024-01-01'], [0]), nodeOf('B', ['2024-01-01'], [1])]);
      for (const dates of [daysFrom('2024-01-01', 5), months]) {
        const values = dates.map((_, index) => index % 2);
        await showData(page, { dataset: { nodes: [nodeOf('A', dates, values), nodeOf('B', dates, values)] } });
        await expect.poll(async () => (await runsAt(page, 32)).length).toBe(dates.length);
        const widths = await runsAt(page, 32);
        expect(Math.max(...widths) - Math.min(...widths)).toBeLessThan(3);
      }
    },
  );

  inNewTab('is as wide as its time: two dates with a gap between them are no neighbours', async ({ page }) => {
    const dates = [...daysFrom('2024-01-01', 10), ...daysFrom('2024-01-21', 11)];
    const values = dates.map(() => 1);
    await showHeatMap(page, [nodeOf('A', dates, values), nodeOf('B', dates, values)]);
    await expectCell(page, 15 / 31, 0.2, 'A: no value');
    await expectCell(page, 9.5 / 31, 0.2, 'A, 2024-01-10: 1');
    await expectCell(page, 20.5 / 31, 0.2, 'A, 2024-01-21: 1');
  });

  inNewTab('has a colour scale with numbers and whole names, also after a zoom and in a file', async ({ page }) => {
    const names = ['Seattle-Tacoma Airport', 'New York (Central Park)'];
    await showHeatMap(
      page,
      names.map((name, asset) => nodeOf(name, daysFrom('2024-01-01', 3), [3, 7, 12 + asset])),
    );
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
    const { texts, drawing } = await savedTexts(page);
    expect(texts).toEqual(expect.arrayContaining(['m', '3', '13', ...names]));
    expect(drawing).toContain('rgb(0,32,76)');
  });

  inNewTab('has a row for each asset that the filter finds, and no choice of lines', async ({ page }) => {
    const dates = daysFrom('2024-01-01', 10);
    const values = dates.map((_, day) => day);
    const nodes = Array.from({ length: 1000 }, (_, asset) => nodeOf(`Field ${asset}`, dates, values));
    await showData(page, { dataset: { name: 'Fields', nodes } });
    const count = page.locator('.response-count');
    await page.getByRole('button', { name: 'None', exact: true }).click();
    await page.getByRole('button', { name: 'Heat map' }).click();
    await expect.poll(() => count.innerText()).toBe('1000 of 1000');
    expect(await page.locator(chart).getAttribute('aria-label')).toBe(
      'Fields. Heat maps: m. Rows: 1000 assets. The arrow keys read out the values.',
    );
    expect(await page.getByRole('button', { name: /^(All|None|Reset|Field 1)$/ }).count()).toBe(0);
    await page.getByLabel('Filter', { exact: true }).fill('Field 99');
    await expect.poll(() => count.innerText()).toBe('11 of 1000');
    await page.getByRole('button', { name: 'Heat map' }).click();
    await expect.poll(() => count.innerText()).toBe('0 of 1000');
  });
});
