import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { demoDatasetIds } from '../../simulator/src/demo-data.ts';
import { assetResult, DATASET_ID } from '../../test/support/harness.ts';
import { editorText, newPage, startDemo, untilReady, useChromium } from './browser.ts';
import {
  bothStations,
  hashOf,
  keyOf,
  onDatasetPage,
  openDemo,
  openSignedIn,
  readings,
  screen,
  soilOf,
  untilShown,
  WEATHER,
} from './dataset.ts';
import { drawnOn, OUTLIER, pixelsOf } from './pixels.ts';
import { placesOf, saved, savedTexts } from './response.ts';

useChromium();

/** The colours of about half and three quarters of a scale. */
const COLOURS = [
  [137, 134, 115],
  [190, 179, 95],
] as const;

/** The demo's generated dataset: 1,000 fields, three years, three metrics. */
const FIELDS = demoDatasetIds.fields;

const openTab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true }).click();

describe('The map of a dataset', () => {
  it('shows means by period with a slider and a table, and a place chooses its line', async () => {
    const { page, sent, problems } = await openDemo(WEATHER, '#metric=temp_max&from=2015-01-01&to=2015-12-31&show=map');
    await page.locator('.response-map canvas').waitFor();
    const timeRange = { start: '2015-01-01', stop: '2015-12-31' };
    expect(sent.filter(({ name }) => !['Metadata', 'Outline', 'MetricStatistics'].includes(name))).toEqual([
      { name: 'PeriodMap', variables: { id: WEATHER, metrics: ['temp_max'], timeRange, every: 'DAY' } },
    ]);
    await expect
      .poll(() => placesOf(page))
      .toEqual(['Asset|temp_max ▼|Date', 'New York (Central Park)|11.1|2015-12-31', 'Seattle-Tacoma|5.6|2015-12-31']);
    await page.getByRole('slider', { name: 'Time' }).press('Home');
    await expect.poll(() => placesOf(page)).toContain('Seattle-Tacoma|5.6|2015-01-01');
    await expect.poll(() => hashOf(page)).toMatch(/&show=map&at=2015-01-01$/);
    await page.reload();
    await expect.poll(() => placesOf(page)).toContain('Seattle-Tacoma|5.6|2015-01-01');
    await page.getByRole('button', { name: 'Show the line of Seattle-Tacoma' }).press('Enter');
    await untilShown(page);
    expect(hashOf(page)).toBe('#asset=seattle-tacoma&metric=temp_max&from=2015-01-01&to=2015-12-31&at=2015-01-01');
    expect(await keyOf(page)).toEqual(['Seattle-Tacoma']);
    await openTab(page, 'Map');
    await page.locator('.response-map').press('End');
    await page.keyboard.press('Enter');
    await untilShown(page);
    expect(await keyOf(page)).toEqual(['Seattle-Tacoma', 'New York (Central Park)']);
    expect(problems).toEqual([]);
  });

  onDatasetPage('says so where the assets have no coordinates', '#metric=wind', async ({ page }) => {
    await page.route('**/graphql', async (route) => {
      const text = await (await route.fetch()).text();
      await route.fulfill({ body: text.replaceAll(/"centroid":\{[^}]*\}/g, '"centroid":null') });
    });
    await openTab(page, 'Map');
    await page.getByText('The assets have no coordinates for a map.').waitFor();
    expect(await page.locator('.response-map').count()).toBe(0);
  });

  it('of 1,000 assets has dots of all colours, the stuck sensor on top, and a table that sorts and filters', async () => {
    const { page, problems } = await openDemo(FIELDS, '#metric=soil_moisture&show=map');
    await page.locator('.response-scale').waitFor();
    const countOf = async (colour: readonly [number, number, number]) =>
      pixelsOf(await drawnOn(page, '.response-map'), colour).length;
    // Half of a triangle, at least.
    await expect.poll(() => countOf(OUTLIER)).toBeGreaterThan(40);
    for (const colour of COLOURS) expect(await countOf(colour)).toBeGreaterThan(20);
    expect(await page.locator('.response-scale figcaption').innerText()).toMatch(
      /^1000 places have values from [\d.]+ to 97\.3\. ▲ 1 far above most\.$/,
    );
    expect(await page.locator('.response-ticks').innerText()).toMatch(/^12\.9\d+\n31\.\d+\n≥ 49\.3\d+$/);
    const rowsOf = async () => (await placesOf(page)).slice(0, 3).map((row) => row.split('|')[0]);
    expect((await placesOf(page))[1]).toMatch(/^Field 0417, west\|▲ 97\.3\|/);
    await page.getByRole('button', { name: 'Asset', exact: true }).click();
    await expect.poll(rowsOf).toEqual(['Asset ▲', 'Field 0001, north-west', 'Field 0002, north-west']);
    await page.getByRole('button', { name: 'Asset', exact: true }).press('Enter');
    await expect.poll(rowsOf).toEqual(['Asset ▼', 'Field 1000, south-east', 'Field 0999, south-east']);
    await page.getByRole('searchbox', { name: 'Filter places' }).fill('FIELD-0417');
    await expect.poll(rowsOf).toEqual(['Asset ▼', 'Field 0417, west']);
    await page.getByText('1 of 1000 places').waitFor();
    await page.getByRole('button', { name: 'Zoom in' }).click();
    const scale = page.locator('.response-scale-bar');
    await expect.poll(() => hashOf(page)).toMatch(/&area=[\d.]+\+[\d.]+\+[\d.]+&places=FIELD-0417&by=-asset$/);
    const length = await scale.innerText();
    await page.reload();
    await expect.poll(rowsOf).toEqual(['Asset ▼', 'Field 0417, west']);
    await expect.poll(() => scale.innerText()).toBe(length);
    await page.getByRole('button', { name: 'All places' }).click();
    await expect.poll(() => scale.innerText()).not.toBe(length);
    await expect.poll(() => hashOf(page)).not.toContain('area');
    expect(problems).toEqual([]);
  });

  it('of 1,000 assets with three years of three metrics takes less than 1 MB, compressed', async () => {
    const endpoint = await startDemo();
    const { page, problems } = await newPage(endpoint.origin, screen);
    const sending = page.waitForRequest((request) => /query PeriodMap/.test(request.postData() ?? ''));
    const metrics = ['ndvi', 'soil_moisture', 'surface_temperature'].map((name) => `metric=${name}`).join('&');
    await page.goto(new URL(`/datasets/${FIELDS}#${metrics}&show=map`, endpoint).href);
    const request = await sending;
    const body = request.postData() ?? '';
    expect(JSON.parse(body).variables.every).toBe('MONTH');
    expect(await page.getByRole('option', { name: 'day (too many values)' }).isDisabled()).toBe(true);
    // Chromium does not keep long responses for its inspector.
    const response = await fetch(endpoint, { method: 'POST', headers: await request.allHeaders(), body });
    const bytes = gzipSync(Buffer.from(await response.arrayBuffer())).length;
    process.stderr.write(`The map of 1,000 assets: ${Math.round(bytes / 1000)} kB compressed\n`);
    expect(bytes).toBeLessThan(1_000_000);
    expect(bytes).toBeGreaterThan(100_000);
    await page.locator('.response-scale').waitFor();
    expect(await page.locator('.response-map').getAttribute('aria-label')).toMatch(/^A map with 1000 places\./);
    expect(problems).toEqual([]);
  });
});

