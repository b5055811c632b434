import { describe, expect, it } from 'vitest';
import { DATASET_ID } from '../../test/support/harness.ts';
import { editorText, newPage, shownResponse, startDemo, untilReady, useChromium } from './browser.ts';
import {
  bothStations,
  openDemo,
  openSignedIn,
  screen,
  translucentPixels,
  untilShown,
  WEATHER,
  watchOperations,
} from './dataset.ts';
import { saved } from './response.ts';

useChromium();

const CO2 = 'Mauna Loa CO2';

describe('The page of a dataset', () => {
  it('is one click from the start page: a chart with its dates on the first screen', async () => {
    const endpoint = await startDemo();
    const { page, problems } = await newPage(endpoint.origin, screen);
    const sent = watchOperations(page);
    await page.goto(new URL('/', endpoint).href);
    await page.getByRole('link', { name: 'Daily weather, Seattle and New York' }).click();
    await untilShown(page);
    expect(await page.title()).toBe('Daily weather, Seattle and New York – dataset-subgraph');
    expect(await page.locator('.dataset-days').innerText()).toBe('2012-01-01 to 2015-12-31');
    // Each of the four charts has a heading of 28 pixels, 120 pixels of lines, and 28 pixels of dates.
    const box = await page.locator('.response-canvas').boundingBox();
    expect(box?.height).toBe(4 * (28 + 120 + 28) + 32);
    expect((box?.y ?? 0) + 2 * (28 + 120 + 28)).toBeLessThanOrEqual(720);
    await page.getByRole('rowheader', { name: 'wind' }).waitFor();
    const cost = await page.locator('.dataset-cost').innerText();
    expect(cost).toMatch(/^[\d.]+ kB in [\d.]+ m?s\s+\d REST calls?, [\d.]+ [kM]B, [\d.]+ m?s$/);
    expect(sent.toSorted((a, b) => a.name.localeCompare(b.name))).toEqual([
      { name: 'MetricStatistics', variables: { id: WEATHER } },
      { name: 'Outline', variables: { id: WEATHER } },
      {
        name: 'ReducedColumns',
        variables: { ...bothStations, metrics: ['precipitation', 'temp_max', 'temp_min', 'wind'], points: 5000 },
      },
    ]);
    expect(problems).toEqual([]);
  });

  it('shows its statistics in plain numbers, and what it is', async () => {
    const { page } = await openDemo();
    const row = page.getByRole('row', { name: /^temp_max/ });
    await row.waitFor();
    expect(await row.locator('th, td').allInnerTexts()).toEqual([
      'temp_max',
      // A field for the unit.
      '',
      '2,922',
      '100 %',
      '16.769',
      '8.6431',
      '-7.7',
      '2014-01-22\nNew York (Central Park)',
      '37.8',
      '2013-07-18\nNew York (Central Park)',
    ]);
    expect(await page.locator('.dataset-about').innerText()).toMatch(/two stations\.\s+Source: NOAA Climate Data/);
  });

  it('has its whole view in its link, over a reload and elsewhere', async () => {
    const { page, problems, endpoint } = await openDemo();
    await untilShown(page);
    await page.locator('summary', { hasText: 'Metrics' }).click();
    await page.getByRole('checkbox', { name: 'temp_min' }).uncheck();
    await page.getByRole('checkbox', { name: 'precipitation' }).uncheck();
    await page.locator('summary', { hasText: 'Assets' }).click();
    await page.getByRole('checkbox', { name: 'Seattle-Tacoma' }).uncheck();
    await page.keyboard.press('Escape');
    await page.getByLabel('Time', { exact: true }).selectOption('Last 30 days');
    await page.getByRole('checkbox', { name: 'Quantiles of all assets' }).check();
    const fragment = '#asset=new-york-central-park&metric=temp_max&metric=wind&range=last-30-days&as=quantiles';
    expect(page.url()).toBe(new URL(`/datasets/${WEATHER}${fragment}`, endpoint).href);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByText('Copied. The link has no token.').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(page.url());
    const expected = {
      name: 'ByDateWithAssets',
      variables: {
        id: WEATHER,
        assetIds: ['new-york-central-park'],
        metrics: ['temp_max', 'wind'],
        timeRange: { start: '2015-12-02', stop: '2015-12-31' },
        quantiles: [0.1, 0.5, 0.9],
        points: 5000,
      },
    };
    const reloaded = watchOperations(page);
    await page.reload();
    await untilShown(page);
    expect(reloaded).toContainEqual(expected);
    const { page: elsewhere, sent } = await openDemo(WEATHER, fragment);
    await untilShown(elsewhere);
    expect(sent).toContainEqual(expected);
    expect(await elsewhere.getByLabel('Time', { exact: true }).inputValue()).toBe('last-30-days');
    expect(await elsewhere.locator('.dataset-key').innerText()).toBe(
      'All assets: median, and the area from 10 % to 90 %\nNew York (Central Park)',
    );
    expect(problems).toEqual([]);
  });

  it('reads a short range whole, and says what is wrong with a range', async () => {
    const { page, sent } = await openDemo(WEATHER, '#from=2015-07-01&to=2015-07-07&metric=temp_max');
    await untilShown(page);
    expect(sent).toContainEqual({
      name: 'Columns',
      variables: {
        ...bothStations,
        metrics: ['temp_max'],
        timeRange: { start: '2015-07-01', stop: '2015-07-07' },
      },
    });
    await page.getByRole('tab', { name: 'Table' }).click();
    const csv = (await saved(page, 'Save as CSV')).bytes.toString();
    expect(csv.split('\r\n')).toHaveLength(1 + 2 * 7 + 1);
    await page.getByLabel('From').fill('2015-07-08');
    await page.getByText('The first day must not be after the last day.').waitFor();
    expect(await page.getByRole('button', { name: 'Apply' }).isDisabled()).toBe(true);
  });

  it('makes the days of a zoom the range', async () => {
    const { page, sent } = await openDemo();
    await untilShown(page);
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await page.getByRole('button', { name: 'Show only 2012-12-31 to 2014-12-31' }).click();
    await expect.poll(() => new URL(page.url()).hash).toBe('#from=2012-12-31&to=2014-12-31');
    const timeRange = { start: '2012-12-31', stop: '2014-12-31' };
    await expect.poll(() => sent.map(({ variables }) => variables.timeRange)).toContainEqual(timeRange);
  });

  it('is left and entered again with Back and Forward, view by view', async () => {
    const { page, endpoint } = await openDemo();
    await untilShown(page);
    await page.getByLabel('Time', { exact: true }).selectOption('Last year');
    await page.getByLabel('Time', { exact: true }).selectOption('Last 30 days');
    await page.getByRole('link', { name: 'dataset-subgraph' }).click();
    await page.getByRole('link', { name: CO2 }).click();
    await expect.poll(() => page.title()).toBe(`${CO2} – dataset-subgraph`);
    await page.goBack();
    expect(page.url()).toBe(new URL('/', endpoint).href);
    await page.goBack();
    await untilShown(page);
    expect(await page.title()).toMatch(/^Daily weather/);
    const time = () => page.getByLabel('Time', { exact: true }).inputValue();
    expect(await time()).toBe('last-30-days');
    await page.goBack();
    await expect.poll(time).toBe('last-year');
    await page.goBack();
    await expect.poll(time).toBe('all');
    await page.goForward();
    await expect.poll(time).toBe('last-year');
  });

  it('opens GraphiQL with the operation that is on the screen, and its response', async () => {
    const { page, problems, sent } = await openDemo(WEATHER, '#metric=wind');
    await untilShown(page);
    await page.getByRole('link', { name: 'Show query' }).click();
    await untilReady(page);
    const variables = { ...bothStations, metrics: ['wind'], points: 5000 };
    expect(await editorText(page, 'operation.graphql')).toContain('query ReducedColumns');
    expect(JSON.parse(await editorText(page, 'variables.json'))).toEqual(variables);
    expect(JSON.stringify(await shownResponse(page))).toContain('"wind"');
    expect(sent.filter(({ name }) => name === 'ReducedColumns')).toEqual([
      { name: 'ReducedColumns', variables },
      { name: 'ReducedColumns', variables },
    ]);
    await page.goBack();
    await untilShown(page);
    expect(new URL(page.url()).hash).toBe('#metric=wind');
    expect(problems).toEqual([]);
  });

  it('says what to do with a dataset that is only a file, and with an empty choice', async () => {
    const { page } = await openDemo();
    await untilShown(page);
    await page.locator('summary', { hasText: 'Metrics' }).click();
    await page.getByRole('button', { name: 'None' }).click();
    await page.getByText('No metric is chosen. Choose one above.').waitFor();
    expect(await page.locator('.response-chart').count()).toBe(0);
    await page.goto(new URL('/', page.url()).href);
    await page.getByRole('link', { name: 'Earthquakes of one week' }).click();
    await page.getByRole('link', { name: 'GraphiQL' }).click();
    await untilReady(page);
    expect(await editorText(page, 'operation.graphql')).toContain('query Download');
  });
});

