import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { inNewTab, runOperation, setOperation, useChromium } from './browser.ts';
import { WEATHER } from './dataset.ts';
import { areaPixels, drawnOn } from './pixels.ts';
import { savedCsv, showData } from './response.ts';

useChromium();

/** An operation that selects three quantiles. */
const threeQuantiles = `{ dataset(id: "${WEATHER}") { results { byDate { dates metrics { name quantiles(of: [0.1, 0.5, 0.9]) } } } } }`;

/** Quantiles of twelve days, four of which in the middle have no values, or no rows. */
function quantilesWithGap(gap: 'values' | 'rows') {
  const isGap = (day: number) => day >= 4 && day < 8;
  const days = Array.from({ length: 12 }, (_, day) => day).filter((day) => gap === 'values' || !isGap(day));
  const dates = days.map((day) => `2024-01-${String(day + 1).padStart(2, '0')}`);
  const quantiles = [1, 5, 10].map((value) => days.map((day) => (isGap(day) ? null : value)));
  return { dataset: { results: { byDate: { dates, metrics: [{ name: 'moisture', quantiles }] } } } };
}

/** How many pixels of the upper half an area covers, and no line, in each third of the width. The slider is below. */
async function coveredThirds(page: Page): Promise<number[]> {
  const picture = await drawnOn(page, '.response-chart');
  const counts = [0, 0, 0];
  for (const { x, y } of areaPixels(picture)) {
    const third = Math.floor((x / picture.width) * 3);
    if (y < picture.height / 2) counts[third] = (counts[third] ?? 0) + 1;
  }
  return counts;
}

describe('The area between quantiles', () => {
  inNewTab('ends where they have no values or no rows, also on a logarithmic axis', async ({ page }) => {
    await setOperation(page, threeQuantiles);
    for (const gap of ['values', 'rows'] as const) {
      await showData(page, quantilesWithGap(gap));
      for (const _ of ['value', 'logarithmic']) {
        const isCovered = async () => (await coveredThirds(page)).map((count) => count > 2000);
        await expect.poll(isCovered).toEqual([true, false, true]);
        await page.getByRole('button', { name: 'Logarithmic' }).click();
      }
    }
  });
});

/** The names and the values of the saved CSV at this date. */
const valuesAt = (csv: string, date: string) =>
  csv
    .split('\r\n')
    .map((line) => line.split(','))
    .filter((fields) => fields.includes(date))
    .map((fields) => [fields[1], Number(fields.at(-1))]);

describe('Quantiles', () => {
  inNewTab('are found under aliases, in fragments, and by variables', async ({ page }) => {
    const query = `query Aliases($most: [Float!]! = [0.9, 0.5], $median: [Float!]!) {
      weather: dataset(id: "${WEATHER}") { all: results { daily: byDate(metrics: ["wind"]) { days: dates ...Metrics } } }
    }
    fragment Metrics on AggregatesByDate {
      of: metrics { metric: name ... { least: quantiles(of: 0.25) } most: quantiles(of: $most) quantiles(of: $median) }
    }`;
    await setOperation(page, query, { median: 0.5 });
    const { data } = (await runOperation(page)) as { data: { weather: { all: { daily: Daily } } } };
    const { days, of } = data.weather.all.daily;
    const [day = ''] = days;
    const [{ least, most, quantiles }] = of;
    expect([least.length, most.length, quantiles[0]]).toEqual([1, 2, most[1]]);
    expect(valuesAt(await savedCsv(page), day)).toEqual([
      ["'25 %", least[0]?.[0]],
      ['median', most[1]?.[0]],
      ["'90 %", most[0]?.[0]],
    ]);
  });

  inNewTab('without dates are not drawn', async ({ page }) => {
    const query = `{ dataset(id: "${WEATHER}") { results { statistics { name quantiles(of: [0.1, 0.5]) } } } }`;
    await setOperation(page, query);
    await runOperation(page);
    await page.getByText('Nothing here can be drawn').waitFor();
  });
});

interface Daily {
  readonly days: readonly string[];
  readonly of: readonly [Readonly<Record<'least' | 'most' | 'quantiles', readonly (readonly number[])[]>>];
}