describe('The heat maps of a dataset', () => {
  it('have the period that is chosen, and say in a sentence which period and asset has the highest mean', async () => {
    const { page, sent, problems } = await openDemo(WEATHER, '#metric=temp_max&show=heat');
    const sentence = page.getByRole('list', { name: 'Highest and lowest values' }).getByRole('listitem');
    const newYork = 'New York (Central Park)';
    const highest: Record<string, string> = {
      date: '2013-07-18, 37.8',
      day: '2013-07-18, 37.8',
      week: 'week of 2013-07-15, 35.1714',
      month: 'July 2013, 30.2935',
      quarter: 'Q3 2015, 29.0174',
      year: '2012, 17.8795',
    };
    for (const [period, mean] of Object.entries(highest)) {
      await page.getByLabel('Period').selectOption(period);
      await expect
        .poll(() => sentence.innerText())
        .toContain(`temp_max Highest ${period === 'date' ? 'value' : 'mean'}: ${mean}, ${newYork}. Lowest `);
      expect(hashOf(page)).toBe(`#metric=temp_max&show=heat&every=${period}`);
    }
    await page.getByLabel('Period').selectOption('month');
    await expect.poll(() => sentence.innerText()).toMatch(/Lowest mean: February 2015, 0\.378571, New York/);
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await expect.poll(() => hashOf(page)).toMatch(/&every=month&zoom=2012-12-24&zoom=2014-12-09$/);
    await page.reload();
    await expect.poll(() => sentence.innerText()).toContain('Highest mean: July 2013');
    expect(sent.findLast(({ name }) => name === 'PeriodMap')?.variables.every).toBe('MONTH');
    const { texts } = await savedTexts(page);
    expect(['2012', '2013', '2014', '2015'].filter((year) => texts.includes(year))).toEqual(['2013', '2014']);
    await sentence.getByRole('button', { name: newYork }).first().press('Enter');
    await untilShown(page);
    expect(await keyOf(page)).toEqual([newYork]);
    expect(problems).toEqual([]);
  });

  it('have a row for each asset and a cell for each period, and a table of the same numbers', async () => {
    const { page, sent, problems } = await openDemo(WEATHER, '#metric=temp_max&show=heat');
    const chart = page.locator('.response-chart');
    await chart.locator('canvas').waitFor();
    const operation = { name: 'PeriodMap', variables: { id: WEATHER, metrics: ['temp_max'], every: 'WEEK' } };
    const label = /Heat maps: temp_max\. Rows: Seattle-Tacoma, New York \(Central Park\)\./;
    expect(await chart.getAttribute('aria-label')).toMatch(label);
    expect(new Set((await drawnOn(page, '.response-chart')).data).size).toBeGreaterThan(20);
    await page.locator('.dataset-values summary').click();
    const lines = (await saved(page, 'Save as CSV')).bytes.toString().split('\r\n');
    expect(lines).toHaveLength(1 + 2 * 210 + 1);
    expect(lines.slice(0, 2)).toEqual([
      'asset_id,asset_name,asset_version,value_date_utc,temp_max',
      'seattle-tacoma,Seattle-Tacoma,,2011-12-26,12.8',
    ]);
    // The map has the same response.
    await openTab(page, 'Map');
    await page.locator('.response-map canvas').waitFor();
    expect(sent.filter(({ name }) => name === 'PeriodMap')).toEqual([operation]);
    await page.getByRole('link', { name: 'Show query' }).click();
    await untilReady(page);
    expect(await editorText(page, 'operation.graphql')).toContain('query PeriodMap');
    expect(problems).toEqual([]);
  });
});

