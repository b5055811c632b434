import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { inBrowser, inNewTab, useChromium } from './browser.ts';
import { readings } from './dataset.ts';
import { drawnOn, FIRST, pixelsOf } from './pixels.ts';
import { boxOf, drawData, drawTemperatures, drawWeather, saved } from './response.ts';

useChromium();

/** Where charts begin and end, as distances from the left and the right end, in pixels. */
const [LEFT, RIGHT] = [64, 24];

const DAY = 86_400_000;

/** A dataset of one line with these dates, whose value is always the same. */
const lineAt = (valueDates: readonly string[]) => ({
  dataset: { columns: { valueDates, metrics: [{ name: 'm', values: valueDates.map(() => 1) }] } },
});

const chartBox = (page: Page) => boxOf(page, '.response-chart');

describe('The time axis', () => {
  inBrowser(
    'is below each chart, and on the first screen of several',
    async ({ page }) => {
      await drawWeather(page);
      const picture = await drawnOn(page, '.response-chart');
      const text = pixelsOf(picture, [0x3b, 0x4b, 0x68]);
      // Four charts, each 120 pixels high, with a heading of 28 pixels and labels of 28 pixels.
      for (let chart = 0; chart < 4; chart++) {
        const bottom = chart * (28 + 120 + 28) + 28 + 120;
        expect(text.filter(({ x, y }) => x > LEFT + 20 && y > bottom + 4 && y < bottom + 24).length).toBeGreaterThan(
          50,
        );
      }
      expect((await chartBox(page)).y + 28 + 120 + 28).toBeLessThan(720);
      const { bytes } = await saved(page, 'Save as SVG');
      expect(bytes.toString().match(/>5 Jan</g)).toHaveLength(4);
    },
    { width: 1280, height: 720 },
  );

  const time = '2023-01-01 10:00:00 UTC: m 1';
  const forms: readonly (readonly [valueDates: readonly string[], reading: string])[] = [
    [['2023-01-01T10:00', '2023-01-01T11:00'], time],
    [['2023-01-01 10:00', '2023-01-01 11:00'], time],
    [['2023-01-01 12:00:00+02:00', '2023-01-01 13:00:00+02:00'], time],
    [['20230101T1000', '20230101T110000Z'], time],
    [['2023-01-01T11:00:00,0+01:00[Europe/Paris]', '2023-01-01T12:00+01'], time],
    [['2023-01-01T09:59:60Z', '2023-01-01T11:00Z'], time],
    [['2023-01-01T24:00Z', '2023-01-02T01:00Z'], '2023-01-01T24:00Z: m 1'],
    [['1672567200000', '1672570800000'], time],
    [['1672567200', '1672570800'], time],
    [['123456789', '123456790'], '123456789: m 1'],
    [['week 1', 'week 2'], 'week 1: m 1'],
  ];

  inNewTab('has times, or the pane says that it has none', async ({ page }) => {
    const note = page.getByText(
      'The dates are no times that this page knows: they are in their order, at equal steps.',
    );
    for (const [valueDates, reading] of forms) {
      await drawData(page, lineAt(valueDates));
      await expect.poll(() => readings(page, ['Home'])).toEqual([reading]);
      expect(await note.count()).toBe(reading === time ? 0 : 1);
    }
  });
});

