import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { inBrowser, useChromium } from './browser.ts';
import { drawnOn, FIRST, pixelsOf } from './pixels.ts';
import { openResponseTab, showData } from './response.ts';

useChromium();

/** A dataset of many assets, of which every tenth has no name. */
function manyAssets(count: number, days = 10) {
  const valueDates = Array.from({ length: days }, (_, day) => new Date(Date.UTC(2024, 0, 1 + day)).toISOString());
  const nodes = Array.from({ length: count }, (_, asset) => ({
    asset: { assetId: `asset-${asset}`, name: asset % 10 === 9 ? null : `Field ${asset}` },
    columns: {
      valueDates,
      metrics: ['moisture', 'pressure'].map((name, metric) => ({
        name,
        values: valueDates.map((_, day) => (metric === 0 ? 10 : 1_000_000) * (1 + Math.sin(day + asset))),
      })),
    },
  }));
  return { dataset: { name: 'Fields', results: { series: { nodes } } } };
}

const legend = (page: Page) => page.getByRole('list', { name: 'Lines' });
const pressed = (page: Page) => legend(page).locator('[aria-pressed=true]');
const count = (page: Page) => page.locator('.response-count').innerText();

describe('A thousand lines', () => {
  inBrowser('show the first twenty, and what a filter finds', async ({ page }) => {
    await showData(page, manyAssets(1000));
    await expect.poll(() => count(page)).toBe('20 of 1000');
    expect(await pressed(page).count()).toBe(20);
    // The id stands where there is no name.
    expect((await pressed(page).allInnerTexts()).slice(8, 11)).toEqual(['Field 8', 'asset-9', 'Field 10']);
    expect(await legend(page).innerText()).toContain('and 940 more');
    await page.getByLabel('Filter', { exact: true }).fill('FIELD 99');
    await expect.poll(() => count(page)).toBe('9 of 1000');
    expect(await pressed(page).first().innerText()).toBe('Field 990');
    await page.getByLabel('Filter', { exact: true }).fill('nobody');
    await expect.poll(() => page.locator('.response').innerText()).toContain('No name matches the filter.');
    await page.getByLabel('Filter', { exact: true }).fill('');
    await expect.poll(() => count(page)).toBe('20 of 1000');
  });

  inBrowser('show all that can be told apart, none, or only one', async ({ page }) => {
    await showData(page, manyAssets(120));
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await expect.poll(() => count(page)).toBe('100 of 120');
    await page.getByRole('button', { name: 'None', exact: true }).click();
    await expect.poll(() => count(page)).toBe('0 of 120');
    expect(await page.locator('.response').innerText()).toContain('No line is selected.');
    await page.getByRole('button', { name: 'Only Field 5', exact: true }).click();
    await expect.poll(() => count(page)).toBe('1 of 120');
    expect(await pressed(page).allInnerTexts()).toEqual(['Field 5']);
    await page.getByRole('button', { name: 'Field 7', exact: true }).click();
    expect(await pressed(page).allInnerTexts()).toEqual(['Field 5', 'Field 7']);
    await page.getByRole('button', { name: 'Reset', exact: true }).click();
    await expect.poll(() => count(page)).toBe('20 of 120');
  });

  inBrowser('are different by colour and dash, and one that is hidden makes no other come', async ({ page }) => {
    await showData(page, manyAssets(50));
    const styles = () =>
      pressed(page)
        .locator('.response-sample')
        .evaluateAll((samples) => samples.map((sample) => sample.getAttribute('style')));
    await expect.poll(async () => new Set(await styles()).size).toBe(20);
    const before = await styles();
    await page.getByRole('button', { name: 'Field 0', exact: true }).click();
    await expect.poll(() => count(page)).toBe('19 of 50');
    expect(await styles()).toEqual(before.slice(1));
  });

  inBrowser('are rows of a heat map', async ({ page }) => {
    await showData(page, manyAssets(1000, 40));
    await page.getByRole('button', { name: 'Heat map' }).click();
    const chart = page.locator('.response-chart[aria-roledescription="heat map"]');
    await chart.locator('canvas').waitFor();
    expect(await chart.getAttribute('aria-label')).toBe('Fields. Heat maps: moisture, pressure. Rows: 1000 assets.');
    const picture = await drawnOn(page, '.response-chart');
    // The first and the last colour of the scale.
    expect(pixelsOf(picture, [0, 32, 76]).length).toBeGreaterThan(500);
    expect(pixelsOf(picture, [255, 234, 70]).length).toBeGreaterThan(500);
    const box = await chart.locator('canvas').boundingBox();
    if (box === null) throw new Error('There is no heat map.');
    await page.mouse.move(box.x + box.width / 2, box.y + 100);
    await expect
      .poll(() => chart.locator('.response-tip').innerText())
      .toMatch(/^(Field|asset-)[ \d]+, 2024-01-\d\d: \d+(\.\d+)?$/);
  });
});