describe('The whole time of a dataset', () => {
  it('is a period of heat maps, maps and histograms', async () => {
    const { page, sent, problems } = await openDemo(WEATHER, '#metric=temp_max&show=heat');
    await page.getByLabel('Period').selectOption('whole time');
    const sentence = page.getByRole('list', { name: 'Highest and lowest values' }).getByRole('listitem');
    const [seattle, newYork] = ['Seattle-Tacoma', 'New York (Central Park)'];
    const text = `temp_max Highest mean: whole time, 17.0992, ${newYork}. Lowest mean: whole time, 16.4391, ${seattle}.`;
    await expect.poll(() => sentence.innerText()).toBe(text);
    expect(hashOf(page)).toBe('#metric=temp_max&show=heat&every=whole');
    await page.reload();
    await expect.poll(() => sentence.innerText()).toBe(text);
    // The lowest and the highest colour, each as wide as the chart.
    const rowAt = async (y: number) => [...(await colourWidths(page, y)).keys()];
    await expect.poll(() => rowAt(40)).toEqual(['0 32 76']);
    expect(await rowAt(80)).toEqual(['255 234 70']);
    await openTab(page, 'Map');
    await expect
      .poll(() => placesOf(page))
      .toEqual(['Asset|temp_max ▼|Date', `${newYork}|17.0992|whole time`, `${seattle}|16.4391|whole time`]);
    expect(await page.getByRole('slider', { name: 'Time' }).count()).toBe(0);
    await openTab(page, 'Histogram');
    expect(await readings(page, ['Home', 'End'])).toEqual(['16.42 to 16.44: 1 value', '17.08 to 17.1: 1 value']);
    expect(sent.filter(({ name }) => name === 'PeriodMap')).toHaveLength(3);
    expect(problems).toEqual([]);
  });
});