describe('A gap in time', () => {
  /** The longest part of the chart's width without a line. */
  async function longestHole(page: Page, times: readonly number[]): Promise<number> {
    await drawData(page, lineAt(times.map((time) => new Date(time).toISOString())));
    const picture = await drawnOn(page, '.response-chart');
    const xs = [...new Set(pixelsOf(picture, FIRST).map(({ x }) => x))].sort((a, b) => a - b);
    return Math.max(...xs.map((x, index) => x - (xs[index - 1] ?? x))) / (picture.width - LEFT - RIGHT);
  }

  const hours = (from: number, to: number) =>
    Array.from({ length: (to - from) / 3 }, (_, step) => (from + 3 * step) * 3_600_000);

  inNewTab('breaks the line, and is wide where rows are missing for long', async ({ page }) => {
    // Thirty days at three-hour steps, 7.5 of them without rows.
    expect(await longestHole(page, [...hours(0, 240), ...hours(420, 720)])).toBeCloseTo(7.5 / 30, 1);
    // One missing row of thirty days.
    const daily = Array.from({ length: 30 }, (_, day) => day * DAY);
    const oneMissing = daily.filter((time) => time !== 14 * DAY);
    expect(await longestHole(page, oneMissing)).toBeCloseTo(2 / 29, 1);
    expect(await longestHole(page, daily)).toBeLessThan(0.01);
  });

  inNewTab('needs a usual step: months, working days and irregular dates have a line', async ({ page }) => {
    const months = Array.from({ length: 24 }, (_, month) => Date.UTC(2020, month));
    const workingDays = Array.from({ length: 60 }, (_, day) => day * DAY).filter(
      (time) => new Date(time).getUTCDay() % 6 > 0,
    );
    const irregular = Array.from({ length: 12 }, (_, index) => index ** 3 * DAY);
    for (const times of [months, workingDays, irregular]) expect(await longestHole(page, times)).toBeLessThan(0.01);
  });
});

describe('The mouse over a chart', () => {
  /** The dates at both ends of the charts. */
  async function visibleDates(page: Page): Promise<string[]> {
    const dates: string[] = [];
    for (const part of [0.001, 0.999]) {
      const { x, y, width } = await chartBox(page);
      await page.mouse.move(x + LEFT + (width - LEFT - RIGHT) * part, y + 100);
      const tip = await page.locator('.response-chart .response-tip').first().innerText();
      dates.push(tip.slice(0, 'yyyy-mm-dd'.length));
    }
    return dates;
  }

  inNewTab('scrolls the page by the wheel, without a zoom', async ({ page }) => {
    await drawWeather(page);
    const before = await drawnOn(page, '.response-chart');
    await page.locator('.response-chart').hover({ position: { x: 200, y: 100 } });
    await page.mouse.wheel(0, 150);
    await expect.poll(() => page.locator('.response').evaluate(({ scrollTop }) => scrollTop)).toBe(150);
    expect((await drawnOn(page, '.response-chart')).data.equals(before.data)).toBe(true);
  });

  inNewTab('zooms to the range that a drag selects, again and again, and says so', async ({ page }) => {
    await drawTemperatures(page);
    expect(await page.locator('.response').innerText()).toContain('Drag, or Ctrl and wheel, to zoom');
    expect(await visibleDates(page)).toEqual(['2015-01-01', '2015-12-31']);
    const drag = async (from: number, to: number) => {
      const { x, y, width } = await chartBox(page);
      const at = (part: number) => x + LEFT + (width - LEFT - RIGHT) * part;
      await page.mouse.move(at(from), y + 100);
      await page.mouse.down();
      await page.mouse.move(at((from + to) / 2), y + 120);
      await page.mouse.move(at(to), y + 110);
      expect(await page.locator('.response-selection').isVisible()).toBe(true);
      await page.mouse.up();
      expect(await page.locator('.response-selection').count()).toBe(0);
    };
    const day = (date: string | undefined) => (Date.parse(date ?? '') - Date.UTC(2015, 0, 1)) / DAY;
    await drag(0.25, 0.75);
    await expect.poll(async () => day((await visibleDates(page))[0])).toBeCloseTo(364 / 4, -1);
    expect(day((await visibleDates(page))[1])).toBeCloseTo((364 * 3) / 4, -1);
    // From the right to the left.
    await drag(0.5, 0);
    await expect.poll(async () => day((await visibleDates(page))[1])).toBeCloseTo(364 / 2, -1);
    expect(day((await visibleDates(page))[0])).toBeCloseTo(364 / 4, -1);
    await page.getByRole('button', { name: 'Whole time' }).click();
    expect(await visibleDates(page)).toEqual(['2015-01-01', '2015-12-31']);
    // A click is no drag.
    await page.mouse.down();
    await page.mouse.up();
    expect(await visibleDates(page)).toEqual(['2015-01-01', '2015-12-31']);
  });
});
