import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { inBrowser, useChromium } from './browser.ts';
import { showData } from './response.ts';

useChromium();

/** Lines that are flat: the value of asset n is n and a third. */
function flatLines(count: number, metrics: readonly string[]) {
  const valueDates = Array.from({ length: 5 }, (_, day) => `2024-01-0${day + 1}`);
  const nodes = Array.from({ length: count }, (_, asset) => ({
    asset: { name: `Field ${asset}` },
    columns: { valueDates, metrics: metrics.map((name) => ({ name, values: valueDates.map(() => asset + 1 / 3) })) },
  }));
  return { dataset: { nodes } };
}

/** Moves the pointer over the chart, and returns the lines of the tooltip and its box. */
async function tooltipAt(page: Page, x: number, y: number) {
  // The tooltip does not come for the first event alone.
  await page.mouse.move(x - 1, y);
  await page.mouse.move(x, y);
  const tip = page.locator('.response-chart .response-tip');
  await expect.poll(() => tip.innerText()).toMatch(/^2024/);
  const box = await tip.boundingBox();
  if (box === null) throw new Error('There is no tooltip.');
  return { lines: (await tip.innerText()).split('\n'), box };
}

async function boxOf(page: Page, selector: string) {
  const box = await page.locator(selector).first().boundingBox();
  if (box === null) throw new Error(`There is no ${selector}.`);
  return box;
}

describe('The values at the pointer', () => {
  inBrowser('begin with the lines nearest to it, with six digits', async ({ page }) => {
    await showData(page, flatLines(40, ['m']));
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await expect.poll(() => page.locator('.response-count').innerText()).toBe('40 of 40');
    await page.locator('.response-chart').scrollIntoViewIfNeeded();
    const chart = await boxOf(page, '.response-chart canvas');
    // The chart begins 28 pixels from the top, is 300 pixels high, and its axis goes from 0 to 40.
    const { lines } = await tooltipAt(page, chart.x + chart.width / 2, chart.y + 28 + 300 * (1 - 20.5 / 40));
    expect(lines).toEqual([
      '2024-01-03',
      'm',
      ...[20, 21, 19, 22, 18, 23, 17, 24, 16, 25, 15, 26].map((asset) => `Field ${asset} ${asset}.3333`),
      'and 28 more',
    ]);
  });

  inBrowser('show the same assets in the other charts, within what is visible of the pane', async ({ page }) => {
    await showData(page, flatLines(20, ['a', 'b', 'c', 'd']));
    const chart = await boxOf(page, '.response-chart canvas');
    const pane = await boxOf(page, '.response');
    const end = pane.y + pane.height;
    expect(end).toBeLessThan(chart.y + chart.height);
    const { lines, box } = await tooltipAt(page, chart.x + chart.width - 40, end - 10);
    const names = lines.filter((line) => line.startsWith('Field')).map((line) => line.replace(/ [\d.]+$/, ''));
    expect(names).toHaveLength(12);
    expect(new Set(names).size).toBe(3);
    expect(lines.filter((line) => line === 'and 17 more')).toHaveLength(4);
    expect(box.y).toBeGreaterThanOrEqual(pane.y);
    expect(box.y + box.height).toBeLessThanOrEqual(end);
    expect(box.x + box.width).toBeLessThanOrEqual(pane.x + pane.width);
  });
});
