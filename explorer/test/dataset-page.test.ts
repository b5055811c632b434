import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { DATASET_ID } from '../../test/support/harness.ts';
import { copiedText, newPage, startDemo, useChromium } from './browser.ts';
import {
  bothStations,
  hashOf,
  keyOf,
  onDatasetPage,
  openDemo,
  openSignedIn,
  screen,
  soilOf,
  untilShown,
  WEATHER,
  watchOperations,
} from './dataset.ts';
import { areaPixels, drawnOn } from './pixels.ts';
import { saved, savedCsv, savedTexts } from './response.ts';

useChromium();

describe('The page of a dataset', () => {
  it('is one click from the start page: a chart with its dates on the first screen, statistics, and what it is', async () => {
    const endpoint = await startDemo();
    const { page, problems } = await newPage(endpoint.origin, screen);
    const sent = watchOperations(page);
    await page.goto(new URL('/', endpoint).href);
    await page.getByRole('link', { name: 'Daily weather, Seattle and New York' }).click();
    await untilShown(page);
    expect(await page.title()).toBe('Daily weather, Seattle and New York – dataset-subgraph');
    expect((await page.locator('.dataset-facts').innerText()).split(/\n+/)).toEqual([
      ...['Assets', '2', 'Metrics', '4', 'Days', '1,461'],
      ...['Time', '2012-01-01 to 2015-12-31'],
    ]);
    // Each of the four charts has a heading of 28 pixels, 120 pixels of lines, and 28 pixels of dates.
    const box = await page.locator('.response-canvas').boundingBox();
    expect(box?.height).toBe(4 * (28 + 120 + 28) + 32);
    expect((box?.y ?? 0) + 2 * (28 + 120 + 28)).toBeLessThanOrEqual(720);
    const row = page.getByRole('row', { name: /^temp_max/ });
    await row.waitFor();
    expect(await row.locator('th, td').allInnerTexts()).toEqual([
      'temp_max',
      // A field for the unit.
      '',
      '2,922',
      '100 %\n2,922 of 2 × 1,461 dates',
      '16.769',
      '8.6431',
      '-7.7',
      '2014-01-22\nNew York (Central Park)',
      '37.8',
      '2013-07-18\nNew York (Central Park)',
    ]);
    expect(await page.locator('.dataset-about').innerText()).toMatch(/two stations\.\s+Source: NOAA Climate Data/);
    const cost = await page.locator('.dataset-cost').innerText();
    expect(cost).toMatch(/^[\d.]+ kB in [\d.]+ m?s\s+\d REST calls?, [\d.]+ [kM]B, [\d.]+ m?s$/);
    const metrics = ['precipitation', 'temp_max', 'temp_min', 'wind'];
    expect(sent.toSorted((a, b) => a.name.localeCompare(b.name))).toEqual([
      { name: 'Metadata', variables: { id: WEATHER } },
      { name: 'MetricStatistics', variables: { ...bothStations, metrics, hasDates: true } },
      { name: 'Outline', variables: { id: WEATHER } },
      { name: 'ReducedColumns', variables: { ...bothStations, metrics, points: 5000 } },
    ]);
    expect(problems).toEqual([]);
  });

  onDatasetPage('has its whole view in its link, over a reload and elsewhere', '', async ({ page, endpoint }) => {
    await page.locator('summary', { hasText: 'Metrics' }).click();
    for (const name of ['temp_min', 'precipitation']) await page.getByRole('checkbox', { name }).uncheck();
    await page.locator('summary', { hasText: 'Assets' }).click();
    await page.getByRole('checkbox', { name: 'Seattle-Tacoma' }).uncheck();
    await page.keyboard.press('Escape');
    await page.getByLabel('Time', { exact: true }).selectOption('Last 30 days');
    await page.getByRole('checkbox', { name: 'Quantiles of all assets' }).check();
    const fragment = '#asset=new-york-central-park&metric=temp_max&metric=wind&range=last-30-days&as=quantiles';
    expect(page.url()).toBe(new URL(`/datasets/${WEATHER}${fragment}`, endpoint).href);
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByText('Copied. The link has no token.').waitFor();
    expect(await copiedText(page)).toBe(page.url());
    const variables = {
      id: WEATHER,
      assetIds: ['new-york-central-park'],
      metrics: ['temp_max', 'wind'],
      timeRange: { start: '2015-12-02', stop: '2015-12-31' },
      quantiles: [0.1, 0.5, 0.9],
      points: 5000,
    };
    const reloaded = watchOperations(page);
    await page.reload();
    await untilShown(page);
    expect(reloaded).toContainEqual({ name: 'ByDateWithAssets', variables });
    const { page: elsewhere, sent } = await openDemo(WEATHER, fragment);
    await untilShown(elsewhere);
    expect(sent).toContainEqual({ name: 'ByDateWithAssets', variables });
    expect(await elsewhere.getByLabel('Time', { exact: true }).inputValue()).toBe('last-30-days');
    expect(await keyOf(elsewhere)).toEqual([
      'All assets: median, and the area from 10 % to 90 %',
      'New York (Central Park)',
    ]);
  });

  onDatasetPage(
    'reads a short range whole, and says what is wrong with a range',
    '#from=2015-07-01&to=2015-07-07&metric=temp_max',
    async ({ page, sent }) => {
      const timeRange = { start: '2015-07-01', stop: '2015-07-07' };
      expect(sent).toContainEqual({
        name: 'Columns',
        variables: { ...bothStations, metrics: ['temp_max'], timeRange },
      });
      expect((await savedCsv(page)).split('\r\n')).toHaveLength(1 + 2 * 7 + 1);
      await page.getByLabel('From').fill('2015-07-08');
      await page.getByText('The first day must not be after the last day.').waitFor();
      expect(await page.getByRole('button', { name: 'Apply' }).isDisabled()).toBe(true);
    },
  );

  onDatasetPage('makes the days of a zoom the range', '', async ({ page, sent }) => {
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await expect.poll(() => hashOf(page)).toBe('#zoom=2012-12-31&zoom=2014-12-31');
    // The zoom is in the link, and reads nothing again.
    expect(sent.filter(({ name }) => name === 'ReducedColumns')).toHaveLength(1);
    await page.reload();
    await untilShown(page);
    const { texts } = await savedTexts(page);
    expect(['2012', '2013', '2014', '2015'].filter((year) => texts.includes(year))).toEqual(['2013', '2014']);
    await page.getByRole('button', { name: 'Show only 2012-12-31 to 2014-12-31' }).click();
    await expect.poll(() => hashOf(page)).toBe('#from=2012-12-31&to=2014-12-31');
    const timeRange = { start: '2012-12-31', stop: '2014-12-31' };
    await expect.poll(() => sent.map(({ variables }) => variables.timeRange)).toContainEqual(timeRange);
  });

  onDatasetPage('filters the list of assets by name and category, in its link, too', '', async ({ page }) => {
    const list = page.locator('summary', { hasText: 'Assets' });
    const names = () => page.getByRole('list', { name: 'Assets' }).getByRole('checkbox').count();
    await list.click();
    const category = page.getByLabel('Category of assets');
    expect(await category.locator('option').allInnerTexts()).toEqual([
      'All categories',
      'airport',
      'park',
      'weather station',
    ]);
    await category.selectOption('weather station');
    expect(await names()).toBe(2);
    await page.getByLabel('Filter assets').fill('york');
    await page.getByText('1 of 2 shown').waitFor();
    expect(hashOf(page)).toBe('#filter=york&category=weather+station');
    await page.reload();
    await untilShown(page);
    await list.click();
    await page.getByText('1 of 2 shown').waitFor();
    await category.selectOption('airport');
    await page.getByText('0 of 2 shown').waitFor();
    await page.getByLabel('Filter assets').fill('');
    await page.getByText('1 of 2 shown').waitFor();
    await page.getByRole('button', { name: 'None' }).click();
    await expect.poll(() => hashOf(page)).toBe('#asset=new-york-central-park&category=airport');
  });

  onDatasetPage('is left and entered again with Back and Forward, view by view', '', async ({ page, endpoint }) => {
    const time = page.getByLabel('Time', { exact: true });
    await time.selectOption('Last year');
    await time.selectOption('Last 30 days');
    await page.getByRole('link', { name: 'dataset-subgraph' }).click();
    await page.getByRole('link', { name: 'Mauna Loa CO2' }).click();
    await expect.poll(() => page.title()).toBe('Mauna Loa CO2 – dataset-subgraph');
    await page.goBack();
    expect(page.url()).toBe(new URL('/', endpoint).href);
    await page.goBack();
    await untilShown(page);
    expect(await page.title()).toMatch(/^Daily weather/);
    expect(await time.inputValue()).toBe('last-30-days');
    await page.goBack();
    await expect.poll(() => time.inputValue()).toBe('last-year');
    await page.goBack();
    await expect.poll(() => time.inputValue()).toBe('all');
    await page.goForward();
    await expect.poll(() => time.inputValue()).toBe('last-year');
  });

  onDatasetPage('says what to do with an empty choice, and with a dataset that is a file', '', async ({ page }) => {
    await page.locator('summary', { hasText: 'Metrics' }).click();
    await page.getByRole('button', { name: 'None' }).click();
    await page.getByText('No metric is chosen. Choose one above.').waitFor();
    expect(await page.locator('.response-chart').count()).toBe(0);
    await page.goto(new URL('/', page.url()).href);
    await page.getByRole('link', { name: 'Earthquakes of one week' }).click();
    await page.getByText('This dataset has no values to draw. A static dataset is a file.').waitFor();
    const { name, bytes } = await saved(page, 'Download the file');
    expect(name).toBe('earthquakes.geojson');
    expect(bytes.equals(await readFile('simulator/demo-data/earthquakes.json'))).toBe(true);
    await page.getByText('The download has started.').waitFor();
  });

  it('loads at most 450 kB, compressed, and no GraphiQL', async () => {
    const endpoint = await startDemo();
    const { page } = await newPage(endpoint.origin, { ...screen, isAlone: true });
    const paths = new Map<string, string>();
    let bytes = 0;
    const session = await page.context().newCDPSession(page);
    await session.send('Network.enable');
    session.on('Network.requestWillBeSent', ({ requestId, request: { url } }) => {
      const { pathname, protocol } = new URL(url);
      if (pathname !== '/graphql' && protocol === 'http:') paths.set(requestId, pathname);
    });
    session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      if (paths.has(requestId)) bytes += encodedDataLength;
    });
    await page.goto(new URL(`/datasets/${WEATHER}`, endpoint).href);
    await untilShown(page);
    await page.waitForLoadState('networkidle');
    process.stderr.write(`The page of a dataset: ${Math.round(bytes / 1000)} kB on the wire\n`);
    expect(bytes).toBeLessThanOrEqual(450_000);
    expect(bytes).toBeGreaterThan(150_000);
    expect([...paths.values()].filter((path) => /monaco|editor|graphql/i.test(path))).toEqual([]);
  });

  it('asks for quantiles of many assets, and for the lines of the chosen ones', async () => {
    const { page, sent, bed, problems } = await openSignedIn([soilOf(30)]);
    const quantiles = { metrics: ['moisture', 'temperature'], quantiles: [0.1, 0.5, 0.9] };
    expect(sent).toContainEqual({ name: 'QuantilesByDate', variables: { id: DATASET_ID, ...quantiles } });
    // The metadata once, and the results for the outline, the quantiles and the statistics.
    await page.getByRole('rowheader', { name: 'moisture' }).waitFor();
    const methods = bed.calls().map((call) => call.split(' ')[0]);
    expect(methods.toSorted()).toEqual(['GET', 'POST', 'POST', 'POST']);
    await page.locator('summary', { hasText: 'Assets' }).click();
    await page.getByLabel('Filter assets').fill('asset-2');
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await expect.poll(() => sent.at(-1)?.variables.assetIds).toHaveLength(11);
    await untilShown(page);
    expect(await keyOf(page)).toEqual([
      'All assets: median, and the area from 10 % to 90 %',
      'Field asset-2',
      ...Array.from({ length: 10 }, (_, index) => `Field asset-2${index}`),
    ]);
    expect(areaPixels(await drawnOn(page, '.response-chart')).length).toBeGreaterThan(50_000);
    await page.keyboard.press('Escape');
    const csv = await savedCsv(page);
    expect(csv).toMatch(/^,'10 %,,2024-01-02,4\.4,0\.40*\d*\r\n,'10 %,,2024-01-03,/m);
    expect(csv).toContain(',median,,2024-01-02,16,12\r\n');
    expect(csv).toContain('asset-29,Field asset-29,,2024-01-03,31.5,25.5\r\n');
    expect(problems).toEqual([]);
  });
});
