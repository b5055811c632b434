import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { newPage, shownResponse, startDemo, untilReady, useChromium } from './browser.ts';
import { openDemo, screen, untilShown, WEATHER } from './dataset.ts';
import { saved, showResponse } from './response.ts';

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
  const svg = (await saved(page, 'Save as SVG')).bytes.toString();
  const texts = await page.evaluate((text) => {
    const { documentElement } = new DOMParser().parseFromString(text, 'image/svg+xml');
    return [...documentElement.querySelectorAll('text')].map(({ textContent }) => textContent ?? '');
  }, svg);
  return texts.filter((text) => names.some((name) => text.startsWith(name)));
}

/** The lines of the tooltip of the first chart, without those of assets. */
async function tooltip(page: Page): Promise<string[]> {
  const chart = page.locator('.response-chart');
  // The tooltip does not come for the first event alone.
  await chart.hover({ position: { x: 400, y: 90 } });
  await chart.hover({ position: { x: 401, y: 90 } });
  const tip = page.locator('.response-chart .response-tip');
  await expect.poll(() => tip.innerText()).toMatch(/^20\d\d/);
  return (await tip.innerText()).split('\n').filter((line) => !/^(20|Seattle|New York)/.test(line));
}

/** What the browser keeps. */
async function kept(page: Page): Promise<unknown> {
  return JSON.parse((await page.evaluate((key) => localStorage.getItem(key), KEY)) ?? 'null');
}

describe('The unit of a metric', () => {
  it('is typed once: its charts, values and statistics have it, also after a reload, until it is emptied', async () => {
    const { page, problems } = await openDemo(WEATHER, '#metric=temp_max&metric=wind');
    const bodies: string[] = [];
    page.on('request', (request) => bodies.push(`${request.url()} ${request.postData()}`));
    await untilShown(page);
    await typeUnit(page, 'temp_max', ' °C ');
    await expect.poll(() => charts(page)).toBe('temp_max (°C), wind');
    expect(await kept(page)).toEqual([{ datasetId: WEATHER, metric: 'temp_max', unit: '°C' }]);
    await page.reload();
    await untilShown(page);
    expect(await charts(page)).toBe('temp_max (°C), wind');
    expect(await drawnTitles(page, ['temp_max', 'wind'])).toEqual(['temp_max (°C)', 'wind']);
    expect(await tooltip(page)).toEqual(['temp_max (°C)', 'wind']);
    await page.locator('.response-chart').focus();
    await page.keyboard.press('Home');
    await expect
      .poll(() => page.locator('.response-reading').innerText())
      .toMatch(/^2012-01-01: Seattle-Tacoma: temp_max \(°C\) 12\.8, /);
    expect(await page.getByLabel('Unit of temp_max').inputValue()).toBe('°C');
    await page.locator('.dataset-values summary').click();
    const headers = page.getByRole('table', { name: 'Daily weather' }).getByRole('columnheader');
    await expect.poll(async () => (await headers.allInnerTexts()).slice(-2)).toEqual(['temp_max (°C)', 'wind']);
    expect((await saved(page, 'Save as CSV')).bytes.toString()).toMatch(/^asset_id,.*,temp_max,wind\r\n/);
    await typeUnit(page, 'temp_max', '');
    await expect.poll(() => charts(page)).toBe('temp_max, wind');
    expect(await kept(page)).toEqual([]);
    // It has left neither the browser nor for the link.
    expect(bodies.filter((body) => /°|%C2%B0/i.test(body))).toEqual([]);
    expect(new URL(page.url()).hash).toBe('#metric=temp_max&metric=wind');
    expect(problems).toEqual([]);
  });

  it('stays text, whatever it is', async () => {
    const { page, problems } = await openDemo(WEATHER, '#metric=wind');
    await untilShown(page);
    await typeUnit(page, 'wind', '<b>m</b>{a|x}');
    await expect.poll(() => charts(page)).toBe('wind (<b>m</b>{a|x})');
    expect(await tooltip(page)).toEqual(['wind (<b>m</b>{a|x})']);
    expect(await page.locator('.response-tip b').allInnerTexts()).not.toContain('m');
    expect(await drawnTitles(page, ['wind'])).toEqual(['wind (<b>m</b>{a|x})']);
    expect(problems).toEqual([]);
  });

  it('is forgotten by Escape before it is set, and set by leaving the field', async () => {
    const { page } = await openDemo(WEATHER, '#metric=wind');
    await untilShown(page);
    const field = page.getByLabel('Unit of wind');
    await field.fill('knots');
    await page.keyboard.press('Escape');
    expect(await field.inputValue()).toBe('');
    await field.pressSequentially('metres per second and more');
    await page.keyboard.press('Tab');
    await expect.poll(() => charts(page)).toBe('wind (metres per second an)');
  });

  it('is shown in GraphiQL, too, where all REST calls are about its dataset', async () => {
    const { page, problems } = await openDemo(WEATHER, '#metric=wind');
    await untilShown(page);
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
    expect(problems).toEqual([]);
  });
});

describe('What the browser keeps of units', () => {
  it('is ignored if it is damaged', async () => {
    const endpoint = await startDemo();
    const { page, problems } = await newPage(endpoint.origin, screen);
    await page.goto(new URL('/', endpoint).href);
    const wind = { datasetId: WEATHER, metric: 'wind' };
    const damaged = ['{', '{"unit":"m"}', [null, 1, { ...wind, unit: 7 }], [{ ...wind, unit: 'm'.repeat(21) }]];
    for (const stored of damaged) {
      const text = typeof stored === 'string' ? stored : JSON.stringify(stored);
      await page.evaluate(([key, kept]) => localStorage.setItem(key, kept), [KEY, text] as const);
      await page.goto(new URL('/', endpoint).href);
      await page.goto(new URL(`/datasets/${WEATHER}#metric=wind`, endpoint).href);
      await untilShown(page);
      expect(await charts(page)).toBe('wind');
    }
    await typeUnit(page, 'wind', 'm/s');
    await expect.poll(() => kept(page)).toEqual([{ ...wind, unit: 'm/s' }]);
    expect(problems).toEqual([]);
  });

  it('has at most 200 units: the oldest one is forgotten', async () => {
    const endpoint = await startDemo();
    const { page } = await newPage(endpoint.origin, screen);
    await page.goto(new URL('/', endpoint).href);
    const others = Array.from({ length: 200 }, (_, index) => ({ datasetId: 'd', metric: `m${index}`, unit: 'm' }));
    await page.evaluate(([key, text]) => localStorage.setItem(key, text), [KEY, JSON.stringify(others)] as const);
    await page.goto(new URL(`/datasets/${WEATHER}#metric=wind`, endpoint).href);
    await untilShown(page);
    await typeUnit(page, 'wind', 'm/s');
    await expect
      .poll(() => kept(page))
      .toEqual([{ datasetId: WEATHER, metric: 'wind', unit: 'm/s' }, ...others.slice(0, 199)]);
  });

  it('may be nothing: without storage, a unit lasts as long as the page', async () => {
    const endpoint = await startDemo();
    const { page, problems } = await newPage(endpoint.origin, screen);
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
