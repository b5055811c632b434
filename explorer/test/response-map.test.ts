import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { inNewTab, useChromium } from './browser.ts';
import { drawnOn, FIRST, groupsOf, pixelsOf } from './pixels.ts';
import { boxOf, drawWeather, openPlaces, openResponseTab, placesOf, pointAtMark, showData } from './response.ts';

useChromium();

/** The colours of land and sea in the light theme, and those of the lowest and the highest value. */
const LAND = [0xf3, 0xf2, 0xee] as const;
const SEA = [0xdd, 0xe8, 0xf1] as const;
const LOWEST = [0, 32, 76] as const;
const HIGHEST = [255, 234, 70] as const;

/** The lines of longitudes and latitudes on land. */
const GRATICULE = [0xd1, 0xd4, 0xd6] as const;

describe('The map', () => {
  inNewTab('shows where the assets are, with their names, on the coasts', async ({ page }) => {
    await drawWeather(page);
    await openPlaces(page);
    expect(await page.locator('.response-map').getAttribute('aria-label')).toMatch(
      /^A map with Seattle-Tacoma at 47\.449, -122\.309; New York \(Central Park\) at 40\.779, -73\.969\. /,
    );
    const picture = await drawnOn(page, '.response-map');
    const marks = pixelsOf(picture, FIRST).map(({ x }) => x / picture.width);
    // One mark in the west, one in the east, and land between them.
    expect(marks.filter((x) => x < 0.4).length).toBeGreaterThan(20);
    expect(marks.filter((x) => x > 0.6).length).toBeGreaterThan(20);
    expect(pixelsOf(picture, LAND).length).toBeGreaterThan((picture.width * picture.height) / 5);
  });

  inNewTab(
    'shows a name under the pointer, and the line of a place alone by a click, and by keys',
    async ({ page }) => {
      await drawWeather(page);
      const lines = page.getByRole('list', { name: 'Lines' }).locator('[aria-pressed=true]');
      await expect.poll(() => lines.allInnerTexts()).toEqual(['Seattle-Tacoma', 'New York (Central Park)']);
      await pointAtMark(page);
      const tip = page.locator('.response-map .response-tip');
      await expect.poll(() => tip.innerText()).toBe('Seattle-Tacoma 47.449, -122.309');
      await page.mouse.down();
      await page.mouse.up();
      await expect.poll(() => lines.allInnerTexts()).toEqual(['Seattle-Tacoma']);
      await openPlaces(page);
      await page.locator('.response-map').press('End');
      expect(await page.locator('.response-reading').innerText()).toBe('New York (Central Park) 40.779, -73.969');
      await page.keyboard.press('Enter');
      await expect.poll(() => lines.allInnerTexts()).toEqual(['New York (Central Park)']);
    },
  );

  const place = (name: string, latitude: number, longitude: number) => ({
    asset: { name, centroid: { latitude, longitude } },
    columns: { valueDates: ['2015-01-01'], metrics: [{ name: 'm', values: [1] }] },
  });

  /** The map of these places, and the positions of the pixels of a colour. */
  async function drawPlaces(page: Page, nodes: readonly object[], colour: readonly [number, number, number]) {
    await showData(page, { dataset: { nodes } });
    await openPlaces(page);
    const picture = await drawnOn(page, '.response-map');
    return { ...picture, found: new Set(pixelsOf(picture, colour).map(({ x, y }) => y * picture.width + x)) };
  }

  inNewTab('has no line across it where coasts pass 180 degrees', async ({ page }) => {
    // A line of half a pixel has half of its colour.
    const nodes = [place('a', 75, -179), place('b', 40, 179)];
    const { width, height, found: coast } = await drawPlaces(page, nodes, [0x92, 0x9c, 0xae]);
    // The longest run of coast in one row of pixels: a line across the map is nearly as long as the map.
    let longest = 0;
    for (let y = 0; y < height; y++) {
      for (let x = 0, run = 0; x < width; x++) {
        run = coast.has(y * width + x) ? run + 1 : 0;
        longest = Math.max(longest, run);
      }
    }
    expect(coast.size).toBeGreaterThan(200);
    expect(longest).toBeLessThan(width / 8);
  });

  inNewTab('fits places 200 m apart, and zooms and moves as far as one is visible', async ({ page }) => {
    const fields = [0, 1, 2].flatMap((north) => [0, 1].map((east) => [45.5 + north * 0.0018, 7.25 + east * 0.00257]));
    await drawPlaces(
      page,
      fields.map(([latitude = 0, longitude = 0], index) => place(`f${index}`, latitude, longitude)),
      FIRST,
    );
    const countDots = async () => groupsOf(pixelsOf(await drawnOn(page, '.response-map'), FIRST), 20).length;
    const scale = page.locator('.response-scale-bar');
    const isZoomed = async (from: string) => expect.poll(() => scale.innerText()).not.toBe(from);
    await expect.poll(countDots).toBe(6);
    expect(await scale.innerText()).toBe('100 m');
    const picture = await drawnOn(page, '.response-map');
    // No coasts are as exact: a graticule on land.
    expect(pixelsOf(picture, LAND).length).toBeGreaterThan(0.9 * picture.width * picture.height);
    expect(pixelsOf(picture, GRATICULE).length).toBeGreaterThan(picture.width);
    const map = page.locator('.response-map');
    await map.scrollIntoViewIfNeeded();
    const box = await boxOf(page, '.response-map');
    await page.mouse.move(box.x + 40, box.y + 40);
    const turn = async (notches: number, pixels: number) => {
      for (let notch = 0; notch < notches; notch++) await page.mouse.wheel(0, pixels);
    };
    const isTrapped = page.evaluate(
      () => new Promise((resolve) => addEventListener('wheel', (event) => resolve(event.defaultPrevented))),
    );
    await turn(1, 100);
    expect(await isTrapped).toBe(false);
    expect(await scale.innerText()).toBe('100 m');
    await page.keyboard.down('Control');
    // Eighty notches.
    await turn(8, -1000);
    await isZoomed('100 m');
    await expect.poll(countDots).toBe(1);
    await turn(8, 1000);
    await expect.poll(() => scale.innerText()).toMatch(/000 km$/);
    await page.keyboard.up('Control');
    await expect.poll(countDots).toBe(1);
    await page.getByRole('button', { name: 'All places' }).click();
    await expect.poll(countDots).toBe(6);
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await expect.poll(() => scale.innerText()).toBe('50 m');
    await page.getByRole('button', { name: 'Zoom out' }).click();
    await expect.poll(() => scale.innerText()).toBe('100 m');
    await map.press('+');
    await expect.poll(() => scale.innerText()).toBe('50 m');
    for (let step = 0; step < 20; step++) await map.press('Shift+ArrowRight');
    await expect.poll(countDots).toBe(1);
    await map.press('0');
    await expect.poll(countDots).toBe(6);
    await page.mouse.move(box.x + 100, box.y + 100);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width, box.y + box.height, { steps: 4 });
    await page.mouse.up();
    await expect.poll(countDots).toBeLessThan(4);
    expect(await countDots()).toBeGreaterThan(0);
    await map.press('-');
    await expect.poll(countDots).toBe(6);
  });

  inNewTab('says which fields it needs where the response has no places', async ({ page }) => {
    await showData(page, { dataset: { columns: { metrics: [{ name: 'm', values: [1] }] } } });
    await openResponseTab(page, 'Map');
    expect(await page.locator('.response').innerText()).toContain('No places: select “centroid”');
  });
});

