import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { newPage, shownResponse, startDemo, untilReady, useChromium } from './browser.ts';
import { hashOf, onDatasetPage, readings, screen, untilShown, WEATHER } from './dataset.ts';
import { savedCsv, savedTexts, showResponse, tooltipAt } from './response.ts';

useChromium();

const KEY = 'dataset-subgraph:units';

/** Types a unit into the field of a metric. */
async function typeUnit(page: Page, metric: string, unit: string): Promise<void> {
  await page.getByLabel(`Unit of ${metric}`).fill(unit);
  await page.keyboard.press('Enter');
}

/** The names of the charts, as screen readers hear them. */
async function charts(page: Page): Promise<string | undefined> {
  const text = await page.locator('.response-chart').getAttribute('aria-label');
  return /Charts: (.*?)\. /.exec(text ?? '')?.[1];
}

/** The names of the charts, as they are drawn. */
async function drawnTitles(page: Page, names: readonly string[]): Promise<string[]> {
  return (await savedTexts(page)).texts.filter((text) => names.some((name) => text.startsWith(name)));
}

/** The lines of the tooltip of the first chart, without those of assets. */
async function tooltip(page: Page): Promise<string[]> {
  return (await tooltipAt(page, 400, 90)).lines.filter((line) => !/^(20|Seattle|New York)/.test(line));
}

/** What the browser keeps. */
async function kept(page: Page): Promise<unknown> {
  return JSON.parse((await page.evaluate((key) => localStorage.getItem(key), KEY)) ?? 'null');
}

describe('The unit of a metric', () => {
  const title = 'is typed once: its charts, values and statistics have it, also after a reload, until it is emptied';

  onDatasetPage(title, '#metric=temp_max&metric=wind', async ({ page }) => {
    const bodies: string[] = [];
    page.on('request', (request) => bodies.push(`${request.url()} ${request.postData()}`));
    await typeUnit(page, 'temp_max', ' °C ');
    await expect.poll(() => charts(page)).toBe('temp_max (°C), wind');
    expect(await kept(page)).toEqual([{ datasetId: WEATHER, metric: 'temp_max', unit: '°C' }]);
    await page.reload();
    await untilShown(page);
    expect(await charts(page)).toBe('temp_max (°C), wind');
    expect(await drawnTitles(page, ['temp_max', 'wind'])).toEqual(['temp_max (°C)', 'wind']);
    expect(await tooltip(page)).toEqual(['temp_max (°C)', 'wind']);
    expect(await readings(page, ['Home'])).toEqual([
      expect.stringMatching(/^2012-01-01: Seattle-Tacoma: temp_max \(°C\) 12\.8, /),
    ]);
    expect(await page.getByLabel('Unit of temp_max').inputValue()).toBe('°C');
    expect(await savedCsv(page)).toMatch(/^asset_id,.*,temp_max,wind\r\n/);
    const headers = page.getByRole('table', { name: 'Daily weather' }).getByRole('columnheader');
    await expect.poll(async () => (await headers.allInnerTexts()).slice(-2)).toEqual(['temp_max (°C)', 'wind']);
    await page.getByRole('tab', { name: 'Chart' }).click();
    await untilShown(page);
    await typeUnit(page, 'temp_max', '');
    await expect.poll(() => charts(page)).toBe('temp_max, wind');
    expect(await kept(page)).toEqual([]);
    // It has left neither the browser nor for the link.
    expect(bodies.filter((body) => /°|%C2%B0/i.test(body))).toEqual([]);
    expect(hashOf(page)).toBe('#metric=temp_max&metric=wind');
  });

  onDatasetPage(
    'stays text, is forgotten by Escape, and is set by leaving the field',
    '#metric=wind',
    async ({ page }) => {
      await typeUnit(page, 'wind', '<b>m</b>{a|x}');
      await expect.poll(() => charts(page)).toBe('wind (<b>m</b>{a|x})');
      expect(await tooltip(page)).toEqual(['wind (<b>m</b>{a|x})']);
      expect(await page.locator('.response-tip b').allInnerTexts()).not.toContain('m');
      expect(await drawnTitles(page, ['wind'])).toEqual(['wind (<b>m</b>{a|x})']);
      await typeUnit(page, 'wind', '');
      const field = page.getByLabel('Unit of wind');
      await field.fill('knots');
      await page.keyboard.press('Escape');
      expect(await field.inputValue()).toBe('');
      await field.pressSequentially('metres per second and more');
      await page.keyboard.press('Tab');
      await expect.poll(() => charts(page)).toBe('wind (metres per second an)');
    },
  );

  onDatasetPage(
    'is shown in GraphiQL, where all REST calls are about its dataset',
    '#metric=wind',
    async ({ page }) => {
      await typeUnit(page, 'wind', 'm/s');
      await page.getByRole('link', { name: 'Show query' }).click();
      await untilReady(page);
      await shownResponse(page);
      await expect.poll(() => charts(page)).toBe('wind (m/s)');
      const columns = { valueDates: ['2024-01-01', '2024-01-02'], metrics: [{ name: 'wind', values: [1, 2] }] };
      const data = { dataset: { name: 'Weather', results: { series: { nodes: [{ columns }] } } } };
      const call = (datasetId: string) => ({ operation: 'getDatasetResults', datasetId, milliseconds: 1, bytes: 1 });
      const responses = [
        { count: 1, calls: [call(WEATHER)], expected: 'wind (m/s)' },
        { count: 2, calls: [call(WEATHER), call('another')], expected: 'wind' },
        { count: 2, calls: [call(WEATHER)], expected: 'wind' },
      ];
      for (const { count, calls, expected } of responses) {
        const restCalls = { count, bytes: 1, milliseconds: 1, calls };
        await showResponse(page, { data, extensions: { restCalls } });
        await expect.poll(() => charts(page)).toBe(expected);
      }
      await showResponse(page, { data });
      await expect.poll(() => charts(page)).toBe('wind');
    },
  );
});

