import { describe, expect, it } from 'vitest';
import { inBrowser, openExplorer, openTab, runOperation, useChromium } from './browser.ts';
import { drawnOn, FIRST, pixelsOf } from './pixels.ts';
import { plotData, plotTemperatures, pointAtMark, saved } from './plot.ts';

useChromium();

describe('What is drawn, whatever it is called', () => {
  const place = { latitude: 1, longitude: 2 };

  it.each<[string, unknown, string[]]>([
    [
      'columns and their parts under other names',
      { d: { name: 'D', s: { a: { name: 'A' }, c: { when: ['2015', null], m: [{ n: 'p', v: [1.5, -2] }] } } } },
      ['dataset,asset,date,p', 'D,A,2015,1.5', 'D,A,,-2'],
    ],
    [
      'rows with their metrics, the first of which counts',
      {
        d: {
          name: 'D',
          results: [
            {
              valueDate: 'w1',
              metrics: [
                { name: 'p', value: 1 },
                { name: 'p', value: 9 },
              ],
            },
            { valueDate: 'w2', metrics: [{ name: 'q', value: null }] },
          ],
        },
      },
      ['dataset,asset,date,p,q', 'D,,w1,1,', 'D,,w2,,'],
    ],
    [
      'rows with single values, of an asset around them',
      {
        d: {
          name: 'D',
          asset: { name: 'A', centroid: place, series: { rows: [{ valueDate: 'w1', low: 1, high: null }] } },
        },
      },
      ['dataset,asset,date,low,high', 'D,A,w1,1,'],
    ],
    [
      'several assets in a list, with a value beside each date',
      {
        d: {
          name: 'D',
          nodes: [
            { asset: { assetId: 'a' }, results: [{ valueDate: 'w1', value: 1 }] },
            { asset: { assetId: 'b' }, results: [{ valueDate: 'w1', value: 2 }] },
          ],
        },
      },
      ['dataset,asset,date,value', 'D,a,w1,1', 'D,b,w1,2'],
    ],
    [
      'columns without dates, of a dataset without a name',
      { mine: { columns: { metrics: [{ name: 'p', values: [1, 2] }] } } },
      ['dataset,asset,date,p', 'mine,,1,1', 'mine,,2,2'],
    ],
    [
      'texts that a spreadsheet would take for formulas, but not numbers',
      {
        d: {
          name: '=1+1',
          s: {
            asset: { name: '@a, "b"' },
            columns: { valueDates: ['-1', '+1', '\t1'], metrics: [{ name: '-m', values: [-1, 0.5, 1e21] }] },
          },
        },
      },
      [
        "dataset,asset,date,'-m",
        `'=1+1,"'@a, ""b""",'-1,-1`,
        `'=1+1,"'@a, ""b""",'+1,0.5`,
        `'=1+1,"'@a, ""b""",'\t1,1e+21`,
      ],
    ],
  ])('%s', async (_what, data, lines) => {
    const { page, problems } = await openExplorer();
    await plotData(page, data);
    await page.locator('.plot-chart canvas').waitFor();
    const { bytes } = await saved(page, 'Save as CSV');
    expect(bytes.toString()).toBe([...lines, ''].join('\r\n'));
    expect(problems).toEqual([]);
  });

  inBrowser('but nothing else', async ({ page }) => {
    await plotData(page, {
      dataset: {
        name: 'D',
        processing: { id: 'p', name: 'P' },
        assets: [{ name: 'A', surfaceAreaM2: 5, categories: ['field'] }],
        download: { method: 'GET', requiredHeaders: ['Authorization: Bearer <ACCESS_TOKEN>'] },
      },
    });
    await expect.poll(() => page.locator('.plot').innerText()).toContain('This response has nothing to plot.');
  });
});

describe('The map', () => {
  inBrowser('shows where the assets are, with their names, on the coasts', async ({ page }) => {
    await openTab(page, 'Rows');
    await runOperation(page);
    const map = page.locator('.plot-map [role=img]');
    await map.waitFor();
    await expect.poll(async () => pixelsOf(await drawnOn(page, '.plot-map'), FIRST).length).toBeGreaterThan(50);
    expect(await map.getAttribute('aria-label')).toBe(
      'A map with Seattle-Tacoma at 47.449, -122.309; New York (Central Park) at 40.779, -73.969',
    );
    const picture = await drawnOn(page, '.plot-map');
    const marks = pixelsOf(picture, FIRST).map(({ x }) => x / picture.width);
    // One mark in the west, one in the east, and land between them.
    expect(marks.filter((x) => x < 0.4).length).toBeGreaterThan(20);
    expect(marks.filter((x) => x > 0.6).length).toBeGreaterThan(20);
    expect(pixelsOf(picture, [0xe3, 0xe7, 0xee]).length).toBeGreaterThan((picture.width * picture.height) / 4);
  });

  inBrowser('shows a name under the pointer', async ({ page }) => {
    await plotTemperatures(page);
    await pointAtMark(page);
    await expect.poll(() => page.locator('.plot-map .plot-tip').innerText()).toBe('Seattle-Tacoma 47.449, -122.309');
  });
});

describe('A file', () => {
  inBrowser('of this server is offered as a link, and no other', async ({ page, endpoint }) => {
    const url = new URL('/download/a-ticket', endpoint).href;
    await plotData(page, {
      dataset: { name: 'Earthquakes', download: { url } },
      other: { name: 'Another', download: { url: 'https://evil.example/download/a-ticket' } },
      script: { name: 'Script', download: { url: 'javascript:alert(1)//download/' } },
    });
    const links = page.locator('.plot a');
    await links.first().waitFor();
    expect(
      await links.evaluateAll((all) => all.map((link) => [link.textContent, (link as HTMLAnchorElement).href])),
    ).toEqual([['Download Earthquakes', url]]);
  });
});

describe('On a narrow screen', () => {
  inBrowser(
    'nothing scrolls sideways, and query and plot are within reach',
    async ({ page }) => {
      const sideways = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(await sideways()).toBe(0);
      await plotTemperatures(page);
      expect(await sideways()).toBe(0);
      for (const name of [/^Execute query/, 'Save as PNG', 'Zoom in', /^temp_max/]) {
        const button = page.getByRole('button', { name });
        await button.scrollIntoViewIfNeeded();
        const box = await button.boundingBox();
        expect(box && box.x >= 0 && box.x + box.width <= 390).toBe(true);
      }
      expect(pixelsOf(await drawnOn(page, '.plot-chart'), FIRST).length).toBeGreaterThan(500);
    },
    { width: 390, height: 844 },
  );
});

describe('In the dark', () => {
  it('has a dark page with lines of lighter colours', async () => {
    const { page, problems } = await openExplorer({ colorScheme: 'dark' });
    await plotTemperatures(page);
    const picture = await drawnOn(page, '.plot-chart');
    expect(pixelsOf(picture, [0xff, 0x8c, 0x42]).length).toBeGreaterThan(500);
    expect(pixelsOf(picture, FIRST)).toHaveLength(0);
    expect(await page.locator('#page').evaluate((element) => getComputedStyle(element).backgroundColor)).toBe(
      'rgb(33, 42, 59)',
    );
    expect(problems).toEqual([]);
  });
});