describe('The page of a dataset with many assets', () => {
  it('asks for quantiles, and for the lines of the chosen assets', async () => {
    const { page, sent, bed, problems } = await openSignedIn(30);
    const variables = {
      id: DATASET_ID,
      assetIds: [],
      metrics: ['moisture', 'temperature'],
      quantiles: [0.1, 0.5, 0.9],
      points: 5000,
    };
    expect(sent.filter(({ name }) => name === 'ByDateWithAssets')).toEqual([{ name: 'ByDateWithAssets', variables }]);
    // The metadata once, and the results for the outline, the quantiles and the statistics.
    await page.getByRole('rowheader', { name: 'moisture' }).waitFor();
    expect(
      bed
        .calls()
        .map((call) => call.split(' ')[0])
        .toSorted(),
    ).toEqual(['GET', 'POST', 'POST', 'POST']);
    await page.locator('summary', { hasText: 'Assets' }).click();
    await page.getByLabel('Filter assets').fill('asset-2');
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await expect.poll(() => sent.at(-1)?.variables.assetIds).toHaveLength(11);
    await untilShown(page);
    expect(await page.locator('.dataset-key li').allInnerTexts()).toEqual([
      'All assets: median, and the area from 10 % to 90 %',
      'Field asset-2',
      ...Array.from({ length: 10 }, (_, index) => `Field asset-2${index}`),
    ]);
    expect(await translucentPixels(page)).toBeGreaterThan(50_000);
    await page.keyboard.press('Escape');
    await page.getByRole('tab', { name: 'Table' }).click();
    const csv = (await saved(page, 'Save as CSV')).bytes.toString();
    expect(csv).toMatch(/^,'10 %,,2024-01-02,4\.4,0\.40*\d*\r\n,'10 %,,2024-01-03,/m);
    expect(csv).toContain(',median,,2024-01-02,16,12\r\n');
    expect(csv).toContain('asset-29,Field asset-29,,2024-01-03,31.5,25.5\r\n');
    expect(problems).toEqual([]);
  });
});
