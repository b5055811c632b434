import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { inNewTab, useChromium } from './browser.ts';
import { drawnOn, FIRST, pixelsOf } from './pixels.ts';
import { boxOf, daysFrom, drawData, nodeOf, openResponseTab, savedTexts, showData } from './response.ts';

useChromium();

/** A dataset of many assets, of which every tenth has no name. */
function manyAssets(count: number, days = 10) {
  const valueDates = daysFrom('2024-01-01', days);
  const nodes = Array.from({ length: count }, (_, asset) => ({
    asset: { assetId: `asset-${asset}`, name: asset % 10 === 9 ? null : `Field ${asset}` },
    columns: { valueDates, metrics: [{ name: 'm', values: valueDates.map((_, day) => 1 + Math.sin(day + asset)) }] },
  }));
  return { dataset: { name: 'Fields', results: { series: { nodes } } } };
}

/** So many hours from 1970 on. */
const hours = (count: number) => Array.from({ length: count }, (_, hour) => new Date(hour * 3_600_000).toISOString());

const legend = (page: Page) => page.getByRole('list', { name: 'Lines' });
const pressed = (page: Page) => legend(page).locator('[aria-pressed=true]');
const count = (page: Page) => page.locator('.response-count').innerText();
const text = (page: Page) => page.locator('.response').innerText();
const click = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const drawnPixels = async (page: Page) => pixelsOf(await drawnOn(page, '.response-chart'), FIRST);

describe('A thousand lines', () => {
  inNewTab('show the first twenty, and what a filter finds', async ({ page }) => {
    await showData(page, manyAssets(1000));
    await expect.poll(() => count(page)).toBe('20 of 1000');
    expect(await pressed(page).count()).toBe(20);
    // The id stands where there is no name.
    expect((await pressed(page).allInnerTexts()).slice(8, 11)).toEqual(['Field 8', 'asset-9', 'Field 10']);
    expect(await legend(page).innerText()).toContain('and 940 more');
    const filter = page.getByLabel('Filter', { exact: true });
    await filter.fill('FIELD 99');
    await expect.poll(() => count(page)).toBe('9 of 1000');
    expect(await pressed(page).first().innerText()).toBe('Field 990');
    await filter.fill('nobody');
    await expect.poll(() => text(page)).toContain('No name matches the filter.');
    await filter.fill('');
    await expect.poll(() => count(page)).toBe('20 of 1000');
  });

  inNewTab('show all that can be told apart, none, or only one', async ({ page }) => {
    await showData(page, manyAssets(120));
    await click(page, 'All');
    await expect.poll(() => count(page)).toBe('100 of 120');
    await click(page, 'None');
    await expect.poll(() => count(page)).toBe('0 of 120');
    expect(await text(page)).toContain('No line is selected.');
    await click(page, 'Only Field 5');
    await expect.poll(() => count(page)).toBe('1 of 120');
    expect(await pressed(page).allInnerTexts()).toEqual(['Field 5']);
    await click(page, 'All lines again');
    await expect.poll(() => count(page)).toBe('20 of 120');
    await click(page, 'Only Field 5');
    await click(page, 'Field 7');
    expect(await pressed(page).allInnerTexts()).toEqual(['Field 5', 'Field 7']);
    await click(page, 'Reset');
    await expect.poll(() => count(page)).toBe('20 of 120');
  });

  inNewTab(
    'are different by colour and dash; a hidden one makes no other come, and keeps the zoom',
    async ({ page }) => {
      await drawData(page, manyAssets(50, 60));
      const styles = () =>
        pressed(page)
          .locator('.response-sample')
          .evaluateAll((samples) => samples.map((sample) => sample.getAttribute('style')));
      await expect.poll(async () => new Set(await styles()).size).toBe(20);
      const before = await styles();
      await click(page, 'Zoom in');
      await click(page, 'Zoom in');
      const zoomed = (await drawnPixels(page)).length;
      await click(page, 'Field 0');
      await expect.poll(() => count(page)).toBe('19 of 50');
      expect(await styles()).toEqual(before.slice(1));
      await click(page, 'Field 0');
      await expect.poll(async () => (await drawnPixels(page)).length).toBe(zoomed);
    },
  );
});

describe('A logarithmic axis', () => {
  inNewTab('leaves out values of zero or less, says so, and stays for the next response', async ({ page }) => {
    await drawData(page, { dataset: { columns: { metrics: [{ name: 'm', values: [1, 10, 100, 1000, 0, -5] }] } } });
    const before = (await drawnOn(page, '.response-chart')).data;
    await click(page, 'Logarithmic');
    await expect.poll(() => text(page)).toContain('2 values of zero or less have no place on a logarithmic axis');
    expect((await drawnOn(page, '.response-chart')).data.equals(before)).toBe(false);
    expect((await drawnPixels(page)).length).toBeGreaterThan(100);

    // A positive value between zeros has a mark.
    const single = daysFrom('1970-01-01', 100).map((_, row) => (row === 50 ? 7 : 0));
    await showData(page, { dataset: nodeOf('A', daysFrom('1970-01-01', 100), single) });
    await expect.poll(() => text(page)).toContain('99 values of zero or less');
    await expect.poll(async () => (await drawnPixels(page)).length).toBeGreaterThan(5);

    // The other values have none: a mark is some pixels wide and high, and the line is no higher than two.
    const gaps = single.map((_, row) => ([49, 51].includes(row) ? 0 : 7));
    await showData(page, { dataset: nodeOf('A', daysFrom('1970-01-01', 100), gaps) });
    await expect.poll(() => text(page)).toContain('2 values of zero or less');
    const heights = async () =>
      [...Map.groupBy(await drawnPixels(page), ({ x }) => x).values()].map(({ length }) => length);
    await expect.poll(async () => Math.max(...(await heights()))).toBeGreaterThan(3);
    expect((await heights()).filter((height) => height > 2).length).toBeLessThan(10);
  });

  inNewTab('shows lonely values of lines with too many points, and counts all that are left out', async ({ page }) => {
    // The lowest positive value of a time interval counts, not the zero before it.
    const valuesOf = (asset: number) => hours(2000).map((_, hour) => (asset === 0 && hour === 1000 ? 7 : 0));
    const nodes = Array.from({ length: 60 }, (_, asset) => nodeOf(`A${asset}`, hours(2000), valuesOf(asset)));
    await showData(page, { dataset: { nodes } });
    await click(page, 'Logarithmic');
    await click(page, 'All');
    await expect.poll(() => text(page)).toContain('The lines have fewer points than the response');
    await expect.poll(() => text(page)).toContain('119999 values of zero or less');
    await expect.poll(async () => (await drawnPixels(page)).length).toBeGreaterThan(5);
  });
});