describe('The values on the map', () => {
  const node = (name: string, latitude: number, longitude: number, values: (number | null)[]) => ({
    asset: { name, centroid: { latitude, longitude } },
    columns: {
      valueDates: ['2024-01-01', '2024-01-02', '2024-01-03'],
      metrics: [
        { name: 'moisture', values },
        { name: 'pressure', values: values.map((value) => value && value * 2) },
      ],
    },
  });
  const data = {
    dataset: {
      nodes: [
        node('Low', 40, -100, [3, 1, 0.123456789]),
        node('High', 42, -90, [1, null, 10]),
        node('Late', 44, -80, [null, null, 5]),
      ],
    },
  };
  const countOf = async (page: Page, colour: typeof LOWEST | typeof HIGHEST) =>
    pixelsOf(await drawnOn(page, '.response-map'), colour).length;

  inNewTab('colour the points, beside a scale, a histogram and a table', async ({ page }) => {
    await showData(page, data);
    await openResponseTab(page, 'Map');
    await expect.poll(() => countOf(page, LOWEST)).toBeGreaterThan(40);
    expect(await countOf(page, HIGHEST)).toBeGreaterThan(40);
    expect(await placesOf(page)).toEqual([
      'Asset|moisture ▼|Date',
      'High|10|2024-01-03',
      'Late|5|2024-01-03',
      'Low|0.123457|2024-01-03',
    ]);
    expect(await page.locator('.response-ticks').innerText()).toBe('0.123457\n5.06173\n10');
    const histogram = page.getByRole('img', { name: /^Histogram/ });
    expect(await histogram.getAttribute('aria-label')).toBe(
      'Histogram of the values. 3 places have values from 0.123457 to 10.',
    );
    expect(await histogram.locator('.response-bar-of-values').count()).toBe(3);
    const picture = await drawnOn(page, '.response-map');
    for (const colour of [LAND, SEA]) {
      expect(pixelsOf(picture, colour).length).toBeGreaterThan((picture.width * picture.height) / 50);
    }
  });

  inNewTab(
    'are the latest ones at or before a date, of any metric, and lead to the line of an asset',
    async ({ page }) => {
      await showData(page, data);
      await openResponseTab(page, 'Map');
      const time = page.getByRole('slider', { name: 'Time' });
      await time.press('ArrowLeft');
      expect(await time.getAttribute('aria-valuetext')).toBe('2024-01-02');
      const second = ['Asset|moisture ▼|Date', 'Low|1|2024-01-02', 'High|1|2024-01-01', 'Late|no value|'];
      await expect.poll(() => placesOf(page)).toEqual(second);
      expect(await page.locator('.response-scale figcaption').innerText()).toBe(
        '2 places have values from 1 to 1. 1 without a value.',
      );
      await expect.poll(() => countOf(page, HIGHEST)).toBe(0);
      await page.getByLabel('Colour by').selectOption('pressure');
      await expect
        .poll(() => placesOf(page))
        .toEqual(second.map((row) => row.replace('moisture', 'pressure').replace('|1|', '|2|')));
      await page.locator('.response-map').focus();
      await page.keyboard.press('Home');
      expect(await page.locator('.response-reading').innerText()).toBe('Low 40, -100: pressure 2 (2024-01-02)');
      await page.getByRole('button', { name: 'Show the line of Late' }).press('Enter');
      const pressed = page.getByRole('list', { name: 'Lines' }).locator('[aria-pressed=true]');
      await expect.poll(() => pressed.allInnerTexts()).toEqual(['Late']);
    },
  );
});