/** The colours of a line across the heat maps at a distance from the top, each with its width. A label has narrow ones. */
async function colourWidths(page: Page, y: number): Promise<Map<string, number>> {
  const { width, data } = await drawnOn(page, '.response-chart');
  const widths = new Map<string, number>();
  for (let offset = y * width * 4; offset < (y + 1) * width * 4; offset += 4) {
    const [red, green, blue, opacity] = data.subarray(offset);
    const colour = `${red} ${green} ${blue}`;
    if (opacity === 255) widths.set(colour, (widths.get(colour) ?? 0) + 1);
  }
  return new Map([...widths].filter(([, pixels]) => pixels > 20));
}

describe('The heat map of a dataset without dates in its metadata', () => {
  it('has a column for each date if there are few, as wide as the others', async () => {
    const metadata = { id: DATASET_ID, name: 'Hail' };
    const assets = Array.from({ length: 2000 }, (_, index) => ({
      ...assetResult(`field-${index}`),
      results: [5, 1, 3].map((damage, row) => ({
        value_date: ['2024-03-04', '2024-03-05', '2024-03-28'][row] ?? '',
        metrics: [{ name: 'damage', value: damage }],
      })),
    }));
    const { bed, page, sent, problems } = await openSignedIn([{ metadata, results: { assets } }], '#show=heat');
    await expect.poll(async () => (await colourWidths(page, 200)).size).toBe(3);
    const widths = [...(await colourWidths(page, 200)).values()];
    expect(Math.max(...widths) - Math.min(...widths)).toBeLessThan(3);
    expect(sent.map(({ name }) => name)).toEqual(['Metadata', 'Outline', 'PeriodMap', 'MetricStatistics']);
    expect(sent[2]?.variables).toEqual({ id: DATASET_ID, metrics: ['damage'], hasPeriods: false, hasDates: true });
    expect(bed.calls()).toHaveLength(4);
    expect(problems).toEqual([]);
  });
});

describe('The stuck sensor of the demo', () => {
  it('has a colour of its own in the heat map of a thousand fields', async () => {
    const { page, problems } = await openDemo(FIELDS, '#metric=soil_moisture&show=heat');
    await page.locator('.response-chart canvas').waitFor();
    const stuck = pixelsOf(await drawnOn(page, '.response-chart'), OUTLIER).filter(({ y }) => y > 28);
    // One row of two pixels, from May 2024 on.
    expect(new Set(stuck.map(({ y }) => y)).size).toBe(2);
    const xs = stuck.map(({ x }) => x);
    expect(new Set(xs).size).toBeGreaterThan(500);
    expect(Math.min(...xs)).toBeGreaterThan(500);
    expect((await savedTexts(page)).texts).toContain('up to 97.3');
    expect(problems).toEqual([]);
  });
});

describe('The histograms of a dataset', () => {
  it('have the shortest means that are not too many', async () => {
    const { page, sent, problems } = await openDemo(WEATHER, '#metric=temp_max&show=histogram');
    await page.locator('.response-chart[aria-roledescription=histogram] canvas').waitFor();
    const operation = {
      name: 'PeriodMap',
      variables: { id: WEATHER, metrics: ['temp_max'], hasPeriods: false, hasDates: true },
    };
    expect(sent.filter(({ name }) => name === 'PeriodMap')).toEqual([operation]);
    const bins = await readings(page, ['Home', ...Array.from({ length: 22 }, () => 'ArrowRight')]);
    expect([bins[0], bins.at(-1)]).toEqual([
      expect.stringMatching(/^-8 to -6: \d+ values$/),
      expect.stringMatching(/^36 to 38: \d+ values$/),
    ]);
    // Four years of two stations.
    const counts = bins.map((bin) => Number(/: (\d+) values?$/.exec(bin)?.[1]));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(2 * 1461);
    expect(problems).toEqual([]);
  });
});