describe('The charts', () => {
  inBrowser('have an axis each, so that small values are no flat line', async ({ page }) => {
    await showData(page, manyAssets(1, 40));
    await page.locator('.response-chart canvas').waitFor();
    const picture = await drawnOn(page, '.response-chart');
    const line = pixelsOf(picture, FIRST).map(({ y }) => y);
    const heights = [line.filter((y) => y < picture.height / 2), line.filter((y) => y > picture.height / 2)];
    for (const ys of heights) expect(Math.max(...ys) - Math.min(...ys)).toBeGreaterThan(picture.height / 6);
  });

  inBrowser('can be logarithmic, and say what that leaves out', async ({ page }) => {
    const values = [1, 10, 100, 1000, 0, -5];
    await showData(page, { dataset: { columns: { metrics: [{ name: 'm', values }] } } });
    await page.locator('.response-chart canvas').waitFor();
    const before = (await drawnOn(page, '.response-chart')).data;
    await page.getByRole('button', { name: 'Logarithmic' }).click();
    await expect
      .poll(() => page.locator('.response').innerText())
      .toContain('2 values of zero or less have no place on a logarithmic axis');
    const marks = pixelsOf(await drawnOn(page, '.response-chart'), FIRST).map(({ x }) => x);
    expect((await drawnOn(page, '.response-chart')).data.equals(before)).toBe(false);
    // Each power of ten is a step of the same height: the line is straight.
    expect(marks.length).toBeGreaterThan(100);
  });

  inBrowser('mark only the values between zeros on a logarithmic axis', async ({ page }) => {
    const values = Array.from({ length: 100 }, (_, row) => ([49, 51].includes(row) ? 0 : 7));
    const valueDates = values.map((_, day) => new Date(day * 86_400_000).toISOString());
    await showData(page, { dataset: { columns: { valueDates, metrics: [{ name: 'm', values }] } } });
    await page.getByRole('button', { name: 'Logarithmic' }).click();
    await expect.poll(() => page.locator('.response').innerText()).toContain('2 values of zero or less');
    const heights = async () => {
      const columns = Map.groupBy(pixelsOf(await drawnOn(page, '.response-chart'), FIRST), ({ x }) => x);
      return [...columns.values()].map(({ length }) => length);
    };
    await expect.poll(async () => Math.max(...(await heights()))).toBeGreaterThan(3);
    // A mark is some pixels wide and high. The line is no higher than two.
    const marked = (await heights()).filter((height) => height > 2).length;
    expect(marked).toBeLessThan(10);
  });

  inBrowser('show a positive value between zeros on a logarithmic axis', async ({ page }) => {
    const values = Array.from({ length: 100 }, (_, row) => (row === 50 ? 7 : 0));
    const valueDates = values.map((_, day) => new Date(day * 86_400_000).toISOString());
    const untilMarked = async () => {
      await expect.poll(() => page.locator('.response').innerText()).toContain('99 values of zero or less');
      await expect.poll(async () => pixelsOf(await drawnOn(page, '.response-chart'), FIRST).length).toBeGreaterThan(5);
    };
    await showData(page, { dataset: { columns: { metrics: [{ name: 'm', values }] } } });
    await page.getByRole('button', { name: 'Logarithmic' }).click();
    await untilMarked();
    // The axes of the next response are logarithmic, too.
    await showData(page, { dataset: { columns: { valueDates, metrics: [{ name: 'm', values }] } } });
    await untilMarked();
  });

  inBrowser('keep the zoom when a line is hidden', async ({ page }) => {
    await showData(page, manyAssets(3, 60));
    await page.locator('.response-chart canvas').waitFor();
    const first = async () => pixelsOf(await drawnOn(page, '.response-chart'), FIRST).length;
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await page.getByRole('button', { name: 'Zoom in' }).click();
    const zoomed = await first();
    await page.getByRole('button', { name: 'Field 1', exact: true }).click();
    await page.getByRole('button', { name: 'Field 1', exact: true }).click();
    await expect.poll(first).toBe(zoomed);
  });
});

