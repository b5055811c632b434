import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { copiedText, inNewTab, newPage, setEditorText, startDemo, untilReady, useChromium } from './browser.ts';
import { bothStations, watchOperations } from './dataset.ts';
import { nodeOf, openResponseTab, showData } from './response.ts';

useChromium();

const CO2 = 'b83e5a17-9d42-4c6f-8a21-0f7c3d9e6b54';

/** The part of the page's address that is the view of the response. */
function viewIn(page: Page): string[] {
  const parameters = new URLSearchParams(new URL(page.url()).hash.slice(1));
  return [...parameters].filter(([name]) => !['query', 'variables'].includes(name)).map((pair) => pair.join('='));
}

/** Opens GraphiQL with a link to the metrics of both weather stations, which nobody has run here. */
async function openLink(view = '') {
  const endpoint = await startDemo();
  const { page, problems } = await newPage(endpoint.origin);
  const query = await readFile(new URL('../../operations/Columns.graphql', import.meta.url), 'utf8');
  const text = new URLSearchParams({ query, variables: JSON.stringify(bothStations) });
  await page.goto(new URL(`/graphiql#${text}${view}`, endpoint).href);
  await untilReady(page);
  return { page, problems, endpoint };
}

const runQuery = (page: Page) => page.getByRole('button', { name: /^Execute query/ }).click();
const untilDrawn = (page: Page) => page.locator('.response-chart canvas').waitFor();
const button = (page: Page, name: string) => page.locator('.response').getByRole('button', { name, exact: true });
const pressed = (page: Page) => page.locator('.response [aria-pressed=true]').allInnerTexts();