describe('What the browser keeps of units', () => {
  const wind = { datasetId: WEATHER, metric: 'wind' };

  it('is ignored if it is damaged, and has at most 200 units: the oldest one is forgotten', async () => {
    const endpoint = await startDemo();
    const { page, problems } = await newPage(endpoint.origin, screen);
    const openWith = async (stored: string) => {
      await page.goto(new URL('/', endpoint).href);
      await page.evaluate(([key, text]) => localStorage.setItem(key, text), [KEY, stored] as const);
      await page.goto(new URL(`/datasets/${WEATHER}#metric=wind`, endpoint).href);
      await untilShown(page);
    };
    const damaged = [[null, 1, { ...wind, unit: 7 }], [{ ...wind, unit: 'm'.repeat(21) }]];
    for (const stored of ['{', '{"unit":"m"}', ...damaged.map((each) => JSON.stringify(each))]) {
      await openWith(stored);
      expect(await charts(page)).toBe('wind');
    }
    const others = Array.from({ length: 200 }, (_, index) => ({ datasetId: 'd', metric: `m${index}`, unit: 'm' }));
    await openWith(JSON.stringify(others));
    await typeUnit(page, 'wind', 'm/s');
    await expect.poll(() => kept(page)).toEqual([{ ...wind, unit: 'm/s' }, ...others.slice(0, 199)]);
    expect(problems).toEqual([]);
  });

  it('may be nothing: without storage, a unit lasts as long as the page', async () => {
    const endpoint = await startDemo();
    const { page, problems } = await newPage(endpoint.origin, { ...screen, isAlone: true });
    await page.addInitScript(() => {
      const refuse = () => {
        throw new DOMException('The quota has been exceeded.', 'QuotaExceededError');
      };
      Object.defineProperty(globalThis, 'localStorage', { get: refuse });
    });
    await page.goto(new URL(`/datasets/${WEATHER}#metric=wind`, endpoint).href);
    await untilShown(page);
    await typeUnit(page, 'wind', 'm/s');
    await expect.poll(() => charts(page)).toBe('wind (m/s)');
    expect(problems).toEqual([]);
  });
});