describe('The slider of time', () => {
  inNewTab('has one line for all lines: their mean, also where their dates differ', async ({ page }) => {
    // One is a thousand times as high as the other, both rise, and in the second half each has only every other date.
    const days = daysFrom('2024-01-01', 200);
    const lineOf = (name: string, first: number, rest: number) => {
      const dates = days.filter((_, day) => day < 100 || day % 2 === rest);
      return nodeOf(
        name,
        dates,
        dates.map((date) => first + days.indexOf(date)),
      );
    };
    await drawData(page, { dataset: { nodes: [lineOf('A', 1, 0), lineOf('B', 1000, 1)] } });
    /** The height of the area in each column of the slider, which is 24 pixels high, 8 pixels above the end. */
    const heights = async () => {
      const { width, height, data } = await drawnOn(page, '.response-chart');
      return Array.from({ length: width - 64 - 24 - 20 }, (_, x) => {
        let count = 0;
        for (let y = height - 32; y < height - 8; y++) count += Number((data[(y * width + x + 74) * 4 + 3] ?? 0) > 75);
        return count;
      });
    };
    await expect.poll(async () => (await heights()).at(-1)).toBeGreaterThan(12);
    const found = await heights();
    expect(found[0]).toBeLessThan(9);
    expect(Math.max(...found.map((each, x) => Math.abs(each - (found[x - 1] ?? each))))).toBeLessThanOrEqual(1);
  });
});

describe('The numbers of an axis', () => {
  inNewTab('have the digits that differ', async ({ page }) => {
    const days = daysFrom('2024-01-01', 11);
    await drawData(page, {
      dataset: nodeOf(
        'A',
        days,
        days.map((_, day) => 1_000_000_010 + day),
      ),
    });
    const { texts } = await savedTexts(page);
    for (const last of [10, 12, 14, 16, 18, 20]) expect(texts).toContain(`1,000,000,0${last}`);
  });

  inNewTab('are around a constant, however large it is', async ({ page }) => {
    for (const constant of [7, 2 ** 53, -(2 ** 53)]) {
      const days = daysFrom('2024-01-01', 11);
      await drawData(page, {
        dataset: nodeOf(
          'A',
          days,
          days.map(() => constant),
        ),
      });
      const { width } = await drawnOn(page, '.response-chart');
      await expect
        .poll(async () => new Set((await drawnPixels(page)).map(({ x }) => x)).size)
        .toBeGreaterThan(width - 64 - 24);
      const { texts } = await savedTexts(page);
      expect(new Set(texts).size).toBe(texts.length);
    }
  });
});

describe('Lines with too many points', () => {
  inNewTab('have fewer, keep their peaks, and are exact after a zoom', async ({ page }) => {
    // Of three values that become two, the middle one is left out: 0, 60, 100.
    const values = hours(12_000).map((_, hour) => (hour === 6006 ? 100 : hour === 6005 ? 60 : 0));
    const flat = hours(12_000).map(() => 0);
    const nodes = Array.from({ length: 10 }, (_, asset) =>
      nodeOf(`A${asset}`, hours(12_000), asset === 0 ? values : flat),
    );
    await drawData(page, { dataset: { nodes } });
    // The peak is at the top of the chart, which is 28 pixels from that of the picture.
    expect(Math.min(...(await drawnPixels(page)).map(({ y }) => y))).toBeLessThan(28 + 10);
    const note = 'The lines have fewer points than the response';
    await expect.poll(() => text(page)).toContain(note);
    await click(page, 'Only A0');
    await expect.poll(() => text(page)).not.toContain(note);
    await click(page, 'Reset');
    await expect.poll(() => text(page)).toContain(note);
    const chart = page.locator('.response-chart');
    const zooms = 8;
    for (let n = 0; n < zooms; n++) await chart.press('+');
    // The charts begin 64 pixels from the left, and end 24 pixels from the right.
    const box = await boxOf(page, '.response-chart');
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

describe('The tabs', () => {
  inNewTab('open by the arrow keys', async ({ page }) => {
    await showData(page, manyAssets(2));
    await page.getByRole('tab', { name: 'Chart' }).focus();
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
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(name);
      expect(await page.locator('.response [role=tab][aria-selected=true]').allInnerTexts()).toEqual([name]);
      expect(await page.getByRole('tabpanel', { name }).count()).toBe(1);
    }
    await openResponseTab(page, 'Chart');
    await page.locator('.response-chart canvas').waitFor();
  });
});