describe('The view of a response', () => {
  it('is in the link: over a reload, and elsewhere when the query runs', async () => {
    const { page, problems, endpoint } = await openLink();
    await runQuery(page);
    await untilDrawn(page);
    const steps = await page.evaluate(() => history.length);
    for (const name of ['precipitation', 'wind', 'Logarithmic', 'New York (Central Park)', 'Zoom in'])
      await button(page, name).click();
    const view = [
      'axis=logarithmic',
      'from=2012-12-31',
      'to=2014-12-31',
      'metric=temp_max',
      'metric=temp_min',
      'hidden=New York (Central Park)',
    ];
    const shown = ['temp_max', 'temp_min', 'Logarithmic', 'Seattle-Tacoma'];
    await expect.poll(() => viewIn(page)).toEqual(view);
    expect(await page.evaluate(() => history.length)).toBe(steps);
    const url = page.url();
    await page.reload();
    await untilDrawn(page);
    expect(await pressed(page)).toEqual(shown);

    const { page: elsewhere } = await newPage(endpoint.origin);
    const sent = watchOperations(elsewhere);
    await elsewhere.goto(url);
    await untilReady(elsewhere);
    await elsewhere.getByText('Run the query to see its response here.').waitFor();
    expect(sent).toEqual([]);
    // A response without data has nothing that the view could fit.
    await elsewhere.getByLabel('Bearer token').fill('wrong');
    await runQuery(elsewhere);
    await elsewhere.getByText('UNAUTHENTICATED').first().waitFor();
    await elsewhere.getByLabel('Bearer token').fill('demo-token');
    await runQuery(elsewhere);
    await untilDrawn(elsewhere);
    expect(await pressed(elsewhere)).toEqual(shown);
    expect(sent).toHaveLength(2);
    await expect.poll(() => elsewhere.url()).toBe(url);
    // The chart is zoomed: the next step shows half of it.
    await button(elsewhere, 'Zoom in').click();
    await expect.poll(() => viewIn(elsewhere)).toContain('from=2013-07-01T12:00Z');
    expect(viewIn(elsewhere)).toContain('to=2014-07-01T12:00Z');
    expect(problems).toEqual([]);
  });

  it('has what the table, the map, the text and the kind of the charts show', async () => {
    const { page, problems } = await openLink();
    await runQuery(page);
    await button(page, 'Heat map').click();
    await openResponseTab(page, 'Table');
    await page.getByLabel('Filter assets').fill('seattle');
    const column = page.getByRole('columnheader', { name: 'temp_max' });
    for (let clicks = 0; clicks < 2; clicks++) await column.getByRole('button').click();
    await openResponseTab(page, 'JSON');
    await button(page, 'As received').click();
    await openResponseTab(page, 'Map');
    await page.getByLabel('Colour by').selectOption('wind');
    await page.locator('.response-slider').fill('100');
    await expect
      .poll(() => viewIn(page))
      .toEqual([
        'show=map',
        'chart=heat',
        'colour=wind',
        'at=2012-04-10',
        'rows=seattle',
        'sort=-temp_max',
        'json=raw',
      ]);
    await page.reload();
    await untilReady(page);
    await page.locator('.response-map canvas').waitFor();
    expect(await page.locator('.response-slider + output').innerText()).toBe('2012-04-10');
    expect(await page.getByLabel('Colour by').locator('option:checked').innerText()).toBe('wind');
    await openResponseTab(page, 'Table');
    expect(await column.getAttribute('aria-sort')).toBe('descending');
    await expect.poll(() => page.locator('.response-count').innerText()).toBe('1461 of 2922 rows');
    await openResponseTab(page, 'JSON');
    expect(await pressed(page)).toEqual(['As received']);
    await openResponseTab(page, 'Chart');
    expect(await page.locator('.response-chart').getAttribute('aria-roledescription')).toBe('heat map');
    expect(problems).toEqual([]);
  });

  it('loses what is unknown in a link, and what does not fit the next response', async () => {
    const { page, problems } = await openLink(
      '&show=all&nth=9&chart=pie&axis=1&from=then&to=&metric=rain&lines=none&line=Boston&filter=B%20&colour=rain' +
        '&at=never&rows=Boston&sort=rain&json=1&token=x',
    );
    const all = ['precipitation', 'temp_max', 'temp_min', 'wind'];
    await runQuery(page);
    await untilDrawn(page);
    expect(await pressed(page)).toEqual([...all, 'Seattle-Tacoma', 'New York (Central Park)']);
    await expect.poll(() => viewIn(page)).toEqual([]);
    for (const name of ['wind', 'Only Seattle-Tacoma', 'Zoom in']) await button(page, name).click();
    const time = ['from=2012-12-31', 'to=2014-12-31'];
    const metrics = ['metric=precipitation', 'metric=temp_max', 'metric=temp_min'];
    await expect.poll(() => viewIn(page)).toEqual([...time, ...metrics, 'lines=none', 'line=Seattle-Tacoma']);
    // The other dataset has the same days, but other metrics and assets.
    await setEditorText(page, 'variables.json', JSON.stringify({ id: CO2 }));
    await runQuery(page);
    await button(page, 'co2').waitFor();
    expect(await pressed(page)).toEqual(['co2', 'co2_adjusted', 'Mauna Loa Observatory']);
    await expect.poll(() => viewIn(page)).toEqual(time);
    expect(problems).toEqual([]);
  });

  inNewTab('names a few of many hidden lines, and says so', async ({ page }) => {
    const dates = ['2024-01-01', '2024-01-02'];
    const nodes = Array.from({ length: 120 }, (_, asset) => nodeOf(`Field ${asset}`, dates, [asset, 1]));
    await showData(page, { dataset: { nodes } });
    await button(page, 'Histogram').click();
    await button(page, 'All').click();
    const count = () => page.locator('.response-count').innerText();
    await expect.poll(count).toBe('100 of 120');
    await page.evaluate(async () => {
      for (let clicks = 0; clicks < 60; clicks++) {
        document.querySelector<HTMLElement>('ul[aria-label=Lines] [aria-pressed=true]')?.click();
        await new Promise(requestAnimationFrame);
      }
    });
    await expect.poll(count).toBe('40 of 120');
    const hidden = Array.from({ length: 50 }, (_, asset) => `hidden=Field ${asset}`);
    await expect.poll(() => viewIn(page)).toEqual(['chart=lines', 'lines=all', ...hidden]);
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByText('Copied. The link has no token. It names only the first 50 lines or metrics.').waitFor();
    expect(await copiedText(page)).toBe(page.url());
  });
});