describe('The tabs of a dataset', () => {
  /** A dataset with these dates. */
  const soilAt = (dates: readonly string[]) => {
    const { metadata, results } = soilOf();
    const assets = results.assets.map((asset) => ({
      ...asset,
      results: asset.results.map((result, row) => ({ ...result, value_date: dates[row] ?? '' })),
    }));
    return { metadata, results: { assets } };
  };
  const tabsOf = (page: Page) => page.getByRole('tablist', { name: 'Views' }).getByRole('tab').allInnerTexts();

  it('have a map of dates with a space before the time', async () => {
    const { page, problems } = await openSignedIn([
      soilAt(['2023-01-01 10:00', '2023-01-02 10:00', '2023-01-03 10:00']),
    ]);
    expect(await tabsOf(page)).toEqual(['Chart', 'Map', 'Heat map', 'Histogram', 'Table']);
    await openTab(page, 'Map');
    await expect.poll(() => placesOf(page)).toContain('Field asset-2|4.5|2023-01-03 10:00:00 UTC');
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(problems).toEqual([]);
  });

  it.each([
    { dates: ['01/02/2023', '02/02/2023', '03/02/2023'], fragment: '' },
    { dates: ['1672567200', '1672653600', '1672740000'], fragment: '#show=map' },
  ])('have no map of dates such as $dates.0, and say why', async ({ dates, fragment }) => {
    const { page, problems } = await openSignedIn([soilAt(dates)], fragment);
    await expect.poll(() => tabsOf(page)).toEqual(['Chart', 'Table']);
    await page.getByText('No map, heat map and histogram: the subgraph cannot read the dates of these rows.').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(hashOf(page)).toBe('');
    expect(problems).toEqual([]);
  });

  onDatasetPage(
    'are in the link, follow Back, and the chart and the table share a response',
    '#metric=wind&show=unknown',
    async ({ page, sent }) => {
      await page.getByRole('tab', { name: 'Chart', exact: true }).focus();
      await page.keyboard.press('End');
      expect(hashOf(page)).toBe('#metric=wind&show=table');
      await page.getByText('The values of the chart. “Export” has all rows.').waitFor();
      expect((await saved(page, 'Save as CSV')).bytes.toString()).toMatch(
        /^asset_id,.*,wind\r\nseattle-tacoma,.*2012-01-01,4\.7\r\n/,
      );
      await page.getByPlaceholder('name or id').fill('seattle');
      for (const sort of ['wind', '-wind']) {
        await page.getByRole('columnheader', { name: 'wind' }).getByRole('button').click();
        await expect.poll(() => hashOf(page)).toBe(`#metric=wind&show=table&rows=seattle&sort=${sort}`);
      }
      const first = page.getByRole('table', { name: 'Daily weather' }).getByRole('row').nth(1);
      await expect.poll(() => first.innerText()).toMatch(/^seattle-tacoma\s.*2012-12-17\s9\.5$/);
      await page.goto(page.url().replace('&show=table', ''));
      await untilShown(page);
      await page.goBack();
      await expect.poll(() => first.innerText()).toMatch(/^seattle-tacoma\s.*2012-12-17\s9\.5$/);
      await page.goBack();
      await untilShown(page);
      expect(await page.getByRole('tab', { selected: true }).innerText()).toBe('Chart');
      expect(sent.filter(({ name }) => name === 'ReducedColumns')).toEqual([
        { name: 'ReducedColumns', variables: { ...bothStations, metrics: ['wind'], points: 5000 } },
      ]);
    },
  );
});