describe('Lines with too many points', () => {
  inBrowser('have fewer, keep their peaks, and are exact after a zoom', async ({ page }) => {
    const valueDates = Array.from({ length: 12_000 }, (_, hour) => new Date(hour * 3_600_000).toISOString());
    const nodes = Array.from({ length: 10 }, (_, asset) => ({
      asset: { name: `A${asset}` },
      // Of three values that become two, the middle one is left out: 0, 60, 100.
      columns: {
        valueDates,
        metrics: [{ name: 'm', values: valueDates.map((_, hour) => (hour === 6006 ? 100 : hour === 6005 ? 60 : 0)) }],
      },
    }));
    await showData(page, { dataset: { nodes } });
    const chart = page.locator('.response-chart');
    await chart.locator('canvas').waitFor();
    const text = 'The lines have fewer points than the response';
    await expect.poll(() => page.locator('.response').innerText()).toContain(text);
    await page.getByRole('button', { name: 'Only A0', exact: true }).click();
    await expect.poll(() => page.locator('.response').innerText()).not.toContain(text);
    await page.getByRole('button', { name: 'Reset', exact: true }).click();
    await expect.poll(() => page.locator('.response').innerText()).toContain(text);
    await chart.focus();
    const zooms = 8;
    for (let n = 0; n < zooms; n++) await page.keyboard.press('+');
    // The charts begin 64 pixels from the left, and end 24 pixels from the right.
    const box = await chart.boundingBox();
    if (box === null) throw new Error('There is no chart.');
    const width = box.width - 64 - 24;
    const x = box.x + 64 + width * (0.5 + ((6005 - 11_999 / 2) / 11_999) * 2 ** zooms);
    await expect
      .poll(async () => {
        await page.mouse.move(x - 1, box.y + 100);
        await page.mouse.move(x, box.y + 100);
        return (await chart.locator('.response-tip').innerText()).split('\n').slice(0, 3);
      })
      .toEqual(['1970-09-08 05:00:00 UTC', 'm', 'A0 60']);
  });
});

describe('Lines with too many points on a logarithmic axis', () => {
  inBrowser('show lonely values, and count all values that are left out', async ({ page }) => {
    const valueDates = Array.from({ length: 2000 }, (_, hour) => new Date(hour * 3_600_000).toISOString());
    const nodes = Array.from({ length: 60 }, (_, asset) => ({
      asset: { name: `A${asset}` },
      columns: {
        valueDates,
        // The lowest positive value of a stretch counts, not the zero before it.
        metrics: [{ name: 'm', values: valueDates.map((_, hour) => (asset === 0 && hour === 1000 ? 7 : 0)) }],
      },
    }));
    await showData(page, { dataset: { nodes } });
    await page.getByRole('button', { name: 'Logarithmic' }).click();
    await page.getByRole('button', { name: 'All', exact: true }).click();
    const text = () => page.locator('.response').innerText();
    await expect.poll(text).toContain('The lines have fewer points than the response');
    await expect.poll(text).toContain('119999 values of zero or less');
    await expect.poll(async () => pixelsOf(await drawnOn(page, '.response-chart'), FIRST).length).toBeGreaterThan(5);
  });
});

describe('The tabs', () => {
  inBrowser('open by the arrow keys', async ({ page }) => {
    await showData(page, manyAssets(2));
    await page.getByRole('tab', { name: 'Chart' }).focus();
    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    for (const [key, name] of [
      ['ArrowRight', 'Table'],
      ['ArrowRight', 'Map'],
      ['ArrowRight', 'JSON'],
      ['ArrowRight', 'Chart'],
      ['ArrowLeft', 'JSON'],
      ['Home', 'Chart'],
      ['End', 'JSON'],
    ] as const) {
      await page.keyboard.press(key);
      expect(await focused()).toBe(name);
      expect(await page.locator('.response [role=tab][aria-selected=true]').allInnerTexts()).toEqual([name]);
      expect(await page.getByRole('tabpanel', { name }).count()).toBe(1);
    }
    await openResponseTab(page, 'Chart');
    await page.locator('.response-chart canvas').waitFor();
  });
});
